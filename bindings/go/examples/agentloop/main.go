// The hook in an agent's loop: a small one, written for this example, that talks to a server with the OpenAI chat API. Here that is a
// stub on loopback, and what it received is shown. The folder toolnexus has the same with a real client.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
	"github.com/tn-compactor/tn_compactor/bindings/go/internal/stubchat"
)

type message = map[string]any

// agent is a conversation with a model that may call tools.
type agent struct {
	url      string
	tools    map[string]func(arguments string) string
	before   func(context.Context, tncompactor.BeforeLLMEvent) (*tncompactor.LLMOverride, error)
	messages []any
}

// ask says something to the model, runs the tools it calls, and gives its answer.
func (a *agent) ask(ctx context.Context, question string) (string, error) {
	a.messages = append(a.messages, message{"role": "user", "content": question})
	for turn := 0; ; turn++ {
		override, err := a.before(ctx, tncompactor.BeforeLLMEvent{Messages: a.messages, Model: "stub", Turn: turn})
		if err != nil {
			return "", err
		}
		if override != nil {
			a.messages = override.Messages
		}
		answer, err := a.complete(ctx)
		if err != nil {
			return "", err
		}
		a.messages = append(a.messages, answer)
		calls, _ := answer["tool_calls"].([]any)
		if len(calls) == 0 {
			text, _ := answer["content"].(string)
			return text, nil
		}
		for _, call := range calls {
			id, function := call.(message)["id"], call.(message)["function"].(message)
			result := a.tools[function["name"].(string)](function["arguments"].(string))
			a.messages = append(a.messages, message{"role": "tool", "tool_call_id": id, "content": result})
		}
	}
}

func (a *agent) complete(ctx context.Context) (message, error) {
	body, err := json.Marshal(message{"model": "stub", "messages": a.messages})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the model answered %s", response.Status)
	}
	var answer struct{ Choices []struct{ Message message } }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if len(answer.Choices) == 0 {
		return nil, fmt.Errorf("the model answered nothing")
	}
	return answer.Choices[0].Message, nil
}

func main() {
	server := stubchat.Start(
		stubchat.Answer{Tool: "look_up", ID: "call_1", Arguments: `{"topic":"carrots"}`},
		stubchat.Answer{Text: "Sandy loam."},
		stubchat.Answer{Text: "Richer soil."},
	)
	defer server.Close()

	a := &agent{
		url:   server.URL(),
		tools: map[string]func(string) string{"look_up": func(string) string { return strings.Repeat("Deep and loose. ", 40) }},
		before: tncompactor.Compactor(tncompactor.Options{
			MaxTokens:     310,
			FlushToMemory: true,
			SummarizeContext: func(_ context.Context, older []any) (string, error) {
				return fmt.Sprintf("%d messages about carrots.", len(older)), nil // ask your model here
			},
		}),
		messages: []any{message{"role": "system", "content": "You plan garden beds."}},
	}
	for _, question := range []string{"Which soil suits carrots? " + strings.Repeat("I have clay. ", 20), "And leeks?"} {
		answer, err := a.ask(context.Background(), question)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("model:", answer)
	}
	for i, request := range server.Requests() {
		fmt.Println("request", i+1)
		for _, m := range request {
			if m["tool_calls"] != nil {
				fmt.Printf("  %-9s calls a tool\n", m["role"])
				continue
			}
			fmt.Printf("  %-9s %.70q\n", m["role"], m["content"])
		}
	}
}
