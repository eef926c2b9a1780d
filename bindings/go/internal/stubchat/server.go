// Package stubchat is a server that speaks as much of the OpenAI chat API as an agent's loop needs, on loopback: it answers from a
// script, and keeps what it was asked.
package stubchat

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Answer is one answer of the model: a text, or a call of a tool.
type Answer struct {
	Text      string
	Tool      string // its name, where the answer is a call
	ID        string
	Arguments string
}

// Server is a model that knows its lines.
type Server struct {
	http *httptest.Server

	mutex    sync.Mutex
	answers  []Answer
	requests [][]map[string]any
}

// Start starts a server that gives these answers one after the other, and then fails.
func Start(answers ...Answer) *Server {
	s := &Server{answers: answers}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// URL is the base of the API.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Close stops the server.
func (s *Server) Close() { s.http.Close() }

// Requests are the messages of every request so far.
func (s *Server) Requests() [][]map[string]any {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([][]map[string]any(nil), s.requests...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	var request struct{ Messages []map[string]any }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mutex.Lock()
	s.requests = append(s.requests, request.Messages)
	var answer Answer
	known := len(s.answers) > 0
	if known {
		answer, s.answers = s.answers[0], s.answers[1:]
	}
	s.mutex.Unlock()
	if !known {
		http.Error(w, "the script is at its end", http.StatusBadRequest)
		return
	}
	message := map[string]any{"role": "assistant", "content": answer.Text}
	finish := "stop"
	if answer.Tool != "" {
		finish = "tool_calls"
		message["content"] = nil
		message["tool_calls"] = []any{map[string]any{"id": answer.ID, "type": "function",
			"function": map[string]any{"name": answer.Tool, "arguments": answer.Arguments}}}
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": "stub",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	})
}
