/* No memory for what grows with the transcript is an error like any other. malloc and its family are defined here, before libc's:
   they count what is alive, and refuse the large piece whose turn it is. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own, under the names that stay reachable beside a definition like the ones below. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *memory);

/* Far more than any piece that does not grow with the transcript of these tests. */
enum { LARGE = 16 * 1024 };

static size_t alive;
static size_t large_seen;
static size_t refused_turn; /* the large piece to refuse, counted from 1; 0: none */
static bool refused;

static bool refuse(size_t size) {
    if (size < LARGE || refused_turn == 0 || ++large_seen != refused_turn)
        return false;
    refused = true;
    return true;
}

void *malloc(size_t size) {
    void *memory = refuse(size) ? NULL : __libc_malloc(size);
    alive += memory != NULL;
    return memory;
}

void *calloc(size_t count, size_t size) {
    void *memory = refuse(size > 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size) ? NULL : __libc_calloc(count, size);
    alive += memory != NULL;
    return memory;
}

void *realloc(void *old, size_t size) {
    void *memory = refuse(size) ? NULL : __libc_realloc(old, size);
    alive += !old && memory != NULL;
    return memory;
}

void free(void *memory) {
    alive -= memory != NULL;
    __libc_free(memory);
}

static void refuse_turn(size_t turn) {
    refused_turn = turn;
    large_seen = 0;
    refused = false;
}

static char summary[20 * LARGE];

static void answer(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    tn_status *of_setter = user_data;
    (void)json, (void)json_len, (void)first, (void)count;
    *of_setter = tn_sink_set_text(out, summary, sizeof summary);
}

static char *usual; /* what a call that works gives */

static void check_as_usual(const char *what, const char *given) {
    if (!usual) {
        usual = malloc(strlen(given) + 1);
        strcpy(usual, given);
    }
    CHECK(strcmp(given, usual) == 0, "%s works, but gives something else than usual", what);
}

/* Calls `call` with the first large piece refused, then the second, and so on, until none is. Each time it either works as usual,
   since it can do without, or says that there was no memory, leaves nothing behind, and has nothing half done. */
static void each_large_piece_refused(const char *what, bool (*call)(const char *messages), const char *messages) {
    size_t turn = 1, failed = 0;
    CHECK(call(messages), "%s does not work", what);
    for (; turn < 1000; turn++) {
        size_t before = alive;
        bool worked;
        refuse_turn(turn);
        worked = call(messages);
        refused_turn = 0;
        CHECK(alive == before, "%s, large piece %zu refused: %zu pieces were alive before, %zu after", what, turn, before, alive);
        if (!refused) {
            CHECK(worked, "%s fails although there is memory", what);
            break;
        }
        failed += !worked;
    }
    CHECK(failed > 0, "%s needs no large piece", what);
    CHECK(turn < 1000, "%s does not end", what);
}

/* TN_OK, or TN_ERR_MEMORY with its text. The text is freed. */
static bool ok_or_no_memory(tn_status status, char *error) {
    if (status == TN_OK)
        return true;
    CHECK(status == TN_ERR_MEMORY && error && strstr(error, "memory"), "%s: %s", tn_status_name(status), error ? error : "no error text");
    tn_string_free(error);
    return false;
}

static const tn_compactor *compactor;

static bool apply(const char *messages) {
    char *result = NULL, *error = NULL;
    tn_status of_setter = TN_OK, status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, answer, NULL, &of_setter, &result, &error);
    bool worked;
    if (of_setter != TN_OK) {
        CHECK(of_setter == TN_ERR_MEMORY, "the setter gave %s", tn_status_name(of_setter));
        CHECK(status == TN_ERR_CALLBACK || status == TN_ERR_MEMORY, "the call gave %s", tn_status_name(status));
        CHECK(error && strstr(error, "memory") && !result, "the error says %s", error ? error : "nothing");
        tn_string_free(error);
        return false;
    }
    worked = ok_or_no_memory(status, error);
    CHECK(worked == (result != NULL), "the result is %s", result ? "there" : "missing");
    if (result)
        check_as_usual("apply", result);
    tn_string_free(result);
    return worked;
}

