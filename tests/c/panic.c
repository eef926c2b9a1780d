/* A panic inside the library does not cross the boundary. Built against a library with the feature fault-injection, which panics
   on certain texts. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <stdlib.h>
#include <string.h>

static char poison[8];
#define POISON ((void *)poison)

#define WHILE(doing) "tn-fault-injection: panic while " doing
static const char bad_transcript[] = "[{\"role\":\"user\",\"content\":\"" WHILE("planning") "\"}]";

/* The same compactor still does its work. */
static void works(const tn_compactor *compactor) {
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY), *result = NULL, *error = NULL;
    struct host host = {0};
    tn_status status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
    if (SUCCEEDED("the call after the panic", status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    host_forget(&host);
    free(want);
    free(messages);
}

static void a_panic_while_planning_becomes_an_internal_error_of_plan_new(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    for (int i = 0; i < 3; i++) {
        tn_plan *plan = POISON;
        char *error = POISON;
        tn_status status = tn_plan_new(compactor, bad_transcript, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
        REFUSED("a panic while planning", status, TN_ERR_INTERNAL, error, "bug&library|tn_compactor|tn-compactor");
        CHECK(plan == NULL, "the plan is not NULL");
        works(compactor);
    }
    tn_compactor_free(compactor);
}

static void a_panic_while_planning_becomes_an_internal_error_of_apply(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    struct host host = {0};
    char *result = POISON, *error = POISON;
    tn_status status = tn_compactor_apply(compactor, bad_transcript, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
    REFUSED("a panic while planning", status, TN_ERR_INTERNAL, error, "bug&library|tn_compactor|tn-compactor");
    CHECK(result == NULL, "the result is not NULL");
    CHECK(host.summarized_len == 0, "summarize was called all the same");
    works(compactor);
    host_forget(&host);
    tn_compactor_free(compactor);
}

static void a_panic_while_finishing_becomes_an_internal_error_of_finish(void) {
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted("recap");
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    char *result = POISON, *error = POISON;
    tn_status status = tn_plan_finish(plan, WHILE("finishing"), TN_NUL_TERMINATED, &result, &error);
    REFUSED("a panic while finishing", status, TN_ERR_INTERNAL, error, "bug&library|tn_compactor|tn-compactor");
    CHECK(result == NULL, "the result is not NULL");
    /* The same plan may still be finished. */
    status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, &result, &error);
    if (SUCCEEDED("the next finish", status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    tn_plan_free(plan);
    free(want);
    free(messages);
}

static void answer_that_panics(tn_sink *out) {
    tn_sink_set_text(out, WHILE("finishing"), TN_NUL_TERMINATED);
}

static void a_panic_while_finishing_becomes_an_internal_error_of_apply(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES), *result = POISON, *error = POISON;
    struct host host = {0};
    tn_status status;
    host.answer = answer_that_panics;
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
    REFUSED("a panic while finishing", status, TN_ERR_INTERNAL, error, "bug&library|tn_compactor|tn-compactor");
    CHECK(result == NULL, "the result is not NULL");
    CHECK(host.summarized_len == 1, "summarize was called %zu times", host.summarized_len);
    works(compactor);
    host_forget(&host);
    tn_compactor_free(compactor);
    free(messages);
}

static void a_panic_while_reading_options_becomes_an_internal_error(void) {
    tn_compactor *compactor = POISON, *good;
    char *error = POISON;
    tn_status status = tn_compactor_new("{\"max_tokens\":100,\"split\":\"" WHILE("reading options") "\"}", TN_NUL_TERMINATED, &compactor, &error);
    REFUSED("a panic while reading options", status, TN_ERR_INTERNAL, error, "bug&library|tn_compactor|tn-compactor");
    CHECK(compactor == NULL, "the compactor is not NULL");
    good = compactor_of(TIDES_OPTIONS);
    works(good);
    tn_compactor_free(good);
}

static void error_may_be_null_in_a_panic(void) {
    tn_compactor *compactor = POISON;
    tn_status status = tn_compactor_new("{\"max_tokens\":100,\"split\":\"" WHILE("reading options") "\"}", TN_NUL_TERMINATED, &compactor, NULL);
    CHECK(status == TN_ERR_INTERNAL && compactor == NULL, "status %s", tn_status_name(status));
}

/* A host that summarizes by compacting another transcript, in which the library panics. */
static void summarize_over_a_panic(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    const tn_compactor *compactor = user_data;
    tn_plan *plan = POISON;
    char *error = NULL;
    tn_status status = tn_plan_new(compactor, bad_transcript, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    (void)json, (void)json_len, (void)first, (void)count;
    REFUSED("a panic inside a callback's call", status, TN_ERR_INTERNAL, error, "bug");
    tn_sink_set_text(out, HOST_SUMMARY, TN_NUL_TERMINATED);
}

static void a_panic_of_an_inner_call_leaves_the_outer_one_alone(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY), *result = NULL, *error = NULL;
    tn_status status =
        tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, summarize_over_a_panic, NULL, compactor, &result, &error);
    if (SUCCEEDED(messages, status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    tn_compactor_free(compactor);
    free(want);
    free(messages);
}

RUN_TESTS(TEST(a_panic_while_planning_becomes_an_internal_error_of_plan_new), TEST(a_panic_while_planning_becomes_an_internal_error_of_apply),
          TEST(a_panic_while_finishing_becomes_an_internal_error_of_finish), TEST(a_panic_while_finishing_becomes_an_internal_error_of_apply),
          TEST(a_panic_while_reading_options_becomes_an_internal_error), TEST(error_may_be_null_in_a_panic),
          TEST(a_panic_of_an_inner_call_leaves_the_outer_one_alone))
