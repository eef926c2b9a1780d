package transcripts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

var words = strings.Fields("the quick brown fox reads main.go and compiles it again weather in Kraków is 21° naïve façade " +
	"缓存 压缩 对话 工具 调用 天气 很好 あいさつ 한국어 مرحبا 😀 🚀 👩‍👩‍👧 🇯🇵 C:\\path\\n \"quoted\" </script> & {} [] null 1e5 \\u0041")

// Not split at white space, since some of these are.
var odd = []string{"\u2028", "\u2029", "\ufeff", "\x7f", "\u0085", "tab\there", "line\nbreak", "\r\n", "\b", "\f", "\x00", "\x1b[31m", "\ufffd"}

// Dialect is the shape of a transcript's messages.
type Dialect string

// The dialects that transcripts are made up in.
const (
	OpenAI    Dialect = "openai"
	Anthropic Dialect = "anthropic"
	Gemini    Dialect = "gemini"
	Bedrock   Dialect = "bedrock"
	Legacy    Dialect = "legacy"
)

// Dialects are all of them.
var Dialects = []Dialect{OpenAI, Anthropic, Gemini, Bedrock, Legacy}

// Made is a transcript made up.
type Made struct {
	Dialect  Dialect
	Messages []any
}

// Make makes up transcript number n of a seed, which depends on nothing else. Half of the transcripts are clean: one system
// message or none, every call answered at once. The other half are as odd as they come in the field.
func Make(seed, n uint64) Made {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, n))}
	w.dialect = Dialects[w.IntN(len(Dialects))]
	if w.chance(0.5) {
		w.oddity = []float64{0.05, 0.3}[w.IntN(2)]
	}
	w.longest = []int{4, 12, 60}[w.IntN(3)]
	w.head()
	for range []int{0, 1, 1, 2, 3, 4, 6, 9}[w.IntN(8)] {
		w.turn()
	}
	return Made{w.dialect, w.messages}
}

type writer struct {
	*rand.Rand
	dialect  Dialect
	oddity   float64
	longest  int
	calls    int
	messages []any
}

type object = map[string]any

func (w *writer) chance(p float64) bool { return w.Float64() < p }
func (w *writer) strange() bool         { return w.chance(w.oddity) }
func (w *writer) add(message object)    { w.messages = append(w.messages, message) }

func (w *writer) text() string {
	var said []string
	for range 1 + w.IntN(w.longest) {
		if w.chance(0.05) {
			said = append(said, odd[w.IntN(len(odd))])
		} else {
			said = append(said, words[w.IntN(len(words))])
		}
	}
	return strings.Join(said, " ")
}

func (w *writer) value() any {
	return []any{0, -1, 1.5, 1e22, 1e-7, int64(1)<<53 + 1, json.Number("123456789012345678901234567890"), json.Number("1.10"),
		true, nil, w.text(), []any{w.text(), object{}}, object{"deep": []any{[]any{w.text()}}}}[w.IntN(13)]
}

func (w *writer) head() {
	switch {
	case w.strange():
		w.add(object{"role": "developer", "content": w.text()})
		if w.chance(0.5) {
			w.add(object{"role": "system", "content": w.text()})
		}
	case w.strange():
		w.add(object{"role": "system", "content": w.text()})
		w.add(object{"role": "system", "content": "[Summary of earlier conversation]\n" + w.text()})
	case w.strange():
		w.add(object{"role": "system", "content": "[Summary of earlier conversation]\n" + w.text()})
	case w.chance(0.7):
		w.add(object{"role": "system", "content": w.text()})
	}
}

func (w *writer) turn() {
	w.say("user")
	if w.strange() {
		w.say("user")
	}
	for range []int{0, 0, 1, 2, 5}[w.IntN(5)] {
		w.step()
	}
	if !w.strange() {
		w.say("assistant")
	}
	if w.strange() {
		w.say("system")
	}
}

// step is a message of the model with calls in it, and their results.
func (w *writer) step() {
	var ids []string
	for range 1 + w.IntN(3) {
		w.calls++
		ids = append(ids, fmt.Sprintf("call_%d", w.calls))
	}
	if w.dialect == Legacy {
		ids = ids[:1]
	}
	w.ask(ids)
	if w.strange() {
		return // the calls are never answered, or still in flight
	}
	if w.strange() {
		w.say("user") // the results are late
	}
	w.answer(ids)
}

