/* What callbacks are given, and what becomes of what they answer. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char poison[8];
#define POISON ((void *)poison)

/* Applies to the tides, whose summary is answered by `answer` (NULL: well) and whose counts by `answer_count` (NULL: no
   count_tokens at all). */
static tn_status applied(void (*answer)(tn_sink *), void (*answer_count)(tn_sink *), struct host *host, char **result, char **error) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES);
    tn_status status;
    host->answer = answer;
    host->answer_count = answer_count;
    *result = *error = POISON;
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, answer_count ? host_count : NULL, host, result,
                                error);
    free(messages);
    tn_compactor_free(compactor);
    return status;
}

/* This answer of summarize fails the call. */
static void summarize_fails(const char *shown, void (*answer)(tn_sink *), const char *parts) {
    struct host host = {0};
    char *result, *error;
    tn_status status = applied(answer, NULL, &host, &result, &error);
    REFUSED(shown, status, TN_ERR_CALLBACK, error, parts);
    CHECK(result == NULL, "%s: the result is not NULL", shown);
    CHECK(host.summarized_len == 1, "%s: summarize was called %zu times", shown, host.summarized_len);
    host_forget(&host);
}

/* This answer of count_tokens fails the call, and nothing is summarized. */
static void count_fails(const char *shown, void (*answer)(tn_sink *), const char *parts) {
    struct host host = {0};
    char *result, *error = POISON, *messages = transcript(tides, 0, TIDES);
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    tn_plan *plan = POISON;
    tn_status status = applied(NULL, answer, &host, &result, &error);
    REFUSED(shown, status, TN_ERR_CALLBACK, error, parts);
    CHECK(result == NULL, "%s: the result is not NULL", shown);
    CHECK(host.counted_len == 1, "%s: count_tokens was called %zu times", shown, host.counted_len);
    CHECK(host.summarized_len == 0, "%s: summarize was called all the same", shown);
    error = POISON;
    status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, host_count, &host, &plan, &error);
    REFUSED(shown, status, TN_ERR_CALLBACK, error, parts);
    CHECK(plan == NULL, "%s: the plan is not NULL", shown);
    tn_compactor_free(compactor);
    free(messages);
    host_forget(&host);
}

/* The error of this answer reaches the caller exactly so, from both callbacks. */
static void error_arrives(void (*answer)(tn_sink *), const char *want) {
    struct host host = {0};
    char *result, *error;
    tn_status status = applied(answer, NULL, &host, &result, &error);
    CHECK(status == TN_ERR_CALLBACK && !result, "summarize: status %s", tn_status_name(status));
    SAME_TEXT(error, want);
    tn_string_free(error);
    status = applied(NULL, answer, &host, &result, &error);
    CHECK(status == TN_ERR_CALLBACK && !result, "count_tokens: status %s", tn_status_name(status));
    SAME_TEXT(error, want);
    tn_string_free(error);
    host_forget(&host);
}

/* This answer of summarize gives this summary. */
static void summary_arrives(const char *shown, void (*answer)(tn_sink *), const char *escaped) {
    struct host host = {0};
    char *result, *error, *want = tides_compacted(escaped);
    tn_status status = applied(answer, NULL, &host, &result, &error);
    if (SUCCEEDED(shown, status, error)) {
        SAME_TEXT(result, want);
        tn_string_free(result);
    }
    host_forget(&host);
    free(want);
}

static void silence(tn_sink *out) {
    (void)out;
}
static void summarize_that_answers_nothing_fails_the_call(void) {
    summarize_fails("no answer", silence, "summar");
}
static void count_tokens_that_answers_nothing_fails_the_call(void) {
    count_fails("no answer", silence, "count");
}

