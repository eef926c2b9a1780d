/* Input of unreasonable size: deep, long, wide. Nothing recurses on it and nothing overflows. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *repeated(const char *open, size_t times, const char *middle, const char *close) {
    size_t open_len = strlen(open), middle_len = strlen(middle), close_len = strlen(close);
    char *text = malloc(times * (open_len + close_len) + middle_len + 1), *at = text;
    if (!text)
        exit(3);
    for (size_t i = 0; i < times; i++)
        at = (char *)memcpy(at, open, open_len) + open_len;
    at = (char *)memcpy(at, middle, middle_len) + middle_len;
    for (size_t i = 0; i < times; i++)
        at = (char *)memcpy(at, close, close_len) + close_len;
    *at = '\0';
    return text;
}

/* A user message of these contents, an answer, and a last turn. Its length is its estimate, being ASCII and compact. */
static void compacts(const char *what, const char *user_content) {
    char *messages = written("[{\"role\":\"user\",\"content\":%s},{\"role\":\"assistant\",\"content\":\"ok\"},{\"role\":\"user\","
                             "\"content\":\"next\"}]",
                             user_content);
    tn_compactor *compactor = compactor_of("{\"max_tokens\":20,\"keep_tail\":10}");
    struct host host = {0};
    char *result = NULL, *error = NULL;
    tn_status status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
    if (SUCCEEDED(what, status, error)) {
        SAME_TEXT(result, "[{\"role\":\"system\",\"content\":\"[Summary of earlier conversation]\\n" HOST_SUMMARY
                          "\"},{\"role\":\"user\",\"content\":\"next\"}]");
        CHECK(host.summarized_len == 1 && strstr(host.summarized[0].json, user_content), "%s is not in older", what);
    }
    tn_string_free(result);
    host_forget(&host);
    tn_compactor_free(compactor);
    free(messages);
}

/* The estimate of one message of which this is the value. */
static void counts(const char *what, const char *value) {
    char *messages = written("[{\"k\":%s}]", value), *error = NULL;
    uint64_t tokens = 0, want = (strlen(value) + 6 + 3) / 4;
    tn_status status = tn_estimate_tokens(messages, TN_NUL_TERMINATED, TN_UTF16, &tokens, &error);
    SUCCEEDED(what, status, error);
    CHECK(tokens == want, "%s counts %llu, not %llu", what, (unsigned long long)tokens, (unsigned long long)want);
    free(messages);
}

static void nest(void) {
    size_t deep = repeats(1000000);
    char *arrays = repeated("[", deep, "", "]"), *objects = repeated("{\"a\":", deep, "null", "}"),
         *both = repeated("[{\"content\":", deep, "[]", "}]");
    counts("a million arrays", arrays);
    counts("a million objects", objects);
    counts("a million of both", both);
    compacts("a million arrays", arrays);
    compacts("a million objects", objects);
    compacts("a million of both", both);
    free(arrays);
    free(objects);
    free(both);
}

static void a_million_levels_are_no_problem(void) {
    nest();
}

static void *nest_on_a_small_stack(void *nothing) {
    nest();
    return nothing;
}

