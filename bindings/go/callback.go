//go:build cgo

package tncompactor

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// call is what the host brings to one call of the library: its functions, and how they ended if they did not return well.
type call struct {
	// summarize is given a copy of the text of the older messages.
	summarize func(older []byte) (string, error)
	// count is given the text of messages[first : first+count], valid during the call; nil means the library's estimate.
	count func(json []byte, first, count int) (int, error)
	ended ending
}

// ending is how a function of the host ended other than by an answer.
type ending struct {
	err      error
	panicked any
	exited   bool
}

func (e *ending) answered() bool {
	return e.err == nil && e.panicked == nil && !e.exited
}

// resume does on the caller's goroutine, with no C below it, what the function did on its own.
func (e *ending) resume() error {
	if e.panicked != nil {
		panic(e.panicked)
	}
	if e.exited {
		runtime.Goexit()
	}
	return e.err
}

// run calls a function of the host from inside a callback. Neither a panic nor runtime.Goexit may unwind C's frames, where
// memory is held that nobody would free. A panic can be recovered and Goexit cannot, so the function gets a goroutine of its
// own that it may end as it likes.
func (e *ending) run(host func() error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if returned {
				return
			}
			if e.panicked = recover(); e.panicked == nil {
				e.exited = true
			}
		}()
		e.err = host()
		returned = true
	}()
	<-done
}

// handle makes the call known to C. The function that it returns makes it unknown again.
func (c *call) handle() (C.uintptr_t, func()) {
	handle := cgo.NewHandle(c)
	return C.uintptr_t(handle), handle.Delete
}

func callOf(handle C.uintptr_t) *call {
	return cgo.Handle(handle).Value().(*call)
}

//export tn_go_summarize
func tn_go_summarize(handle C.uintptr_t, json *C.char, length C.size_t, out *C.tn_sink) {
	c := callOf(handle)
	var summary string
	c.ended.run(func() (err error) {
		summary, err = c.summarize(copied(json, length))
		return err
	})
	if !c.ended.answered() {
		refuse(out)
		return
	}
	C.tn_sink_set_text(out, chars(unsafe.StringData(summary)), C.size_t(len(summary)))
}

//export tn_go_count_tokens
func tn_go_count_tokens(handle C.uintptr_t, json *C.char, length, first, count C.size_t, out *C.tn_sink) {
	c := callOf(handle)
	var tokens int
	c.ended.run(func() (err error) {
		tokens, err = c.count(view(json, length), int(first), int(count))
		if err == nil && tokens < 0 {
			err = &Error{ErrCallback, fmt.Sprintf("the count of messages[%d..%d] is %d, allowed is 0 and more", first, first+count, tokens)}
		}
		return err
	})
	if !c.ended.answered() {
		refuse(out)
		return
	}
	C.tn_sink_set_count(out, C.uint64_t(tokens))
}

// refuse fails the call. The text is for nobody: the caller gets what the host's function did itself.
func refuse(out *C.tn_sink) {
	C.tn_sink_set_error(out, nil, 0)
}

// view is C's memory as it is.
func view(text *C.char, length C.size_t) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(text)), uint64(length))
}

// copied is for texts that outlive C's: the host may keep what it is given. (C.GoBytes stops at 2 GiB.)
func copied(text *C.char, length C.size_t) []byte {
	return append(make([]byte, 0, uint64(length)), view(text, length)...)
}

// chars is the host's memory as it is: the text crosses without a copy.
func chars(text *byte) *C.char {
	return (*C.char)(unsafe.Pointer(text))
}

// whole gives a count of the library, which saturates, as an int, which does too.
func whole(tokens C.uint64_t) int {
	return int(min(uint64(tokens), math.MaxInt))
}
