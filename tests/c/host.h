/* A host whose callbacks note all they were given, and answer as told. */
#ifndef HOST_H
#define HOST_H

#include "tn_compactor.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* What one call of a callback was given. `json` is a copy, ended by a NUL. */
struct given {
    char *json;
    size_t json_len, first, count;
    pthread_t thread;
};

struct host {
    void (*answer)(tn_sink *out);        /* how summarize answers; NULL: with "short recap" */
    void (*answer_count)(tn_sink *out);  /* how count_tokens answers; NULL: with the estimate */
    struct given *summarized, *counted;  /* every call, in order */
    size_t summarized_len, counted_len;
};

#define HOST_SUMMARY "short recap"

void host_summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out);
void host_count(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out);

/* Frees what was noted; the host may be used again. */
void host_forget(struct host *host);

#endif
