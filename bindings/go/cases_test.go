package tncompactor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"testing"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
	"github.com/tn-compactor/tn_compactor/bindings/go/internal/transcripts"
)

var splits = []tncompactor.Split{tncompactor.Steps, tncompactor.Turns}

func newPlanner(t testing.TB, options tncompactor.Options) *tncompactor.Planner {
	t.Helper()
	planner, err := tncompactor.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { planner.Close() })
	return planner
}

func cases(t *testing.T) []*transcripts.Case {
	t.Helper()
	cases, err := transcripts.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 50 {
		t.Fatalf("there are %d cases only", len(cases))
	}
	return cases
}

// lists are the forms in which a host may have the transcript.
func lists(t *testing.T, text []byte) map[string][]any {
	t.Helper()
	decoded, err := transcripts.Decoded(text)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := transcripts.Raw(text)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]any{"decoded": decoded, "raw": raw}
}

func optionsOf(c *transcripts.Case, split tncompactor.Split) tncompactor.Options {
	options := tncompactor.Options{MaxTokens: c.Options.MaxTokens, Split: split, CharUnit: tncompactor.CodePoints}
	if tail := c.Options.KeepTail; tail != nil {
		options.KeepTail = *tail
		if *tail == 0 {
			options.KeepTail = tncompactor.NoTail
		}
	}
	return options
}

func TestEveryCaseIsPlannedAsItsAnswerSays(t *testing.T) {
	for _, c := range cases(t) {
		for _, split := range splits {
			t.Run(c.Name+"/"+string(split), func(t *testing.T) {
				want := c.Expected(string(split))
				planner := newPlanner(t, optionsOf(c, split))
				check := func(form string, plan tncompactor.Plan, err error) {
					t.Helper()
					if err != nil {
						t.Fatalf("%s: %v", form, err)
					}
					tail := want.HeadEnd
					if want.TailStart != nil {
						tail = *want.TailStart
					}
					request := [2]int{tail, tail}
					if want.Request != nil {
						request = *want.Request
					}
					got := fmt.Sprintln(plan.Outcome, plan.HeadEnd, plan.TailStart, plan.RequestStart, plan.RequestEnd, plan.Tokens)
					if right := fmt.Sprintln(want.Outcome, want.HeadEnd, tail, request[0], request[1], c.Tokens["code_point"]); got != right {
						t.Errorf("%s: %swant %s%s", form, got, right, c.Text())
					}
				}
				plan, err := planner.PlanJSON(c.Text(), nil)
				check("text", plan, err)
				for form, list := range lists(t, c.Text()) {
					plan, err := planner.Plan(list)
					check(form, plan, err)
				}
			})
		}
	}
}

func TestEveryCaseCountsInEveryUnit(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for unit, want := range c.Tokens {
				if got, err := tncompactor.EstimateTokensJSON(c.Text(), tncompactor.CharUnit(unit)); got != want || err != nil {
					t.Errorf("%s: %d, %v, want %d", unit, got, err, want)
				}
				planner := newPlanner(t, tncompactor.Options{MaxTokens: 1 << 40, CharUnit: tncompactor.CharUnit(unit)})
				for form, list := range lists(t, c.Text()) {
					if plan, err := planner.Plan(list); plan.Tokens != want || err != nil {
						t.Errorf("%s, %s: %d, %v, want %d", unit, form, plan.Tokens, err, want)
					}
				}
			}
			for form, list := range lists(t, c.Text()) {
				if got := tncompactor.EstimateTokens(list); got != c.Tokens["utf8"] {
					t.Errorf("EstimateTokens, %s: %d, want %d", form, got, c.Tokens["utf8"])
				}
			}
		})
	}
}

func TestEveryCaseGivesItsResultOrItsError(t *testing.T) {
	for _, c := range cases(t) {
		for _, split := range splits {
			t.Run(c.Name+"/"+string(split), func(t *testing.T) {
				for form, list := range lists(t, c.Text()) {
					checkCompaction(t, form, c.Text(), list, optionsOf(c, split), c.Summary, c.SummarizeError)
				}
			})
		}
	}
}

