package tncompactor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

func TestUnusableOptionsAreNamed(t *testing.T) {
	for want, options := range map[string]tncompactor.Options{
		"max_tokens":   {MaxTokens: -5},
		"keep_tail":    {MaxTokens: 5, KeepTail: -2},
		"char_unit":    {MaxTokens: 5, CharUnit: "glyph"},
		"split":        {MaxTokens: 5, Split: "words"},
		"summary_role": {MaxTokens: 5, SummaryRole: "narrator"},
	} {
		_, err := tncompactor.New(options)
		var failure *tncompactor.Error
		if !errors.Is(err, tncompactor.ErrOptions) || !errors.As(err, &failure) || failure.Status != tncompactor.ErrOptions || !strings.Contains(failure.Message, want) {
			t.Errorf("%s: %v", want, err)
		}
		// The hook cannot fail when it is made: it does at every call, under budget too.
		if override, again := tncompactor.Compactor(options)(context.Background(), tncompactor.BeforeLLMEvent{}); override != nil || !errors.Is(again, tncompactor.ErrOptions) {
			t.Errorf("%s: %v, %v", want, override, again)
		}
	}
	both := tncompactor.Options{MaxTokens: 5, Summarize: says("s"), SummarizeContext: func(context.Context, []any) (string, error) { return "s", nil }}
	if _, err := tncompactor.New(both); !errors.Is(err, tncompactor.ErrArgument) {
		t.Error(err)
	}
}

func TestAHookWithoutSummarizeFailsUnderBudgetToo(t *testing.T) {
	hook := tncompactor.Compactor(tncompactor.Options{MaxTokens: 1000})
	if override, err := hook(context.Background(), tncompactor.BeforeLLMEvent{Messages: garden()}); override != nil || !errors.Is(err, tncompactor.ErrArgument) {
		t.Error(override, err)
	}
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 1000})
	if out, err := planner.CompactJSON(context.Background(), []byte("[]"), nil, nil); out != nil || !errors.Is(err, tncompactor.ErrArgument) {
		t.Error(out, err)
	}
}

func TestStatusesHaveTheNamesOfTheHeader(t *testing.T) {
	for status, name := range map[tncompactor.Status]string{
		tncompactor.ErrArgument: "TN_ERR_ARGUMENT", tncompactor.ErrUTF8: "TN_ERR_UTF8", tncompactor.ErrJSON: "TN_ERR_JSON",
		tncompactor.ErrTranscript: "TN_ERR_TRANSCRIPT", tncompactor.ErrOptions: "TN_ERR_OPTIONS", tncompactor.ErrCallback: "TN_ERR_CALLBACK",
		tncompactor.ErrInternal: "TN_ERR_INTERNAL", tncompactor.ErrMemory: "TN_ERR_MEMORY", -99: "TN_UNKNOWN_STATUS",
	} {
		if status.Error() != name {
			t.Errorf("%d is %s, want %s", status, status.Error(), name)
		}
	}
	for outcome, name := range map[tncompactor.Outcome]string{tncompactor.Compact: "compact", tncompactor.UnderBudget: "under_budget",
		tncompactor.NothingOlder: "nothing_older", tncompactor.NothingNew: "nothing_new", tncompactor.CallInFlight: "call_in_flight", 77: "Outcome(77)"} {
		if outcome.String() != name {
			t.Errorf("%d is %s, want %s", int(outcome), outcome, name)
		}
	}
}

