/* The outcomes, the figures of a plan, and what finishing makes of it. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM "{\"role\":\"system\",\"content\":\"You keep the harbour's tide tables.\"}"
#define ASKED "{\"role\":\"user\",\"content\":\"When is low water on Tuesday?\"}"
#define EARLIER "{\"role\":\"system\",\"content\":\"[Summary of earlier conversation]\\nThe dredger draws 2.4 m.\"}"
#define CALLING "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}"

static void the_conversation_is_what_its_figures_say(void) {
    char *messages = transcript(tides, 0, TIDES);
    uint64_t tokens = 0;
    char *error = NULL;
    tn_status status = tn_estimate_tokens(messages, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
    SUCCEEDED(messages, status, error);
    CHECK(tokens == tokens_of(tides, 0, TIDES), "%s counts %llu, not %llu", messages, (unsigned long long)tokens,
          (unsigned long long)tokens_of(tides, 0, TIDES));
    free(messages);
}

static void a_turn_cut_tells_its_figures(void) {
    char *messages = transcript(tides, 0, TIDES), *want = transcript(tides, TIDES_HEAD_END, TIDES_TAIL_START);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    size_t len = 0;
    const char *older = tn_plan_older(plan, &len);
    CHECK(tn_plan_outcome(plan) == TN_COMPACT, "outcome %d of %s", (int)tn_plan_outcome(plan), messages);
    CHECK(tn_plan_head_end(plan) == TIDES_HEAD_END, "head_end is %zu", tn_plan_head_end(plan));
    CHECK(tn_plan_tail_start(plan) == TIDES_TAIL_START, "tail_start is %zu", tn_plan_tail_start(plan));
    CHECK(tn_plan_tokens(plan) == tokens_of(tides, 0, TIDES), "tokens is %llu", (unsigned long long)tn_plan_tokens(plan));
    CHECK(tn_plan_tail_tokens(plan) == tokens_of(tides, TIDES_TAIL_START, TIDES), "tail_tokens is %llu",
          (unsigned long long)tn_plan_tail_tokens(plan));
    CHECK(older && len == strlen(want) && memcmp(older, want, len) == 0, "older is %.*s", (int)len, older ? older : "");
    tn_plan_free(plan);
    free(want);
    free(messages);
}

static void without_a_kept_request_its_range_is_empty_at_the_tail_s_start(void) {
    char *messages = transcript(tides, 0, TIDES);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    CHECK(tn_plan_request_start(plan) == TIDES_TAIL_START, "request_start is %zu", tn_plan_request_start(plan));
    CHECK(tn_plan_request_end(plan) == TIDES_TAIL_START, "request_end is %zu", tn_plan_request_end(plan));
    tn_plan_free(plan);
    free(messages);
}

static void a_step_cut_tells_the_request_it_keeps(void) {
    char *messages = transcript(run, 0, RUN), *want = transcript(run, RUN_HEAD_END, RUN_TAIL_START);
    tn_plan *plan = plan_of(RUN_OPTIONS, messages);
    size_t len = 0;
    const char *older = tn_plan_older(plan, &len);
    CHECK(tn_plan_outcome(plan) == TN_COMPACT, "outcome %d of %s", (int)tn_plan_outcome(plan), messages);
    CHECK(tn_plan_head_end(plan) == RUN_HEAD_END, "head_end is %zu", tn_plan_head_end(plan));
    CHECK(tn_plan_tail_start(plan) == RUN_TAIL_START, "tail_start is %zu", tn_plan_tail_start(plan));
    CHECK(tn_plan_request_start(plan) == RUN_REQUEST_START, "request_start is %zu", tn_plan_request_start(plan));
    CHECK(tn_plan_request_end(plan) == RUN_REQUEST_END, "request_end is %zu", tn_plan_request_end(plan));
    CHECK(tn_plan_tokens(plan) == tokens_of(run, 0, RUN), "tokens is %llu", (unsigned long long)tn_plan_tokens(plan));
    CHECK(tn_plan_tail_tokens(plan) == tokens_of(run, RUN_TAIL_START, RUN), "tail_tokens is %llu",
          (unsigned long long)tn_plan_tail_tokens(plan));
    CHECK(older && len == strlen(want) && memcmp(older, want, len) == 0, "the request is not part of older: %.*s", (int)len,
          older ? older : "");
    tn_plan_free(plan);
    free(want);
    free(messages);
}

static void an_empty_tail_starts_behind_the_last_message(void) {
    char *messages = transcript(run, 0, RUN);
    tn_plan *plan = plan_of("{\"max_tokens\":250,\"keep_tail\":0,\"split\":\"turns\"}", messages);
    char *result = NULL, *error = NULL;
    tn_status status;
    CHECK(tn_plan_outcome(plan) == TN_COMPACT, "outcome %d of %s", (int)tn_plan_outcome(plan), messages);
    CHECK(tn_plan_tail_start(plan) == RUN, "tail_start is %zu", tn_plan_tail_start(plan));
    CHECK(tn_plan_tail_tokens(plan) == 0, "tail_tokens is %llu", (unsigned long long)tn_plan_tail_tokens(plan));
    CHECK(tn_plan_request_start(plan) == RUN && tn_plan_request_end(plan) == RUN, "a request is kept");
    status = tn_plan_finish(plan, "recap", 5, &result, &error);
    if (SUCCEEDED(messages, status, error)) {
        char *want = written("[%s,{\"role\":\"system\",\"content\":\"[Summary of earlier conversation]\\nrecap\"}]", run[0]);
        SAME_TEXT(result, want);
        free(want);
    }
    tn_string_free(result);
    tn_plan_free(plan);
    free(messages);
}

/* A transcript that stays as it is, and why. */
static const struct unchanged {
    const char *options, *messages;
    tn_outcome outcome;
    size_t head_end;
} unchanged[] = {
    {"{\"max_tokens\":100}", "[" SYSTEM "," ASKED "]", TN_UNDER_BUDGET, 1},
    {"{\"max_tokens\":100}", "[]", TN_UNDER_BUDGET, 0},
    {"{\"max_tokens\":100}", " [ ] ", TN_UNDER_BUDGET, 0},
    {"{\"max_tokens\":0}", "[]", TN_UNDER_BUDGET, 0},
    {"{\"max_tokens\":5}", "[" SYSTEM "," ASKED "]", TN_NOTHING_OLDER, 1},
    {"{\"max_tokens\":5}", "[" SYSTEM "]", TN_NOTHING_OLDER, 1},
    {"{\"max_tokens\":5,\"split\":\"turns\"}", "[" ASKED "]", TN_NOTHING_OLDER, 0},
    {"{\"max_tokens\":5}", "[" SYSTEM "," EARLIER "," ASKED "]", TN_NOTHING_NEW, 1},
    {"{\"max_tokens\":5,\"split\":\"turns\"}", "[" EARLIER "," ASKED "]", TN_NOTHING_NEW, 0},
    {"{\"max_tokens\":5}", "[" SYSTEM "," CALLING "]", TN_CALL_IN_FLIGHT, 1},
    {"{\"max_tokens\":5,\"split\":\"turns\"}", "[" SYSTEM "," ASKED "," CALLING "]", TN_CALL_IN_FLIGHT, 1},
};
enum { UNCHANGED = sizeof unchanged / sizeof *unchanged };

