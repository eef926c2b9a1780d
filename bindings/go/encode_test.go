//go:build cgo

package tncompactor

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tn-compactor/tn_compactor/bindings/go/internal/transcripts"
)

func TestMessagesAreWrittenAsEncodingJSONReadsThem(t *testing.T) {
	var deep any = "bottom"
	for range 500 {
		deep = []any{map[string]any{"deeper": deep}}
	}
	var every strings.Builder
	for r := range rune(0x3000) {
		every.WriteRune(r)
	}
	messages := []any{
		map[string]any{"every": every.String(), every.String(): "key", "": nil, "🚀": "\u2028\u2029\U0010ffff"},
		map[string]any{"empty": []any{map[string]any{}, []any{}, []any(nil), map[string]any(nil)}},
		map[string]any{"other types": []any{[]string{"a"}, map[string]int{"b": 1}, (*int)(nil)}},
		map[string]any{"deep": deep},
		struct {
			Role string `json:"role"`
		}{"user"},
		json.RawMessage(`{"role": "user", "n": 12345678901234567890}`),
	}
	// One by one, since a message is written by the one encoder or the other.
	for _, number := range []any{0, -1, math.MaxInt, math.MinInt, 0.0, math.Copysign(0, -1), 1.0, -7.0, 0.5, 1e14, 999999999999999.0, 1e15, 1e16, 1e20, 1e21,
		1e22, -1e300, 1e-6, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, float32(0.1), uint8(5), int64(1) << 53, json.Number("1.10")} {
		messages = append(messages, map[string]any{"number": number})
	}
	for n := range uint64(500) {
		messages = append(messages, transcripts.Make(7, n).Messages...)
	}
	for _, message := range messages {
		text, err := appendMessage(nil, message)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if got, right := read(t, text), read(t, want); !reflect.DeepEqual(got, right) {
			t.Errorf("%.200s\nis not\n%.200s", text, want)
		}
	}
}

// read keeps the text of numbers, which counts.
func read(t *testing.T, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	return value
}
