/* The interface, written a second time: each function has exactly this type, each constant exactly this value. It compiles as C
   and as C++, or the header says something else. */
#include "tn_compactor.h"

/* A negative size if the condition fails: C99 and C++98 have no static assertion. */
#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]

HOLDS(nul_terminated, TN_NUL_TERMINATED == (size_t)-1 && sizeof(TN_NUL_TERMINATED) == sizeof(size_t));
HOLDS(ok, TN_OK == 0);
HOLDS(err_argument, TN_ERR_ARGUMENT == -1);
HOLDS(err_utf8, TN_ERR_UTF8 == -2);
HOLDS(err_json, TN_ERR_JSON == -3);
HOLDS(err_transcript, TN_ERR_TRANSCRIPT == -4);
HOLDS(err_options, TN_ERR_OPTIONS == -5);
HOLDS(err_callback, TN_ERR_CALLBACK == -6);
HOLDS(err_internal, TN_ERR_INTERNAL == -7);
HOLDS(err_memory, TN_ERR_MEMORY == -8);
HOLDS(compact, TN_COMPACT == 0);
HOLDS(under_budget, TN_UNDER_BUDGET == 1);
HOLDS(nothing_older, TN_NOTHING_OLDER == 2);
HOLDS(nothing_new, TN_NOTHING_NEW == 3);
HOLDS(call_in_flight, TN_CALL_IN_FLIGHT == 4);
HOLDS(code_point, TN_CODE_POINT == 0);
HOLDS(utf16, TN_UTF16 == 1);
HOLDS(utf8, TN_UTF8 == 2);
HOLDS(status_is_an_int, sizeof(enum tn_status) == sizeof(int) && sizeof(tn_status) == sizeof(int));
HOLDS(outcome_is_an_int, sizeof(enum tn_outcome) == sizeof(int) && sizeof(tn_outcome) == sizeof(int));
HOLDS(char_unit_is_an_int, sizeof(enum tn_char_unit) == sizeof(int) && sizeof(tn_char_unit) == sizeof(int));

struct interface {
    tn_status (*compactor_new)(const char *, size_t, tn_compactor **, char **);
    void (*compactor_free)(tn_compactor *);
    tn_status (*compactor_apply)(const tn_compactor *, const char *, size_t, tn_summarize_fn, tn_count_tokens_fn, void *, char **,
                                 char **);
    tn_status (*plan_new)(const tn_compactor *, const char *, size_t, tn_count_tokens_fn, void *, tn_plan **, char **);
    int32_t (*plan_outcome)(const tn_plan *);
    size_t (*plan_head_end)(const tn_plan *);
    size_t (*plan_tail_start)(const tn_plan *);
    size_t (*plan_request_start)(const tn_plan *);
    size_t (*plan_request_end)(const tn_plan *);
    uint64_t (*plan_tokens)(const tn_plan *);
    uint64_t (*plan_tail_tokens)(const tn_plan *);
    const char *(*plan_older)(const tn_plan *, size_t *);
    tn_status (*plan_finish)(const tn_plan *, const char *, size_t, char **, char **);
    void (*plan_free)(tn_plan *);
    tn_status (*sink_set_text)(tn_sink *, const char *, size_t);
    tn_status (*sink_set_count)(tn_sink *, uint64_t);
    tn_status (*sink_set_error)(tn_sink *, const char *, size_t);
    tn_status (*estimate_tokens)(const char *, size_t, int32_t, uint64_t *, char **);
    const char *(*summary_prefix)(void);
    const char *(*flush_reminder)(void);
    void (*string_free)(char *);
    const char *(*status_name)(int32_t);
    const char *(*version)(void);
    uint32_t (*abi_version)(void);
    /* A callback of either kind, as the host writes it. */
    void (*summarize)(void *, const char *, size_t, size_t, size_t, tn_sink *);
    void (*count_tokens)(void *, const char *, size_t, size_t, size_t, tn_sink *);
};

extern const struct interface interface_of_the_library;
const struct interface interface_of_the_library = {
    tn_compactor_new,     tn_compactor_free,     tn_compactor_apply,  tn_plan_new,         tn_plan_outcome,    tn_plan_head_end,
    tn_plan_tail_start,   tn_plan_request_start, tn_plan_request_end, tn_plan_tokens,      tn_plan_tail_tokens, tn_plan_older,
    tn_plan_finish,       tn_plan_free,          tn_sink_set_text,    tn_sink_set_count,   tn_sink_set_error,  tn_estimate_tokens,
    tn_summary_prefix,    tn_flush_reminder,     tn_string_free,      tn_status_name,      tn_version,         tn_abi_version,
    (tn_summarize_fn)0,   (tn_count_tokens_fn)0,
};
