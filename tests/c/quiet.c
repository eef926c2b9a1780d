/* What the library leaves alone: standard streams, environment, files, threads, signals. The functions that reach for them are
   defined here, before libc's, and note who calls while a test watches. */
#define _GNU_SOURCE
#include "check.h"
#include "conversation.h"
#include "host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool watching;
static size_t environment_reads, files_opened, threads_started;
static const char *last_name = "";

static void *libc_s(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "no %s in libc\n", name);
        _exit(3);
    }
    return function;
}

static void noted(size_t *count, const char *name) {
    if (watching) {
        ++*count;
        last_name = name;
    }
}

char *getenv(const char *name) {
    char *(*real)(const char *);
    *(void **)&real = libc_s("getenv");
    noted(&environment_reads, name);
    return real(name);
}

char *secure_getenv(const char *name) {
    char *(*real)(const char *);
    *(void **)&real = libc_s("secure_getenv");
    noted(&environment_reads, name);
    return real(name);
}

static int opened(const char *function, const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...);
    *(void **)&real = libc_s(function);
    noted(&files_opened, path);
    return real(path, flags, mode);
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    mode_t mode;
    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    mode_t mode;
    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    return opened("open64", path, flags, mode);
}

FILE *fopen(const char *path, const char *how) {
    FILE *(*real)(const char *, const char *);
    *(void **)&real = libc_s("fopen");
    noted(&files_opened, path);
    return real(path, how);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = libc_s("pthread_create");
    noted(&threads_started, "a thread");
    return real(thread, attributes, start, argument);
}

static void answer_with_an_error(tn_sink *out) {
    tn_sink_set_error(out, "the model is down", TN_NUL_TERMINATED);
}
static void answer_wrongly(tn_sink *out) {
    tn_sink_set_count(out, 1);
    tn_sink_set_text(out, "\xff", 1);
}

/* Every function, in success and in each kind of failure. */
static void use_everything(void) {
    static const char *const bad_options[] = {"", "{", "{}", "[]", "{\"max_tokens\":-1}", "\xff", "{\"max_tokens\":1,\"x\":1}"};
    static const char *const bad_messages[] = {"", "[", "{}", "[1]", "[{\"a\":\"\xff\"}]", "[{}] x"};
    char *messages = transcript(run, 0, RUN), *result = NULL, *error = NULL;
    tn_compactor *compactor = NULL;
    tn_plan *plan = NULL;
    uint64_t tokens;
    size_t len;
    struct host host = {0};
    for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++) {
        tn_compactor_new(bad_options[i], TN_NUL_TERMINATED, &compactor, &error);
        tn_string_free(error);
    }
    tn_compactor_new(RUN_OPTIONS, TN_NUL_TERMINATED, &compactor, &error);
    for (size_t i = 0; i < sizeof bad_messages / sizeof *bad_messages; i++) {
        tn_compactor_apply(compactor, bad_messages[i], TN_NUL_TERMINATED, host_summarize, NULL, &host, &result, &error);
        tn_string_free(error);
        tn_plan_new(compactor, bad_messages[i], TN_NUL_TERMINATED, NULL, NULL, &plan, &error);
        tn_string_free(error);
        tn_estimate_tokens(bad_messages[i], TN_NUL_TERMINATED, TN_UTF8, &tokens, &error);
        tn_string_free(error);
    }
    for (int i = 0; i < 3; i++) {
        host.answer = i == 0 ? answer_with_an_error : i == 1 ? answer_wrongly : NULL;
        tn_compactor_apply(compactor, messages, TN_NUL_TERMINATED, host_summarize, host_count, &host, &result, &error);
        tn_string_free(error);
    }
    CHECK(result, "nothing was compacted");
    tn_string_free(result);
    tn_compactor_apply(NULL, NULL, 1, NULL, NULL, NULL, NULL, &error);
    tn_string_free(error);
    tn_estimate_tokens(messages, TN_NUL_TERMINATED, 77, &tokens, &error);
    tn_string_free(error);
    tn_plan_new(compactor, messages, TN_NUL_TERMINATED, host_count, &host, &plan, &error);
    CHECK(tn_plan_outcome(plan) == TN_COMPACT && tn_plan_older(plan, &len), "there is no plan");
    tn_plan_finish(plan, " ", 1, &result, &error);
    tn_string_free(error);
    tn_plan_finish(plan, "\xff", 1, &result, &error);
    tn_string_free(error);
    tn_plan_finish(plan, "recap", 5, &result, &error);
    CHECK(result, "nothing was finished");
    tn_string_free(result);
    tn_plan_free(plan);
    tn_compactor_free(compactor);
    CHECK(*tn_status_name(99) && *tn_version() && *tn_summary_prefix() && *tn_flush_reminder() && tn_abi_version() == TN_ABI_VERSION,
          "a constant is empty");
    host_forget(&host);
    free(messages);
}

static void nothing_is_printed(void) {
    FILE *caught = tmpfile();
    int out, err;
    struct stat status;
    REQUIRE(caught, "there is no temporary file");
    fflush(stdout);
    fflush(stderr);
    out = dup(1);
    err = dup(2);
    dup2(fileno(caught), 1);
    dup2(fileno(caught), 2);
    use_everything();
    fflush(stdout);
    fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    REQUIRE(fstat(fileno(caught), &status) == 0, "fstat failed");
    if (status.st_size != 0) {
        char text[500] = "";
        rewind(caught);
        text[fread(text, 1, sizeof text - 1, caught)] = '\0';
        CHECK(status.st_size == 0, "printed: %s", text);
    }
    fclose(caught);
}

static void no_environment_variable_is_read_no_file_opened_and_no_thread_started(void) {
    /* The watch itself works: each of these is noted. */
    watching = true;
    (void)getenv("PATH");
    close(open("/dev/null", O_RDONLY));
    watching = false;
    CHECK(environment_reads == 1 && files_opened == 1, "the watch notes nothing");
    environment_reads = files_opened = 0;
    watching = true;
    use_everything();
    watching = false;
    CHECK(environment_reads == 0, "%zu environment variables were read, %s the last", environment_reads, last_name);
    CHECK(files_opened == 0, "%zu files were opened, %s the last", files_opened, last_name);
    CHECK(threads_started == 0, "%zu threads were started", threads_started);
}

static void no_signal_handler_is_installed(void) {
    struct sigaction before[65], after[65];
    memset(before, 0, sizeof before);
    memset(after, 0, sizeof after);
    for (int number = 1; number < 65; number++)
        sigaction(number, NULL, &before[number]);
    use_everything();
    for (int number = 1; number < 65; number++) {
        sigaction(number, NULL, &after[number]);
        CHECK(before[number].sa_handler == after[number].sa_handler && before[number].sa_flags == after[number].sa_flags,
              "signal %d is handled otherwise", number);
    }
}

RUN_TESTS(TEST(nothing_is_printed), TEST(no_environment_variable_is_read_no_file_opened_and_no_thread_started),
          TEST(no_signal_handler_is_installed))