// checkCompaction compacts a transcript as a list and as text, and holds both results against the plan.
func checkCompaction(t *testing.T, form string, text []byte, list []any, options tncompactor.Options, summary string, fails *string) {
	t.Helper()
	var broken error
	if fails != nil {
		broken = errors.New(*fails)
	}
	before := append([]any(nil), list...)
	asked := 0
	options.Summarize = func(older []any) (string, error) {
		asked++
		return summary, broken
	}
	planner := newPlanner(t, options)
	plan, err := planner.Plan(list)
	if err != nil {
		t.Fatalf("%s: %v", form, err)
	}

	got, err := planner.Compact(context.Background(), list)
	if !same(before, list) {
		t.Fatalf("%s: the list that was handed in was changed", form)
	}
	gotText, errText := planner.CompactJSON(context.Background(), text,
		func(_ context.Context, older []byte) (string, error) { return summary, broken }, nil)

	blank := plan.Outcome == tncompactor.Compact && fails == nil && isBlank(summary)
	switch {
	case plan.Outcome != tncompactor.Compact:
		if got != nil || err != nil || gotText != nil || errText != nil || asked != 0 {
			t.Errorf("%s: %v, but: %v, %v, %s, %v, asked %d times", form, plan.Outcome, got, err, gotText, errText, asked)
		}
		return
	case broken != nil:
		if err != broken || errText != broken || got != nil || gotText != nil {
			t.Errorf("%s: the error is %v and %v, not the host's own", form, err, errText)
		}
		return
	case blank:
		if !errors.Is(err, tncompactor.ErrCallback) || !errors.Is(errText, tncompactor.ErrCallback) || got != nil || gotText != nil {
			t.Errorf("%s: a blank summary gives %v and %v", form, err, errText)
		}
		return
	}
	if err != nil || errText != nil || asked != 1 {
		t.Fatalf("%s: %v, %v, asked %d times", form, err, errText, asked)
	}

	want := append([]any(nil), list[:plan.HeadEnd]...)
	want = append(want, nil)
	if options.FlushToMemory {
		want = append(want, nil)
	}
	added := len(want)
	want = append(want, list[plan.RequestStart:plan.RequestEnd]...)
	want = append(want, list[plan.TailStart:]...)
	if len(got) != len(want) {
		t.Fatalf("%s: %d messages, want %d", form, len(got), len(want))
	}
	role := options.SummaryRole
	if role == "" {
		role = "system"
	}
	new := map[int]any{plan.HeadEnd: map[string]any{"role": role, "content": "[Summary of earlier conversation]\n" + summary}}
	if options.FlushToMemory {
		new[plan.HeadEnd+1] = map[string]any{"role": role, "content": tncompactor.FlushReminder()}
	}
	for i := range want {
		if message, is := new[i]; is {
			if !reflect.DeepEqual(got[i], message) {
				t.Errorf("%s: the new message is %v, want %v", form, got[i], message)
			}
		} else if !identical(got[i], want[i]) {
			t.Errorf("%s: message %d is not the host's own: %v", form, i, got[i])
		}
	}

	// The text: the new messages are equal, every other one is byte for byte the input's.
	var in, out []json.RawMessage
	if err := errors.Join(json.Unmarshal(text, &in), json.Unmarshal(gotText, &out)); err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	kept := append([]json.RawMessage(nil), in[:plan.HeadEnd]...)
	kept = append(kept, out[plan.HeadEnd:added]...)
	kept = append(kept, in[plan.RequestStart:plan.RequestEnd]...)
	kept = append(kept, in[plan.TailStart:]...)
	if !reflect.DeepEqual(out, kept) {
		t.Errorf("%s: the text keeps other messages than the plan says:\n%s", form, gotText)
	}
	for i, message := range new {
		var read any
		if err := json.Unmarshal(out[i], &read); err != nil || !reflect.DeepEqual(read, message) {
			t.Errorf("%s: the new message is %s, want %v", form, out[i], message)
		}
	}
}