func TestAMessageThatCannotBeEncodedIsNamed(t *testing.T) {
	cyclic := message{"role": "user"}
	cyclic["content"] = []any{cyclic}
	for name, bad := range map[string]any{
		"NaN":      message{"role": "user", "content": math.NaN()},
		"infinity": message{"role": "user", "content": math.Inf(1)},
		"a cycle":  cyclic,
		"channel":  message{"role": "user", "content": make(chan int)},
		"function": func() {},
		"not JSON": json.RawMessage(`{"role":`),
		"number":   message{"role": "user", "n": json.Number("1.2.3")},
		"refuses":  refusesToBeEncoded{},
	} {
		messages := append(garden(), bad)
		planner := newPlanner(t, tncompactor.Options{MaxTokens: 1, Summarize: says("s")})
		list, err := planner.Compact(context.Background(), messages)
		if list != nil || err == nil || !strings.Contains(err.Error(), "messages[9]") {
			t.Errorf("%s: %v, %v", name, list, err)
		}
		if _, again := planner.Plan(messages); again == nil || again.Error() != err.Error() {
			t.Errorf("%s: %v", name, again)
		}
		if got, want := tncompactor.EstimateTokens(messages), tncompactor.EstimateTokens(garden()); got != want {
			t.Errorf("%s: it counts %d", name, got-want)
		}
	}
	// The encoder's own error is underneath.
	_, err := newPlanner(t, tncompactor.Options{}).Plan([]any{message{"n": math.NaN()}})
	if unsupported := new(json.UnsupportedValueError); !errors.As(err, &unsupported) {
		t.Error(err)
	}
	if _, err := newPlanner(t, tncompactor.Options{}).Plan([]any{refusesToBeEncoded{}}); !errors.Is(err, errRefused) {
		t.Error(err)
	}
}

var errRefused = errors.New("not me")

type refusesToBeEncoded struct{}

func (refusesToBeEncoded) MarshalJSON() ([]byte, error) { return nil, errRefused }

func TestAStringThatIsNotUTF8IsMendedAsEncodingJSONDoesIt(t *testing.T) {
	mended := append(garden(), message{"role": "user", "content": "caf\ufffd \ufffd\ufffd\ufffd", "\ufffd": "<key>"})
	messages := append(garden(), message{"role": "user", "content": "caf\xe9 \xed\xa0\xbd", "\xe9": "<key>"})
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: says("s")})
	want, err := planner.Plan(mended)
	got, err2 := planner.Plan(messages)
	if got != want || err != nil || err2 != nil || tncompactor.EstimateTokens(messages) != want.Tokens {
		t.Error(got, err, want, err2)
	}
	list, err := planner.Compact(context.Background(), messages)
	if err != nil || !identical(list[len(list)-1], messages[9]) {
		t.Error(list, err)
	}
}

func TestAMessageThatIsNoObjectIsNamed(t *testing.T) {
	for _, bad := range []any{nil, "text", 5, true, []any{}} {
		_, err := newPlanner(t, tncompactor.Options{}).Plan(append(garden(), bad))
		var failure *tncompactor.Error
		if !errors.Is(err, tncompactor.ErrTranscript) || !errors.As(err, &failure) || !strings.Contains(failure.Message, "messages[9]") {
			t.Errorf("%v: %v", bad, err)
		}
		if got, want := tncompactor.EstimateTokens(append(garden(), bad)), tncompactor.EstimateTokens(garden()); got != want {
			t.Errorf("%v counts %d", bad, got-want)
		}
	}
}

func TestTextsThatAreNoTranscriptAreRefused(t *testing.T) {
	planner := newPlanner(t, tncompactor.Options{})
	never := func(context.Context, []byte) (string, error) { t.Error("summarize was called"); return "", nil }
	for text, want := range map[string]tncompactor.Status{
		"": tncompactor.ErrJSON, "[": tncompactor.ErrJSON, "[{}] x": tncompactor.ErrJSON, "{}": tncompactor.ErrTranscript,
		"null": tncompactor.ErrTranscript, "[1]": tncompactor.ErrTranscript, "[\"\xff\"]": tncompactor.ErrUTF8,
	} {
		_, planned := planner.PlanJSON([]byte(text), nil)
		_, compacted := planner.CompactJSON(context.Background(), []byte(text), never, nil)
		_, counted := tncompactor.EstimateTokensJSON([]byte(text), "")
		for _, err := range []error{planned, compacted, counted} {
			if !errors.Is(err, want) {
				t.Errorf("%q: %v, want %v", text, err, want)
			}
		}
	}
	if _, err := planner.PlanJSON(nil, nil); !errors.Is(err, tncompactor.ErrJSON) {
		t.Error(err)
	}
	if _, err := tncompactor.EstimateTokensJSON([]byte("[]"), "glyph"); !errors.Is(err, tncompactor.ErrArgument) {
		t.Error(err)
	}
}

