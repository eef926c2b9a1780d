/* What a fragment of the documentation may take for granted: the usual headers and, where it becomes the body of a function, the
   names that a host would have. It may also declare them itself. */
#ifndef FRAGMENT_H
#define FRAGMENT_H

#include "tn_compactor.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#include <string>
#endif

#ifdef IN_A_FUNCTION

extern tn_compactor *compactor;
extern tn_plan *plan;
extern const char *options, *messages, *summary;
extern size_t options_len, messages_len, summary_len;
extern void *user_data;
extern char *result, *error;
extern tn_status status;
void summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out);
void count_tokens(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out);

#define FRAGMENT_BEGIN   \
    void fragment(void); \
    void fragment(void) {
#define FRAGMENT_END }

#endif

#endif
