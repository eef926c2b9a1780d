//go:build cgo

package tncompactor

// #include "tn_compactor.h"
import "C"

import (
	"fmt"
	"unsafe"
)

var charUnits = map[CharUnit]C.int32_t{Bytes: C.TN_UTF8, CodePoints: C.TN_CODE_POINT, UTF16: C.TN_UTF16}

// EstimateTokens estimates the tokens of the messages: for each one a quarter of its bytes in compact JSON, rounded up, summed.
// It is an estimate, not a tokenizer. A message that cannot be encoded, or is no object, counts 0. It panics where the library that is
// loaded speaks another interface than this program was built for; [New] returns that as an error.
func EstimateTokens(messages []any) int {
	if err := compatible(); err != nil {
		panic(err)
	}
	if tokens, err := estimate(messages); err == nil {
		return tokens
	}
	sum := 0
	for _, message := range messages {
		if tokens, err := estimate([]any{message}); err == nil {
			sum += tokens
		}
	}
	return sum
}

func estimate(messages []any) (tokens int, err error) {
	err = encoded(messages, nil, func(text []byte) (err error) {
		tokens, err = EstimateTokensJSON(text, Bytes)
		return err
	})
	return tokens, err
}

// EstimateTokensJSON estimates the tokens of a JSON array of message objects, in any unit. The estimate does not depend on how
// the text is formatted or escaped. An empty unit means Bytes.
func EstimateTokensJSON(messages []byte, unit CharUnit) (int, error) {
	native, known := charUnits[unit.orBytes()]
	if !known {
		return 0, &Error{ErrArgument, fmt.Sprintf("unit %q: allowed are %q, %q and %q", unit, Bytes, CodePoints, UTF16)}
	}
	if err := compatible(); err != nil {
		return 0, err
	}
	var tokens C.uint64_t
	var message *C.char
	status := C.tn_estimate_tokens(chars(unsafe.SliceData(messages)), C.size_t(len(messages)), native, &tokens, &message)
	if err := failure(Status(status), message); err != nil {
		return 0, err
	}
	return whole(tokens), nil
}

// SummaryPrefix is what the text of every summary message begins with.
func SummaryPrefix() string {
	return C.GoString(C.tn_summary_prefix())
}

// FlushReminder is the text of the reminder that FlushToMemory adds.
func FlushReminder() string {
	return C.GoString(C.tn_flush_reminder())
}

// Version is the version of the library that is loaded.
func Version() string {
	return C.GoString(C.tn_version())
}

// compatible fails where the library that is loaded is not one that this program may call, as after an installation of another version.
func compatible() error {
	if loaded := C.tn_abi_version(); loaded != C.TN_ABI_VERSION {
		return fmt.Errorf("tncompactor: the library that is loaded, %s, speaks interface %d, and this program was built for interface %d",
			Version(), loaded, C.TN_ABI_VERSION)
	}
	return nil
}
