// Command endurance compacts transcripts over and over, and tells what the process holds before and after:
//
//	endurance TIMES FILE...
//
// tests/endurance/run judges what it tells.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

type transcript struct {
	text     []byte
	messages []any
	planner  *tncompactor.Planner
}

var (
	errDown = errors.New("the model is down")
	leak    = os.Getenv("TN_LEAK") != ""
	kept    [][]byte
)

func recap(_ context.Context, older []byte) (string, error) {
	return fmt.Sprintf("%d bytes of messages.", len(older)), nil
}

// compact compacts once: each fourth time with a count of the host, each eighth as a list, and each sixteenth after a failure, a
// panic and a Goexit.
func compact(turn int, it transcript) {
	ctx := context.Background()
	if turn%16 == 0 {
		fails(it, func() (string, error) { return "", errDown })
		fails(it, func() (string, error) { panic(errDown) })
		fails(it, func() (string, error) { runtime.Goexit(); return "", nil })
		hook := tncompactor.Compactor(tncompactor.Options{MaxTokens: -1})
		if _, err := hook(ctx, tncompactor.BeforeLLMEvent{}); !errors.Is(err, tncompactor.ErrOptions) {
			log.Fatal(err)
		}
	}
	if turn%8 == 1 {
		if list, err := it.planner.Compact(ctx, it.messages); list == nil || err != nil {
			log.Fatal(list, err)
		}
		return
	}
	var count func([]byte) int
	if turn%4 == 0 {
		count = func(some []byte) int {
			tokens, err := tncompactor.EstimateTokensJSON(some, "")
			if err != nil {
				log.Fatal(err)
			}
			return tokens
		}
	}
	result, err := it.planner.CompactJSON(ctx, it.text, recap, count)
	if result == nil || err != nil {
		log.Fatal(result, err)
	}
	if leak {
		kept = append(kept, result)
	}
}

func fails(it transcript, end func() (string, error)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { recover() }()
		_, err := it.planner.CompactJSON(context.Background(), it.text, func(context.Context, []byte) (string, error) { return end() }, nil)
		if !errors.Is(err, errDown) {
			log.Fatal(err)
		}
	}()
	<-done
}

func entries(folder string) int {
	names, err := os.ReadDir(folder)
	if err != nil {
		log.Fatal(err)
	}
	return len(names)
}

func tell(when string) {
	// Twice, since what has a cleanup goes behind the collection that found it.
	debug.FreeOSMemory()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		log.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d KiB resident, %d descriptors, %d threads, %d goroutines\n", when, pages*os.Getpagesize()/1024,
		entries("/proc/self/fd"), entries("/proc/self/task"), runtime.NumGoroutine())
}

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: endurance TIMES FILE...")
	}
	times, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var transcripts []transcript
	for _, name := range os.Args[2:] {
		text, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		it := transcript{text: text}
		if err := json.Unmarshal(text, &it.messages); err != nil {
			log.Fatal(err)
		}
		tokens, err := tncompactor.EstimateTokensJSON(text, "")
		if err != nil {
			log.Fatal(err)
		}
		if listed := tncompactor.EstimateTokens(it.messages); listed < tokens {
			tokens = listed
		}
		it.planner, err = tncompactor.New(tncompactor.Options{MaxTokens: tokens / 2, Summarize: func(older []any) (string, error) {
			return fmt.Sprintf("%d messages.", len(older)), nil
		}})
		if err != nil {
			log.Fatal(err)
		}
		list, err := it.planner.Compact(context.Background(), it.messages)
		if err != nil {
			log.Fatal(err)
		}
		result, err := it.planner.CompactJSON(context.Background(), text, recap, nil)
		if err != nil {
			log.Fatal(err)
		}
		if list != nil && result != nil {
			transcripts = append(transcripts, it)
		}
	}
	for _, phase := range []struct {
		times int
		end   string
	}{{times / 5, "before"}, {times, "after"}} {
		for turn := range phase.times {
			compact(turn, transcripts[turn%len(transcripts)])
		}
		tell(phase.end)
	}
}
