package tncompactor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

func encodedLength(t testing.TB, message any) int {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		t.Fatal(err)
	}
	return text.Len() - 1
}

type message = map[string]any

// garden is a conversation of three turns, the second with a tool call.
func garden() []any {
	long := strings.Repeat("filler ", 30)
	return []any{
		message{"role": "system", "content": "You plan garden beds."},
		message{"role": "user", "content": "Which soil suits carrots? " + long},
		message{"role": "assistant", "content": "Sandy loam. " + long},
		message{"role": "user", "content": "How is the weather? " + long[:70]},
		message{"role": "assistant", "content": nil, "tool_calls": []any{
			message{"id": "c1", "type": "function", "function": message{"name": "weather", "arguments": "{}"}}}},
		message{"role": "tool", "tool_call_id": "c1", "content": "晴 ☀️"},
		message{"role": "assistant", "content": "Sunny."},
		message{"role": "user", "content": "And leeks?"},
		message{"role": "assistant", "content": "Richer soil."},
	}
}

func says(summary string) func([]any) (string, error) {
	return func([]any) (string, error) { return summary, nil }
}

func TestTheHookCompactsWhatIsOverBudget(t *testing.T) {
	messages := garden()
	var older []any
	hook := tncompactor.Compactor(tncompactor.Options{MaxTokens: 100, KeepTail: 40, FlushToMemory: true,
		Summarize: func(o []any) (string, error) { older = o; return "about soil", nil }})
	override, err := hook(context.Background(), tncompactor.BeforeLLMEvent{Messages: messages, Tools: []any{"a tool"}, Model: "m", Turn: 3})
	if err != nil || override == nil {
		t.Fatal(override, err)
	}
	if override.Tools != nil {
		t.Error("the tools were changed")
	}
	if len(older) != 6 || !same(older, messages[1:7]) {
		t.Errorf("older is %v", older)
	}
	want := []any{messages[0], message{"role": "system", "content": "[Summary of earlier conversation]\nabout soil"},
		message{"role": "system", "content": tncompactor.FlushReminder()}, messages[7], messages[8]}
	if !reflect.DeepEqual(override.Messages, want) {
		t.Errorf("%v", override.Messages)
	}
}

func TestUnderBudgetTheHookOverridesNothingAndAsksNobody(t *testing.T) {
	messages := garden()
	hook := tncompactor.Compactor(tncompactor.Options{MaxTokens: tncompactor.EstimateTokens(messages),
		Summarize: func([]any) (string, error) { t.Error("summarize was called"); return "", nil }})
	if override, err := hook(context.Background(), tncompactor.BeforeLLMEvent{Messages: messages}); override != nil || err != nil {
		t.Error(override, err)
	}
	for _, none := range [][]any{nil, {}} {
		if override, err := hook(context.Background(), tncompactor.BeforeLLMEvent{Messages: none}); override != nil || err != nil {
			t.Error(override, err)
		}
	}
}

// A client with types of its own, as toolnexus has them.
type (
	clientEvent struct {
		Messages []any
		Tools    []any
		Model    string
		Turn     int
	}
	clientOverride struct {
		Messages []any
		Tools    []any
	}
	clientHooks struct {
		BeforeLLM func(ctx context.Context, event clientEvent) (*clientOverride, error)
	}
)

func TestTheHookFitsAClientWithTypesOfItsOwn(t *testing.T) {
	broken := errors.New("the model is away")
	summarize := says("about soil")
	options := tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: func(older []any) (string, error) { return summarize(older) }}
	hooks := clientHooks{BeforeLLM: tncompactor.Hook[clientEvent, clientOverride](tncompactor.Compactor(options))}

	messages := garden()
	override, err := hooks.BeforeLLM(context.Background(), clientEvent{Messages: messages, Turn: 2})
	if err != nil || len(override.Messages) != 4 || !identical(override.Messages[3], messages[8]) || override.Tools != nil {
		t.Error(override, err)
	}
	if override, err := hooks.BeforeLLM(context.Background(), clientEvent{Messages: messages[:1]}); override != nil || err != nil {
		t.Error(override, err)
	}
	summarize = func([]any) (string, error) { return "", broken }
	if override, err := hooks.BeforeLLM(context.Background(), clientEvent{Messages: messages}); override != nil || err != broken {
		t.Error(override, err)
	}
	// Of a planner too, whose end the host decides.
	planner := newPlanner(t, options)
	hooks.BeforeLLM = tncompactor.Hook[clientEvent, clientOverride](planner.BeforeLLM)
	planner.Close()
	if override, err := hooks.BeforeLLM(context.Background(), clientEvent{Messages: messages}); override != nil || err != tncompactor.ErrClosed {
		t.Error(override, err)
	}
}