static void a_plan_that_changes_nothing_is_returned_and_says_why(void) {
    for (size_t i = 0; i < UNCHANGED; i++) {
        const struct unchanged *it = &unchanged[i];
        tn_plan *plan = plan_of(it->options, it->messages);
        size_t len = 7;
        uint64_t tokens = 0;
        CHECK(tn_plan_outcome(plan) == (int32_t)it->outcome, "outcome %d, not %d, of %s under %s", (int)tn_plan_outcome(plan),
              (int)it->outcome, it->messages, it->options);
        CHECK(tn_plan_head_end(plan) == it->head_end, "head_end %zu of %s", tn_plan_head_end(plan), it->messages);
        CHECK(tn_plan_tail_start(plan) == it->head_end, "tail_start %zu, not head_end, of %s", tn_plan_tail_start(plan), it->messages);
        CHECK(tn_plan_request_start(plan) == it->head_end && tn_plan_request_end(plan) == it->head_end,
              "request %zu to %zu, not the tail's start, of %s", tn_plan_request_start(plan), tn_plan_request_end(plan), it->messages);
        tn_estimate_tokens(it->messages, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, NULL);
        CHECK(tn_plan_tokens(plan) == tokens, "%llu tokens, not %llu, of %s", (unsigned long long)tn_plan_tokens(plan),
              (unsigned long long)tokens, it->messages);
        CHECK(tn_plan_older(plan, &len) == NULL && len == 0, "older of %s is not NULL", it->messages);
        tn_plan_free(plan);
    }
}

