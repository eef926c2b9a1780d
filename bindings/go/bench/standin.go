package main

import (
	"bytes"
	"encoding/json"

	tncompactor "github.com/tn-compactor/tn_compactor/bindings/go"
)

// countingAnew stands for the port where that cannot be had. It does what makes the port's time: for every place where the tail may
// start it encodes all messages from there on, to count them, and no count is kept.
func countingAnew(options tncompactor.Options, messages []any) []any {
	if encodedTokens(messages) <= options.MaxTokens {
		return nil
	}
	start := len(messages)
	for i := start - 1; i > 0; i-- {
		user := messages[i].(map[string]any)["role"] == "user"
		if user && encodedTokens(messages[i:]) <= options.KeepTail {
			start = i
		}
		if encodedTokens(messages[i:]) > options.KeepTail {
			break
		}
	}
	summary, _ := options.Summarize(messages[1:start])
	list := []any{messages[0], map[string]any{"role": "system", "content": tncompactor.SummaryPrefix() + summary}}
	return append(list, messages[start:]...)
}

func encodedTokens(messages []any) int {
	tokens := 0
	for _, message := range messages {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if encoder.Encode(message) == nil {
			tokens += (text.Len() - 1 + 3) / 4
		}
	}
	return tokens
}