func isBlank(summary string) bool {
	for _, r := range summary {
		switch r {
		case ' ', '\n', '\t', '\r', '\u00a0', '\u3000', '\u2028', '\u0085':
		default:
			return false
		}
	}
	return true
}

// identical says whether two messages are the same object, not just equal ones.
func identical(a, b any) bool {
	left, right := reflect.ValueOf(a), reflect.ValueOf(b)
	if left.IsValid() != right.IsValid() {
		return false
	}
	if !left.IsValid() {
		return true
	}
	if left.Type() != right.Type() {
		return false
	}
	switch left.Kind() {
	case reflect.Map, reflect.Pointer, reflect.Slice:
		return left.Pointer() == right.Pointer()
	}
	return a == b
}

func same(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !identical(a[i], b[i]) {
			return false
		}
	}
	return true
}

func TestRealTranscriptsCompactAsTheirPlanSays(t *testing.T) {
	real, err := transcripts.Real()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("real transcripts: there is no folder of them, TN_TRANSCRIPTS names another")
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(real) == 0 {
		t.Fatal("the folder of real transcripts is empty")
	}
	compacted := 0
	for name, text := range real {
		t.Run(name, func(t *testing.T) {
			for form, list := range lists(t, text) {
				// A part of what it counts, so that there is something to do.
				count, err := tncompactor.EstimateTokensJSON(text, tncompactor.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				for _, split := range splits {
					options := tncompactor.Options{MaxTokens: count / 2, Split: split, FlushToMemory: form == "raw"}
					checkCompaction(t, form, text, list, options, "what was said 前情 🚀", nil)
					if plan, _ := newPlanner(t, options).Plan(list); plan.Outcome == tncompactor.Compact {
						compacted++
					}
				}
			}
		})
	}
	if compacted < len(real) {
		t.Errorf("of %d transcripts, %d compactions only", len(real), compacted)
	}
}

func TestGeneratedTranscriptsCompactAsTheirPlanSays(t *testing.T) {
	const number = 4000
	outcomes := map[tncompactor.Outcome]int{}
	for n := range uint64(number) {
		made := transcripts.Make(20, n)
		text, err := json.Marshal(made.Messages)
		if err != nil {
			t.Fatal(err)
		}
		if made.Messages == nil {
			text = []byte("[]")
		}
		count := tncompactor.EstimateTokens(made.Messages)
		if want := counted(t, made.Messages); count != want {
			t.Fatalf("transcript %d counts %d, and %d by its encoded length\n%s", n, count, want, text)
		}
		options := tncompactor.Options{
			MaxTokens:     count * int(n%11) / 10,
			KeepTail:      count * int(n%7) / 10,
			Split:         splits[n%2],
			FlushToMemory: n%3 == 0,
			SummaryRole:   []string{"", "user", "developer", "assistant", "system"}[n%5],
		}
		checkCompaction(t, fmt.Sprintf("transcript %d", n), text, made.Messages, options, "前情 🚀 \"quoted\"\n", nil)
		plan, _ := newPlanner(t, options).Plan(made.Messages)
		outcomes[plan.Outcome]++
		if t.Failed() {
			t.Fatalf("%+v\n%s", options, text)
		}
	}
	for _, outcome := range []tncompactor.Outcome{tncompactor.Compact, tncompactor.UnderBudget, tncompactor.NothingOlder, tncompactor.CallInFlight} {
		if outcomes[outcome] == 0 {
			t.Errorf("no transcript was %v: %v", outcome, outcomes)
		}
	}
	if outcomes[tncompactor.Compact] < number/4 {
		t.Errorf("too few were compacted: %v", outcomes)
	}
}

// counted is what the encoder of Go makes of each message, a quarter of it, rounded up.
func counted(t *testing.T, messages []any) int {
	t.Helper()
	sum := 0
	for _, message := range messages {
		sum += (encodedLength(t, message) + 3) / 4
	}
	return sum
}