static void ok_without_a_result_means_unchanged(void) {
    for (size_t i = 0; i < UNCHANGED; i++) {
        tn_compactor *compactor = compactor_of(unchanged[i].options);
        struct host host = {0};
        char *result = NULL, *error = NULL;
        tn_status status =
            tn_compactor_apply(compactor, unchanged[i].messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
        SUCCEEDED(unchanged[i].messages, status, error);
        CHECK(result == NULL, "%s became %s", unchanged[i].messages, result);
        CHECK(host.summarized_len == 0, "%s was summarized", unchanged[i].messages);
        tn_string_free(result);
        host_forget(&host);
        tn_compactor_free(compactor);
    }
}

static void finishing_a_plan_that_is_not_compact_gives_ok_and_null(void) {
    for (size_t i = 0; i < UNCHANGED; i++) {
        tn_plan *plan = plan_of(unchanged[i].options, unchanged[i].messages);
        char *result = (char *)plan, *error = NULL;
        tn_status status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, &result, &error);
        SUCCEEDED(unchanged[i].messages, status, error);
        CHECK(result == NULL, "%s was finished", unchanged[i].messages);
        tn_plan_free(plan);
    }
}

static void at_the_budget_nothing_changes_and_one_above_it_does(void) {
    char *messages = transcript(tides, 0, TIDES);
    uint64_t tokens = tokens_of(tides, 0, TIDES);
    for (uint64_t less = 0; less < 2; less++) {
        char *options = written("{\"max_tokens\":%llu}", (unsigned long long)(tokens - less));
        tn_plan *plan = plan_of(options, messages);
        CHECK(tn_plan_outcome(plan) == (less ? TN_COMPACT : TN_UNDER_BUDGET), "outcome %d under %s of %s", (int)tn_plan_outcome(plan),
              options, messages);
        tn_plan_free(plan);
        free(options);
    }
    free(messages);
}

static void apply_gives_what_plan_and_finish_give(void) {
    char *messages[2] = {transcript(tides, 0, TIDES), transcript(run, 0, RUN)};
    char *want[2] = {tides_compacted(HOST_SUMMARY), run_compacted(HOST_SUMMARY)};
    static const char *const options[2] = {TIDES_OPTIONS, RUN_OPTIONS};
    for (size_t i = 0; i < 2; i++) {
        tn_compactor *compactor = compactor_of(options[i]);
        tn_plan *plan = plan_of(options[i], messages[i]);
        struct host host = {0};
        char *applied = NULL, *finished = NULL, *error = NULL;
        tn_status status = tn_compactor_apply(compactor, messages[i], TN_NUL_TERMINATED, host_summarize, NULL, &host, &applied, &error);
        if (SUCCEEDED(messages[i], status, error))
            SAME_TEXT(applied, want[i]);
        status = tn_plan_finish(plan, HOST_SUMMARY, TN_NUL_TERMINATED, &finished, &error);
        if (SUCCEEDED(messages[i], status, error))
            SAME_TEXT(finished, want[i]);
        tn_string_free(applied);
        tn_string_free(finished);
        tn_plan_free(plan);
        tn_compactor_free(compactor);
        host_forget(&host);
        free(messages[i]);
        free(want[i]);
    }
}

