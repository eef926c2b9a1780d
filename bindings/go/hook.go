//go:build cgo

package tncompactor

import "context"

// BeforeLLMEvent is what a hook is told before a call of the model.
type BeforeLLMEvent struct {
	Messages []any
	Tools    []any
	Model    string
	Turn     int
}

// LLMOverride is what a hook wants to have sent instead. A nil field leaves that value unchanged.
type LLMOverride struct {
	Messages []any
	Tools    []any
}

// Compactor gives a hook that compacts the transcript when it counts more than MaxTokens. A nil override means unchanged.
//
// Options that are not usable are the error of every call. The hook needs no closing: it is freed by the garbage collector.
// Where that is too late, or the options are to be checked at once, there is [New].
func Compactor(options Options) func(context.Context, BeforeLLMEvent) (*LLMOverride, error) {
	planner, err := New(options)
	if err != nil {
		return func(context.Context, BeforeLLMEvent) (*LLMOverride, error) { return nil, err }
	}
	return planner.BeforeLLM
}

// Hook gives the hook to a client that has types of its own for the event and the override. They are named by the caller, so
// that this package imports no client:
//
//	client.Hooks.BeforeLLM = tncompactor.Hook[tn.BeforeLLMEvent, tn.LLMOverride](tncompactor.Compactor(options))
func Hook[Event ~struct {
	Messages []any
	Tools    []any
	Model    string
	Turn     int
}, Override ~struct {
	Messages []any
	Tools    []any
}](hook func(context.Context, BeforeLLMEvent) (*LLMOverride, error)) func(context.Context, Event) (*Override, error) {
	return func(ctx context.Context, event Event) (*Override, error) {
		override, err := hook(ctx, BeforeLLMEvent(event))
		if override == nil {
			return nil, err
		}
		converted := Override(*override)
		return &converted, err
	}
}
