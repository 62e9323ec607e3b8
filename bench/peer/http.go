package peer

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// PathConnections is where GET tells how many connections were accepted so far,
// as a number in plain text. Workloads count with it what any client dials.
const PathConnections = "/connections"

// ServeHTTP serves HTTP/1.1 on listener until that is closed: a goroutine for
// each connection, one read and one write for an ordinary request. It is not
// net/http: there is no TLS, no HTTP/2, no timeout. The query of a request's URL
// gives its Options.
func ServeHTTP(listener net.Listener) error {
	s := &server{}
	for {
		accepted, err := listener.Accept()
		if err != nil {
			return err
		}
		s.connections.Add(1)
		go (&connection{server: s, Conn: accepted, in: bufio.NewReaderSize(accepted, 4096)}).serve()
	}
}

type server struct {
	payloads    payloads
	connections atomic.Int64
	sessions    atomic.Int64
}

type connection struct {
	net.Conn
	server  *server
	in      *bufio.Reader
	head    head
	target  string // that options were read from
	options Options

	body []byte // of the request
	json []byte // of the answer
	out  []byte // head of the response, and the body if it is small
}

func (c *connection) serve() {
	defer c.Close()
	for {
		if c.head.readHead(c.in) != nil {
			return
		}
		body, err := c.head.readBody(c.in, c.body)
		if err != nil {
			return
		}
		c.body = body
		if c.target != c.head.target {
			c.target = c.head.target
			_, query, _ := strings.Cut(c.target, "?")
			c.options = ParseOptions(query)
		}
		if !c.handle() || c.head.close {
			return
		}
	}
}

// handle answers one request and reports whether the connection can go on.
func (c *connection) handle() bool {
	switch c.head.method {
	case http.MethodPost:
		return c.post()
	case http.MethodGet:
		return c.get()
	case http.MethodDelete:
		return c.status(http.StatusOK)
	default:
		return c.status(http.StatusMethodNotAllowed)
	}
}

func (c *connection) get() bool {
	switch {
	case c.head.target == PathConnections:
		return c.respond(http.StatusOK, "text/plain", &reply{head: strconv.AppendInt(nil, c.server.connections.Load(), 10)})
	case !c.options.SilentStream || c.head.modern:
		return c.status(http.StatusMethodNotAllowed)
	}
	const silent = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
	if c.write([]byte(silent)) {
		_, _ = c.in.ReadByte() // until the client goes away
	}
	return false
}

func (c *connection) post() bool {
	request, err := parseRequest(c.body)
	if err != nil {
		return c.status(http.StatusBadRequest)
	}
	if c.head.modern && request.id != nil {
		request.modern = true
		if c.head.rpc != string(request.method) || c.head.rpc == "tools/call" && c.head.name != string(request.name) {
			mismatch := []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"Header mismatch"}}`)
			return c.respond(http.StatusBadRequest, "application/json", &reply{head: mismatch})
		}
	}
	answer := c.server.payloads.answer(&request, &c.options, c.json[:0])
	if answer.head == nil {
		return c.status(answer.status)
	}
	c.json = answer.head
	if c.options.Mode == ModeJSON || answer.status != http.StatusOK {
		return c.respond(answer.status, "application/json", &answer)
	}
	return c.stream(&answer)
}

// begin starts the head of a response.
func (c *connection) begin(status int, session bool) {
	c.out = append(c.out[:0], "HTTP/1.1 "...)
	c.out = strconv.AppendInt(c.out, int64(status), 10)
	c.out = append(c.out, ' ')
	c.out = append(c.out, http.StatusText(status)...)
	c.out = append(c.out, "\r\n"...)
	if session {
		c.out = fmt.Appendf(c.out, "Mcp-Session-Id: %032x\r\n", c.server.sessions.Add(1))
	}
}

func (c *connection) status(status int) bool {
	c.begin(status, false)
	c.out = append(c.out, "Content-Length: 0\r\n\r\n"...)
	return c.write(c.out)
}

func (c *connection) respond(status int, contentType string, answer *reply) bool {
	c.begin(status, answer.session)
	c.out = append(c.out, "Content-Type: "...)
	c.out = append(c.out, contentType...)
	c.out = append(c.out, "\r\nContent-Length: "...)
	c.out = strconv.AppendInt(c.out, int64(answer.size()), 10)
	c.out = append(c.out, "\r\n\r\n"...)
	c.out = append(c.out, answer.head...)
	return c.flush(answer.big, answer.tail)
}

// stream sends the answer as the last event of a stream, after its progress.
func (c *connection) stream(answer *reply) bool {
	const before, after, end = "event: message\ndata: ", "\n\n", "0\r\n\r\n"
	c.begin(http.StatusOK, answer.session)
	c.out = append(c.out, "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n"...)
	if !c.progress(answer, before, after) {
		return false
	}
	c.out = strconv.AppendInt(c.out, int64(len(before)+answer.size()+len(after)), 16)
	c.out = append(c.out, "\r\n"+before...)
	c.out = append(c.out, answer.head...)
	tail := answer.tail + after + "\r\n"
	if c.options.Mode == ModeStreamOneWrite {
		return c.flush(answer.big, tail+end)
	}
	if !c.flush(answer.big, tail) {
		return false
	}
	if c.options.Mode == ModeStreamLateEnd {
		time.Sleep(time.Millisecond)
	}
	return c.write([]byte(end))
}

// progress sends the notifications, many in one chunk.
func (c *connection) progress(answer *reply, before, after string) bool {
	const chunk = 32 << 10
	var events []byte
	for i := 1; i <= answer.progress; i++ {
		events = append(events, before...)
		events = append(appendProgress(events, answer.token, i, answer.progress), after...)
		if len(events) < chunk && i < answer.progress {
			continue
		}
		c.out = appendChunk(c.out, events)
		events = events[:0]
		if !c.write(c.out) {
			return false
		}
		c.out = c.out[:0]
	}
	return true
}

// flush writes the head and the rest: in one write if they are small, without
// copying if they are not.
func (c *connection) flush(big []byte, tail string) bool {
	const small = 16 << 10
	if len(big) <= small {
		c.out = append(append(c.out, big...), tail...)
		return c.write(c.out)
	}
	parts := net.Buffers{c.out, big, []byte(tail)}
	_, err := parts.WriteTo(c.Conn)
	return err == nil
}

func (c *connection) write(text []byte) bool {
	_, err := c.Conn.Write(text)
	return err == nil
}
