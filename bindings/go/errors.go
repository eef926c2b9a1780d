//go:build cgo

package tncompactor

// #include "tn_compactor.h"
import "C"

import (
	"errors"
	"fmt"
)

// ErrClosed is the error of a call on a [Planner] after its Close.
var ErrClosed = errors.New("tncompactor: the planner is closed")

// Status says of what kind a failure of the library is. It is an error itself, so a kind is asked for with
// errors.Is(err, tncompactor.ErrJSON).
type Status int32

// The kinds of failures.
const (
	// ErrArgument: a function of the host that is needed is nil, or two are given where one is meant; a unit is unknown.
	ErrArgument Status = C.TN_ERR_ARGUMENT
	// ErrUTF8: a text is not UTF-8.
	ErrUTF8 Status = C.TN_ERR_UTF8
	// ErrJSON: a text is not JSON. The error names the byte offset.
	ErrJSON Status = C.TN_ERR_JSON
	// ErrTranscript: the messages are JSON, but not all of them are objects. The error names the first that is none.
	ErrTranscript Status = C.TN_ERR_TRANSCRIPT
	// ErrOptions: the options are not usable. The error names the key, what was found and what is allowed.
	ErrOptions Status = C.TN_ERR_OPTIONS
	// ErrCallback: a function of the host answered nothing usable: a blank summary, a negative count.
	ErrCallback Status = C.TN_ERR_CALLBACK
	// ErrInternal: a bug in the library.
	ErrInternal Status = C.TN_ERR_INTERNAL
	// ErrMemory: there was no memory for a text or a list that grows with the transcript.
	ErrMemory Status = C.TN_ERR_MEMORY
)

// Error gives the status's name, such as "TN_ERR_JSON".
func (s Status) Error() string {
	return C.GoString(C.tn_status_name(C.int32_t(s)))
}

// Error is a failure of the library. What the host's own functions answer is never wrapped in it.
type Error struct {
	// Status is the kind of the failure.
	Status Status
	// Message names the place, what was found and what is allowed there.
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("tncompactor: %s (%s)", e.Message, e.Status.Error())
}

// Unwrap gives the status, for errors.Is.
func (e *Error) Unwrap() error {
	return e.Status
}

// failure makes an error of what a function of the library answered, and frees its text.
func failure(status Status, message *C.char) error {
	if status == C.TN_OK {
		return nil
	}
	defer C.tn_string_free(message)
	text := "out of memory"
	if message != nil {
		text = C.GoString(message)
	}
	return &Error{status, text}
}