static void a_plan_may_be_finished_again_and_again(void) {
    char *messages = transcript(run, 0, RUN);
    tn_plan *plan = plan_of(RUN_OPTIONS, messages);
    static const char *const summaries[] = {"one", "two", "one"};
    for (size_t i = 0; i < 3; i++) {
        char *result = NULL, *error = NULL, *want = run_compacted(summaries[i]);
        tn_status status;
        /* A failure in between leaves the plan as it was. */
        CHECK(tn_plan_finish(plan, " ", 1, &result, NULL) < 0, "a blank summary was taken");
        status = tn_plan_finish(plan, summaries[i], TN_NUL_TERMINATED, &result, &error);
        if (SUCCEEDED(messages, status, error))
            SAME_TEXT(result, want);
        tn_string_free(result);
        free(want);
    }
    tn_plan_free(plan);
    free(messages);
}

static void a_plan_outlives_its_text_and_its_compactor(void) {
    char *messages = transcript(run, 0, RUN), *want = run_compacted("recap"), *older = transcript(run, RUN_HEAD_END, RUN_TAIL_START);
    char *options = written("%s", RUN_OPTIONS), *result = NULL, *error = NULL;
    tn_compactor *compactor = compactor_of(options);
    tn_plan *plan = NULL;
    size_t len = 0;
    const char *borrowed;
    tn_status status;
    memset(options, 'x', strlen(options));
    free(options);
    status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    tn_compactor_free(compactor);
    memset(messages, 'x', strlen(messages));
    free(messages);
    REQUIRE(SUCCEEDED("the run", status, error), "there is no plan");
    borrowed = tn_plan_older(plan, &len);
    CHECK(borrowed && len == strlen(older) && memcmp(borrowed, older, len) == 0, "older is %.*s", (int)len, borrowed ? borrowed : "");
    status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, &result, &error);
    tn_plan_free(plan);
    if (SUCCEEDED("the run", status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    free(older);
    free(want);
}

static void a_result_outlives_everything(void) {
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY), *result = NULL, *error = NULL;
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    struct host host = {0};
    tn_status status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
    tn_compactor_free(compactor);
    host_forget(&host);
    memset(messages, 'x', strlen(messages));
    free(messages);
    if (SUCCEEDED("the tides", status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    free(want);
}

static void older_is_borrowed_and_stays_the_same_until_the_plan_is_freed(void) {
    char *messages = transcript(tides, 0, TIDES), *want = transcript(tides, TIDES_HEAD_END, TIDES_TAIL_START), *result = NULL;
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    size_t len = 0, again = 0;
    const char *older = tn_plan_older(plan, &len);
    CHECK(tn_plan_finish(plan, "recap", 5, &result, NULL) == TN_OK, "finish failed");
    tn_string_free(result);
    CHECK(tn_plan_older(plan, &again) == older && again == len, "older moved");
    CHECK(older && len == strlen(want) && memcmp(older, want, len) == 0, "older is %.*s", (int)len, older ? older : "");
    tn_plan_free(plan);
    free(want);
    free(messages);
}

static void the_reminder_stands_right_after_the_summary(void) {
    static const char *const roles[] = {"system", "developer", "user", "assistant"};
    char *messages = transcript(run, 0, RUN), *tail = transcript(run, RUN_TAIL_START, RUN);
    for (size_t i = 0; i < 4; i++) {
        char *options = written("{\"max_tokens\":250,\"keep_tail\":150,\"flush_to_memory\":true,\"summary_role\":\"%s\"}", roles[i]);
        tn_plan *plan = plan_of(options, messages);
        char *result = NULL, *error = NULL;
        tn_status status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, &result, &error);
        char *want = written("[%s,{\"role\":\"%s\",\"content\":\"[Summary of earlier conversation]\\nrecap\"},"
                             "{\"role\":\"%s\",\"content\":\"%s\"},%s,%s",
                             run[0], roles[i], roles[i], tn_flush_reminder(), run[1], tail + 1);
        if (SUCCEEDED(options, status, error))
            SAME_TEXT(result, want);
        tn_string_free(result);
        tn_plan_free(plan);
        free(want);
        free(options);
    }
    free(tail);
    free(messages);
}

/* Every character of Unicode's White_Space. */
static const char *const white_space[] = {
    "\t",           "\n",           "\v",           "\f",           "\r",           " ",            "\xc2\x85",
    "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84",
    "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
};
enum { WHITE_SPACE = sizeof white_space / sizeof *white_space };

static const char *blank_answer;
static void answer_blank(tn_sink *out) {
    tn_sink_set_text(out, blank_answer, TN_NUL_TERMINATED);
}

static void a_summary_of_white_space_of_any_kind_is_refused(void) {
    char *messages = transcript(tides, 0, TIDES);
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    char every[4 * WHITE_SPACE] = "";
    tn_status of_empty = tn_plan_finish(plan, "", 0, &(char *){NULL}, NULL);
    CHECK(of_empty < 0, "an empty summary was taken");
    for (size_t i = 0; i <= WHITE_SPACE + 1; i++) {
        /* Each alone, then all of them, then none. */
        const char *blank = i < WHITE_SPACE ? white_space[i] : i == WHITE_SPACE ? every : "";
        struct host host = {0};
        char *result = NULL, *error = NULL, *shown = written("the summary \"%s\", kind %zu", blank, i);
        tn_status status = tn_plan_finish(plan, blank, TN_NUL_TERMINATED, &result, &error);
        REFUSED(shown, status, of_empty, error, "summary&blank|empty|white");
        CHECK(result == NULL, "the result is not NULL");
        error = NULL;
        host.answer = answer_blank;
        blank_answer = blank;
        status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
        REFUSED(shown, status, TN_ERR_CALLBACK, error, "summar&blank|empty|white");
        CHECK(result == NULL, "the result is not NULL");
        host_forget(&host);
        free(shown);
        if (i < WHITE_SPACE)
            strcat(every, white_space[i]);
    }
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    free(messages);
}

static void what_only_looks_blank_is_a_summary(void) {
    /* Zero-width space, word joiner, byte order mark, Mongolian vowel separator, Braille blank, a NUL: no White_Space. */
    static const struct {
        const char *text;
        size_t len;
        const char *escaped;
    } cases[] = {{"\xe2\x80\x8b", 3, "\xe2\x80\x8b"}, {"\xe2\x81\xa0", 3, "\xe2\x81\xa0"}, {"\xef\xbb\xbf", 3, "\xef\xbb\xbf"},
                 {"\xe1\xa0\x8e", 3, "\xe1\xa0\x8e"}, {"\xe2\xa0\x80", 3, "\xe2\xa0\x80"}, {"\0", 1, "\\u0000"},
                 {" \n.\n ", 5, " \\n.\\n "}};
    char *messages = transcript(tides, 0, TIDES);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *result = NULL, *error = NULL, *want = tides_compacted(cases[i].escaped);
        tn_status status = tn_plan_finish(plan, cases[i].text, cases[i].len, &result, &error);
        if (SUCCEEDED("a summary that only looks blank", status, error))
            SAME_TEXT(result, want);
        tn_string_free(result);
        free(want);
    }
    tn_plan_free(plan);
    free(messages);
}