static void text_twice(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "the first", TN_NUL_TERMINATED) == TN_OK, "the first answer was refused");
    CHECK(tn_sink_set_text(out, "the second", TN_NUL_TERMINATED) == TN_ERR_ARGUMENT, "the second answer was taken");
}
static void a_second_summary_is_refused_and_the_first_one_stands(void) {
    summary_arrives("two answers", text_twice, "the first");
}

static void estimate_twice(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    uint64_t tokens = 0;
    (void)user_data, (void)first, (void)count;
    CHECK(tn_estimate_tokens(json, json_len, TN_CODE_POINT, &tokens, NULL) == TN_OK, "the library gave no transcript to count");
    CHECK(tn_sink_set_count(out, tokens) == TN_OK, "the first count was refused");
    CHECK(tn_sink_set_count(out, 1) == TN_ERR_ARGUMENT, "the second count was taken");
}
static void a_second_count_is_refused_and_the_first_one_stands(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES), *error = NULL;
    tn_plan *plan = NULL;
    tn_status status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, estimate_twice, NULL, &plan, &error);
    if (SUCCEEDED(messages, status, error))
        CHECK(tn_plan_tokens(plan) == tokens_of(tides, 0, TIDES), "tokens is %llu", (unsigned long long)tn_plan_tokens(plan));
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    free(messages);
}

static void count_for_text(tn_sink *out) {
    CHECK(tn_sink_set_count(out, 5) == TN_ERR_ARGUMENT, "summarize may answer with a count");
}
static void count_then_text(tn_sink *out) {
    count_for_text(out);
    tn_sink_set_text(out, "a good summary", TN_NUL_TERMINATED);
}
static void text_then_count(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "a good summary", TN_NUL_TERMINATED) == TN_OK, "the summary was refused");
    count_for_text(out);
}
static void a_count_for_a_summary_fails_the_call_whatever_else_is_answered(void) {
    summarize_fails("a count for a summary", count_for_text, "summar&count");
    summarize_fails("a count, then a summary", count_then_text, "summar&count");
    summarize_fails("a summary, then a count", text_then_count, "summar&count");
}

static void text_for_count(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "five", TN_NUL_TERMINATED) == TN_ERR_ARGUMENT, "count_tokens may answer with a text");
}
static void text_then_good_count(tn_sink *out) {
    text_for_count(out);
    tn_sink_set_count(out, 5);
}
static void good_count_then_text(tn_sink *out) {
    CHECK(tn_sink_set_count(out, 5) == TN_OK, "the count was refused");
    text_for_count(out);
}
static void a_text_for_a_count_fails_the_call_whatever_else_is_answered(void) {
    count_fails("a text for a count", text_for_count, "count&text");
    count_fails("a text, then a count", text_then_good_count, "count&text");
    count_fails("a count, then a text", good_count_then_text, "count&text");
}

static void bad_utf8(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "recap \xf0\x9f", TN_NUL_TERMINATED) == TN_ERR_UTF8, "bad UTF-8 was taken");
}
static void bad_utf8_then_good_text(tn_sink *out) {
    bad_utf8(out);
    tn_sink_set_text(out, "a good summary", TN_NUL_TERMINATED);
}
static void a_summary_in_bad_utf8_fails_the_call_even_if_a_good_one_follows(void) {
    summarize_fails("bad UTF-8", bad_utf8, "summar&UTF-8&byte 6");
    summarize_fails("bad UTF-8, then a good summary", bad_utf8_then_good_text, "summar&UTF-8&byte 6");
}

static void bad_utf8_error(tn_sink *out) {
    CHECK(tn_sink_set_error(out, "down \xff", TN_NUL_TERMINATED) == TN_ERR_UTF8, "an error in bad UTF-8 was taken");
}
static void bad_utf8_error_then_good_text(tn_sink *out) {
    bad_utf8_error(out);
    tn_sink_set_text(out, "a good summary", TN_NUL_TERMINATED);
}
static void an_error_in_bad_utf8_fails_the_call_even_if_a_good_answer_follows(void) {
    summarize_fails("an error in bad UTF-8", bad_utf8_error, "UTF-8&byte 5");
    summarize_fails("an error in bad UTF-8, then a summary", bad_utf8_error_then_good_text, "UTF-8&byte 5");
    count_fails("an error in bad UTF-8", bad_utf8_error, "UTF-8&byte 5");
}

