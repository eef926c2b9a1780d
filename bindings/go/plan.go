//go:build cgo

package tncompactor

// #include "tn_compactor.h"
import "C"

import "fmt"

// Outcome is what became of a plan. Outcomes may be added: one that is not known means unchanged.
type Outcome int32

// The outcomes.
const (
	// Compact: the older messages are to be summarized.
	Compact Outcome = C.TN_COMPACT
	// UnderBudget: unchanged, the transcript counts no more than MaxTokens.
	UnderBudget Outcome = C.TN_UNDER_BUDGET
	// NothingOlder: unchanged, over budget, but nothing before the tail could be summarized.
	NothingOlder Outcome = C.TN_NOTHING_OLDER
	// NothingNew: unchanged, over budget, but all there is before the tail is an earlier summary.
	NothingNew Outcome = C.TN_NOTHING_NEW
	// CallInFlight: unchanged, over budget, but a tool call still waits for its result and there is no place to cut.
	CallInFlight Outcome = C.TN_CALL_IN_FLIGHT
)

func (o Outcome) String() string {
	switch o {
	case Compact:
		return "compact"
	case UnderBudget:
		return "under_budget"
	case NothingOlder:
		return "nothing_older"
	case NothingNew:
		return "nothing_new"
	case CallInFlight:
		return "call_in_flight"
	}
	return fmt.Sprintf("Outcome(%d)", int32(o))
}

// Plan says where a transcript is cut. The indices are into the list, or the JSON array, that it was made for.
type Plan struct {
	// Outcome says whether the transcript is to be compacted, and if not, why.
	Outcome Outcome
	// HeadEnd is the index after the leading instructions, which are kept.
	HeadEnd int
	// TailStart is the index of the first message of the tail. It is HeadEnd unless the outcome is Compact.
	TailStart int
	// RequestStart and RequestEnd bound the request that is kept right before the tail. Both are TailStart where none is.
	RequestStart, RequestEnd int
	// Tokens of the whole transcript, by the estimate or by the host's count.
	Tokens int
	// TailTokens are those of the tail alone; 0 unless the outcome is Compact.
	TailTokens int
}

// Older gives the part of the list that is to be summarized: whole, and in complete pairs of calls and results. It has none
// unless the outcome is Compact.
func (p Plan) Older(messages []any) []any {
	return messages[p.HeadEnd:p.TailStart:p.TailStart]
}

func planOf(native *C.tn_plan) Plan {
	return Plan{
		Outcome:      Outcome(C.tn_plan_outcome(native)),
		HeadEnd:      int(C.tn_plan_head_end(native)),
		TailStart:    int(C.tn_plan_tail_start(native)),
		RequestStart: int(C.tn_plan_request_start(native)),
		RequestEnd:   int(C.tn_plan_request_end(native)),
		Tokens:       whole(C.tn_plan_tokens(native)),
		TailTokens:   whole(C.tn_plan_tail_tokens(native)),
	}
}
