package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sync"
)

// Kind says what a Record is.
type Kind string

// The kinds of records.
const (
	FromClient Kind = "client" // a message of the client
	FromServer Kind = "server" // a message of the server
	Stderr     Kind = "stderr" // a line of the server process's stderr
	Request    Kind = "http"   // the head of an HTTP request, before its message
	Response   Kind = "status" // the head of an HTTP response, before its messages
	Exit       Kind = "exit"   // the server process has ended
)

// Record is one thing that was seen on the wire.
type Record struct {
	Kind Kind `json:"kind"`
	// Message is the JSON-RPC message. What is no JSON is a JSON string.
	Message json.RawMessage `json:"message,omitempty"`
	// Text is a line of stderr, how the process ended, or an HTTP status.
	Text string `json:"text,omitempty"`
	// Method, Path and Header belong to an HTTP request; a client's message that
	// came with one repeats Header.
	Method string      `json:"method,omitempty"`
	Path   string      `json:"path,omitempty"`
	Header http.Header `json:"header,omitempty"`
	// Exchange counts the HTTP requests from 1: it is the same for a request, the
	// messages that came with it and those of the response.
	Exchange int `json:"exchange,omitempty"`
}

// messages returns the record of one message, or of each message of a batch;
// like gives what else is known of them.
func messages(like Record, text []byte) []Record {
	text = bytes.Clone(bytes.TrimSpace(text))
	if len(text) == 0 {
		return nil
	}
	if !json.Valid(text) {
		text, _ = json.Marshal(string(text))
	}
	batch := []json.RawMessage{text}
	if text[0] == '[' {
		_ = json.Unmarshal(text, &batch) // it is valid
	}
	var records []Record
	for _, message := range batch {
		like.Message = message
		records = append(records, like)
	}
	return records
}

// Log keeps records in memory. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	records []Record
}

// Add appends records.
func (l *Log) Add(records ...Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, records...)
}

// Records returns a copy of what was recorded so far.
func (l *Log) Records() []Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Record(nil), l.records...)
}

// ReadFile reads what a tee has written so far. A file that does not exist yet
// has no records, and a line that is not complete yet is left out.
func ReadFile(path string) ([]Record, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var records []Record
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		var record Record
		if err := json.Unmarshal(line, &record); err != nil {
			return nil, fmt.Errorf("%s: record %d: %w", path, len(records)+1, err)
		}
		records = append(records, record)
	}
}