static void empty_text(tn_sink *out) {
    tn_sink_set_text(out, NULL, 0);
}
static void blank_text(tn_sink *out) {
    tn_sink_set_text(out, " \t\xe3\x80\x80\n", TN_NUL_TERMINATED);
}
static void a_blank_summary_fails_the_call(void) {
    summarize_fails("an empty summary", empty_text, "summar&blank|empty|white");
    summarize_fails("a blank summary", blank_text, "summar&blank|empty|white");
}

static void text_with_nul(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "before\0after", 12) == TN_OK, "a NUL in the summary was refused");
}
static void text_of_exact_length(tn_sink *out) {
    /* Freed at once and no NUL behind it: the text is read during the call. */
    char *text = malloc(5);
    if (!text)
        exit(3);
    memcpy(text, "recap", 5);
    CHECK(tn_sink_set_text(out, text, 5) == TN_OK, "an exact length was refused");
    memset(text, 'x', 5);
    free(text);
}
static void a_summary_is_read_during_the_call_by_its_length(void) {
    summary_arrives("a summary of an exact length", text_of_exact_length, "recap");
    summary_arrives("a summary with a NUL", text_with_nul, "before\\u0000after");
}

#define ODD_ERROR "HTTP 529: \"overloaded\"\n\t\xe6\xbd\xae \xf0\x9f\x8c\x8a %s %n \x01"

static void error_only(tn_sink *out) {
    char *text = written("%s", ODD_ERROR);
    CHECK(tn_sink_set_error(out, text, strlen(text)) == TN_OK, "the error was refused");
    memset(text, 'x', strlen(text));
    free(text);
}
static void a_host_s_error_reaches_the_caller_word_for_word(void) {
    error_arrives(error_only, ODD_ERROR);
}

static void error_with_nul(tn_sink *out) {
    CHECK(tn_sink_set_error(out, "\0a\0\0b\0", 6) == TN_OK, "a NUL in the error was refused");
}
static void a_nul_in_an_error_becomes_u_fffd(void) {
    error_arrives(error_with_nul, "\xef\xbf\xbd"
                                  "a\xef\xbf\xbd\xef\xbf\xbd"
                                  "b\xef\xbf\xbd");
}

static void empty_error(tn_sink *out) {
    tn_sink_set_error(out, NULL, 0);
}
static void an_empty_error_is_an_error(void) {
    error_arrives(empty_error, "");
}

static void two_errors(tn_sink *out) {
    tn_sink_set_error(out, "the first", TN_NUL_TERMINATED);
    tn_sink_set_error(out, "the second", TN_NUL_TERMINATED);
}
static void the_first_of_two_errors_counts(void) {
    error_arrives(two_errors, "the first");
}

static void error_after_text(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "a good summary", TN_NUL_TERMINATED) == TN_OK, "the summary was refused");
    CHECK(tn_sink_set_error(out, "and yet it failed", TN_NUL_TERMINATED) == TN_OK, "the error was refused");
}
static void error_before_text(tn_sink *out) {
    CHECK(tn_sink_set_error(out, "it failed before", TN_NUL_TERMINATED) == TN_OK, "the error was refused");
    tn_sink_set_text(out, "a good summary", TN_NUL_TERMINATED);
}
static void error_after_count(tn_sink *out) {
    CHECK(tn_sink_set_count(out, 5) == TN_OK, "the count was refused");
    CHECK(tn_sink_set_error(out, "and yet it failed", TN_NUL_TERMINATED) == TN_OK, "the error was refused");
}
static void error_before_count(tn_sink *out) {
    CHECK(tn_sink_set_error(out, "it failed before", TN_NUL_TERMINATED) == TN_OK, "the error was refused");
    tn_sink_set_count(out, 5);
}
static void an_error_wins_over_an_answer_before_and_after_it(void) {
    summarize_fails("an error after a summary", error_after_text, "and yet it failed");
    summarize_fails("an error before a summary", error_before_text, "it failed before");
    count_fails("an error after a count", error_after_count, "and yet it failed");
    count_fails("an error before a count", error_before_count, "it failed before");
}