func (w *writer) say(role string) {
	text := w.text()
	switch {
	case w.dialect == Gemini && role != "system":
		if role == "assistant" {
			role = "model"
		}
		w.add(object{"role": role, "parts": []any{object{"text": text}}})
	case w.dialect == Bedrock && role != "system":
		w.add(object{"role": role, "content": []any{object{"text": text}}})
	case w.dialect == Anthropic && w.chance(0.5) && role != "system":
		w.add(object{"role": role, "content": []any{object{"type": "text", "text": text}}})
	default:
		message := object{"role": role, "content": text}
		if w.chance(0.1) {
			message["metadata"] = w.value()
		}
		w.add(message)
	}
}

func (w *writer) ask(ids []string) {
	var calls []any
	for _, id := range ids {
		input := object{"q": w.text(), "n": w.value()}
		switch w.dialect {
		case OpenAI:
			arguments, _ := json.Marshal(input)
			calls = append(calls, object{"id": id, "type": "function", "function": object{"name": "look", "arguments": string(arguments)}})
		case Anthropic:
			calls = append(calls, object{"type": "tool_use", "id": id, "name": "look", "input": input})
		case Gemini:
			calls = append(calls, object{"functionCall": object{"id": id, "name": "look", "args": input}})
		case Bedrock:
			calls = append(calls, object{"toolUse": object{"toolUseId": id, "name": "look", "input": input}})
		case Legacy:
			w.add(object{"role": "assistant", "content": nil, "function_call": object{"name": id, "arguments": "{}"}})
		}
	}
	switch w.dialect {
	case OpenAI:
		w.add(object{"role": "assistant", "content": nil, "tool_calls": calls})
	case Anthropic:
		if w.chance(0.3) {
			calls = append([]any{object{"type": "thinking", "thinking": w.text(), "signature": "c2ln"}}, calls...)
		}
		w.add(object{"role": "assistant", "content": calls})
	case Gemini:
		w.add(object{"role": "model", "parts": calls})
	case Bedrock:
		w.add(object{"role": "assistant", "content": calls})
	}
}

func (w *writer) answer(ids []string) {
	var results []any
	for _, id := range ids {
		switch w.dialect {
		case OpenAI:
			w.add(object{"role": "tool", "tool_call_id": id, "content": w.text()})
		case Legacy:
			w.add(object{"role": "function", "name": id, "content": w.text()})
		case Anthropic:
			results = append(results, object{"type": "tool_result", "tool_use_id": id, "content": w.text()})
		case Gemini:
			results = append(results, object{"functionResponse": object{"id": id, "name": "look", "response": object{"out": w.value()}}})
		case Bedrock:
			results = append(results, object{"toolResult": object{"toolUseId": id, "content": []any{object{"text": w.text()}}}})
		}
	}
	switch w.dialect {
	case Anthropic, Bedrock:
		w.add(object{"role": "user", "content": results})
	case Gemini:
		w.add(object{"role": "user", "parts": results})
	}
}

var sentences = []string{
	"The test fails since the map is read while another goroutine writes to it.",
	"I moved the lock up, ran it again under the race detector, and it is quiet.",
	"先读配置，再连数据库，失败就重试三次。",
	"总结要短，别忘了最后一个问题。",
	"Green again 🚀, and twice as fast 😀.",
	"\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"open %q: %w\", name, err)\n\t}\n",
}

// Long makes up a transcript of about so many bytes of JSON, as a coding agent has it: turns of several steps, with results of up
// to some kilobytes.
func Long(size int) []any {
	w := &writer{Rand: rand.New(rand.NewPCG(1, 1))}
	text := func(n int) string {
		said := make([]string, n)
		for i := range said {
			said[i] = sentences[w.IntN(len(sentences))]
		}
		return strings.Join(said, " ")
	}
	w.add(object{"role": "system", "content": "You are a coding agent."})
	for filled := 0; filled < size; {
		turn := len(w.messages)
		w.add(object{"role": "user", "content": text(2)})
		for range 1 + w.IntN(4) {
			w.calls++
			id := fmt.Sprintf("call_%d", w.calls)
			arguments, _ := json.Marshal(object{"command": text(1), "timeout": 30})
			w.add(object{"role": "assistant", "content": nil, "tool_calls": []any{
				object{"id": id, "type": "function", "function": object{"name": "run", "arguments": string(arguments)}}}})
			w.add(object{"role": "tool", "tool_call_id": id, "content": text(2 + w.IntN(20))})
		}
		w.add(object{"role": "assistant", "content": text(3)})
		written, _ := json.Marshal(w.messages[turn:])
		filled += len(written)
	}
	return w.messages
}
