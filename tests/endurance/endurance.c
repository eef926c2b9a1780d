/* Compacts transcripts over and over, and tells what the process holds before and after: endurance TIMES FILE... See run. */
#include "tn_compactor.h"

#include <dirent.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 200 };

static struct {
    char *messages;
    size_t len;
    tn_compactor *compactor;
} transcripts[MOST];
static size_t transcripts_len;
static bool leak;

static void stop(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(3);
}

static void summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    char summary[200];
    int len = snprintf(summary, sizeof summary, "%zu messages from %zu on, %zu bytes, beginning with %.20s.", count, first, json_len, json);
    (void)user_data;
    tn_sink_set_text(out, summary, (size_t)len);
}

static void summarize_in_vain(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    (void)user_data, (void)first, (void)count;
    tn_sink_set_error(out, json, json_len);
}

static void count_tokens(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    uint64_t tokens = 0;
    (void)user_data, (void)first, (void)count;
    if (tn_estimate_tokens(json, json_len, TN_CODE_POINT, &tokens, NULL) != TN_OK)
        stop("a part of a transcript is no transcript");
    tn_sink_set_count(out, tokens);
}

static char *compacted_in_two_calls(const tn_compactor *compactor, const char *messages, size_t len) {
    tn_plan *plan = NULL;
    char *result = NULL, *error = NULL;
    if (tn_plan_new(compactor, messages, len, NULL, NULL, &plan, &error) != TN_OK || !tn_plan_older(plan, NULL) ||
        tn_plan_finish(plan, "A recap.", TN_NUL_TERMINATED, &result, &error) != TN_OK)
        stop(error ? error : "no plan");
    tn_plan_free(plan);
    return result;
}

/* One compaction; every fourth with a count of the host, every eighth in two calls, and every sixteenth after one that failed and
   one with a compactor that was refused. */
static char *compacted(size_t turn, const tn_compactor *compactor, const char *messages, size_t len) {
    char *result = NULL, *error = NULL;
    if (turn % 16 == 0) {
        tn_compactor *none = NULL;
        if (tn_compactor_apply(compactor, messages, len, summarize_in_vain, NULL, NULL, &result, &error) != TN_ERR_CALLBACK)
            stop("an error is none");
        tn_string_free(error);
        if (tn_compactor_new("{}", TN_NUL_TERMINATED, &none, &error) != TN_ERR_OPTIONS)
            stop("options without a budget are taken");
        tn_string_free(error);
        error = NULL;
    }
    if (turn % 8 == 1)
        return compacted_in_two_calls(compactor, messages, len);
    if (tn_compactor_apply(compactor, messages, len, summarize, turn % 4 == 0 ? count_tokens : NULL, NULL, &result, &error) != TN_OK)
        stop(error ? error : "out of memory");
    return result;
}

static void compact(size_t times) {
    for (size_t turn = 0; turn < times; turn++) {
        size_t i = turn % transcripts_len;
        char *result = compacted(turn, transcripts[i].compactor, transcripts[i].messages, transcripts[i].len);
        if (!result)
            stop("nothing was compacted");
        if (!leak)
            tn_string_free(result);
    }
}

static size_t entries(const char *folder) {
    DIR *directory = opendir(folder);
    size_t count = 0;
    if (!directory)
        stop("there is no /proc");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static void tell(const char *when) {
    FILE *statm = fopen("/proc/self/statm", "r");
    long pages = 0;
    if (!statm || fscanf(statm, "%*s %ld", &pages) != 1)
        stop("there is no /proc/self/statm");
    fclose(statm);
    printf("%s: %ld KiB resident, %zu descriptors, %zu threads, %zu bytes allocated\n", when, pages * sysconf(_SC_PAGESIZE) / 1024,
           entries("/proc/self/fd"), entries("/proc/self/task"), mallinfo2().uordblks + mallinfo2().hblkhd);
}

/* A transcript is used if half of it is to be compacted. */
static void read_transcript(const char *name) {
    FILE *file = fopen(name, "rb");
    char options[100], *messages, *result, *error = NULL;
    tn_compactor *compactor = NULL;
    uint64_t tokens = 0;
    long len;
    if (!file || fseek(file, 0, SEEK_END) != 0 || (len = ftell(file)) < 0)
        stop(name);
    rewind(file);
    messages = malloc((size_t)len);
    if (!messages || fread(messages, 1, (size_t)len, file) != (size_t)len)
        stop(name);
    fclose(file);
    if (tn_estimate_tokens(messages, (size_t)len, TN_CODE_POINT, &tokens, &error) != TN_OK)
        stop(error);
    snprintf(options, sizeof options, "{\"max_tokens\":%llu}", (unsigned long long)tokens / 2);
    if (tn_compactor_new(options, TN_NUL_TERMINATED, &compactor, &error) != TN_OK ||
        tn_compactor_apply(compactor, messages, (size_t)len, summarize, NULL, NULL, &result, &error) != TN_OK)
        stop(error);
    if (result && transcripts_len < MOST) {
        transcripts[transcripts_len].messages = messages;
        transcripts[transcripts_len].len = (size_t)len;
        transcripts[transcripts_len++].compactor = compactor;
    } else {
        free(messages);
        tn_compactor_free(compactor);
    }
    tn_string_free(result);
}

int main(int argc, char **argv) {
    size_t times = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
    setvbuf(stdout, NULL, _IONBF, 0); /* no buffer that is allocated at the first line */
    leak = getenv("TN_LEAK") != NULL;
    for (int i = 2; i < argc; i++)
        read_transcript(argv[i]);
    if (times == 0 || transcripts_len == 0)
        stop("usage: endurance TIMES FILE...");
    compact(times / 5);
    tell("before");
    compact(times);
    tell("after");
    for (size_t i = 0; i < transcripts_len; i++) {
        free(transcripts[i].messages);
        tn_compactor_free(transcripts[i].compactor);
    }
    return 0;
}