static void wrong_kinds_then_error(tn_sink *out) {
    tn_sink_set_text(out, "\xff", 1);
    tn_sink_set_count(out, 5);
    tn_sink_set_error(out, "the host's own words", TN_NUL_TERMINATED);
}
static void a_host_s_error_wins_over_its_misuse_of_the_sink(void) {
    error_arrives(wrong_kinds_then_error, "the host's own words");
}

static void summarize_is_given_exactly_the_older_messages_once(void) {
    static const struct {
        const char *const *messages;
        size_t len, head_end, tail_start;
        const char *options;
    } cases[] = {{tides, TIDES, TIDES_HEAD_END, TIDES_TAIL_START, TIDES_OPTIONS}, {run, RUN, RUN_HEAD_END, RUN_TAIL_START, RUN_OPTIONS}};
    for (size_t i = 0; i < 2; i++) {
        tn_compactor *compactor = compactor_of(cases[i].options);
        char *messages = transcript(cases[i].messages, 0, cases[i].len);
        char *older = transcript(cases[i].messages, cases[i].head_end, cases[i].tail_start), *result = NULL, *error = NULL;
        struct host host = {0};
        tn_status status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
        SUCCEEDED(messages, status, error);
        CHECK(host.summarized_len == 1, "summarize was called %zu times", host.summarized_len);
        for (size_t call = 0; call < host.summarized_len; call++) {
            struct given *given = &host.summarized[call];
            SAME_TEXT(given->json, older);
            CHECK(given->json_len == strlen(older), "json_len is %zu", given->json_len);
            CHECK(given->first == cases[i].head_end, "first is %zu", given->first);
            CHECK(given->count == cases[i].tail_start - cases[i].head_end, "count is %zu", given->count);
        }
        tn_string_free(result);
        host_forget(&host);
        free(older);
        free(messages);
        tn_compactor_free(compactor);
    }
}

/* Every list that count_tokens was given is the text of its messages, is not empty, and is the whole transcript, the leading
   instructions, the request or a suffix. */
static void check_counted(const struct host *host, const char *const *messages, size_t len, size_t head_end, size_t request_start,
                          size_t request_end) {
    for (size_t call = 0; call < host->counted_len; call++) {
        const struct given *given = &host->counted[call];
        size_t end = given->first + given->count;
        CHECK(given->count > 0, "call %zu counts an empty list", call);
        CHECK(end <= len, "call %zu counts [%zu, %zu) of %zu", call, given->first, end, len);
        if (messages && end <= len) {
            char *want = transcript(messages, given->first, end);
            SAME_TEXT(given->json, want);
            CHECK(given->json_len == strlen(want), "json_len is %zu", given->json_len);
            free(want);
        }
        CHECK((given->first == 0 && end == head_end) || (given->first == request_start && end == request_end) || end == len,
              "call %zu counts [%zu, %zu): neither head, request nor suffix", call, given->first, end);
    }
    CHECK(host->counted_len > 0 && host->counted[0].first == 0 && host->counted[0].count == len, "the whole is not counted first");
}

