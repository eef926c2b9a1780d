//go:build cgo

package tncompactor

// #include <string.h>
// #include "shim.h"
import "C"

import (
	"bytes"
	"context"
	"unsafe"
)

// PlanJSON is Plan for a transcript that is text: a JSON array of message objects, which must not be changed during the call and
// is not copied. count counts the tokens of an array of messages in place of the estimate; nil means the estimate.
func (p *Planner) PlanJSON(messages []byte, count func(messages []byte) int) (Plan, error) {
	if err := p.enter(); err != nil {
		return Plan{}, err
	}
	defer p.leave()
	c, err := p.textCall(count)
	if err != nil {
		return Plan{}, err
	}
	native, plan, err := p.planText(messages, c)
	if err != nil {
		return Plan{}, err
	}
	C.tn_plan_free(native)
	return plan, nil
}

// CompactJSON is Compact for a transcript that is text, as in PlanJSON. It gives the new text, or nil where nothing is to be
// changed. Every message that is kept stays byte for byte what it was, numbers of any length, repeated keys and odd escapes
// included.
//
// summarize is given the array of the older messages, and is needed even where it would not be called. It and count run on
// goroutines of their own while the caller waits, and may keep what they are given. Of the planner's options, the functions are
// not used, since they take lists. A summary that is blank or not UTF-8 is [ErrCallback].
func (p *Planner) CompactJSON(ctx context.Context, messages []byte, summarize func(ctx context.Context, older []byte) (string, error), count func(messages []byte) int) ([]byte, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if summarize == nil {
		return nil, &Error{ErrArgument, "CompactJSON: summarize is nil"}
	}
	c, err := p.textCall(count)
	if err != nil {
		return nil, err
	}
	c.summarize = func(older []byte) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return summarize(ctx, older)
	}
	handle, forget := c.handle()
	defer forget()
	var result, message *C.char
	status := C.tn_go_compactor_apply(p.native, chars(unsafe.SliceData(messages)), C.size_t(len(messages)), C.bool(count != nil), handle, &result, &message)
	defer C.tn_string_free(result)
	err = failure(Status(status), message)
	if !c.ended.answered() {
		err = c.ended.resume()
	}
	if err != nil || result == nil {
		return nil, err
	}
	return copied(result, C.strlen(result)), nil
}

// textCall refuses to count by the estimate where the host has asked to be asked.
func (p *Planner) textCall(count func(messages []byte) int) (*call, error) {
	if count == nil {
		if p.options.CountTokens != nil {
			return nil, &Error{ErrArgument, "count is nil, but the planner has CountTokens, which takes a list: pass one that takes text"}
		}
		return &call{}, nil
	}
	return &call{count: func(json []byte, _, _ int) (int, error) { return count(bytes.Clone(json)), nil }}, nil
}
