package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// maxLineBytes bounds one line of a client.
	maxLineBytes = 32 << 20
	// lastAnswers is how long requests may still run after the client closed
	// its end.
	lastAnswers = 500 * time.Millisecond
)

// ServeStdio serves one client that writes newline-delimited JSON to in and
// reads from out, many requests at once. It returns nil when in ends; requests
// that run then have half a second to answer, after which they are cancelled.
// It returns the cause of ctx when that ends, and the error when a line is longer
// than 32 MiB, or reading or writing fails. A Read that blocks when ctx ends
// stays behind until in ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	writer := &lineWriter{out: s.settings.stdio.faulty(out), failed: make(chan struct{})}
	c := s.connect(writer.send)
	ended := make(chan error, 1)
	go func() { ended <- readLines(in, c.receive) }()
	var err error
	select {
	case err = <-ended:
		c.endListens()
		c.awaitRequests(ctx, lastAnswers)
	case <-writer.failed:
		err = writer.failure()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-s.running.Done():
		err = errServerClosed
	}
	c.disconnect(errAbandoned)
	writer.close()
	return err
}

// readLines calls take with each line, which is the callee's to keep. It returns
// nil at the end.
func readLines(in io.Reader, take func(line []byte)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLineBytes)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			take(bytes.Clone(line))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading from client: %w", err)
	}
	return nil
}

// endListens ends the connection's subscriptions gracefully.
func (c *connection) endListens() {
	conversation := c.conversation
	conversation.mu.Lock()
	defer conversation.mu.Unlock()
	for _, r := range conversation.running {
		if r.message.Method == mcp.MethodListen {
			r.cancel(nil)
		}
	}
}

// awaitRequests waits for the requests that run, at most for the duration.
func (c *connection) awaitRequests(ctx context.Context, limit time.Duration) {
	done := make(chan struct{})
	go func() {
		c.requests.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lineWriter writes whole lines. After close nothing is written any more.
type lineWriter struct {
	out    io.Writer
	failed chan struct{}

	mu     sync.Mutex
	err    error
	closed bool
}

func (w *lineWriter) send(m mcp.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.err != nil {
		return
	}
	line := append(append(make([]byte, 0, len(m.Raw)+1), m.Raw...), '\n')
	if _, err := w.out.Write(line); err != nil {
		w.err = fmt.Errorf("writing to client: %w", err)
		close(w.failed)
	}
}

func (w *lineWriter) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *lineWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}