static void count_tokens_sees_the_whole_the_head_the_request_and_suffixes(void) {
    char *messages[2] = {transcript(tides, 0, TIDES), transcript(run, 0, RUN)};
    static const char *const options[2] = {TIDES_OPTIONS, RUN_OPTIONS};
    for (size_t i = 0; i < 2; i++) {
        tn_compactor *compactor = compactor_of(options[i]);
        tn_plan *plan = NULL, *estimated = plan_of(options[i], messages[i]);
        struct host host = {0};
        char *error = NULL;
        bool head_seen = false;
        tn_status status = tn_plan_new(compactor, messages[i], TN_NUL_TERMINATED, host_count, &host, &plan, &error);
        if (SUCCEEDED(messages[i], status, error)) {
            if (i == 0)
                check_counted(&host, tides, TIDES, TIDES_HEAD_END, TIDES - 2, TIDES - 1);
            else
                check_counted(&host, run, RUN, RUN_HEAD_END, RUN_REQUEST_START, RUN_REQUEST_END);
            for (size_t call = 0; call < host.counted_len; call++)
                head_seen = head_seen || (host.counted[call].first == 0 && host.counted[call].count == 1);
            CHECK(head_seen, "the leading instructions were not counted");
            /* A host that counts like the estimate gets the same plan. */
            CHECK(tn_plan_outcome(plan) == tn_plan_outcome(estimated) && tn_plan_tail_start(plan) == tn_plan_tail_start(estimated) &&
                      tn_plan_tokens(plan) == tn_plan_tokens(estimated) &&
                      tn_plan_tail_tokens(plan) == tn_plan_tail_tokens(estimated) &&
                      tn_plan_request_start(plan) == tn_plan_request_start(estimated),
                  "the estimate as count_tokens splits %s elsewhere", messages[i]);
        }
        host_forget(&host);
        tn_plan_free(plan);
        tn_plan_free(estimated);
        tn_compactor_free(compactor);
        free(messages[i]);
    }
}

static void count_tokens_sees_no_more_than_the_whole_under_budget(void) {
    tn_compactor *compactor = compactor_of("{\"max_tokens\":100000}");
    char *messages = transcript(tides, 0, TIDES), *result = POISON, *error = NULL;
    struct host host = {0};
    tn_status status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
    SUCCEEDED(messages, status, error);
    CHECK(result == NULL, "something changed under budget");
    CHECK(host.counted_len == 1 && host.counted[0].first == 0 && host.counted[0].count == TIDES, "%zu calls", host.counted_len);
    if (host.counted_len == 1)
        SAME_TEXT(host.counted[0].json, messages);
    host_forget(&host);
    free(messages);
    tn_compactor_free(compactor);
}

static void count_tokens_is_never_asked_about_an_empty_list(void) {
    static const char *const texts[] = {"[]", "[{\"role\":\"user\",\"content\":\"hello\"}]",
                                        "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"}]",
                                        "[{\"role\":\"system\",\"content\":\"a\"}]"};
    static const char *const options[] = {"{\"max_tokens\":0}", "{\"max_tokens\":1,\"split\":\"turns\"}", "{\"max_tokens\":3,\"keep_tail\":0}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof options / sizeof *options; j++) {
            tn_compactor *compactor = compactor_of(options[j]);
            struct host host = {0};
            tn_plan *plan = NULL;
            char *error = NULL;
            tn_status status = tn_plan_new(compactor, texts[i], TN_NUL_TERMINATED, host_count, &host, &plan, &error);
            SUCCEEDED(texts[i], status, error);
            for (size_t call = 0; call < host.counted_len; call++)
                CHECK(host.counted[call].count > 0 && host.counted[call].json_len > 2, "%s: call %zu is empty", texts[i], call);
            CHECK(i != 0 || host.counted_len == 0, "[] was counted");
            host_forget(&host);
            tn_plan_free(plan);
            tn_compactor_free(compactor);
        }
}

static size_t log2_of(size_t n) {
    size_t log = 0;
    while (n >>= 1)
        log++;
    return log;
}

