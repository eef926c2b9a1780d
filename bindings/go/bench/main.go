// Bench times the compactor beside the hand-written port that it replaces, in one run, on a transcript of 1 MB.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"time"

	faster "github.com/goccy/go-json"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
	"github.com/tn-compactor/tn_compactor/bindings/go/internal/transcripts"
)

// port is the compactor of the port, or what stands for it: it gives the new list, or nil.
var port = func(options tncompactor.Options) func(messages []any) []any {
	return func(messages []any) []any { return countingAnew(options, messages) }
}

var portName = "a stand-in for the port"

// row is two ways to do the same, and how many times as fast ours has to be.
type row struct {
	name        string
	port, ours  func()
	least       float64
	repetitions int
}

func main() {
	messages := transcripts.Long(1_000_000)
	text := must(json.Marshal(messages))
	count := tncompactor.EstimateTokens(messages)
	summarize := func([]any) (string, error) { return "what was said", nil }
	under := tncompactor.Options{MaxTokens: count, Summarize: summarize, Split: tncompactor.Turns}
	over := tncompactor.Options{MaxTokens: count / 2, KeepTail: count / 4, Summarize: summarize, Split: tncompactor.Turns}
	fasterUnder, fasterOver := under, over
	fasterUnder.Marshal, fasterOver.Marshal = faster.Marshal, faster.Marshal

	// Both compact alike, or a comparison would mean nothing.
	if ours, ports := len(compact(over)(messages)), len(port(over)(messages)); ours != ports || ours < 2 {
		log.Fatalf("%d messages, and %d by the port", ours, ports)
	}

	portUnder, portOver := times(port(under), messages), times(port(over), messages)
	textPlanner := must(tncompactor.New(over))
	fewer := len(text) / 4
	rows := []row{
		{"under budget", portUnder, times(compact(under), messages), 1 / 1.25, 31},
		{"under budget, go-json as the encoder", portUnder, times(compact(fasterUnder), messages), 1, 31},
		{"compacting, a quarter kept", portOver, times(compact(over), messages), 20, 9},
		{"compacting, a quarter kept, go-json as the encoder", portOver, times(compact(fasterOver), messages), 20, 9},
		{"text in, text out, a quarter kept", func() {
			var decoded []any
			if err := json.Unmarshal(text, &decoded); err != nil {
				log.Fatal(err)
			}
			must(json.Marshal(port(over)(decoded)))
		}, func() {
			out := must(textPlanner.CompactJSON(context.Background(), text, func(context.Context, []byte) (string, error) { return "what was said", nil }, nil))
			if len(out) < fewer/2 {
				log.Fatal("too little was kept")
			}
		}, 20, 9},
	}

	fmt.Printf("%d messages, %.2f MB of JSON, %d tokens; medians, beside %s\n\n", len(messages), float64(len(text))/1e6, count, portName)
	fmt.Printf("| %-50s | %10s | %11s | %13s | %8s |\n|%s|%s:|%s:|%s:|%s:|\n", "", "port, ms", "library, ms", "times as fast", "at least",
		dashes(52), dashes(11), dashes(12), dashes(14), dashes(9))
	slow := false
	for _, r := range rows {
		ports, ours := medians(r)
		ratio := ports.Seconds() / ours.Seconds()
		fmt.Printf("| %-50s | %10.2f | %11.2f | %13.2f | %8.2f |\n", r.name, ports.Seconds()*1e3, ours.Seconds()*1e3, ratio, r.least)
		slow = slow || ratio < r.least
	}
	if slow {
		fmt.Println("\nslower than it has to be")
		os.Exit(1)
	}
}

func compact(options tncompactor.Options) func([]any) []any {
	planner := must(tncompactor.New(options))
	return func(messages []any) []any { return must(planner.Compact(context.Background(), messages)) }
}

func times(compact func([]any) []any, messages []any) func() {
	return func() { compact(messages) }
}

// medians times the two alternately, so that whatever else the machine does meets both.
func medians(r row) (ports, ours time.Duration) {
	var of [2][]time.Duration
	r.port()
	r.ours()
	for range r.repetitions {
		for i, once := range []func(){r.port, r.ours} {
			start := time.Now()
			once()
			of[i] = append(of[i], time.Since(start))
		}
	}
	for i := range of {
		slices.Sort(of[i])
	}
	return of[0][r.repetitions/2], of[1][r.repetitions/2]
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func dashes(n int) string {
	return string(slices.Repeat([]byte("-"), int(math.Max(1, float64(n)))))
}
