/* What every function does with NULL, with lengths, and with its outputs. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char poison[8];
#define POISON ((void *)poison)

static const char GOOD[] = "[{\"role\":\"user\",\"content\":\"hello\"}]";
static const char ROOMY[] = "{\"max_tokens\":1000}";

static void compactor_new_refuses_null_options_with_a_length(void) {
    static const size_t lengths[] = {1, 20, TN_NUL_TERMINATED};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        tn_compactor *compactor = POISON;
        char *error = POISON;
        tn_status status = tn_compactor_new(NULL, lengths[i], &compactor, &error);
        REFUSED("NULL options with a length", status, TN_ERR_ARGUMENT, error, "options");
        CHECK(compactor == NULL, "the compactor is not NULL");
    }
}

static void compactor_new_refuses_a_null_output(void) {
    char *error = POISON;
    tn_status status = tn_compactor_new(ROOMY, TN_NUL_TERMINATED, NULL, &error);
    REFUSED("a NULL compactor output", status, TN_ERR_ARGUMENT, error, "compactor");
}

static void apply_refuses_each_null(void) {
    tn_compactor *compactor = compactor_of(ROOMY);
    struct host host = {0};
    char *result = POISON, *error = POISON;
    tn_status status = tn_compactor_apply(NULL, GOOD, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
    CHECK(result == NULL, "NULL compactor: the result is not NULL");
    REFUSED("a NULL compactor", status, TN_ERR_ARGUMENT, error, "compactor");

    result = error = POISON;
    status = tn_compactor_apply(compactor, NULL, 5, host_summarize, host_count, &host, &result, &error);
    CHECK(result == NULL, "NULL messages: the result is not NULL");
    REFUSED("NULL messages with a length", status, TN_ERR_ARGUMENT, error, "messages");

    result = error = POISON;
    status = tn_compactor_apply(compactor, NULL, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
    CHECK(result == NULL, "NULL messages: the result is not NULL");
    REFUSED("NULL messages, said to end in a NUL", status, TN_ERR_ARGUMENT, error, "messages");

    error = POISON;
    status = tn_compactor_apply(compactor, GOOD, TN_NUL_TERMINATED, host_summarize, host_count, &host, NULL, &error);
    REFUSED("a NULL result output", status, TN_ERR_ARGUMENT, error, "result");

    CHECK(host.summarized_len == 0 && host.counted_len == 0, "a callback was called although an argument was refused");
    host_forget(&host);
    tn_compactor_free(compactor);
}

static void null_summarize_is_refused_even_under_budget(void) {
    tn_compactor *compactor = compactor_of(ROOMY);
    char *result = POISON, *error = POISON;
    tn_status status = tn_compactor_apply(compactor, GOOD, TN_NUL_TERMINATED, NULL, NULL, NULL, &result, &error);
    CHECK(result == NULL, "the result is not NULL");
    REFUSED("a NULL summarize", status, TN_ERR_ARGUMENT, error, "summarize");
    tn_compactor_free(compactor);
}

static void count_tokens_and_user_data_may_be_null(void) {
    tn_compactor *compactor = compactor_of(ROOMY);
    char *result = POISON, *error = POISON;
    tn_plan *plan = NULL;
    tn_status status = tn_compactor_apply(compactor, GOOD, TN_NUL_TERMINATED, host_summarize, NULL, NULL, &result, &error);
    SUCCEEDED("apply without count_tokens and user_data", status, error);
    CHECK(result == NULL, "something changed under budget: %s", result);
    error = POISON;
    status = tn_plan_new(compactor, GOOD, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    SUCCEEDED("plan_new without count_tokens and user_data", status, error);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
}

static void plan_new_refuses_each_null(void) {
    tn_compactor *compactor = compactor_of(ROOMY);
    tn_plan *plan = POISON;
    char *error = POISON;
    tn_status status = tn_plan_new(NULL, GOOD, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    CHECK(plan == NULL, "NULL compactor: the plan is not NULL");
    REFUSED("a NULL compactor", status, TN_ERR_ARGUMENT, error, "compactor");

    plan = POISON;
    error = POISON;
    status = tn_plan_new(compactor, NULL, 1, NULL, NULL, &plan, &error);
    CHECK(plan == NULL, "NULL messages: the plan is not NULL");
    REFUSED("NULL messages with a length", status, TN_ERR_ARGUMENT, error, "messages");

    plan = POISON;
    error = POISON;
    status = tn_plan_new(compactor, NULL, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    CHECK(plan == NULL, "NULL messages: the plan is not NULL");
    REFUSED("NULL messages, said to end in a NUL", status, TN_ERR_ARGUMENT, error, "messages");

    error = POISON;
    status = tn_plan_new(compactor, GOOD, TN_NUL_TERMINATED, NULL, NULL, NULL, &error);
    REFUSED("a NULL plan output", status, TN_ERR_ARGUMENT, error, "plan");
    tn_compactor_free(compactor);
}

static void finish_refuses_each_null(void) {
    char *messages = transcript(tides, 0, TIDES);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    char *result = POISON, *error = POISON;
    tn_status status = tn_plan_finish(NULL, "recap", TN_NUL_TERMINATED, &result, &error);
    CHECK(result == NULL, "NULL plan: the result is not NULL");
    REFUSED("a NULL plan", status, TN_ERR_ARGUMENT, error, "plan");

    result = error = POISON;
    status = tn_plan_finish(plan, NULL, 3, &result, &error);
    CHECK(result == NULL, "NULL summary: the result is not NULL");
    REFUSED("a NULL summary with a length", status, TN_ERR_ARGUMENT, error, "summary");

    result = error = POISON;
    status = tn_plan_finish(plan, NULL, TN_NUL_TERMINATED, &result, &error);
    CHECK(result == NULL, "NULL summary: the result is not NULL");
    REFUSED("a NULL summary, said to end in a NUL", status, TN_ERR_ARGUMENT, error, "summary");

    error = POISON;
    status = tn_plan_finish(plan, "recap", TN_NUL_TERMINATED, NULL, &error);
    REFUSED("a NULL result output", status, TN_ERR_ARGUMENT, error, "result");
    tn_plan_free(plan);
    free(messages);
}

static void estimate_refuses_each_null(void) {
    uint64_t tokens = 7;
    char *error = POISON;
    tn_status status = tn_estimate_tokens(NULL, 4, TN_CODE_POINT, &tokens, &error);
    REFUSED("NULL messages with a length", status, TN_ERR_ARGUMENT, error, "messages");
    error = POISON;
    status = tn_estimate_tokens(NULL, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
    REFUSED("NULL messages, said to end in a NUL", status, TN_ERR_ARGUMENT, error, "messages");
    error = POISON;
    status = tn_estimate_tokens(GOOD, TN_NUL_TERMINATED, TN_CODE_POINT, NULL, &error);
    REFUSED("a NULL tokens output", status, TN_ERR_ARGUMENT, error, "tokens");
}

static void sink_setters_refuse_a_null_sink(void) {
    CHECK(tn_sink_set_text(NULL, "recap", 5) == TN_ERR_ARGUMENT, "set_text took a NULL sink");
    CHECK(tn_sink_set_count(NULL, 3) == TN_ERR_ARGUMENT, "set_count took a NULL sink");
    CHECK(tn_sink_set_error(NULL, "down", 4) == TN_ERR_ARGUMENT, "set_error took a NULL sink");
    CHECK(tn_sink_set_text(NULL, NULL, 5) == TN_ERR_ARGUMENT, "set_text took a NULL sink and a NULL text");
    CHECK(tn_sink_set_error(NULL, NULL, 5) == TN_ERR_ARGUMENT, "set_error took a NULL sink and a NULL text");
}

static void set_null_text(tn_sink *out) {
    CHECK(tn_sink_set_text(out, NULL, 5) == TN_ERR_ARGUMENT, "set_text took a NULL text with a length");
    CHECK(tn_sink_set_text(out, NULL, TN_NUL_TERMINATED) == TN_ERR_ARGUMENT, "set_text took a NULL C string");
}

static void set_null_error(tn_sink *out) {
    CHECK(tn_sink_set_error(out, NULL, 5) == TN_ERR_ARGUMENT, "set_error took a NULL text with a length");
    CHECK(tn_sink_set_error(out, NULL, TN_NUL_TERMINATED) == TN_ERR_ARGUMENT, "set_error took a NULL C string");
}

static void set_absurd_length(tn_sink *out) {
    CHECK(tn_sink_set_text(out, "recap", SIZE_MAX - 1) == TN_ERR_ARGUMENT, "set_text took SIZE_MAX-1 bytes");
    CHECK(tn_sink_set_text(out, "recap", (size_t)PTRDIFF_MAX + 1) == TN_ERR_ARGUMENT, "set_text took PTRDIFF_MAX+1 bytes");
    CHECK(tn_sink_set_error(out, "down", SIZE_MAX - 1) == TN_ERR_ARGUMENT, "set_error took SIZE_MAX-1 bytes");
}

static void a_sink_that_refused_its_text_was_not_answered(void) {
    static void (*const answers[])(tn_sink *) = {set_null_text, set_null_error, set_absurd_length};
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    char *messages = transcript(tides, 0, TIDES);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct host host = {0};
        char *result = POISON, *error = POISON;
        tn_status status;
        host.answer = answers[i];
        status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
        CHECK(result == NULL, "the result is not NULL");
        CHECK(host.summarized_len == 1, "summarize was not called");
        REFUSED("summarize with a refused text", status, TN_ERR_CALLBACK, error, "");
        host_forget(&host);
    }
    free(messages);
    tn_compactor_free(compactor);
}

static void accessors_of_a_null_plan_answer_minus_one_zero_and_null(void) {
    size_t len = 7;
    CHECK(tn_plan_outcome(NULL) == -1, "outcome is %d", (int)tn_plan_outcome(NULL));
    CHECK(tn_plan_head_end(NULL) == 0, "head_end is %zu", tn_plan_head_end(NULL));
    CHECK(tn_plan_tail_start(NULL) == 0, "tail_start is %zu", tn_plan_tail_start(NULL));
    CHECK(tn_plan_request_start(NULL) == 0, "request_start is %zu", tn_plan_request_start(NULL));
    CHECK(tn_plan_request_end(NULL) == 0, "request_end is %zu", tn_plan_request_end(NULL));
    CHECK(tn_plan_tokens(NULL) == 0, "tokens is not 0");
    CHECK(tn_plan_tail_tokens(NULL) == 0, "tail_tokens is not 0");
    CHECK(tn_plan_older(NULL, &len) == NULL, "older is not NULL");
    CHECK(len == 0, "the length of older is %zu", len);
    CHECK(tn_plan_older(NULL, NULL) == NULL, "older is not NULL without a length");
}

static void older_is_given_without_its_length_too(void) {
    char *messages = transcript(tides, 0, TIDES);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    size_t len = 0;
    const char *older = tn_plan_older(plan, &len);
    CHECK(older && tn_plan_older(plan, NULL) == older, "older without a length is another");
    tn_plan_free(plan);
    free(messages);
}

static void every_free_takes_null(void) {
    tn_compactor_free(NULL);
    tn_plan_free(NULL);
    tn_string_free(NULL);
    CHECK(tn_status_name(TN_OK) != NULL, "nothing works after freeing NULL");
}

static void error_may_be_null_in_every_failure(void) {
    tn_compactor *compactor = POISON;
    tn_plan *plan = POISON;
    char *result = POISON, *messages = transcript(tides, 0, TIDES);
    uint64_t tokens;
    struct host host = {0};
    CHECK(tn_compactor_new("{", TN_NUL_TERMINATED, &compactor, NULL) == TN_ERR_JSON && !compactor, "compactor_new: options {");
    compactor = POISON;
    CHECK(tn_compactor_new("{}", TN_NUL_TERMINATED, &compactor, NULL) == TN_ERR_OPTIONS && !compactor, "compactor_new: {}");
    compactor = POISON;
    CHECK(tn_compactor_new("\xff", TN_NUL_TERMINATED, &compactor, NULL) == TN_ERR_UTF8 && !compactor, "compactor_new: ff");
    CHECK(tn_compactor_new(ROOMY, TN_NUL_TERMINATED, NULL, NULL) == TN_ERR_ARGUMENT, "compactor_new: NULL output");

    compactor = compactor_of(TIDES_OPTIONS);
    CHECK(tn_compactor_apply(compactor, "[3]", 3, host_summarize, NULL, &host, &result, NULL) == TN_ERR_TRANSCRIPT && !result,
          "apply: [3]");
    host.answer = set_null_text;
    result = POISON;
    CHECK(tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, NULL) == TN_ERR_CALLBACK &&
              !result,
          "apply: no answer");
    CHECK(tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &host, NULL, NULL) == TN_ERR_ARGUMENT,
          "apply: NULL outputs");
    CHECK(tn_plan_new(compactor, "[", 1, NULL, NULL, &plan, NULL) == TN_ERR_JSON && !plan, "plan_new: [");
    CHECK(tn_plan_new(compactor, "[]", 2, NULL, NULL, NULL, NULL) == TN_ERR_ARGUMENT, "plan_new: NULL output");
    plan = plan_of(TIDES_OPTIONS, messages);
    result = POISON;
    CHECK(tn_plan_finish(plan, "\xff", 1, &result, NULL) == TN_ERR_UTF8 && !result, "finish: ff");
    CHECK(tn_plan_finish(plan, "recap", 5, NULL, NULL) == TN_ERR_ARGUMENT, "finish: NULL output");
    CHECK(tn_estimate_tokens("{}", 2, TN_UTF8, &tokens, NULL) == TN_ERR_TRANSCRIPT, "estimate: {}");
    CHECK(tn_estimate_tokens("[]", 2, TN_UTF8, NULL, NULL) == TN_ERR_ARGUMENT, "estimate: NULL output");
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    host_forget(&host);
    free(messages);
}

static void error_is_null_after_every_success(void) {
    tn_compactor *compactor = POISON;
    tn_plan *plan = POISON;
    char *result = POISON, *error = POISON, *messages = transcript(tides, 0, TIDES);
    uint64_t tokens = 0;
    struct host host = {0};
    tn_status status = tn_compactor_new(TIDES_OPTIONS, TN_NUL_TERMINATED, &compactor, &error);
    SUCCEEDED(TIDES_OPTIONS, status, error);
    error = POISON;
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
    SUCCEEDED(messages, status, error);
    CHECK(result && result != POISON, "apply gave no result");
    tn_string_free(result);
    error = POISON;
    status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    SUCCEEDED(messages, status, error);
    CHECK(plan && plan != POISON, "plan_new gave no plan");
    error = result = POISON;
    status = tn_plan_finish(plan, "recap", 5, &result, &error);
    SUCCEEDED(messages, status, error);
    CHECK(result && result != POISON, "finish gave no result");
    tn_string_free(result);
    error = POISON;
    status = tn_estimate_tokens(messages, TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, &error);
    SUCCEEDED(messages, status, error);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    host_forget(&host);
    free(messages);
}

static void figures_are_written_only_on_success(void) {
    static const char *const bad[] = {"", "[", "{}", "[1]", "[\"\xff\"]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t tokens = 7;
        tn_status status = tn_estimate_tokens(bad[i], TN_NUL_TERMINATED, TN_CODE_POINT, &tokens, NULL);
        CHECK(status < 0 && (tokens == 7 || tokens == 0), "%s gave %s and %llu tokens", bad[i], tn_status_name(status),
              (unsigned long long)tokens);
    }
}

static void absurd_lengths_are_refused(void) {
    static const size_t lengths[] = {SIZE_MAX - 1, (size_t)PTRDIFF_MAX + 1};
    char *messages = transcript(tides, 0, TIDES);
    tn_compactor *good = compactor_of(ROOMY);
    tn_plan *good_plan = plan_of(TIDES_OPTIONS, messages);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t len = lengths[i];
        tn_compactor *compactor = POISON;
        tn_plan *plan = POISON;
        char *result = POISON, *error = POISON;
        uint64_t tokens = 7;
        tn_status status = tn_compactor_new(ROOMY, len, &compactor, &error);
        CHECK(compactor == NULL, "the compactor is not NULL");
        REFUSED("compactor_new with an absurd length", status, TN_ERR_ARGUMENT, error, "options");
        error = POISON;
        status = tn_compactor_apply(good, GOOD, len, host_summarize, NULL, NULL, &result, &error);
        CHECK(result == NULL, "the result is not NULL");
        REFUSED("apply with an absurd length", status, TN_ERR_ARGUMENT, error, "messages");
        error = POISON;
        status = tn_plan_new(good, GOOD, len, NULL, NULL, &plan, &error);
        CHECK(plan == NULL, "the plan is not NULL");
        REFUSED("plan_new with an absurd length", status, TN_ERR_ARGUMENT, error, "messages");
        result = error = POISON;
        status = tn_plan_finish(good_plan, "recap", len, &result, &error);
        CHECK(result == NULL, "the result is not NULL");
        REFUSED("finish with an absurd length", status, TN_ERR_ARGUMENT, error, "summary");
        error = POISON;
        status = tn_estimate_tokens(GOOD, len, TN_CODE_POINT, &tokens, &error);
        REFUSED("estimate with an absurd length", status, TN_ERR_ARGUMENT, error, "messages");
    }
    tn_plan_free(good_plan);
    tn_compactor_free(good);
    free(messages);
}

static void null_with_length_zero_is_the_empty_text(void) {
    char *messages = transcript(tides, 0, TIDES);
    tn_compactor *good = compactor_of(ROOMY), *compactor = POISON;
    tn_plan *good_plan = plan_of(TIDES_OPTIONS, messages), *plan = POISON;
    char *result = POISON, *error = POISON;
    uint64_t tokens;
    tn_status status, of_empty;
    /* The empty text is no JSON: the same answer as for "" shows that NULL was not what was refused. */
    status = tn_compactor_new(NULL, 0, &compactor, &error);
    CHECK(compactor == NULL, "the compactor is not NULL");
    REFUSED("NULL options of length 0", status, TN_ERR_JSON, error, "byte 0");
    status = tn_compactor_apply(good, NULL, 0, host_summarize, NULL, NULL, &result, &error);
    CHECK(result == NULL, "the result is not NULL");
    REFUSED("NULL messages of length 0", status, TN_ERR_JSON, error, "byte 0");
    status = tn_plan_new(good, NULL, 0, NULL, NULL, &plan, &error);
    CHECK(plan == NULL, "the plan is not NULL");
    REFUSED("NULL messages of length 0", status, TN_ERR_JSON, error, "byte 0");
    status = tn_estimate_tokens(NULL, 0, TN_CODE_POINT, &tokens, &error);
    REFUSED("NULL messages of length 0", status, TN_ERR_JSON, error, "byte 0");
    of_empty = tn_plan_finish(good_plan, "", 0, &result, &error);
    tn_string_free(error);
    status = tn_plan_finish(good_plan, NULL, 0, &result, &error);
    CHECK(result == NULL, "the result is not NULL");
    REFUSED("a NULL summary of length 0", status, of_empty, error, "summary&blank|empty|white");
    tn_plan_free(good_plan);
    tn_compactor_free(good);
    free(messages);
}

