/* What the options object takes and refuses. A refusal names the key, what was found and what is allowed. */
#include "check.h"
#include "conversation.h"

#include <stdlib.h>
#include <string.h>

static void refused(const char *options, const char *parts) {
    tn_compactor *compactor = NULL;
    char *error = NULL;
    tn_status status = tn_compactor_new(options, TN_NUL_TERMINATED, &compactor, &error);
    REFUSED(options, status, TN_ERR_OPTIONS, error, parts);
    CHECK(compactor == NULL, "%s gave a compactor", options);
    tn_compactor_free(status == TN_OK ? compactor : NULL);
}

static void accepted(const char *options) {
    tn_compactor *compactor = NULL;
    char *error = NULL;
    tn_status status = tn_compactor_new(options, TN_NUL_TERMINATED, &compactor, &error);
    SUCCEEDED(options, status, error);
    CHECK(compactor != NULL, "%s gave no compactor", options);
    tn_compactor_free(compactor);
}

/* Is "key": value refused, beside a good max_tokens? */
static void value_refused(const char *key, const char *value, const char *parts) {
    char *options = strcmp(key, "max_tokens") == 0 ? written("{\"max_tokens\":%s}", value)
                                                   : written("{\"max_tokens\":100,\"%s\":%s}", key, value);
    char *all = written("%s&%s", key, parts);
    refused(options, all);
    free(all);
    free(options);
}

static const struct {
    const char *text, *named;
} values[] = {
    /* "1" and "a" stand in strings that are no option's word. */
    {"\"1\"", "string|\"1\""}, {"\"a\"", "string|\"a\""}, {"null", "null"}, {"[]", "array|[]"},
    {"[1]", "array|[1]"},      {"{}", "object|{}"},       {"{\"a\":1}", "object|{\"a\":1}"},
};
enum { VALUES = sizeof values / sizeof *values };

static const char *const integers[] = {"max_tokens", "keep_tail"};

static void an_integer_of_another_type_is_refused(void) {
    for (size_t key = 0; key < 2; key++) {
        for (size_t i = 0; i < VALUES; i++) {
            char *parts = written("%s&integer", values[i].named);
            value_refused(integers[key], values[i].text, parts);
            free(parts);
        }
        value_refused(integers[key], "true", "true|bool&integer");
        value_refused(integers[key], "false", "false|bool&integer");
    }
}

static void a_negative_number_is_refused(void) {
    for (size_t key = 0; key < 2; key++) {
        value_refused(integers[key], "-1", "-1&integer");
        value_refused(integers[key], "-9223372036854775809", "-9223372036854775809&integer");
    }
}

static void a_fractional_number_is_refused(void) {
    for (size_t key = 0; key < 2; key++) {
        value_refused(integers[key], "1.5", "1.5&integer");
        value_refused(integers[key], "0.25", "0.25&integer");
        value_refused(integers[key], "25e-1", "25e-1&integer");
    }
}

static void a_number_out_of_range_is_refused(void) {
    for (size_t key = 0; key < 2; key++) {
        value_refused(integers[key], "18446744073709551616", "18446744073709551616&integer|18446744073709551615");
        value_refused(integers[key], "99999999999999999999999999", "99999999999999999999999999&integer|18446744073709551615");
    }
}

static void a_number_of_any_length_is_refused_without_ado(void) {
    char *digits = malloc(100001);
    REQUIRE(digits, "out of memory");
    memset(digits, '9', 100000);
    digits[100000] = '\0';
    value_refused("max_tokens", digits, "9999&integer|18446744073709551615");
    free(digits);
}

static void the_largest_and_the_smallest_integer_are_taken(void) {
    accepted("{\"max_tokens\":0}");
    accepted("{\"max_tokens\":18446744073709551615}");
    accepted("{\"max_tokens\":0,\"keep_tail\":0}");
    accepted("{\"max_tokens\":1,\"keep_tail\":18446744073709551615}");
}

static void a_missing_max_tokens_is_refused(void) {
    refused("{}", "max_tokens&nothing|missing|required&integer");
    refused("{\"keep_tail\":10}", "max_tokens&nothing|missing|required&integer");
    refused("{\"flush_to_memory\":true,\"split\":\"steps\"}", "max_tokens&nothing|missing|required&integer");
}

static void an_unknown_key_is_refused_with_the_known_ones(void) {
    static const char all[] = "max_tokens&keep_tail&flush_to_memory&char_unit&split&summary_role";
    static const char *const keys[] = {"maxTokens", "keep-tail", "Max_tokens", "max_tokens ", "", "\xe6\xbd\xae", "a\\\"b"};
    static const char *const shown[] = {"maxTokens", "keep-tail", "Max_tokens", "max_tokens ", "\"\"", "\xe6\xbd\xae", "a\"b|a\\\"b"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *options = written("{\"max_tokens\":100,\"%s\":1}", keys[i]);
        char *parts = written("%s&%s", shown[i], all);
        refused(options, parts);
        free(parts);
        free(options);
    }
}

