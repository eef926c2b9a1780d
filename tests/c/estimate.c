/* tn_estimate_tokens: ceil(chars / 4) per message, in each unit. */
#include "check.h"
#include "conversation.h"

#include <stdlib.h>
#include <string.h>

static void every_unit_counts_as_the_rules_say(void) {
    /* `chars` are those of the one string that is all the message has: {"k":"..."} adds eight. */
    static const struct {
        const char *what, *inside;
        size_t chars[3];
    } cases[] = {
        {"nothing", "", {0, 0, 0}},
        {"ASCII", "low water", {9, 9, 9}},
        {"an accent", "caf\xc3\xa9", {4, 4, 5}},
        {"an escaped accent", "caf\\u00e9", {4, 4, 5}},
        {"Chinese", "\xe6\xbd\xae\xe6\xb1\x90", {2, 2, 6}},
        {"escaped Chinese", "\\u6f6e\\u6C50", {2, 2, 6}},
        {"an emoji", "\xf0\x9f\x8c\x8a", {1, 2, 4}},
        {"an escaped emoji", "\\ud83c\\udf0a", {1, 2, 4}},
        {"a lone high surrogate", "\\ud83d", {1, 1, 3}},
        {"a lone low surrogate", "\\uDF0A", {1, 1, 3}},
        {"two high surrogates", "\\ud83d\\ud83d", {2, 2, 6}},
        {"surrogates the wrong way round", "\\udf0a\\ud83c", {2, 2, 6}},
        {"a high surrogate before a letter", "\\ud83dx", {2, 2, 4}},
        {"a high surrogate, then a whole emoji", "\\ud83d\\ud83c\\udf0a", {2, 3, 7}},
        {"two-character escapes", "\\\"\\\\\\b\\f\\n\\r\\t", {14, 14, 14}},
        {"an escaped slash", "\\/", {1, 1, 1}},
        {"a control character", "\\u0001", {6, 6, 6}},
        {"a newline written as \\u000a", "\\u000a", {2, 2, 2}},
        {"a quote written as \\u0022", "\\u0022", {2, 2, 2}},
        {"DEL", "\x7f", {1, 1, 1}},
        {"line separators", "\xe2\x80\xa8\xe2\x80\xa9", {2, 2, 12}},
        {"escaped line separators", "\\u2028\\u2029", {2, 2, 12}},
        {"a NUL", "\\u0000", {6, 6, 6}},
        {"an angle bracket, which Go's encoder may escape", "<&>", {3, 3, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int32_t unit = TN_CODE_POINT; unit <= TN_UTF8; unit++)
            /* Padding moves the sum over each remainder, so that a difference of one character shows. */
            for (size_t padding = 0; padding < 4; padding++) {
                char *messages = written("[{\"k\":\"%s%.*s\"}]", cases[i].inside, (int)padding, "...");
                uint64_t tokens = 0, want = (8 + cases[i].chars[unit] + (padding < 3 ? padding : 3) + 3) / 4;
                char *error = NULL;
                tn_status status = tn_estimate_tokens(messages, TN_NUL_TERMINATED, unit, &tokens, &error);
                SUCCEEDED(messages, status, error);
                CHECK(tokens == want, "%s in unit %d: %s counts %llu, not %llu", cases[i].what, (int)unit, messages,
                      (unsigned long long)tokens, (unsigned long long)want);
                free(messages);
            }
}

static void each_message_is_rounded_up_by_itself(void) {
    static const struct {
        const char *messages;
        uint64_t want;
    } cases[] = {{"[]", 0}, {"[{}]", 1}, {"[{},{},{}]", 3}, {"[{\"a\":1},{\"a\":12}]", 4}, {"[{\"a\":123},{\"a\":1}]", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens = 99;
        CHECK(tn_estimate_tokens(cases[i].messages, TN_NUL_TERMINATED, TN_UTF16, &tokens, NULL) == TN_OK && tokens == cases[i].want,
              "%s counts %llu", cases[i].messages, (unsigned long long)tokens);
    }
}

static void numbers_and_repeated_keys_count_as_they_stand(void) {
    static const struct {
        const char *messages;
        uint64_t want;
    } cases[] = {{"[{\"a\":1.10000}]", 4}, {"[{\"a\":1e5}]", 3}, {"[{\"a\":123456789012345678901234567890}]", 9}, {"[{\"a\":-0.0}]", 3},
                 {"[{\"a\":1,\"a\":2}]", 4}, {"[ { \"a\" : 1 , \"a\" : 2 } ]", 4}, {"[{\"b\":[true,false,null]}]", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tokens = 0;
        CHECK(tn_estimate_tokens(cases[i].messages, TN_NUL_TERMINATED, TN_UTF8, &tokens, NULL) == TN_OK && tokens == cases[i].want,
              "%s counts %llu, not %llu", cases[i].messages, (unsigned long long)tokens, (unsigned long long)cases[i].want);
    }
}

static void the_option_char_unit_counts_like_the_function(void) {
    static const char *const units[] = {"code_point", "utf16", "utf8"};
    static const char messages[] = "[{\"role\":\"user\",\"content\":\"\xf0\x9f\x8c\x8a\xf0\x9f\x8c\x8a\xe6\xbd\xae\xe6\xbd\xae\xe6\xbd\xae\"}]";
    uint64_t before = 0;
    for (int32_t unit = TN_CODE_POINT; unit <= TN_UTF8; unit++) {
        char *options = written("{\"max_tokens\":1000,\"char_unit\":\"%s\"}", units[unit]);
        tn_plan *plan = plan_of(options, messages);
        uint64_t tokens = 0;
        CHECK(tn_estimate_tokens(messages, TN_NUL_TERMINATED, unit, &tokens, NULL) == TN_OK, "%s was refused", messages);
        CHECK(tn_plan_tokens(plan) == tokens, "%llu under %s, %llu by the function", (unsigned long long)tn_plan_tokens(plan), options,
              (unsigned long long)tokens);
        CHECK(tokens >= before + (unit == TN_UTF8 ? 1 : 0), "unit %d counts %llu, the one before %llu", (int)unit,
              (unsigned long long)tokens, (unsigned long long)before);
        before = tokens;
        tn_plan_free(plan);
        free(options);
    }
}

RUN_TESTS(TEST(every_unit_counts_as_the_rules_say), TEST(each_message_is_rounded_up_by_itself),
          TEST(numbers_and_repeated_keys_count_as_they_stand), TEST(the_option_char_unit_counts_like_the_function))
