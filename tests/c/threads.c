/* Compactors and plans are shared between threads, and no lock is held while a callback runs. */
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

struct shared {
    const tn_compactor *compactor;
    const tn_plan *plan;
    const char *messages, *compacted, *older;
    const char *first_older; /* where this thread saw the plan's older */
    pthread_barrier_t *start;
    size_t rounds, number;
};

static void *work(void *argument) {
    struct shared *shared = argument;
    char *summary = written("thread %zu", shared->number), *finished = run_compacted(summary);
    pthread_barrier_wait(shared->start);
    for (size_t round = 0; round < shared->rounds; round++) {
        struct host host = {0};
        tn_plan *own = NULL;
        char *result = NULL, *error = NULL;
        size_t len = 0;
        const char *older = tn_plan_older(shared->plan, &len);
        tn_status status;
        CHECK(older && len == strlen(shared->older) && memcmp(older, shared->older, len) == 0, "older is another text");
        if (round == 0)
            shared->first_older = older;
        CHECK(older == shared->first_older, "older moved");
        CHECK(tn_plan_tail_start(shared->plan) == RUN_TAIL_START, "tail_start is %zu", tn_plan_tail_start(shared->plan));
        status = tn_compactor_apply(shared->compactor, shared->messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result,
                                    &error);
        if (SUCCEEDED("apply", status, error))
            SAME_TEXT(result, shared->compacted);
        tn_string_free(result);
        for (size_t call = 0; call < host.counted_len; call++)
            CHECK(pthread_equal(host.counted[call].thread, pthread_self()), "count_tokens was called on another thread");
        CHECK(host.summarized_len == 1 && pthread_equal(host.summarized[0].thread, pthread_self()),
              "summarize was called on another thread");
        host_forget(&host);
        result = NULL;
        status = tn_plan_finish(shared->plan, summary, TN_NUL_TERMINATED, &result, &error);
        if (SUCCEEDED("finish", status, error))
            SAME_TEXT(result, finished);
        tn_string_free(result);
        status = tn_plan_new(shared->compactor, "[7]", 3, NULL, NULL, &own, &error);
        REFUSED("[7]", status, TN_ERR_TRANSCRIPT, error, "[0]");
        status = tn_plan_new(shared->compactor, shared->messages, TN_NUL_TERMINATED, NULL, NULL, &own, &error);
        if (SUCCEEDED("plan", status, error))
            CHECK(tn_plan_outcome(own) == TN_COMPACT, "outcome %d", (int)tn_plan_outcome(own));
        tn_plan_free(own);
    }
    free(finished);
    free(summary);
    return NULL;
}