static void count_tokens_sees_o_log_n_suffixes(void) {
    for (size_t n = 4; n <= repeats(4096); n *= 4) {
        char *texts[2] = {long_talk(n), long_run(n)};
        for (size_t i = 0; i < 2; i++) {
            uint64_t whole = 0;
            char *options;
            tn_estimate_tokens(texts[i], TN_NUL_TERMINATED, TN_CODE_POINT, &whole, NULL);
            for (uint64_t part = 1; part <= 9; part += 2) {
                tn_compactor *compactor;
                struct host host = {0};
                tn_plan *plan = NULL;
                char *error = NULL;
                tn_status status;
                size_t most = 3 + 2 * (log2_of(n) + 3), len = i == 0 ? 2 * n + 1 : 2 * n + 2;
                options = written("{\"max_tokens\":%llu,\"keep_tail\":%llu}", (unsigned long long)whole * 9 / 10,
                                  (unsigned long long)whole * part / 20);
                compactor = compactor_of(options);
                status = tn_plan_new(compactor, texts[i], TN_NUL_TERMINATED, host_count, &host, &plan, &error);
                if (SUCCEEDED(options, status, error)) {
                    CHECK(tn_plan_outcome(plan) == TN_COMPACT, "outcome %d under %s", (int)tn_plan_outcome(plan), options);
                    CHECK(host.counted_len <= most, "%zu calls, more than %zu, for %zu messages", host.counted_len, most, len);
                    check_counted(&host, NULL, len, 1, i == 0 ? len - 2 : 1, i == 0 ? len - 1 : 2);
                }
                host_forget(&host);
                tn_plan_free(plan);
                tn_compactor_free(compactor);
                free(options);
            }
            free(texts[i]);
        }
    }
}

static void count_most(tn_sink *out) {
    tn_sink_set_count(out, UINT64_MAX);
}
static void sums_of_the_host_s_counts_saturate(void) {
    static const char *const splits[] = {"steps", "turns"};
    char *texts[2] = {transcript(tides, 0, TIDES), transcript(run, 0, RUN)};
    for (size_t i = 0; i < 4; i++) {
        char *options = written("{\"max_tokens\":18446744073709551614,\"keep_tail\":18446744073709551615,\"split\":\"%s\"}", splits[i % 2]);
        char *messages = texts[i / 2], *error = NULL;
        tn_compactor *compactor = compactor_of(options);
        tn_plan *plan = NULL;
        struct host host = {0};
        tn_status status;
        host.answer_count = count_most;
        status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, host_count, &host, &plan, &error);
        if (SUCCEEDED(options, status, error)) {
            CHECK(tn_plan_tokens(plan) == UINT64_MAX, "tokens is %llu", (unsigned long long)tn_plan_tokens(plan));
            CHECK(tn_plan_outcome(plan) == TN_COMPACT, "outcome %d of %s under %s", (int)tn_plan_outcome(plan), messages, options);
        }
        host_forget(&host);
        tn_plan_free(plan);
        tn_compactor_free(compactor);
        free(options);
    }
    free(texts[0]);
    free(texts[1]);
}

static void at_the_largest_budget_the_largest_count_is_under_it(void) {
    tn_compactor *compactor = compactor_of("{\"max_tokens\":18446744073709551615}");
    struct host host = {0};
    tn_plan *plan = NULL;
    char *error = NULL;
    tn_status status;
    host.answer_count = count_most;
    status = tn_plan_new(compactor, "[{},{}]", TN_NUL_TERMINATED, host_count, &host, &plan, &error);
    SUCCEEDED("[{},{}]", status, error);
    CHECK(tn_plan_outcome(plan) == TN_UNDER_BUDGET, "outcome %d", (int)tn_plan_outcome(plan));
    host_forget(&host);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
}

