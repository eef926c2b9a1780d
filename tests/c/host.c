#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct given **calls, size_t *len, const char *json, size_t json_len, size_t first, size_t count) {
    struct given *longer = realloc(*calls, (*len + 1) * sizeof **calls);
    char *copy = malloc(json_len + 1);
    if (!longer || !copy) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    memcpy(copy, json, json_len);
    copy[json_len] = '\0';
    *calls = longer;
    longer[*len].json = copy;
    longer[*len].json_len = json_len;
    longer[*len].first = first;
    longer[*len].count = count;
    longer[*len].thread = pthread_self();
    ++*len;
}

void host_summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    struct host *host = user_data;
    note(&host->summarized, &host->summarized_len, json, json_len, first, count);
    if (host->answer)
        host->answer(out);
    else
        tn_sink_set_text(out, HOST_SUMMARY, TN_NUL_TERMINATED);
}

void host_count(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
    struct host *host = user_data;
    uint64_t tokens = 0;
    note(&host->counted, &host->counted_len, json, json_len, first, count);
    if (host->answer_count)
        host->answer_count(out);
    else if (tn_estimate_tokens(json, json_len, TN_CODE_POINT, &tokens, NULL) == TN_OK)
        tn_sink_set_count(out, tokens);
}

void host_forget(struct host *host) {
    for (size_t i = 0; i < host->summarized_len; i++)
        free(host->summarized[i].json);
    for (size_t i = 0; i < host->counted_len; i++)
        free(host->counted[i].json);
    free(host->summarized);
    free(host->counted);
    host->summarized = host->counted = NULL;
    host->summarized_len = host->counted_len = 0;
}