static void a_length_of_zero_reads_nothing_behind_a_pointer(void) {
    uint64_t tokens;
    char *error = NULL;
    tn_status status = tn_estimate_tokens("[]", 0, TN_CODE_POINT, &tokens, &error);
    REFUSED("[] with length 0", status, TN_ERR_JSON, error, "byte 0");
}

static void an_unknown_unit_is_refused(void) {
    static const int32_t units[] = {-1, 3, 4, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t tokens = 7;
        char *error = POISON, *number = written("%d&unit", (int)units[i]);
        tn_status status = tn_estimate_tokens(GOOD, TN_NUL_TERMINATED, units[i], &tokens, &error);
        REFUSED("an unknown unit", status, TN_ERR_ARGUMENT, error, number);
        free(number);
    }
}

RUN_TESTS(TEST(compactor_new_refuses_null_options_with_a_length), TEST(compactor_new_refuses_a_null_output),
          TEST(apply_refuses_each_null), TEST(null_summarize_is_refused_even_under_budget),
          TEST(count_tokens_and_user_data_may_be_null), TEST(plan_new_refuses_each_null), TEST(finish_refuses_each_null),
          TEST(estimate_refuses_each_null), TEST(sink_setters_refuse_a_null_sink),
          TEST(a_sink_that_refused_its_text_was_not_answered), TEST(accessors_of_a_null_plan_answer_minus_one_zero_and_null),
          TEST(older_is_given_without_its_length_too), TEST(every_free_takes_null), TEST(error_may_be_null_in_every_failure),
          TEST(error_is_null_after_every_success), TEST(figures_are_written_only_on_success), TEST(absurd_lengths_are_refused),
          TEST(null_with_length_zero_is_the_empty_text), TEST(a_length_of_zero_reads_nothing_behind_a_pointer),
          TEST(an_unknown_unit_is_refused))