static void eight_threads_share_one_compactor_and_one_plan(void) {
    char *messages = transcript(run, 0, RUN), *compacted = run_compacted(HOST_SUMMARY), *older = transcript(run, RUN_HEAD_END, RUN_TAIL_START);
    tn_compactor *compactor = compactor_of(RUN_OPTIONS);
    tn_plan *plan = plan_of(RUN_OPTIONS, messages);
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    struct shared shared[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        shared[i].compactor = compactor;
        shared[i].plan = plan;
        shared[i].messages = messages;
        shared[i].compacted = compacted;
        shared[i].older = older;
        shared[i].start = &start;
        shared[i].rounds = repeats(400);
        shared[i].number = i;
        if (pthread_create(&threads[i], NULL, work, &shared[i]) != 0)
            exit(3);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(shared[i].first_older == tn_plan_older(plan, NULL), "thread %zu saw another older", i);
    pthread_barrier_destroy(&start);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    free(older);
    free(compacted);
    free(messages);
}

static void *apply_once(void *argument) {
    struct shared *shared = argument;
    struct host host = {0};
    char *result = NULL, *error = NULL;
    tn_status status =
        tn_compactor_apply(shared->compactor, shared->messages, TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
    if (SUCCEEDED("apply on the other thread", status, error))
        SAME_TEXT(result, shared->compacted);
    tn_string_free(result);
    host_forget(&host);
    return NULL;
}

/* Blocks until another thread has finished a whole call on the same compactor. */
static void wait_for_another_call(void *shared, tn_sink *out) {
    pthread_t other;
    if (pthread_create(&other, NULL, apply_once, shared) != 0)
        exit(3);
    pthread_join(other, NULL);
    (void)out;
}
static void summarize_after_another_call(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    (void)json, (void)json_len, (void)first, (void)count;
    wait_for_another_call(user_data, out);
    tn_sink_set_text(out, HOST_SUMMARY, TN_NUL_TERMINATED);
}
static void count_after_another_call(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    uint64_t tokens = 0;
    (void)first, (void)count;
    wait_for_another_call(user_data, out);
    tn_estimate_tokens(json, json_len, TN_CODE_POINT, &tokens, NULL);
    tn_sink_set_count(out, tokens);
}

static void no_lock_is_held_while_a_callback_blocks(void) {
    char *messages = transcript(tides, 0, TIDES), *compacted = tides_compacted(HOST_SUMMARY), *result = NULL, *error = NULL;
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    struct shared shared;
    tn_status status;
    memset(&shared, 0, sizeof shared);
    shared.compactor = compactor;
    shared.messages = messages;
    shared.compacted = compacted;
    status = tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, summarize_after_another_call, count_after_another_call, &shared,
                                &result, &error);
    if (SUCCEEDED(messages, status, error))
        SAME_TEXT(result, compacted);
    tn_string_free(result);
    tn_compactor_free(compactor);
    free(compacted);
    free(messages);
}

/* What one thread makes and another ends. */
struct handed_over {
    tn_compactor *compactor;
    tn_plan *plan;
    char *result, *error;
    char *messages;
};

static void *make(void *argument) {
    struct handed_over *it = argument;
    it->compactor = compactor_of(TIDES_OPTIONS);
    if (tn_plan_new(it->compactor, it->messages, TN_NUL_TERMINATED, NULL, NULL, &it->plan, &it->error) == TN_OK)
        tn_plan_finish(it->plan, HOST_SUMMARY, TN_NUL_TERMINATED, &it->result, &it->error);
    if (!it->error)
        tn_plan_new(it->compactor, "[", 1, NULL, NULL, &(tn_plan *){NULL}, &it->error);
    return NULL;
}

static void what_one_thread_made_another_may_use_and_free(void) {
    struct handed_over it = {NULL, NULL, NULL, NULL, NULL};
    char *want = tides_compacted(HOST_SUMMARY), *again = NULL;
    pthread_t maker;
    it.messages = transcript(tides, 0, TIDES);
    if (pthread_create(&maker, NULL, make, &it) != 0)
        exit(3);
    pthread_join(maker, NULL);
    CHECK(it.error && strstr(it.error, "byte 1"), "the error says %s", it.error ? it.error : "nothing");
    SAME_TEXT(it.result, want);
    CHECK(tn_plan_finish(it.plan, HOST_SUMMARY, TN_NUL_TERMINATED, &again, NULL) == TN_OK, "finish failed on the other thread");
    SAME_TEXT(again, want);
    tn_string_free(again);
    tn_string_free(it.result);
    tn_string_free(it.error);
    tn_plan_free(it.plan);
    tn_compactor_free(it.compactor);
    free(it.messages);
    free(want);
}

/* A callback that waits until it is told to go on. */
struct waiting {
    const tn_compactor *compactor;
    const char *messages;
    pthread_barrier_t *inside, *go_on;
    char *result;
};

static void summarize_when_told(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    struct waiting *it = user_data;
    (void)json, (void)json_len, (void)first, (void)count;
    pthread_barrier_wait(it->inside);
    pthread_barrier_wait(it->go_on);
    tn_sink_set_text(out, HOST_SUMMARY, TN_NUL_TERMINATED);
}

static void *apply_and_wait(void *argument) {
    struct waiting *it = argument;
    tn_compactor_apply(it->compactor, it->messages, TN_NUL_TERMINATED, summarize_when_told, NULL, it, &it->result, NULL);
    return NULL;
}

/* What the child of a fork says of the library: it compacts, and finishes a plan of its parent's. */
static bool works_in_a_child(const tn_compactor *compactor, const tn_plan *plan, const char *messages, const char *want) {
    struct host host = {0};
    char *applied = NULL, *finished = NULL;
    return tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &applied, NULL) == TN_OK &&
           tn_plan_finish(plan, HOST_SUMMARY, TN_NUL_TERMINATED, &finished, NULL) == TN_OK && applied && finished &&
           strcmp(applied, want) == 0 && strcmp(finished, want) == 0;
}

static void a_child_of_a_fork_compacts_though_another_thread_was_in_a_callback(void) {
    char *messages = transcript(tides, 0, TIDES), *want = tides_compacted(HOST_SUMMARY), said = '?';
    tn_compactor *compactor = compactor_of(TIDES_OPTIONS);
    tn_plan *plan = plan_of(TIDES_OPTIONS, messages);
    pthread_barrier_t inside, go_on;
    struct waiting waiting = {compactor, messages, &inside, &go_on, NULL};
    pthread_t other;
    int answer[2];
    pid_t child;
    pthread_barrier_init(&inside, NULL, 2);
    pthread_barrier_init(&go_on, NULL, 2);
    if (pipe(answer) != 0 || pthread_create(&other, NULL, apply_and_wait, &waiting) != 0)
        exit(3);
    pthread_barrier_wait(&inside);
    child = fork();
    if (child == 0) {
        char yes_or_no = works_in_a_child(compactor, plan, messages, want) ? 'y' : 'n';
        if (write(answer[1], &yes_or_no, 1) != 1)
            _exit(3);
        /* Not by exit: what the other thread held is nobody's here, and would be told as leaked. */
        raise(SIGKILL);
    }
    close(answer[1]);
    CHECK(read(answer[0], &said, 1) == 1 && said == 'y', "the child says %c", said);
    close(answer[0]);
    waitpid(child, NULL, 0);
    pthread_barrier_wait(&go_on);
    pthread_join(other, NULL);
    SAME_TEXT(waiting.result, want);
    pthread_barrier_destroy(&inside);
    pthread_barrier_destroy(&go_on);
    tn_string_free(waiting.result);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    free(want);
    free(messages);
}

RUN_TESTS(TEST(eight_threads_share_one_compactor_and_one_plan), TEST(no_lock_is_held_while_a_callback_blocks),
          TEST(what_one_thread_made_another_may_use_and_free),
          TEST(a_child_of_a_fork_compacts_though_another_thread_was_in_a_callback))
