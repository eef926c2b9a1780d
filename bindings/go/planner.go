//go:build cgo

package tncompactor

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// Planner decides where transcripts are cut, under one set of options, and compacts them. It may be used by many goroutines at
// once, and holds no lock while it works.
type Planner struct {
	options   Options
	summarize func(ctx context.Context, older []any) (string, error)
	native    *C.tn_compactor
	cleanup   runtime.Cleanup

	mutex   sync.Mutex
	running int
	closed  bool
	idle    chan struct{} // closed when the planner is, and no call is running
}

// New makes a planner. It fails where the options are not usable, with [ErrOptions] or [ErrArgument].
//
// A planner that is no longer used is freed by the garbage collector in its own time, or at once by Close.
func New(options Options) (*Planner, error) {
	if err := compatible(); err != nil {
		return nil, err
	}
	summarize, err := options.summarizer()
	if err != nil {
		return nil, err
	}
	text, err := options.text()
	if err != nil {
		return nil, err
	}
	p := &Planner{options: options, summarize: summarize, idle: make(chan struct{})}
	var message *C.char
	status := C.tn_compactor_new(chars(unsafe.SliceData(text)), C.size_t(len(text)), &p.native, &message)
	if err := failure(Status(status), message); err != nil {
		return nil, err
	}
	p.cleanup = runtime.AddCleanup(p, func(native *C.tn_compactor) { C.tn_compactor_free(native) }, p.native)
	return p, nil
}

// Close frees the planner after waiting for the calls that are running. Calls that come later fail with [ErrClosed]. It may be
// called again, and always answers nil. It must not be called by a function that the planner called, since it would wait for
// itself.
func (p *Planner) Close() error {
	p.mutex.Lock()
	if !p.closed {
		p.closed = true
		p.freeIfIdle()
	}
	p.mutex.Unlock()
	<-p.idle
	return nil
}

func (p *Planner) enter() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.running++
	return nil
}

// leave also keeps the planner from being collected while a call is running.
func (p *Planner) leave() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.running--
	p.freeIfIdle()
}

func (p *Planner) freeIfIdle() {
	if p.closed && p.running == 0 {
		p.cleanup.Stop()
		C.tn_compactor_free(p.native)
		close(p.idle)
	}
}

// Plan says where the transcript would be cut, or why it would not be. Options.CountTokens is called, Summarize is not.
//
// A message that cannot be encoded fails with the encoder's error, which names its index; the library's failures are of type
// [*Error].
func (p *Planner) Plan(messages []any) (Plan, error) {
	if err := p.enter(); err != nil {
		return Plan{}, err
	}
	defer p.leave()
	native, plan, err := p.plan(messages)
	if err != nil {
		return Plan{}, err
	}
	C.tn_plan_free(native)
	return plan, nil
}

// Compact gives the compacted transcript as a new list, or nil where nothing is to be changed.
//
// The list is: the leading instructions, a summary message, the reminder if it was asked for, the request if one is kept, and
// the tail. The new messages are of type map[string]any; every other one is the value that was handed in. The messages that were
// handed in are not changed, whatever happens.
//
// An error of Summarize is returned as it is; a blank summary is [ErrCallback], and one that is not UTF-8 is [ErrUTF8]. A
// context that is done is not summarized for: its error is returned.
func (p *Planner) Compact(ctx context.Context, messages []any) ([]any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if p.summarize == nil {
		return nil, &Error{ErrArgument, "options: neither Summarize nor SummarizeContext is set"}
	}
	native, plan, err := p.plan(messages)
	if err != nil {
		return nil, err
	}
	defer C.tn_plan_free(native) // also where Summarize panics
	if plan.Outcome != Compact {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	summary, err := p.summarize(ctx, plan.Older(messages))
	if err != nil {
		return nil, err
	}
	if err := judge(native, summary); err != nil {
		return nil, err
	}
	return p.compacted(messages, plan, summary), nil
}

// BeforeLLM is Compact as a hook. A nil override means unchanged.
func (p *Planner) BeforeLLM(ctx context.Context, event BeforeLLMEvent) (*LLMOverride, error) {
	messages, err := p.Compact(ctx, event.Messages)
	if messages == nil {
		return nil, err
	}
	return &LLMOverride{Messages: messages}, nil
}

// plan gives the native plan, which the caller frees, and what it says.
func (p *Planner) plan(messages []any) (native *C.tn_plan, plan Plan, err error) {
	c := call{}
	if count := p.options.CountTokens; count != nil {
		c.count = func(_ []byte, first, n int) (int, error) {
			if err := within(messages, first+n); err != nil {
				return 0, err
			}
			return count(messages[first : first+n : first+n]), nil
		}
	}
	err = encoded(messages, p.options.Marshal, func(text []byte) (err error) {
		native, plan, err = p.planText(text, &c) // the plan has its own copy of what it needs
		return err
	})
	if err != nil {
		return nil, Plan{}, err
	}
	if err := within(messages, max(plan.HeadEnd, plan.TailStart)); err != nil {
		C.tn_plan_free(native)
		return nil, Plan{}, err
	}
	return native, plan, nil
}

// within fails where the host's own encoder wrote another list than it was given.
func within(messages []any, end int) error {
	if end <= len(messages) {
		return nil
	}
	return &Error{ErrTranscript, fmt.Sprintf("messages: Marshal wrote %d elements or more, the list has %d", end, len(messages))}
}

func (p *Planner) planText(text []byte, c *call) (*C.tn_plan, Plan, error) {
	var handle C.uintptr_t
	if c.count != nil {
		var forget func()
		handle, forget = c.handle()
		defer forget()
	}
	var native *C.tn_plan
	var message *C.char
	status := C.tn_go_plan_new(p.native, chars(unsafe.SliceData(text)), C.size_t(len(text)), C.bool(c.count != nil), handle, &native, &message)
	err := failure(Status(status), message)
	if !c.ended.answered() {
		err = c.ended.resume()
	}
	if err != nil {
		return nil, Plan{}, err
	}
	return native, planOf(native), nil
}

// judge asks the library whether the summary will do. The text that it builds is not needed, since the list is.
func judge(native *C.tn_plan, summary string) error {
	var result, message *C.char
	status := C.tn_plan_finish(native, chars(unsafe.StringData(summary)), C.size_t(len(summary)), &result, &message)
	C.tn_string_free(result)
	return failure(Status(status), message)
}

func (p *Planner) compacted(messages []any, plan Plan, summary string) []any {
	role := p.options.summaryRole()
	kept := plan.HeadEnd + (plan.RequestEnd - plan.RequestStart) + (len(messages) - plan.TailStart)
	list := append(make([]any, 0, kept+2), messages[:plan.HeadEnd]...)
	list = append(list, map[string]any{"role": role, "content": SummaryPrefix() + summary})
	if p.options.FlushToMemory {
		list = append(list, map[string]any{"role": role, "content": FlushReminder()})
	}
	list = append(list, messages[plan.RequestStart:plan.RequestEnd]...)
	return append(list, messages[plan.TailStart:]...)
}
