//go:build toolnexus

package main

import (
	"context"

	tn "github.com/muthuishere/toolnexus/golang"
	"github.com/muthuishere/toolnexus/golang/agents"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

// run.sh builds with this file where the module proxy serves the port.
func init() {
	portName = "the port of toolnexus"
	port = func(options tncompactor.Options) func([]any) []any {
		hook := agents.Compactor(agents.CompactorOptions{MaxTokens: options.MaxTokens, KeepTail: options.KeepTail, Summarize: options.Summarize})
		return func(messages []any) []any {
			override := must(hook(context.Background(), tn.BeforeLLMEvent{Messages: messages}))
			if override == nil {
				return nil
			}
			return override.Messages
		}
	}
}
