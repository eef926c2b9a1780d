// A transcript with tool calls, over budget: the system message stays first, a summary stands for the older turns, and the tail
// starts at a user's turn, so no tool result is parted from its call.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

type message = map[string]any

// transcript is a conversation of three turns, each with a tool call in it.
func transcript() []any {
	messages := []any{message{"role": "system", "content": "You plan garden beds."}}
	for i, question := range []string{"Which soil suits carrots?", "Und Möhren neben 🧅?", "胡萝卜几月种？"} {
		id := fmt.Sprintf("call_%d", i+1)
		messages = append(messages,
			message{"role": "user", "content": question},
			message{"role": "assistant", "content": nil, "tool_calls": []any{message{
				"id": id, "type": "function", "function": message{"name": "look_up", "arguments": `{"topic":"carrots"}`}}}},
			message{"role": "tool", "tool_call_id": id, "content": strings.Repeat("Carrots like it deep and loose. ", 10)},
			message{"role": "assistant", "content": "I looked it up."},
		)
	}
	return messages
}

func main() {
	messages := transcript()
	planner, err := tncompactor.New(tncompactor.Options{
		MaxTokens: 400,
		Summarize: func(older []any) (string, error) {
			return fmt.Sprintf("%d messages about carrots.", len(older)), nil // ask your model here
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer planner.Close()

	plan, err := planner.Plan(messages)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %d tokens, the tail %d\n", plan.Outcome, plan.Tokens, plan.TailTokens)

	compacted, err := planner.Compact(context.Background(), messages)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range compacted {
		m := m.(message)
		switch {
		case m["tool_calls"] != nil:
			fmt.Printf("%-9s calls %v\n", m["role"], m["tool_calls"].([]any)[0].(message)["id"])
		case m["tool_call_id"] != nil:
			fmt.Printf("%-9s answers %v\n", m["role"], m["tool_call_id"])
		default:
			fmt.Printf("%-9s %q\n", m["role"], m["content"])
		}
	}
}
