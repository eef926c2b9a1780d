package toolnexus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	tn "github.com/muthuishere/toolnexus/golang"
	"github.com/muthuishere/toolnexus/golang/agents"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
	"github.com/tn-compactor/tn_compactor/bindings/go/internal/transcripts"
	"github.com/tn-compactor/tn_compactor/bindings/go/toolnexus"
)

// The signature is the port's, to the letter.
var _ func(agents.CompactorOptions) func(context.Context, tn.BeforeLLMEvent) (*tn.LLMOverride, error) = toolnexus.Compactor
var _ = map[bool]func([]any) int{true: toolnexus.EstimateTokens, false: agents.EstimateTokens}

type message = map[string]any

func TestTheHookFitsTheClientsField(t *testing.T) {
	hooks := tn.Hooks{BeforeLLM: toolnexus.Compactor(agents.CompactorOptions{MaxTokens: 20, KeepTail: -5, FlushToMemory: true,
		CountTokens: func(messages []any) int { return 10 * len(messages) },
		Summarize:   func(older []any) (string, error) { return fmt.Sprint(len(older)), nil }})}
	messages := []any{message{"role": "user", "content": "a"}, message{"role": "assistant", "content": "b"}, message{"role": "user", "content": "c"}}
	override, err := hooks.BeforeLLM(context.Background(), tn.BeforeLLMEvent{Messages: messages})
	if err != nil || override == nil {
		t.Fatal(override, err)
	}
	want := []any{message{"role": "system", "content": "[Summary of earlier conversation]\n2"}, message{"role": "system", "content": tncompactor.FlushReminder()}, messages[2]}
	if !reflect.DeepEqual(override.Messages, want) || override.Tools != nil {
		t.Error(override.Messages)
	}
}

// decision is what a compactor made of a transcript: what it had summarized, or nothing.
type decision struct {
	older    []any
	override *tn.LLMOverride
}

