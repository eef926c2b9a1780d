/* What the library says of itself. */
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void every_status_has_its_name(void) {
    static const struct {
        int32_t status;
        const char *name;
    } all[] = {{TN_OK, "TN_OK"},
               {TN_ERR_ARGUMENT, "TN_ERR_ARGUMENT"},
               {TN_ERR_UTF8, "TN_ERR_UTF8"},
               {TN_ERR_JSON, "TN_ERR_JSON"},
               {TN_ERR_TRANSCRIPT, "TN_ERR_TRANSCRIPT"},
               {TN_ERR_OPTIONS, "TN_ERR_OPTIONS"},
               {TN_ERR_CALLBACK, "TN_ERR_CALLBACK"},
               {TN_ERR_INTERNAL, "TN_ERR_INTERNAL"},
               {TN_ERR_MEMORY, "TN_ERR_MEMORY"}};
    for (int32_t i = 0; i < (int32_t)(sizeof all / sizeof *all); i++) {
        CHECK(all[i].status == -i, "%s is %d", all[i].name, (int)all[i].status);
        SAME_TEXT(tn_status_name(all[i].status), all[i].name);
    }
}

static void an_unknown_status_has_a_name_too(void) {
    static const int32_t unknown[] = {1, 2, -9, -10, 100, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const char *name = tn_status_name(unknown[i]);
        CHECK(name && *name, "%d has no name", (int)unknown[i]);
        for (int32_t known = 0; known >= -8 && name; known--)
            CHECK(strcmp(name, tn_status_name(known)) != 0, "%d is called %s", (int)unknown[i], name);
    }
}

static void outcomes_and_units_have_their_values(void) {
    CHECK(TN_COMPACT == 0 && TN_UNDER_BUDGET == 1 && TN_NOTHING_OLDER == 2 && TN_NOTHING_NEW == 3 && TN_CALL_IN_FLIGHT == 4,
          "an outcome has another value");
    CHECK(TN_CODE_POINT == 0 && TN_UTF16 == 1 && TN_UTF8 == 2, "a unit has another value");
    CHECK(TN_NUL_TERMINATED == SIZE_MAX, "TN_NUL_TERMINATED is %zu", (size_t)TN_NUL_TERMINATED);
}

static void prefix_and_reminder_are_the_rules_byte_for_byte(void) {
    SAME_TEXT(tn_summary_prefix(), "[Summary of earlier conversation]\n");
    SAME_TEXT(tn_flush_reminder(), "Before continuing: if anything from earlier is worth keeping, save it with the memory tool now \xe2\x80\x94 "
                                   "the earlier transcript is about to be summarized.");
}

static void constant_texts_are_the_same_at_every_call(void) {
    CHECK(tn_summary_prefix() == tn_summary_prefix(), "the prefix moves");
    CHECK(tn_flush_reminder() == tn_flush_reminder(), "the reminder moves");
    CHECK(tn_version() == tn_version(), "the version moves");
    CHECK(tn_status_name(TN_OK) == tn_status_name(TN_OK), "a name moves");
}

static void the_library_is_of_the_header_s_version(void) {
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", (int)TN_VERSION_MAJOR, (int)TN_VERSION_MINOR, (int)TN_VERSION_PATCH);
    SAME_TEXT(tn_version(), version);
    CHECK(tn_abi_version() == TN_ABI_VERSION, "ABI version %u of the library, %u of the header", (unsigned)tn_abi_version(),
          (unsigned)TN_ABI_VERSION);
}

RUN_TESTS(TEST(every_status_has_its_name), TEST(an_unknown_status_has_a_name_too), TEST(outcomes_and_units_have_their_values),
          TEST(prefix_and_reminder_are_the_rules_byte_for_byte), TEST(constant_texts_are_the_same_at_every_call),
          TEST(the_library_is_of_the_header_s_version))
