//go:build cgo

package tncompactor

import (
	"context"
	"encoding/json"
)

// NoTail is the KeepTail of a tail with no budget at all. Only what must stay is kept then.
const NoTail = -1

// CharUnit is what one character is, for the estimate of tokens.
type CharUnit string

// The units.
const (
	// Bytes of UTF-8, as Go counts. What an empty CharUnit means.
	Bytes CharUnit = "utf8"
	// CodePoints of Unicode, as Python counts.
	CodePoints CharUnit = "code_point"
	// UTF16 code units, as JavaScript and the JVM count.
	UTF16 CharUnit = "utf16"
)

// Split is where the tail may start.
type Split string

// The places.
const (
	// Steps: at a user's turn, or inside the last turn, between two steps, where that turn is too long alone. The default.
	Steps Split = "steps"
	// Turns: at a user's turn only, as the hand-written ports have it.
	Turns Split = "turns"
)

// Options say when a transcript is compacted, and how. They are checked by the library: see [ErrOptions].
type Options struct {
	// MaxTokens is the budget: a transcript that counts no more is left alone.
	MaxTokens int

	// KeepTail is the token budget of the tail that is kept. 0 means unset, which is half of MaxTokens; for a budget of nothing
	// there is NoTail.
	KeepTail int

	// Summarize writes the summary of the older messages: a part of the host's own list, to be read and not to be changed. It is
	// called once for each compaction, on the caller's goroutine. Its error reaches the caller as it is, and so does its panic.
	Summarize func(older []any) (string, error)

	// SummarizeContext is Summarize with the context of the call. Only one of the two may be set.
	SummarizeContext func(ctx context.Context, older []any) (string, error)

	// CountTokens counts the tokens of some messages together, in place of the estimate. It is never given an empty list, and
	// must not shrink when messages are added. It runs on a goroutine of its own while the caller waits; its panic reaches the
	// caller, with the same value.
	CountTokens func(messages []any) int

	// FlushToMemory adds a reminder right after the summary, to save what is worth keeping with the memory tool.
	FlushToMemory bool

	// CharUnit is what one character is, for the estimate. Empty means Bytes.
	CharUnit CharUnit

	// Split is where the tail may start. Empty means Steps.
	Split Split

	// SummaryRole is the role of the summary message and of the reminder: "system", "developer", "user" or "assistant". Empty
	// means "system".
	SummaryRole string

	// Marshal encodes a list of messages to JSON: a faster encoder than that of encoding/json, which is used where it is nil. It
	// must write an array with one element for each message.
	Marshal func(v any) ([]byte, error)
}

// text gives the options as the library reads them.
func (o Options) text() ([]byte, error) {
	written := struct {
		MaxTokens     int      `json:"max_tokens"`
		KeepTail      *int     `json:"keep_tail,omitempty"`
		FlushToMemory bool     `json:"flush_to_memory"`
		CharUnit      CharUnit `json:"char_unit"`
		Split         Split    `json:"split,omitempty"`
		SummaryRole   string   `json:"summary_role"`
	}{
		MaxTokens:     o.MaxTokens,
		FlushToMemory: o.FlushToMemory,
		CharUnit:      o.CharUnit.orBytes(),
		Split:         o.Split,
		SummaryRole:   o.summaryRole(),
	}
	switch o.KeepTail {
	case 0:
	case NoTail:
		written.KeepTail = new(int)
	default:
		written.KeepTail = &o.KeepTail
	}
	return json.Marshal(written)
}

func (u CharUnit) orBytes() CharUnit {
	if u == "" {
		return Bytes
	}
	return u
}

func (o Options) summaryRole() string {
	if o.SummaryRole == "" {
		return "system"
	}
	return o.SummaryRole
}

// summarizer gives the one of the two functions that is set.
func (o Options) summarizer() (func(ctx context.Context, older []any) (string, error), error) {
	switch {
	case o.Summarize != nil && o.SummarizeContext != nil:
		return nil, &Error{ErrArgument, "options: Summarize and SummarizeContext are both set, and only one is called"}
	case o.Summarize != nil:
		return func(_ context.Context, older []any) (string, error) { return o.Summarize(older) }, nil
	default:
		return o.SummarizeContext, nil
	}
}
