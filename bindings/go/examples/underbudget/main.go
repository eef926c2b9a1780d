// Under budget nothing happens: the hook overrides nothing, and nobody is asked for a summary.
package main

import (
	"context"
	"fmt"
	"log"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

func main() {
	messages := []any{
		map[string]any{"role": "system", "content": "You plan garden beds."},
		map[string]any{"role": "user", "content": "Which soil suits carrots?"},
		map[string]any{"role": "assistant", "content": "Sandy loam."},
	}
	hook := tncompactor.Compactor(tncompactor.Options{
		MaxTokens: 8000,
		Summarize: func(older []any) (string, error) {
			log.Fatal("nobody should ask for a summary")
			return "", nil
		},
	})
	override, err := hook(context.Background(), tncompactor.BeforeLLMEvent{Messages: messages})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("tokens:", tncompactor.EstimateTokens(messages))
	fmt.Println("unchanged:", override == nil)
}