func decide(t *testing.T, hook func(func([]any) (string, error)) func(context.Context, tn.BeforeLLMEvent) (*tn.LLMOverride, error), messages []any) (d decision) {
	t.Helper()
	var err error
	d.override, err = hook(func(older []any) (string, error) { d.older = older; return "前情 🚀", nil })(context.Background(), tn.BeforeLLMEvent{Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The rows of the table of deliberate differences, in the README of the library.
const (
	acrossAPair     = "a place with a tool call before it and its result after it is never a place to cut"
	moreDialects    = "results are recognised in seven dialects"
	allInstructions = "all leading system and developer messages are kept"
	staleSummary    = "an earlier summary is summarized again, with what came since"
	nothingNew      = "nothing but a summary to summarize: unchanged"
	callInFlight    = "a call in flight and no other place: unchanged"
	loneRequest     = "a single unanswered request: unchanged"
)

func TestEveryDifferenceFromThePortIsADeliberateOne(t *testing.T) {
	const number = 6000
	agreed, compacted, rows := 0, 0, map[string]int{}
	for n := range uint64(number) {
		made := transcripts.Make(16, n)
		count := agents.EstimateTokens(made.Messages)
		if ours := tncompactor.EstimateTokens(made.Messages); ours != count {
			t.Fatalf("transcript %d counts %d, by the port %d\n%s", n, ours, count, shown(made.Messages))
		}
		options := agents.CompactorOptions{MaxTokens: count * int(n%11) / 10, KeepTail: count * int(n%7) / 10, FlushToMemory: n%3 == 0}
		if n%5 == 0 {
			options.CountTokens = func(messages []any) int { return 3*len(messages) + agents.EstimateTokens(messages)/2 }
		}
		port := decide(t, func(summarize func([]any) (string, error)) func(context.Context, tn.BeforeLLMEvent) (*tn.LLMOverride, error) {
			o := options
			o.Summarize = summarize
			return agents.Compactor(o)
		}, made.Messages)
		ourOptions := tncompactor.Options{MaxTokens: options.MaxTokens, KeepTail: options.KeepTail, CountTokens: options.CountTokens,
			FlushToMemory: options.FlushToMemory, Split: tncompactor.Turns}
		ours := decide(t, func(summarize func([]any) (string, error)) func(context.Context, tn.BeforeLLMEvent) (*tn.LLMOverride, error) {
			o := ourOptions
			o.Summarize = summarize
			return tncompactor.Hook[tn.BeforeLLMEvent, tn.LLMOverride](tncompactor.Compactor(o))
		}, made.Messages)
		if ours.override != nil {
			compacted++
		}
		if reflect.DeepEqual(ours, port) {
			agreed++
			continue
		}
		planner, err := tncompactor.New(ourOptions)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := planner.Plan(made.Messages)
		if err != nil {
			t.Fatal(err)
		}
		because := reasons(made.Messages, port, plan)
		if len(because) == 0 {
			t.Fatalf("transcript %d, %+v: ours %+v, the port summarized %d messages, and no row of the table says so\n%s",
				n, options, plan, len(port.older), shown(made.Messages))
		}
		for _, row := range because {
			rows[row]++
		}
	}
	t.Logf("%d agreed of %d, %d compacted, differences: %v", agreed, number, compacted, rows)
	if agreed < number/2 || compacted < number/3 {
		t.Errorf("too few agreed, %d, or were compacted, %d", agreed, compacted)
	}
	for _, row := range []string{acrossAPair, moreDialects, allInstructions, staleSummary, callInFlight, loneRequest} {
		if rows[row] == 0 {
			t.Errorf("no transcript shows that %s", row)
		}
	}
}

func shown(messages []any) string {
	var lines strings.Builder
	for i, m := range messages {
		text, _ := json.Marshal(m)
		fmt.Fprintf(&lines, "  [%d] %.200s\n", i, text)
	}
	return lines.String()
}

func role(m any) string { return fmt.Sprint(m.(message)["role"]) }

func isSummary(m any) bool {
	text, _ := m.(message)["content"].(string)
	return strings.HasPrefix(text, tncompactor.SummaryPrefix())
}

// reasons are the rows that hold of what the port did with the transcript.
func reasons(messages []any, port decision, plan tncompactor.Plan) (rows []string) {
	head := 0
	if len(messages) > 0 && role(messages[0]) == "system" {
		head = 1
	}
	switch {
	case plan.HeadEnd > head:
		for _, m := range messages[head:plan.HeadEnd] {
			if role(m) != "system" && role(m) != "developer" || isSummary(m) {
				return nil
			}
		}
		rows = append(rows, allInstructions)
	case plan.HeadEnd < head && isSummary(messages[0]):
		rows = append(rows, staleSummary)
	}
	if port.override == nil {
		return rows
	}
	calls, results := pairs(messages)
	cut := head + len(port.older)
	if cut < len(messages) {
		if len(results[cut]) > 0 {
			rows = append(rows, moreDialects) // the port takes it for a user's turn
		}
		for id, call := range calls {
			if call >= cut {
				continue
			}
			for at := cut; at < len(messages); at++ {
				if results[at][id] && at > cut {
					rows = append(rows, acrossAPair)
				}
			}
		}
	}
	users, others, summaries := 0, 0, 0
	for _, m := range messages[plan.HeadEnd:max(cut, plan.HeadEnd)] {
		switch {
		case isSummary(m):
			summaries++
		case role(m) == "user":
			users++
		default:
			others++
		}
	}
	switch plan.Outcome {
	case tncompactor.NothingNew:
		if summaries > 0 && others == 0 && users <= 1 {
			rows = append(rows, nothingNew)
		}
	case tncompactor.NothingOlder:
		if cut == len(messages) && others == 0 && users == 1 {
			rows = append(rows, loneRequest)
		}
	case tncompactor.CallInFlight:
		for id, call := range calls {
			answered := false
			for _, of := range results {
				answered = answered || of[id]
			}
			if !answered && call < len(messages) {
				rows = append(rows, callInFlight)
				break
			}
		}
	}
	return rows
}

// pairs are the messages of the calls, by id, and the ids that each message has results of. Ids are never used again here.
func pairs(messages []any) (calls map[string]int, results []map[string]bool) {
	calls, results = map[string]int{}, make([]map[string]bool, len(messages))
	for i, m := range messages {
		results[i] = map[string]bool{}
		m := m.(message)
		for _, call := range list(m["tool_calls"]) {
			calls[call["id"].(string)] = i
		}
		if call, is := m["function_call"].(message); is {
			calls[call["name"].(string)] = i
		}
		for _, part := range append(list(m["content"]), list(m["parts"])...) {
			if part["type"] == "tool_use" {
				calls[part["id"].(string)] = i
			}
			if part["type"] == "tool_result" {
				results[i][part["tool_use_id"].(string)] = true
			}
			for key, id := range map[string]string{"functionCall": "id", "toolUse": "toolUseId"} {
				if call, is := part[key].(message); is {
					calls[call[id].(string)] = i
				}
			}
			for key, id := range map[string]string{"functionResponse": "id", "toolResult": "toolUseId"} {
				if result, is := part[key].(message); is {
					results[i][result[id].(string)] = true
				}
			}
		}
		switch m["role"] {
		case "tool":
			results[i][m["tool_call_id"].(string)] = true
		case "function":
			results[i][m["name"].(string)] = true
		}
	}
	return calls, results
}

func list(value any) (objects []message) {
	elements, _ := value.([]any)
	for _, element := range elements {
		objects = append(objects, element.(message))
	}
	return objects
}
