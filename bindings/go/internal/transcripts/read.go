// Package transcripts gives the transcripts that the tests and the benchmark run on: the small ones of tests/cases, real ones, and
// made-up ones.
package transcripts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Case is a small transcript with the right answer to it.
type Case struct {
	Name    string
	Options struct {
		MaxTokens int  `json:"max_tokens"`
		KeepTail  *int `json:"keep_tail"`
	}
	Summary        string
	SummarizeError *string `json:"summarize_error"`
	Messages       json.RawMessage
	MessagesText   *string `json:"messages_text"`
	Expect         struct {
		Expectation
		Steps, Turns *Expectation
	}
	Tokens map[string]int
}

// Expectation is the plan of a case under one split.
type Expectation struct {
	Outcome   string
	HeadEnd   int  `json:"head_end"`
	TailStart *int `json:"tail_start"`
	Request   *[2]int
}

// Text is the transcript as it stands.
func (c *Case) Text() []byte {
	if c.MessagesText != nil {
		return []byte(*c.MessagesText)
	}
	return c.Messages
}

// Expected is the right plan under a split, "steps" or "turns".
func (c *Case) Expected(split string) Expectation {
	if c.Expect.Steps == nil {
		return c.Expect.Expectation
	}
	if split == "turns" {
		return *c.Expect.Turns
	}
	return *c.Expect.Steps
}

// Cases reads all of tests/cases.
func Cases() ([]*Case, error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, "tests/cases/*.json"))
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := &Case{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if err := json.Unmarshal(text, c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Real reads the real transcripts, by name, from the folder in TN_TRANSCRIPTS or beside the checkout. Where there is no such
// folder the error is fs.ErrNotExist.
func Real() (map[string][]byte, error) {
	folder := os.Getenv("TN_TRANSCRIPTS")
	if folder == "" {
		root, err := root()
		if err != nil {
			return nil, err
		}
		folder = filepath.Join(root, "../shared/transcripts")
	}
	found := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		found[filepath.ToSlash(name)] = text
		return err
	})
	return found, err
}

// Decoded is the transcript as a host has it that decodes JSON without losing digits.
func Decoded(text []byte) ([]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var messages []any
	err := decoder.Decode(&messages)
	return messages, err
}

// Raw is the transcript as a host has it that keeps every message as text.
func Raw(text []byte) ([]any, error) {
	var texts []json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil {
		return nil, err
	}
	messages := make([]any, len(texts))
	for i, text := range texts {
		messages[i] = text
	}
	return messages, nil
}

// root is the checkout that the working directory is in.
func root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "include/tn_compactor.h")); err == nil {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("this is no checkout of tn_compactor")
		}
		folder = above
	}
}
