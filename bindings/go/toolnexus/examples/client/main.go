// The hook in the real client of toolnexus, against a stub on loopback that speaks the OpenAI chat API. What the stub received is
// shown: a summary stands for the older messages, with the reminder after it.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	tn "github.com/muthuishere/toolnexus/golang"
	"github.com/muthuishere/toolnexus/golang/agents"

	"github.com/tn-compactor/tn_compactor/bindings/go/internal/stubchat"
	"github.com/tn-compactor/tn_compactor/bindings/go/toolnexus"
)

func main() {
	server := stubchat.Start(
		stubchat.Answer{Tool: "look_up", ID: "call_1", Arguments: `{"topic":"carrots"}`},
		stubchat.Answer{Text: "Sandy loam."},
		stubchat.Answer{Text: "Richer soil."},
	)
	defer server.Close()

	ctx := context.Background()
	toolkit, err := tn.CreateToolkit(ctx, tn.Options{Builtins: false})
	if err != nil {
		log.Fatal(err)
	}
	defer toolkit.Close()
	toolkit.Register(tn.NativeTool("look_up", "Looks a vegetable up.", tn.JSONSchema{"type": "object"},
		func(context.Context, map[string]any) (string, error) {
			return strings.Repeat("Deep and loose. ", 40), nil
		}))

	client := tn.CreateClient(tn.ClientOptions{
		BaseURL:      server.URL(),
		Style:        tn.StyleOpenAI,
		Model:        "stub",
		APIKey:       "none",
		SystemPrompt: "You plan garden beds.",
		Hooks: &tn.Hooks{BeforeLLM: toolnexus.Compactor(agents.CompactorOptions{
			MaxTokens:     310,
			FlushToMemory: true,
			Summarize: func(older []any) (string, error) {
				return fmt.Sprintf("%d messages about carrots.", len(older)), nil // ask your model here
			},
		})},
	})
	for _, question := range []string{"Which soil suits carrots? " + strings.Repeat("I have clay. ", 20), "And leeks?"} {
		result, err := client.Ask(ctx, question, toolkit, "garden")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("model:", result.Text)
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
