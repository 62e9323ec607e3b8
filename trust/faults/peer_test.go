package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

// message is what the client sent.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
		} `json:"arguments"`
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// peer writes to the client, over either transport.
type peer struct {
	mu     sync.Mutex
	out    *bufio.Writer
	flush  func()
	events bool // an event stream, not lines
	gone   bool
}

// send sends a message; false says that nobody listens.
func (p *peer) send(format string, args ...any) bool {
	text := fmt.Sprintf(format, args...)
	if p.events {
		return p.bytes("data: " + text + "\n\n")
	}
	return p.bytes(text + "\n")
}

// bytes writes what is no whole message.
func (p *peer) bytes(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.WriteString(text); err != nil {
		p.gone = true
	}
	return !p.gone
}

// push makes what was written leave.
func (p *peer) push() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out.Flush() != nil {
		p.gone = true
		return false
	}
	p.flush()
	return !p.gone
}

// begin opens a message that the caller goes on with by bytes.
func (p *peer) begin() {
	if p.events {
		p.bytes("data: ")
	}
}

// forever writes the text again and again until nobody listens.
func (p *peer) forever(text string) {
	text = strings.Repeat(text, 1+(32<<10)/len(text))
	for p.bytes(text) {
	}
}

// answer is what an honest server says.
func (p *peer) answer(m message) {
	switch m.Method {
	case "server/discover":
		p.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	case "initialize":
		p.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)
	case "tools/list":
		p.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`, m.ID)
	case "tools/call":
		p.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, m.ID, m.Params.Arguments.Text)
	default:
		if m.ID != nil && m.Method != "" {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}

// playStdio is the process of a scenario.
func playStdio(s scenario) {
	p := &peer{out: bufio.NewWriterSize(os.Stdout, 64<<10), flush: func() {}}
	if s.process != nil {
		s.process(p)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		if s.play != nil && m.Method == s.on {
			s.play(p, m)
		} else {
			p.answer(m)
		}
		if !p.push() {
			return
		}
	}
}

// serve is the endpoint of a scenario.
func serve(s scenario) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var m message
		_ = json.Unmarshal(body, &m)
		switch {
		case r.Method == http.MethodGet && s.resume != nil:
			s.resume(w, r)
			return
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case s.http != nil && m.Method == s.on:
			s.http(w, r, m)
			return
		case m.ID == nil || m.Method == "":
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		p := &peer{out: bufio.NewWriterSize(w, 64<<10), flush: w.(http.Flusher).Flush, events: true}
		if s.play != nil && m.Method == s.on {
			s.play(p, m)
		} else {
			p.answer(m)
		}
		p.push()
	})
}