static void count_one(tn_sink *out) {
    tn_sink_set_count(out, 1);
}
static void a_host_s_count_replaces_the_estimate_in_the_trigger_too(void) {
    static const struct {
        const char *options;
        void (*count)(tn_sink *);
        tn_outcome outcome;
        uint64_t tokens;
    } cases[] = {{"{\"max_tokens\":100000}", count_most, TN_COMPACT, UINT64_MAX}, {"{\"max_tokens\":1}", count_one, TN_UNDER_BUDGET, 1}};
    char *messages = transcript(tides, 0, TIDES);
    for (size_t i = 0; i < 2; i++) {
        tn_compactor *compactor = compactor_of(cases[i].options);
        struct host host = {0};
        tn_plan *plan = NULL;
        char *error = NULL;
        tn_status status;
        host.answer_count = cases[i].count;
        status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, host_count, &host, &plan, &error);
        SUCCEEDED(messages, status, error);
        CHECK(tn_plan_outcome(plan) == (int32_t)cases[i].outcome && tn_plan_tokens(plan) == cases[i].tokens,
              "outcome %d with %llu tokens under %s", (int)tn_plan_outcome(plan), (unsigned long long)tn_plan_tokens(plan),
              cases[i].options);
        tn_plan_free(plan);
        host_forget(&host);
        tn_compactor_free(compactor);
    }
    free(messages);
}

/* Whom a callback was called for. */
struct caller {
    pthread_t thread;
    size_t summarized, counted;
    bool inside;
};

static void watch_summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    struct caller *caller = user_data;
    (void)json, (void)json_len, (void)first, (void)count;
    CHECK(caller->inside, "summarize was called outside the call it was given to");
    CHECK(pthread_equal(caller->thread, pthread_self()), "summarize was called on another thread");
    caller->summarized++;
    tn_sink_set_text(out, HOST_SUMMARY, TN_NUL_TERMINATED);
}
static void watch_count(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    struct caller *caller = user_data;
    uint64_t tokens = 0;
    (void)first, (void)count;
    CHECK(caller->inside, "count_tokens was called outside the call it was given to");
    CHECK(pthread_equal(caller->thread, pthread_self()), "count_tokens was called on another thread");
    caller->counted++;
    tn_estimate_tokens(json, json_len, TN_CODE_POINT, &tokens, NULL);
    tn_sink_set_count(out, tokens);
}

static void callbacks_run_on_the_calling_thread_with_their_user_data_and_never_afterwards(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES), *result = NULL, *error = NULL;
    struct caller one = {pthread_self(), 0, 0, true}, two = {pthread_self(), 0, 0, true};
    struct host other = {0};
    tn_plan *plan = NULL;
    size_t counted;
    tn_status status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, watch_summarize, watch_count, &one, &result, &error);
    SUCCEEDED(messages, status, error);
    tn_string_free(result);
    one.inside = false;
    counted = one.counted;
    CHECK(one.summarized == 1 && one.counted > 0, "%zu and %zu calls for the user data", one.summarized, one.counted);
    status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, watch_count, &two, &plan, &error);
    SUCCEEDED(messages, status, error);
    two.inside = false;
    status = tn_plan_finish(plan, "recap", 5, &result, &error);
    SUCCEEDED(messages, status, error);
    tn_string_free(result);
    tn_plan_free(plan);
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &other, &result, &error);
    SUCCEEDED(messages, status, error);
    tn_string_free(result);
    tn_compactor_free(compactor);
    CHECK(one.summarized == 1 && one.counted == counted, "the first host was called again");
    CHECK(two.summarized == 0 && two.counted == counted, "the second host counted %zu times, the first %zu", two.counted, counted);
    host_forget(&other);
    free(messages);
}

/* A callback that uses the library, down to `deeper` more levels, with the compactor that is at work. */
struct nested {
    const tn_compactor *compactor;
    const char *messages;
    const char *want;
    size_t deeper;
};

