package faults

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// httpScenarios are those that only HTTP has.
func httpScenarios() []scenario {
	return []scenario{
		{name: "headers without end", over: "http", on: "tools/call", call: "transport failure|too large", http: socket(func(out *bufio.Writer) {
			_, _ = out.WriteString("HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(out, "X-%d: %s\r\n", i, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		})},
		{name: "one header without end", over: "http", on: "tools/call", call: "transport failure|too large", http: socket(func(out *bufio.Writer) {
			_, _ = out.WriteString("HTTP/1.1 200 OK\r\nX: ")
			flood(out, "x")
		})},
		{name: "a status line without end", over: "http", on: "tools/call", call: "transport failure|too large", http: socket(func(out *bufio.Writer) {
			_, _ = out.WriteString("HTTP/1.1 200 ")
			flood(out, "x")
		})},
		{name: "interim answers without end", over: "http", on: "tools/call", call: "transport failure|timeout", http: socket(func(out *bufio.Writer) {
			flood(out, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
		})},
		{name: "chunks without end", over: "http", on: "tools/call", call: "transport failure", http: socket(func(out *bufio.Writer) {
			_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
			flood(out, "10;"+strings.Repeat("e", 100)+"\r\n"+strings.Repeat(" ", 16)+"\r\n")
		})},
		{name: "a length that is a lie", over: "http", on: "tools/call", call: "transport failure|timeout|too large", http: socket(func(out *bufio.Writer) {
			_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000000000000000000\r\n\r\n{")
		})},
		{name: "half a head and silence", over: "http", on: "tools/call", call: "timeout", http: socket(func(out *bufio.Writer) {
			_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-")
			_ = out.Flush()
			time.Sleep(10 * time.Second)
		})},
		{name: "a bomb of gzip", over: "http", on: "tools/call", call: "too large", http: compressed("application/json", "")},
		{name: "a bomb of gzip in an event", over: "http", on: "tools/call", call: "too large", http: compressed("text/event-stream", "data: ")},
		{name: "a bomb of comments", over: "http", on: "tools/call", call: "too large", http: compressed("text/event-stream", ": ")},
		{name: "a bomb in an error", over: "http", on: "tools/call", call: "HTTP status", http: func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusBadGateway)
			bomb(w, "")
		}},
		{name: "an event of many lines", over: "http", on: "tools/call", call: "too large", play: func(p *peer, _ message) {
			p.forever("data: x\n")
		}},
		{name: "an event of other fields", over: "http", on: "tools/call", call: "too large", play: func(p *peer, _ message) {
			p.forever("id: 7\nevent: message\nretry: 1\n")
		}},
		{name: "empty events without end", over: "http", on: "tools/call", call: "timeout", play: func(p *peer, _ message) {
			p.forever("data\n\n:\n\n")
		}},
		{name: "redirects in a circle", over: "http", on: "tools/call", call: "transport failure|HTTP status", http: func(w http.ResponseWriter, r *http.Request, _ message) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusTemporaryRedirect)
		}},
		{name: "a redirect to nowhere", over: "http", on: "tools/call", call: "transport failure|HTTP status", http: func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Location", "gopher://\x1b[31m"+strings.Repeat("x", 10_000))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		{name: "a wait of a thousand years", over: "http", on: "tools/call", call: "timeout|transport failure", play: func(p *peer, _ message) {
			p.bytes("id: 1\nretry: 31536000000000\ndata:\n\n")
		}, resume: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		{name: "a stream that always breaks", over: "http", on: "tools/call", call: "timeout|transport failure", play: func(p *peer, _ message) {
			p.bytes("id: 1\nretry: 1\ndata:\n\n")
		}, resume: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "id: %d\nretry: 0\ndata:\n\n", time.Now().UnixNano())
		}},
		{name: "a long id of an event", over: "http", on: "tools/call", call: "timeout|transport failure|protocol|too large", play: func(p *peer, _ message) {
			p.bytes("id: " + strings.Repeat("i", 4<<20) + "\nretry: 1\ndata:\n\n")
		}, resume: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestHeaderFieldsTooLarge) }},
		{name: "a challenge without end", over: "http", on: "tools/call", call: "auth|HTTP status", http: func(w http.ResponseWriter, _ *http.Request, _ message) {
			for range 100 {
				w.Header().Add("WWW-Authenticate", `Bearer realm="`+strings.Repeat(`\"`, 900)+`", resource_metadata="http://127.0.0.1:1/`+strings.Repeat("x", 100)+`"`)
			}
			w.WriteHeader(http.StatusUnauthorized)
		}},
		{name: "a session that is always lost", over: "http", on: "tools/call", call: "session|HTTP status", http: func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.WriteHeader(http.StatusNotFound)
		}},
		{name: "a page", over: "http", on: "tools/call", call: "protocol|HTTP status|no MCP", http: func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<script>\x1b[31m" + strings.Repeat("x", 1<<20)))
		}},
	}
}

// socket answers with bytes of its own.
func socket(play func(out *bufio.Writer)) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, _ message) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = connection.Close() }()
		_ = connection.(*net.TCPConn).SetWriteBuffer(64 << 10)
		_ = connection.SetDeadline(time.Now().Add(time.Minute))
		out := bufio.NewWriter(connection)
		play(out)
		_ = out.Flush()
	}
}

func flood(out *bufio.Writer, text string) {
	for {
		if _, err := out.WriteString(text); err != nil {
			return
		}
	}
}

// compressed answers with what is small on the wire and without end in memory.
func compressed(contentType, prefix string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, _ *http.Request, _ message) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Encoding", "gzip")
		bomb(w, prefix)
	}
}

func bomb(w http.ResponseWriter, prefix string) {
	zip := gzip.NewWriter(w)
	_, _ = zip.Write([]byte(prefix))
	blanks := []byte(strings.Repeat(" ", 1<<20))
	for range 4 << 10 {
		if _, err := zip.Write(blanks); err != nil {
			return
		}
	}
}