static void a_million_levels_are_no_problem_on_a_stack_of_128_kilobytes(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    if (pthread_create(&thread, &attributes, nest_on_a_small_stack, NULL) != 0)
        exit(3);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void a_million_open_brackets_are_refused_at_their_end(void) {
    size_t deep = repeats(1000000);
    char *open = repeated("[", deep, "", ""), *mixed = repeated("[{\"a\":", deep, "", ""), *texts[2], *error = NULL;
    tn_compactor *compactor = NULL;
    texts[0] = open;
    texts[1] = mixed;
    for (size_t i = 0; i < 2; i++) {
        uint64_t tokens = 0;
        tn_status status = tn_estimate_tokens(texts[i], TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
        CHECK(byte_named_in(error) == strlen(texts[i]), "the error says %.100s", error ? error : "nothing");
        REFUSED("a million open brackets", status, TN_ERR_JSON, error, "byte");
        status = tn_compactor_new(texts[i], TN_NUL_TERMINATED, &compactor, &error);
        REFUSED("a million open brackets as options", status, TN_ERR_JSON, error, "byte");
    }
    free(open);
    free(mixed);
}

static void an_option_of_a_million_levels_is_refused(void) {
    char *value = repeated("[", repeats(1000000), "", "]"), *options = written("{\"max_tokens\":%s}", value), *error = NULL;
    tn_compactor *compactor = NULL;
    tn_status status = tn_compactor_new(options, TN_NUL_TERMINATED, &compactor, &error);
    CHECK(error && strlen(error) < 10000, "the error text is as long as the option");
    REFUSED("max_tokens of a million levels", status, TN_ERR_OPTIONS, error, "max_tokens&array|[&integer");
    free(value);
    free(options);
}

static void numbers_of_a_hundred_thousand_digits_stay_as_they_are(void) {
    char *digits = repeated("7", 100000, "", ""), *fraction = written("-0.%se+%s", digits, digits);
    char *kept = written("{\"role\":\"user\",\"n\":%s,\"m\":%s}", digits, fraction);
    char *messages = written("[{\"role\":\"user\",\"n\":%s},{\"role\":\"assistant\"},%s]", digits, kept);
    char *want = written("[{\"role\":\"system\",\"content\":\"[Summary of earlier conversation]\\nrecap\"},%s]", kept);
    char *result = NULL, *error = NULL;
    tn_plan *plan = plan_of("{\"max_tokens\":76000,\"keep_tail\":10}", messages);
    tn_status status;
    counts("a number of 100000 digits", digits);
    counts("a number of 200000 digits", fraction);
    status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, &result, &error);
    if (SUCCEEDED("the long numbers", status, error))
        CHECK(result && strcmp(result, want) == 0, "a kept number changed");
    tn_string_free(result);
    tn_plan_free(plan);
    free(want);
    free(messages);
    free(kept);
    free(fraction);
    free(digits);
}

static void ids_of_a_megabyte_pair_or_not_by_their_last_byte(void) {
    char *id = repeated("x", 1000000, "", "");
    for (int same = 0; same < 2; same++) {
        /* A user message stands between call and result: if they are a pair, no cut may fall there. */
        char *messages = written("[{\"role\":\"user\",\"content\":\"go\"},"
                                 "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"%s1\",\"function\":{\"name\":\"f\"}}]},"
                                 "{\"role\":\"user\",\"content\":\"still there?\"},"
                                 "{\"role\":\"tool\",\"tool_call_id\":\"%s%d\",\"content\":\"late\"},"
                                 "{\"role\":\"assistant\",\"content\":\"yes\"}]",
                                 id, id, same ? 1 : 2);
        tn_plan *plan = plan_of("{\"max_tokens\":400000,\"keep_tail\":400000,\"split\":\"turns\"}", messages);
        CHECK(tn_plan_tail_start(plan) == (same ? 5 : 2), "ids that %s: the tail starts at %zu", same ? "agree" : "differ in the last byte",
              tn_plan_tail_start(plan));
        tn_plan_free(plan);
        free(messages);
    }
    free(id);
}

static void a_summary_of_ten_megabytes_is_used_whole(void) {
    char *messages = transcript(tides, 0, TIDES), *breaks = repeated("\n", repeats(10000000), "", "");
    char *escaped = repeated("\\n", repeats(10000000), "", ""), *summary = written("begun%sended", breaks);
    char *whole = written("begun%sended", escaped), *want = tides_compacted(whole), *result = NULL, *error = NULL;
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    tn_status status = tn_plan_finish(plan, summary, TN_NUL_TERMINATED, &result, &error);
    if (SUCCEEDED("a summary of ten megabytes", status, error))
        CHECK(result && strcmp(result, want) == 0, "the summary did not arrive whole");
    tn_string_free(result);
    tn_plan_free(plan);
    free(want);
    free(whole);
    free(summary);
    free(escaped);
    free(breaks);
    free(messages);
}

static void a_hundred_thousand_messages_are_planned(void) {
    size_t turns = repeats(50000);
    char *messages = long_talk(turns);
    uint64_t whole = 0;
    char *options, *result = NULL, *error = NULL;
    tn_plan *plan;
    tn_status status;
    tn_estimate_tokens(messages, TN_NUL_TERMINATED, TN_CODE_POINT, &whole, NULL);
    options = written("{\"max_tokens\":%llu}", (unsigned long long)whole / 2);
    plan = plan_of(options, messages);
    CHECK(tn_plan_outcome(plan) == TN_COMPACT && tn_plan_tail_start(plan) > turns && tn_plan_tail_start(plan) < 2 * turns,
          "outcome %d, the tail starts at %zu", (int)tn_plan_outcome(plan), tn_plan_tail_start(plan));
    CHECK(tn_plan_tail_tokens(plan) <= whole / 4, "the tail has %llu tokens", (unsigned long long)tn_plan_tail_tokens(plan));
    status = tn_plan_finish(plan, "recap", 5, &result, &error);
    if (SUCCEEDED(options, status, error)) {
        size_t kept = strlen(result);
        CHECK(strcmp(result + kept - 60, messages + strlen(messages) - 60) == 0, "the end is another");
    }
    tn_string_free(result);
    tn_plan_free(plan);
    free(options);
    free(messages);
}

RUN_TESTS(TEST(a_million_levels_are_no_problem), TEST(a_million_levels_are_no_problem_on_a_stack_of_128_kilobytes),
          TEST(a_million_open_brackets_are_refused_at_their_end), TEST(an_option_of_a_million_levels_is_refused),
          TEST(numbers_of_a_hundred_thousand_digits_stay_as_they_are), TEST(ids_of_a_megabyte_pair_or_not_by_their_last_byte),
          TEST(a_summary_of_ten_megabytes_is_used_whole), TEST(a_hundred_thousand_messages_are_planned))
