//go:build cgo

package tncompactor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
)

// texts are used again, since a transcript is encoded before every call of the model.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// encoded hands the messages to use, written as one JSON array that is valid until use returns. An error of the encoder names the place.
func encoded(messages []any, marshal func(v any) ([]byte, error), use func(text []byte) error) error {
	if marshal != nil {
		text, err := marshalled(messages, marshal)
		if err != nil {
			return err
		}
		return use(text)
	}
	err := encodedBy(appendMessage, messages, use)
	if errors.Is(err, ErrUTF8) {
		// Strings are not looked at twice: the library finds the one in a million that is not UTF-8, and encoding/json mends it.
		err = encodedBy(appendReflected, messages, use)
	}
	return err
}

func encodedBy(write func(text []byte, message any) ([]byte, error), messages []any, use func(text []byte) error) (err error) {
	kept := texts.Get().(*[]byte)
	defer texts.Put(kept)
	text := append((*kept)[:0], '[')
	for i, message := range messages {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = write(text, message); err != nil {
			return notEncoded(i, err)
		}
	}
	*kept = append(text, ']')
	return use(*kept)
}

func marshalled(messages []any, marshal func(v any) ([]byte, error)) ([]byte, error) {
	if messages == nil {
		messages = []any{} // a nil list would be written as null
	}
	text, err := marshal(messages)
	if err == nil {
		return text, nil
	}
	for i, message := range messages {
		if _, err := marshal(message); err != nil {
			return nil, notEncoded(i, err)
		}
	}
	return nil, fmt.Errorf("tncompactor: messages: %w", err)
}

func notEncoded(index int, err error) error {
	return fmt.Errorf("tncompactor: messages[%d]: %w", index, err)
}

// appendMessage writes one message. Most are made of the types that decoded JSON has, which are soon written without reflection and
// without sorting keys; whatever else is in one, and all that can go wrong, is for encoding/json.
func appendMessage(text []byte, message any) ([]byte, error) {
	const depth = 100 // deeper there may be a cycle
	if plain, ok := appendPlain(text, message, depth); ok {
		return plain, nil
	}
	return appendReflected(text, message)
}

func appendReflected(text []byte, message any) ([]byte, error) {
	buffer := bytes.NewBuffer(text)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false) // these escapes mean nothing to the library
	err := encoder.Encode(message)
	return buffer.Bytes(), err
}

func appendPlain(text []byte, value any, depth int) (_ []byte, ok bool) {
	if depth == 0 {
		return nil, false
	}
	switch v := value.(type) {
	case nil:
		return append(text, "null"...), true
	case bool:
		return strconv.AppendBool(text, v), true
	case int:
		return strconv.AppendInt(text, int64(v), 10), true
	case float64:
		return appendWhole(text, v)
	case string:
		return appendString(text, v), true
	case []any:
		if v == nil {
			return append(text, "null"...), true
		}
		text = append(text, '[')
		for i, element := range v {
			if i > 0 {
				text = append(text, ',')
			}
			if text, ok = appendPlain(text, element, depth-1); !ok {
				return nil, false
			}
		}
		return append(text, ']'), true
	case map[string]any:
		if v == nil {
			return append(text, "null"...), true
		}
		text = append(text, '{')
		first := true
		for key, member := range v {
			if !first {
				text = append(text, ',')
			}
			first = false
			if text, ok = appendPlain(append(appendString(text, key), ':'), member, depth-1); !ok {
				return nil, false
			}
		}
		return append(text, '}'), true
	}
	return nil, false
}

// appendWhole writes a number that has no fraction and no exponent in any encoder.
func appendWhole(text []byte, number float64) ([]byte, bool) {
	if number != math.Trunc(number) || math.Abs(number) >= 1e15 || number == 0 && math.Signbit(number) {
		return nil, false
	}
	return strconv.AppendInt(text, int64(number), 10), true
}

func appendString(text []byte, s string) []byte {
	text = append(text, '"')
	written := 0
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			text = append(text, s[written:i]...)
			written = i + 1
			switch c {
			case '"', '\\':
				text = append(text, '\\', c)
			case '\n':
				text = append(text, '\\', 'n')
			default:
				const hex = "0123456789abcdef"
				text = append(text, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
		}
	}
	return append(append(text, s[written:]...), '"')
}
