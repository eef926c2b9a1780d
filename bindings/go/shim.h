/* What cgo cannot say itself. A call of the host is known by a cgo.Handle, which is an integer and goes through C as a void *.
   Go's vet rightly refuses to make a pointer of an integer, so C does it. */
#ifndef TN_GO_SHIM_H
#define TN_GO_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tn_compactor.h"

/* Raised with the code that it is for. A header that was left by another version would compile, and then be wrong. */
#if !defined(TN_ABI_VERSION) || TN_ABI_VERSION != 0
#error "this Go module is for interface 0 of tn_compactor, and the tn_compactor.h that was found describes another: install the version of the library that the module is from"
#endif

tn_status tn_go_plan_new(const tn_compactor *compactor, const char *messages, size_t messages_len, bool counts,
                         uintptr_t call, tn_plan **plan, char **error);

tn_status tn_go_compactor_apply(const tn_compactor *compactor, const char *messages, size_t messages_len, bool counts,
                                uintptr_t call, char **result, char **error);

#endif