func TestASummaryThatWillNotDoIsAnError(t *testing.T) {
	text, _ := json.Marshal(garden())
	for summary, want := range map[string]tncompactor.Status{"": tncompactor.ErrCallback, " \n\u3000\u0085": tncompactor.ErrCallback, "caf\xe9": tncompactor.ErrUTF8} {
		planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: says(summary)})
		if list, err := planner.Compact(context.Background(), garden()); list != nil || !errors.Is(err, want) {
			t.Errorf("%q: %v, %v", summary, list, err)
		}
		out, err := planner.CompactJSON(context.Background(), text, func(context.Context, []byte) (string, error) { return summary, nil }, nil)
		if out != nil || !errors.Is(err, tncompactor.ErrCallback) {
			t.Errorf("%q: %s, %v", summary, out, err)
		}
	}
}

func TestANegativeCountIsAnError(t *testing.T) {
	planner := newPlanner(t, tncompactor.Options{CountTokens: func([]any) int { return -7 }})
	if _, err := planner.Plan(garden()); !errors.Is(err, tncompactor.ErrCallback) || !strings.Contains(err.Error(), "-7") {
		t.Error(err)
	}
}

func TestCountsThatAreTooLargeSaturate(t *testing.T) {
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, CountTokens: func([]any) int { return math.MaxInt }})
	if plan, err := planner.Plan(garden()); err != nil || plan.Tokens != math.MaxInt || plan.TailTokens != math.MaxInt {
		t.Error(plan, err)
	}
}

func TestTextIsNotCountedBehindTheHostsBack(t *testing.T) {
	planner := newPlanner(t, tncompactor.Options{CountTokens: func([]any) int { return 0 }})
	if _, err := planner.PlanJSON([]byte("[]"), nil); !errors.Is(err, tncompactor.ErrArgument) {
		t.Error(err)
	}
}

func TestAnEncoderThatWritesAnotherListIsFoundOut(t *testing.T) {
	long, _ := json.Marshal(append(garden(), garden()...))
	options := tncompactor.Options{MaxTokens: 10, Summarize: says("s"), Split: tncompactor.Turns, Marshal: func(any) ([]byte, error) { return long, nil }}
	if list, err := newPlanner(t, options).Compact(context.Background(), garden()); list != nil || !errors.Is(err, tncompactor.ErrTranscript) {
		t.Error(list, err)
	}
	options.CountTokens = tncompactor.EstimateTokens
	if list, err := newPlanner(t, options).Compact(context.Background(), garden()); list != nil || !errors.Is(err, tncompactor.ErrTranscript) {
		t.Error(list, err)
	}
	options.Marshal = func(any) ([]byte, error) { return []byte("[{"), nil }
	if list, err := newPlanner(t, options).Compact(context.Background(), garden()); list != nil || !errors.Is(err, tncompactor.ErrJSON) {
		t.Error(list, err)
	}
}

// The ways in which a function of the host is called, each with a function that does as it is told.
var calledAs = map[string]func(t testing.TB, do func()) error{
	"Summarize": func(t testing.TB, do func()) error {
		_, err := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: func([]any) (string, error) { do(); return "s", nil }}).Compact(context.Background(), garden())
		return err
	},
	"CountTokens": func(t testing.TB, do func()) error {
		_, err := newPlanner(t, tncompactor.Options{MaxTokens: 100, CountTokens: func([]any) int { do(); return 1 }}).Plan(garden())
		return err
	},
	"CountTokens of a part": func(t testing.TB, do func()) error {
		_, err := newPlanner(t, tncompactor.Options{MaxTokens: 10, KeepTail: 1, CountTokens: func(some []any) int {
			if len(some) < len(garden()) {
				do()
			}
			return 20 * len(some)
		}}).Plan(garden())
		return err
	},
	"summarize of text": func(t testing.TB, do func()) error {
		text, _ := json.Marshal(garden())
		_, err := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40}).CompactJSON(context.Background(), text, func(context.Context, []byte) (string, error) { do(); return "s", nil }, nil)
		return err
	},
	"count of text": func(t testing.TB, do func()) error {
		text, _ := json.Marshal(garden())
		_, err := newPlanner(t, tncompactor.Options{MaxTokens: 100}).PlanJSON(text, func([]byte) int { do(); return 1 })
		return err
	},
}

