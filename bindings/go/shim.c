//go:build cgo

#include "shim.h"

#include "_cgo_export.h"

static void summarize(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
  (void)first, (void)count; /* the text says it all */
  tn_go_summarize((uintptr_t)user_data, (char *)json, json_len, out);
}

static void count_tokens(void *user_data, const char *json, size_t json_len, size_t first, size_t count, tn_sink *out) {
  tn_go_count_tokens((uintptr_t)user_data, (char *)json, json_len, first, count, out);
}

tn_status tn_go_plan_new(const tn_compactor *compactor, const char *messages, size_t messages_len, bool counts,
                         uintptr_t call, tn_plan **plan, char **error) {
  return tn_plan_new(compactor, messages, messages_len, counts ? count_tokens : NULL, (void *)call, plan, error);
}

tn_status tn_go_compactor_apply(const tn_compactor *compactor, const char *messages, size_t messages_len, bool counts,
                                uintptr_t call, char **result, char **error) {
  return tn_compactor_apply(compactor, messages, messages_len, summarize, counts ? count_tokens : NULL, (void *)call,
                            result, error);
}