static bool make_plan(const char *messages) {
    tn_plan *plan = NULL;
    char *error = NULL;
    tn_status status = tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
    bool worked = ok_or_no_memory(status, error);
    CHECK(worked == (plan != NULL), "the plan is %s", plan ? "there" : "missing");
    if (plan) {
        char figures[100];
        snprintf(figures, sizeof figures, "%d %zu %zu", (int)tn_plan_outcome(plan), tn_plan_head_end(plan), tn_plan_tail_start(plan));
        check_as_usual("plan_new", figures);
    }
    tn_plan_free(plan);
    return worked;
}

static tn_plan *shared_plan;

static bool finish(const char *messages) {
    char *result = NULL, *error = NULL;
    tn_status status = tn_plan_finish(shared_plan, summary, sizeof summary, &result, &error);
    bool worked = ok_or_no_memory(status, error);
    (void)messages;
    CHECK(worked == (result != NULL), "the result is %s", result ? "there" : "missing");
    if (result)
        check_as_usual("finish", result);
    tn_string_free(result);
    return worked;
}

/* Transcripts whose every list and text is large: many turns, or many calls with their results. */
enum shape { TURNS, CALLS, SHAPES };
static char *large(enum shape shape) {
    char *messages = shape == TURNS ? long_talk(20000) : long_run(10000), *options;
    uint64_t whole = 0;
    memset(summary, '\n', sizeof summary);
    summary[0] = 'x';
    tn_estimate_tokens(messages, TN_NUL_TERMINATED, TN_CODE_POINT, &whole, NULL);
    options = written("{\"max_tokens\":%llu}", (unsigned long long)whole / 2);
    compactor = compactor_of(options);
    free(options);
    return messages;
}

static void done_with(char *messages) {
    free(usual);
    usual = NULL;
    tn_compactor_free((tn_compactor *)compactor);
    free(messages);
}

static void apply_without_memory_says_so(void) {
    for (enum shape shape = TURNS; shape < SHAPES; shape++) {
        char *messages = large(shape);
        each_large_piece_refused("apply", apply, messages);
        done_with(messages);
    }
}

static void plan_new_without_memory_says_so(void) {
    for (enum shape shape = TURNS; shape < SHAPES; shape++) {
        char *messages = large(shape);
        each_large_piece_refused("plan_new", make_plan, messages);
        done_with(messages);
    }
}

static void finish_without_memory_says_so_and_may_be_called_again(void) {
    for (enum shape shape = TURNS; shape < SHAPES; shape++) {
        char *messages = large(shape);
        CHECK(tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &shared_plan, NULL) == TN_OK, "there is no plan");
        each_large_piece_refused("finish", finish, messages);
        CHECK(finish(messages), "finish does not work afterwards");
        tn_plan_free(shared_plan);
        done_with(messages);
    }
}

static void older_without_memory_is_null_and_there_the_next_time(void) {
    for (enum shape shape = TURNS; shape < SHAPES; shape++) {
        char *messages = large(shape);
        tn_plan *plan = NULL;
        size_t len = 7;
        const char *older;
        CHECK(tn_plan_new(compactor, messages, TN_NUL_TERMINATED, NULL, NULL, &plan, NULL) == TN_OK, "there is no plan");
        refuse_turn(1);
        older = tn_plan_older(plan, &len);
        refused_turn = 0;
        /* Whether it needs memory is the library's affair; if it does not get it, it says so and keeps nothing of it. */
        CHECK(refused ? !older && len == 0 : older && len > 2, "older has %zu bytes", len);
        older = tn_plan_older(plan, &len);
        CHECK(older && len > 2 && older[0] == '[' && older[len - 1] == ']', "older is not there the next time");
        tn_plan_free(plan);
        done_with(messages);
    }
}

RUN_TESTS(TEST(apply_without_memory_says_so), TEST(plan_new_without_memory_says_so),
          TEST(finish_without_memory_says_so_and_may_be_called_again), TEST(older_without_memory_is_null_and_there_the_next_time))