func TestSummarizeMayTakeTheContext(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "mine"))
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40,
		SummarizeContext: func(ctx context.Context, _ []any) (string, error) {
			if ctx.Value(key{}) != "mine" {
				t.Error("another context came")
			}
			cancel()
			<-ctx.Done()
			return "", ctx.Err()
		}})
	if list, err := planner.Compact(ctx, garden()); list != nil || !errors.Is(err, context.Canceled) {
		t.Error(list, err)
	}
}

func TestACancelledContextIsNotSummarizedFor(t *testing.T) {
	cause, cancel := context.WithCancel(context.Background())
	cancel()
	never := func() { t.Error("summarize was called") }
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40,
		Summarize: func([]any) (string, error) { never(); return "", nil }})
	if list, err := planner.Compact(cause, garden()); list != nil || err != context.Canceled {
		t.Error(list, err)
	}
	text, _ := json.Marshal(garden())
	if out, err := planner.CompactJSON(cause, text, func(context.Context, []byte) (string, error) { never(); return "", nil }, nil); out != nil || err != context.Canceled {
		t.Error(out, err)
	}
}

func TestKeptMessagesAreTheVeryObjectsThatWereHandedIn(t *testing.T) {
	type turn struct {
		Role    string   `json:"role"`
		Content string   `json:"content"`
		Serial  *big.Int `json:"serial"`
		private func()
	}
	serial, _ := new(big.Int).SetString(strings.Repeat("9", 40), 10)
	tail := &turn{Role: "user", Content: "And leeks?", Serial: serial, private: func() {}}
	messages := []any{
		turn{Role: "system", Content: "You plan garden beds."},
		json.RawMessage(`{"role":"user","content":"old ` + strings.Repeat("filler ", 100) + `"}`),
		map[string]string{"role": "assistant", "content": "old"},
		tail,
		message{"role": "assistant", "content": "Richer soil.", "n": json.Number("1.10"), "id": int64(1)<<62 + 1},
	}
	var older []any
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 70, Summarize: func(o []any) (string, error) { older = o; return "s", nil }})
	list, err := planner.Compact(context.Background(), messages)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	if !same(older, messages[1:3]) {
		t.Errorf("older is %v", older)
	}
	if list[2] != any(tail) || list[2].(*turn).private == nil || list[2].(*turn).Serial != serial {
		t.Error("the user's message is another object")
	}
	if !identical(list[3], messages[4]) || list[3].(message)["id"] != int64(1)<<62+1 {
		t.Error("the last message is another object")
	}
}

func TestTheHostsListIsNeverWrittenTo(t *testing.T) {
	messages := garden()
	before := append([]any(nil), messages...)
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 100, KeepTail: 40,
		CountTokens: func(some []any) int {
			_ = append(some, "a trace") // goes elsewhere, or it would overwrite the next message
			return tncompactor.EstimateTokens(some)
		},
		Summarize: func(older []any) (string, error) {
			_ = append(older, "a trace")
			return "s", nil
		}})
	list, err := planner.Compact(context.Background(), messages)
	if err != nil || list == nil {
		t.Fatal(list, err)
	}
	for i := range list {
		list[i] = nil
	}
	if !same(messages, before) {
		t.Error("the list was changed")
	}
}

func TestKeepTailUnsetIsHalfTheBudgetAndNoTailIsNone(t *testing.T) {
	messages := garden()
	tail := func(max, keep int) int {
		plan, err := newPlanner(t, tncompactor.Options{MaxTokens: max, KeepTail: keep, Split: tncompactor.Turns}).Plan(messages)
		if err != nil || plan.Outcome != tncompactor.Compact {
			t.Fatal(plan, err)
		}
		return plan.TailStart
	}
	starts := map[int]bool{}
	for max := 100; max < tncompactor.EstimateTokens(messages); max += 5 {
		unset := tail(max, 0)
		if half := tail(max, max/2); unset != half {
			t.Errorf("of %d, the tail starts at %d, and at %d with half of it", max, unset, half)
		}
		if none := tail(max, tncompactor.NoTail); none != 7 {
			t.Errorf("of %d, a tail with no budget starts at %d", max, none)
		}
		starts[unset] = true
	}
	if len(starts) < 2 {
		t.Errorf("every tail starts at the same place: %v", starts)
	}
}

func TestOneCharacterIsAByteUnlessChosenOtherwise(t *testing.T) {
	messages := []any{message{"role": "user", "content": strings.Repeat("界", 100)}, message{"role": "user", "content": strings.Repeat("🚀", 100)}}
	counts := map[tncompactor.CharUnit]int{}
	for _, unit := range []tncompactor.CharUnit{"", tncompactor.Bytes, tncompactor.CodePoints, tncompactor.UTF16} {
		plan, err := newPlanner(t, tncompactor.Options{MaxTokens: 1 << 40, CharUnit: unit}).Plan(messages)
		if err != nil {
			t.Fatal(err)
		}
		counts[unit] = plan.Tokens
	}
	if counts[""] != counts[tncompactor.Bytes] || counts[""] != counted(t, messages) || counts[tncompactor.CodePoints] != 64 || counts[tncompactor.UTF16] != 89 {
		t.Error(counts)
	}
	if tncompactor.EstimateTokens(messages) != counts[""] {
		t.Error(tncompactor.EstimateTokens(messages))
	}
}