func TestAPanicReachesTheCallerWithItsValue(t *testing.T) {
	value := &struct{ what string }{"the model burns"}
	for name, call := range calledAs {
		func() {
			defer func() {
				if recovered := recover(); recovered != value {
					t.Errorf("%s: recovered %v", name, recovered)
				}
			}()
			err := call(t, func() { panic(value) })
			t.Errorf("%s: it returned %v", name, err)
		}()
		// The one after is as good as any.
		if err := call(t, func() {}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARuntimeErrorReachesTheCaller(t *testing.T) {
	for name, call := range calledAs {
		func() {
			defer func() {
				var failure runtime.Error
				if err, is := recover().(error); !is || !errors.As(err, &failure) {
					t.Errorf("%s: recovered %v", name, err)
				}
			}()
			var none []int
			call(t, func() { fmt.Println(none[len(none)]) })
		}()
	}
}

func TestGoexitEndsTheCallersGoroutineAndNothingElse(t *testing.T) {
	for name, call := range calledAs {
		returned, deferred, done := false, false, make(chan struct{})
		go func() {
			defer close(done)
			defer func() { deferred = recover() == nil }()
			call(t, runtime.Goexit)
			returned = true
		}()
		<-done
		if returned || !deferred {
			t.Errorf("%s: returned %v, its deferred functions ran %v", name, returned, deferred)
		}
		if err := call(t, func() {}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAfterAnErrorOrACancelledContextTheNextCallWorks(t *testing.T) {
	broken := errors.New("the model is away")
	var end func(ctx context.Context) error
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40, SummarizeContext: func(ctx context.Context, _ []any) (string, error) {
		return "s", end(ctx)
	}})
	messages := garden()
	text, _ := json.Marshal(messages)
	both := func(ctx context.Context) (listed, written bool, errs []error) {
		list, err := planner.Compact(ctx, messages)
		out, err2 := planner.CompactJSON(ctx, text, func(ctx context.Context, _ []byte) (string, error) { return "s", end(ctx) }, nil)
		return list != nil, out != nil, []error{err, err2}
	}
	for want, until := range map[error]func(context.CancelFunc) func(context.Context) error{
		broken: func(context.CancelFunc) func(context.Context) error {
			return func(context.Context) error { return broken }
		},
		context.Canceled: func(cancel context.CancelFunc) func(context.Context) error {
			return func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }
		},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		end = until(cancel)
		for _, err := range func() []error { _, _, errs := both(ctx); return errs }() {
			if err != want {
				t.Errorf("%v, want %v", err, want)
			}
		}
		cancel()
		end = func(context.Context) error { return nil }
		if listed, written, errs := both(context.Background()); !listed || !written || errs[0] != nil || errs[1] != nil {
			t.Errorf("after %v: %v, %v, %v", want, listed, written, errs)
		}
		if again, _ := json.Marshal(messages); string(again) != string(text) {
			t.Errorf("after %v the list is another", want)
		}
	}
}

func TestAFunctionOfTheHostMayUseThePackage(t *testing.T) {
	for name, call := range calledAs {
		err := call(t, func() {
			for inner, call := range calledAs {
				if err := call(t, func() { runtime.GC() }); err != nil {
					t.Errorf("%s in %s: %v", inner, name, err)
				}
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