static void summarize_by_compacting(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    struct nested *nested = user_data;
    tn_plan *plan = NULL;
    char *result = NULL, *error = NULL;
    (void)first, (void)count;
    CHECK(tn_plan_new(nested->compactor, json, json_len, NULL, NULL, &plan, NULL) == TN_OK, "older is no transcript");
    tn_plan_free(plan);
    if (nested->deeper > 0) {
        struct nested below = *nested;
        tn_status status;
        below.deeper--;
        status = tn_compactor_apply(nested->compactor, nested->messages, TN_NUL_TERMINATED, summarize_by_compacting, NULL, &below, &result,
                                    &error);
        if (SUCCEEDED(nested->messages, status, error))
            SAME_TEXT(result, nested->want);
        tn_string_free(result);
    }
    tn_sink_set_text(out, HOST_SUMMARY, TN_NUL_TERMINATED);
}

static void a_callback_may_call_any_function_of_the_library(void) {
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY), *result = NULL, *error = NULL;
    struct nested nested;
    tn_status status;
    nested.compactor = compactor;
    nested.messages = messages;
    nested.want = want;
    nested.deeper = 5;
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, summarize_by_compacting, NULL, &nested, &result, &error);
    if (SUCCEEDED(messages, status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    tn_compactor_free(compactor);
    free(want);
    free(messages);
}

static void a_failed_call_leaves_the_compactor_fit_for_the_next(void) {
    static void (*const bad[])(tn_sink *) = {silence, bad_utf8, count_for_text, error_only, empty_text};
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct host host = {0};
        char *result = NULL, *error = NULL;
        tn_status status;
        host.answer = bad[i];
        status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
        CHECK(status == TN_ERR_CALLBACK, "bad answer %zu gave %s", i, tn_status_name(status));
        tn_string_free(error);
        error = NULL;
        host.answer = NULL;
        status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
        if (SUCCEEDED(messages, status, error))
            SAME_TEXT(result, want);
        tn_string_free(result);
        host_forget(&host);
    }
    free(want);
    free(messages);
    tn_compactor_free(compactor);
}

RUN_TESTS(TEST(summarize_that_answers_nothing_fails_the_call), TEST(count_tokens_that_answers_nothing_fails_the_call),
          TEST(a_second_summary_is_refused_and_the_first_one_stands), TEST(a_second_count_is_refused_and_the_first_one_stands),
          TEST(a_count_for_a_summary_fails_the_call_whatever_else_is_answered),
          TEST(a_text_for_a_count_fails_the_call_whatever_else_is_answered),
          TEST(a_summary_in_bad_utf8_fails_the_call_even_if_a_good_one_follows),
          TEST(an_error_in_bad_utf8_fails_the_call_even_if_a_good_answer_follows), TEST(a_blank_summary_fails_the_call),
          TEST(a_summary_is_read_during_the_call_by_its_length), TEST(a_host_s_error_reaches_the_caller_word_for_word),
          TEST(a_nul_in_an_error_becomes_u_fffd), TEST(an_empty_error_is_an_error), TEST(the_first_of_two_errors_counts),
          TEST(an_error_wins_over_an_answer_before_and_after_it), TEST(a_host_s_error_wins_over_its_misuse_of_the_sink),
          TEST(summarize_is_given_exactly_the_older_messages_once),
          TEST(count_tokens_sees_the_whole_the_head_the_request_and_suffixes),
          TEST(count_tokens_sees_no_more_than_the_whole_under_budget), TEST(count_tokens_is_never_asked_about_an_empty_list),
          TEST(count_tokens_sees_o_log_n_suffixes), TEST(sums_of_the_host_s_counts_saturate),
          TEST(at_the_largest_budget_the_largest_count_is_under_it), TEST(a_host_s_count_replaces_the_estimate_in_the_trigger_too),
          TEST(callbacks_run_on_the_calling_thread_with_their_user_data_and_never_afterwards),
          TEST(a_callback_may_call_any_function_of_the_library), TEST(a_failed_call_leaves_the_compactor_fit_for_the_next))