static void flush_to_memory_of_another_type_is_refused(void) {
    for (size_t i = 0; i < VALUES; i++) {
        char *parts = written("%s&true|bool", values[i].named);
        value_refused("flush_to_memory", values[i].text, parts);
        free(parts);
    }
    value_refused("flush_to_memory", "1", "number|1&true|bool");
    value_refused("flush_to_memory", "0", "number|0&true|bool");
    value_refused("flush_to_memory", "\"true\"", "string|\"true\"&bool|true, false|true or false");
}

static const struct {
    const char *key, *allowed;
} words[] = {{"char_unit", "code_point&utf16&utf8"}, {"split", "steps&turns"}, {"summary_role", "system&developer&user&assistant"}};
enum { WORDS = sizeof words / sizeof *words };

static void a_word_of_another_type_is_refused(void) {
    static const struct {
        const char *text, *named;
    } others[] = {{"1", "number|1"}, {"null", "null"}, {"true", "true|bool"}, {"[\"steps\"]", "array|[\"steps\"]"}, {"{}", "object|{}"}};
    for (size_t key = 0; key < WORDS; key++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            char *parts = written("%s&%s", others[i].named, words[key].allowed);
            value_refused(words[key].key, others[i].text, parts);
            free(parts);
        }
}

static void an_unknown_word_is_refused_with_the_known_ones(void) {
    static const char *const unknown[] = {"bytes", "", "Steps", "UTF8", "tool", "turns ", "\xe6\xbd\xae"};
    for (size_t key = 0; key < WORDS; key++)
        for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
            char *value = written("\"%s\"", unknown[i]);
            char *parts = written("%s&%s", unknown[i][0] ? unknown[i] : "\"\"|empty", words[key].allowed);
            value_refused(words[key].key, value, parts);
            free(parts);
            free(value);
        }
}

static void every_known_word_is_taken(void) {
    static const char *const good[] = {
        "\"char_unit\":\"code_point\"", "\"char_unit\":\"utf16\"",        "\"char_unit\":\"utf8\"",        "\"split\":\"steps\"",
        "\"split\":\"turns\"",          "\"summary_role\":\"system\"",    "\"summary_role\":\"developer\"", "\"summary_role\":\"user\"",
        "\"summary_role\":\"assistant\"", "\"flush_to_memory\":true",     "\"flush_to_memory\":false",     "\"keep_tail\":7",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *options = written("{%s,\"max_tokens\":100}", good[i]);
        accepted(options);
        free(options);
    }
}

static void escapes_and_white_space_in_options_mean_what_they_mean_in_json(void) {
    accepted(" {\r\n\t\"max_tokens\" : 100 , \"split\" : \"turns\" }\n");
    accepted("{\"max_\\u0074okens\":100,\"char_unit\":\"utf\\u0038\"}");
    refused("{\"max_tokens\":100,\"spli\\u0074\":\"tu\\u0072nz\"}", "split&turnz&steps&turns");
}

static void json_that_is_no_object_is_refused(void) {
    refused("[]", "object&array");
    refused("[{\"max_tokens\":1}]", "object&array");
    refused("null", "object&null");
    refused("100", "object&number|100");
    refused("\"max_tokens\"", "object&string");
    refused("true", "object&true|bool");
}

static void keep_tail_0_and_no_keep_tail_are_different_things(void) {
    char *messages = transcript(tides, 0, TIDES);
    /* Half of 250 holds the last two turns, none holds no turn at all: the last turn is then kept for safety. */
    tn_plan *absent = plan_of("{\"max_tokens\":250}", messages), *none = plan_of("{\"max_tokens\":250,\"keep_tail\":0}", messages);
    CHECK(tn_plan_tail_start(absent) == 5, "without keep_tail the tail of %s starts at %zu", messages, tn_plan_tail_start(absent));
    CHECK(tn_plan_tail_start(none) == 7, "with keep_tail 0 the tail of %s starts at %zu", messages, tn_plan_tail_start(none));
    tn_plan_free(absent);
    tn_plan_free(none);
    free(messages);
}

RUN_TESTS(TEST(an_integer_of_another_type_is_refused), TEST(a_negative_number_is_refused), TEST(a_fractional_number_is_refused),
          TEST(a_number_out_of_range_is_refused), TEST(a_number_of_any_length_is_refused_without_ado),
          TEST(the_largest_and_the_smallest_integer_are_taken), TEST(a_missing_max_tokens_is_refused),
          TEST(an_unknown_key_is_refused_with_the_known_ones), TEST(flush_to_memory_of_another_type_is_refused),
          TEST(a_word_of_another_type_is_refused), TEST(an_unknown_word_is_refused_with_the_known_ones),
          TEST(every_known_word_is_taken), TEST(escapes_and_white_space_in_options_mean_what_they_mean_in_json),
          TEST(json_that_is_no_object_is_refused), TEST(keep_tail_0_and_no_keep_tail_are_different_things))
