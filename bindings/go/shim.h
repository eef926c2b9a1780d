/* What cgo cannot say itself. A call of the host is known by a cgo.Handle, which is an integer and goes through C as a void *.
   Go's vet rightly refuses to make a pointer of an integer, so C does it. */
#ifndef TN_GO_SHIM_H
#define TN_GO_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tn_compactor.h"

tn_status tn_go_plan_new(const tn_compactor *compactor, const char *messages, size_t messages_len, bool counts,
                         uintptr_t call, tn_plan **plan, char **error);

tn_status tn_go_compactor_apply(const tn_compactor *compactor, const char *messages, size_t messages_len, bool counts,
                                uintptr_t call, char **result, char **error);

#endif
