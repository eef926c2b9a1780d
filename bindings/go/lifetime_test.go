package tncompactor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

func TestCloseMayBeCalledTwiceAndByMany(t *testing.T) {
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, Summarize: says("s")})
	var closing sync.WaitGroup
	for range 8 {
		closing.Add(1)
		go func() {
			defer closing.Done()
			if err := planner.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	closing.Wait()
	_, planned := planner.Plan(garden())
	_, plannedText := planner.PlanJSON([]byte("[]"), nil)
	_, compacted := planner.Compact(context.Background(), garden())
	_, compactedText := planner.CompactJSON(context.Background(), []byte("[]"), func(context.Context, []byte) (string, error) { return "s", nil }, nil)
	_, hooked := planner.BeforeLLM(context.Background(), tncompactor.BeforeLLMEvent{})
	for _, err := range []error{planned, plannedText, compacted, compactedText, hooked} {
		if !errors.Is(err, tncompactor.ErrClosed) {
			t.Error(err)
		}
	}
}

func TestCloseWaitsForTheCallsThatAreRunning(t *testing.T) {
	summarizing, proceed := make(chan struct{}), make(chan struct{})
	var returned, closed atomic.Bool
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: func([]any) (string, error) {
		close(summarizing)
		<-proceed
		return "s", nil
	}})
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		defer both.Done()
		if list, err := planner.Compact(context.Background(), garden()); list == nil || err != nil {
			t.Error(list, err)
		}
		returned.Store(true)
	}()
	<-summarizing
	go func() {
		defer both.Done()
		planner.Close()
		closed.Store(true)
	}()
	// While Close waits, it already turns others away.
	for deadline := time.Now().Add(10 * time.Second); ; {
		if _, err := planner.Plan(garden()); errors.Is(err, tncompactor.ErrClosed) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the planner still plans")
		}
	}
	time.Sleep(20 * time.Millisecond)
	if closed.Load() || returned.Load() {
		t.Error("Close did not wait")
	}
	close(proceed)
	both.Wait()
}

func TestCloseAfterAPanicOrGoexitDoesNotWait(t *testing.T) {
	for _, end := range []func(){func() { panic("enough") }, runtime.Goexit} {
		for _, options := range []tncompactor.Options{
			{MaxTokens: 100, KeepTail: 40, Summarize: func([]any) (string, error) { end(); return "", nil }},
			{MaxTokens: 100, KeepTail: 40, Summarize: says("s"), CountTokens: func([]any) int { end(); return 0 }},
		} {
			planner := newPlanner(t, options)
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { recover() }()
				planner.Compact(context.Background(), garden())
			}()
			<-done
			planner.Close()
		}
	}
}

func TestManyGoroutinesMayUseOnePlanner(t *testing.T) {
	broken := errors.New("the model is away")
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40,
		SummarizeContext: func(ctx context.Context, older []any) (string, error) {
			switch n := ctx.Value(number{}).(int); n % 4 {
			case 0:
				return "", broken
			case 1:
				panic(n)
			case 2:
				runtime.Goexit()
			}
			return fmt.Sprintf("%d of %d", len(older), ctx.Value(number{})), nil
		}})
	var all sync.WaitGroup
	for n := range 64 {
		all.Add(1)
		go func() {
			defer all.Done()
			ctx := context.WithValue(context.Background(), number{}, n)
			for range 10 {
				messages := garden()
				messages[1] = message{"role": "user", "content": strings.Repeat(fmt.Sprint(n), 100+50*n)} // each its own, or a mix-up would not show
				tokens := counted(t, messages)
				if plan, err := planner.Plan(messages); err != nil || plan.Tokens != tokens || tncompactor.EstimateTokens(messages) != tokens {
					t.Error(plan, err, tokens)
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					defer func() {
						if recovered := recover(); n%4 == 1 && recovered != n || n%4 != 1 && recovered != nil {
							t.Errorf("%d recovered %v", n, recovered)
						}
					}()
					list, err := planner.Compact(ctx, messages)
					switch n % 4 {
					case 0:
						if err != broken {
							t.Error(err)
						}
					case 3:
						if err != nil || list[1].(message)["content"] != tncompactor.SummaryPrefix()+fmt.Sprintf("6 of %d", n) || !identical(list[2], messages[7]) {
							t.Error(list, err)
						}
					default:
						t.Errorf("%d returned", n)
					}
				}()
				<-done
				text, _ := json.Marshal(messages)
				out, err := planner.CompactJSON(ctx, text, func(ctx context.Context, _ []byte) (string, error) {
					return fmt.Sprint("text ", ctx.Value(number{})), nil
				}, func(some []byte) int { return len(some) / 4 })
				if err != nil || !strings.Contains(string(out), fmt.Sprintf(`\ntext %d"`, n)) {
					t.Errorf("%s, %v", out, err)
				}
			}
		}()
	}
	all.Wait()
	planner.Close()
}

type number struct{}