static const char odd_summary[] = "\"quoted\" \\ / \b\f\n\r\t \x01\x1f\x7f \0 \xe6\xbd\xae \xf0\x9f\x8c\x8a \xe2\x80\xa8 \xc3\xa9";
#define ODD_ESCAPED \
    "\\\"quoted\\\" \\\\ / \\b\\f\\n\\r\\t \\u0001\\u001f\x7f \\u0000 \xe6\xbd\xae \xf0\x9f\x8c\x8a \xe2\x80\xa8 \xc3\xa9"

static void answer_oddly(tn_sink *out) {
    CHECK(tn_sink_set_text(out, odd_summary, sizeof odd_summary - 1) == TN_OK, "the summary was refused");
}

static void a_summary_is_escaped_as_json_and_otherwise_used_as_it_is(void) {
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(ODD_ESCAPED), *result = NULL, *error = NULL;
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    struct host host = {0};
    tn_status status = tn_plan_finish(plan, odd_summary, sizeof odd_summary - 1, &result, &error);
    if (SUCCEEDED("finish", status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    host.answer = answer_oddly;
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
    if (SUCCEEDED("apply", status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    host_forget(&host);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    free(want);
    free(messages);
}

static void a_result_is_a_transcript_again(void) {
    char *messages = transcript(run, 0, RUN), *result = NULL, *error = NULL;
    tn_plan *plan = plan_of(RUN_OPTIONS, messages), *again;
    uint64_t tokens = 0;
    tn_status status = tn_plan_finish(plan, odd_summary, sizeof odd_summary - 1, &result, &error);
    REQUIRE(SUCCEEDED(messages, status, error), "nothing was compacted");
    CHECK(tn_estimate_tokens(result, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, NULL) == TN_OK, "%s is no transcript", result);
    again = plan_of(RUN_OPTIONS, result);
    CHECK(tn_plan_outcome(again) == TN_UNDER_BUDGET && tn_plan_tokens(again) == tokens, "outcome %d, %llu tokens, of %s",
          (int)tn_plan_outcome(again), (unsigned long long)tokens, result);
    tn_plan_free(again);
    tn_plan_free(plan);
    tn_string_free(result);
    free(messages);
}

static void kept_messages_are_the_input_s_own_bytes(void) {
    static const char head[] = "{ \"role\" : \"system\",\t\"n\":1.10, \"n\":1e5 }";
    static const char tail[] = "{\"content\":\"caf\\u00e9 \\/ \\ud83d\",\"role\":\"\\u0075ser\",\"big\":123456789012345678901234567890,\"a\" :1,\"a\":\n2}";
    char *messages = written("\n[ %s ,\n%s, %s\t,%s ]\n", head, tides[1], tides[3], tail);
    char *want = written("[%s,{\"role\":\"system\",\"content\":\"[Summary of earlier conversation]\\nrecap\"},%s]", head, tail);
    char *result = NULL, *error = NULL;
    tn_plan *plan = plan_of("{\"max_tokens\":100,\"keep_tail\":40}", messages);
    tn_status status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, &result, &error);
    if (SUCCEEDED(messages, status, error))
        SAME_TEXT(result, want);
    tn_string_free(result);
    tn_plan_free(plan);
    free(want);
    free(messages);
}

RUN_TESTS(TEST(the_conversation_is_what_its_figures_say), TEST(a_turn_cut_tells_its_figures),
          TEST(without_a_kept_request_its_range_is_empty_at_the_tail_s_start), TEST(a_step_cut_tells_the_request_it_keeps),
          TEST(an_empty_tail_starts_behind_the_last_message), TEST(a_plan_that_changes_nothing_is_returned_and_says_why),
          TEST(ok_without_a_result_means_unchanged), TEST(finishing_a_plan_that_is_not_compact_gives_ok_and_null),
          TEST(at_the_budget_nothing_changes_and_one_above_it_does), TEST(apply_gives_what_plan_and_finish_give),
          TEST(a_plan_may_be_finished_again_and_again), TEST(a_plan_outlives_its_text_and_its_compactor),
          TEST(a_result_outlives_everything), TEST(older_is_borrowed_and_stays_the_same_until_the_plan_is_freed),
          TEST(the_reminder_stands_right_after_the_summary), TEST(a_summary_of_white_space_of_any_kind_is_refused),
          TEST(what_only_looks_blank_is_a_summary), TEST(a_summary_is_escaped_as_json_and_otherwise_used_as_it_is),
          TEST(a_result_is_a_transcript_again), TEST(kept_messages_are_the_input_s_own_bytes))
