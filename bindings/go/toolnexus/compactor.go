// Package toolnexus has the compactor of toolnexus' own package agents, with the native library in place of the hand-written port. A
// host swaps one import:
//
//	agents "github.com/tn-compactor/tn_compactor/bindings/go/toolnexus"
package toolnexus

import (
	"context"

	tn "github.com/muthuishere/toolnexus/golang"
	"github.com/muthuishere/toolnexus/golang/agents"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

// CompactorOptions are those of the port.
type CompactorOptions = agents.CompactorOptions

// Compactor gives a hook for the field BeforeLLM of a client's hooks. The options mean what they mean to the port. A turn that is
// too long alone is cut between its steps, which the port never does: see [tncompactor.Steps]. Where that is not wanted, or an
// option that the port has not, there is [tncompactor.Hook].
func Compactor(opts CompactorOptions) func(context.Context, tn.BeforeLLMEvent) (*tn.LLMOverride, error) {
	return tncompactor.Hook[tn.BeforeLLMEvent, tn.LLMOverride](tncompactor.Compactor(tncompactor.Options{
		MaxTokens:     opts.MaxTokens,
		KeepTail:      max(opts.KeepTail, tncompactor.NoTail), // nothing fits a budget below 0
		Summarize:     opts.Summarize,
		CountTokens:   opts.CountTokens,
		FlushToMemory: opts.FlushToMemory,
	}))
}

// EstimateTokens is that of the port.
func EstimateTokens(messages []any) int {
	return tncompactor.EstimateTokens(messages)
}
