//go:build !race

// The race detector keeps memory of its own, which grows with every goroutine, so memory is watched without it.

package tncompactor_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
	"github.com/tn-compactor/tn_compactor/bindings/go/internal/transcripts"
)

// resident is the memory that the process holds, C's included.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("memory: the resident memory is read from /proc, which is not there")
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// doesNotGrow runs something many times, and then many times more, which must need no more memory. A tenth of the calls leaking
// the transcript would be far more than allowed here.
func doesNotGrow(t *testing.T, times int, once func(n int)) {
	t.Helper()
	run := func() int {
		for n := range times {
			once(n)
		}
		for range 3 {
			runtime.GC()
			time.Sleep(time.Millisecond) // cleanups run behind the collector
		}
		return resident(t)
	}
	before := run()
	after := run()
	if grown := after - before; grown > 4<<20 {
		t.Errorf("%d runs more need %d KiB more", times, grown>>10)
	}
}

func TestTenThousandCompactionsDoNotGrow(t *testing.T) {
	messages := transcripts.Long(20_000)
	text, _ := json.Marshal(messages)
	budget := tncompactor.EstimateTokens(messages) / 2
	planner := newPlanner(t, tncompactor.Options{MaxTokens: budget, Summarize: says("s")})
	doesNotGrow(t, 10_000, func(n int) {
		if list, err := planner.Compact(context.Background(), messages); list == nil || err != nil {
			t.Fatal(list, err)
		}
		if n%4 == 0 {
			if out, err := planner.CompactJSON(context.Background(), text, func(context.Context, []byte) (string, error) { return "s", nil }, nil); out == nil || err != nil {
				t.Fatal(out, err)
			}
		}
	})
}

func TestFailuresPanicsAndGoexitDoNotGrow(t *testing.T) {
	messages := transcripts.Long(20_000)
	text, _ := json.Marshal(messages)
	budget := tncompactor.EstimateTokens(messages) / 2
	ends := []func() error{func() error { return errors.New(string(text)) }, func() error { panic("enough") }, func() error { runtime.Goexit(); return nil }}
	doesNotGrow(t, 3000, func(n int) {
		end := ends[n%3]
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { recover() }()
			planner := newUnclosed(t, tncompactor.Options{MaxTokens: budget, Summarize: func([]any) (string, error) { return "", end() },
				CountTokens: func(some []any) int {
					if n%2 == 0 && len(some) < len(messages) {
						end()
					}
					return tncompactor.EstimateTokens(some)
				}})
			if n%4 < 2 {
				planner.Compact(context.Background(), messages)
			} else {
				planner.CompactJSON(context.Background(), text, func(context.Context, []byte) (string, error) { return "", end() },
					func(some []byte) int { return len(some) / 4 })
			}
		}()
		<-done
	})
}

func TestErrorsOfTheLibraryDoNotGrow(t *testing.T) {
	doesNotGrow(t, 200_000, func(int) {
		if _, err := tncompactor.EstimateTokensJSON([]byte("[1]"), ""); !errors.Is(err, tncompactor.ErrTranscript) {
			t.Fatal(err)
		}
	})
}

func newUnclosed(t *testing.T, options tncompactor.Options) *tncompactor.Planner {
	planner, err := tncompactor.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return planner
}

func TestPlannersThatNobodyClosesAreFreed(t *testing.T) {
	messages := garden()
	doesNotGrow(t, 200_000, func(n int) {
		hook := tncompactor.Compactor(tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: says("s")})
		if n%100 == 0 {
			if override, err := hook(context.Background(), tncompactor.BeforeLLMEvent{Messages: messages}); override == nil || err != nil {
				t.Fatal(override, err)
			}
		}
	})
}