func TestLineSeparatorsCountAsTheEncoderWritesThem(t *testing.T) {
	messages := []any{message{"role": "user", "content": strings.Repeat("\u2028\u2029<>&", 50)}}
	if got, want := tncompactor.EstimateTokens(messages), counted(t, messages); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestCountTokensReplacesTheEstimate(t *testing.T) {
	messages := garden()
	var calls [][]any
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 5, KeepTail: 2, Split: tncompactor.Turns,
		Summarize:   says("s"),
		CountTokens: func(some []any) int { calls = append(calls, some); return len(some) }})
	plan, err := planner.Plan(messages)
	if err != nil || plan.Tokens != len(messages) || plan.TailTokens != 2 || plan.TailStart != 7 {
		t.Fatal(plan, err)
	}
	if !same(calls[0], messages) {
		t.Error("the whole transcript was not counted first")
	}
	for _, some := range calls {
		first := len(messages) - len(some)
		if len(some) == 0 || !same(some, messages[first:]) && !same(some, messages[:len(some)]) {
			t.Errorf("a part that is no part of the host's list was counted: %v", some)
		}
	}
	list, err := planner.Compact(context.Background(), messages)
	if err != nil || len(list) != 4 {
		t.Error(list, err)
	}
}

func TestAFasterEncoderMayBeHandedIn(t *testing.T) {
	messages := garden()
	encoded := 0
	options := tncompactor.Options{MaxTokens: 100, KeepTail: 40, Summarize: says("s"),
		Marshal: func(v any) ([]byte, error) { encoded++; return json.MarshalIndent(v, "", "  ") }}
	own, err := newPlanner(t, options).Plan(messages)
	options.Marshal = nil
	usual, err2 := newPlanner(t, options).Plan(messages)
	if err != nil || err2 != nil || own != usual || encoded != 1 {
		t.Error(own, err, usual, err2, encoded)
	}
}

func TestTheTextRoadCountsWithTheHostsFunction(t *testing.T) {
	text, _ := json.Marshal(garden())
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 5, KeepTail: 2, Split: tncompactor.Turns})
	var kept [][]byte
	count := func(some []byte) int {
		kept = append(kept, some)
		var list []any
		if err := json.Unmarshal(some, &list); err != nil {
			t.Error(err)
		}
		return len(list)
	}
	var older []byte
	out, err := planner.CompactJSON(context.Background(), text, func(_ context.Context, o []byte) (string, error) { older = o; return "s", nil }, count)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planner.PlanJSON(text, count)
	if err != nil || plan.TailStart != 7 || plan.Tokens != 9 {
		t.Error(plan, err)
	}
	var list []any
	if err := json.Unmarshal(out, &list); err != nil || len(list) != 4 {
		t.Error(string(out), err)
	}
	// What a function of the host was given is its own, and still whole after the call.
	whole := string(text)
	clear(text)
	if string(kept[0]) != whole {
		t.Errorf("%s", kept[0])
	}
	if err := json.Unmarshal(older, &list); err != nil || len(list) != 6 {
		t.Error(string(older), err)
	}
}

func TestTheTextRoadKeepsEveryByte(t *testing.T) {
	tail := `{ "zeta":1, "role":"user","content":"caf\u00e9 \/ \ud83d","n":12345678901234567890123456789012,"f":1.10,"role":"user" }`
	text := `[{"role":"user","content":"` + strings.Repeat("x", 500) + `"}, {"role":"assistant","content":"y"}, ` + tail + `]`
	planner := newPlanner(t, tncompactor.Options{MaxTokens: 80})
	out, err := planner.CompactJSON(context.Background(), []byte(text), func(context.Context, []byte) (string, error) { return "s", nil }, nil)
	want := `[{"role":"system","content":"[Summary of earlier conversation]\ns"},` + tail + `]`
	if err != nil || string(out) != want {
		t.Errorf("%s, %v", out, err)
	}
}

func TestTheTextsAreTheLibrarys(t *testing.T) {
	if tncompactor.SummaryPrefix() != "[Summary of earlier conversation]\n" || !strings.Contains(tncompactor.FlushReminder(), "memory tool now —") || tncompactor.Version() == "" {
		t.Error(tncompactor.SummaryPrefix(), tncompactor.FlushReminder(), tncompactor.Version())
	}
}
