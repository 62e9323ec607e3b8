package stdiolink

import (
	"bytes"
	"fmt"
	"io"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/internal/redact"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// errLineTooLong: a line exceeds max_line_bytes.
var errLineTooLong = errors.New("line too long")

// read takes lines from the process until there are no more, and returns why.
func (l *Link) read() error {
	lines := newLineReader(collectingReader{l, l.child.Stdout()}, l.config.maxLineBytes())
	for {
		line, owned, err := lines.next()
		if len(line) > 0 && !l.takeReport(line) {
			l.handOverReports()
			l.cutOff = err != nil
			l.take(line, owned)
		}
		if err != nil {
			l.handOverReports()
			return err
		}
	}
}

// take routes one line. It is the reader's, unless owned is set.
func (l *Link) take(line []byte, owned bool) {
	// A byte order mark is no noise, wherever the server's output is put together.
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	first := jsonscan.SkipSpace(line, 0)
	if first == len(line) {
		return
	}
	if kind := line[first]; kind != '{' && kind != '[' {
		l.skip(line, hclog.Debug, "it is not JSON")
		return
	}
	m, err := jsonrpc.Scan(line)
	if err == nil {
		l.route(m, owned)
		return
	}
	if !owned {
		line = bytes.Clone(line)
	}
	if errors.Is(err, jsonscan.ErrUTF8) {
		line = l.repair(line)
		m, err = jsonrpc.Scan(line)
	}
	switch {
	case err == nil:
		l.route(m, true)
	case errors.Is(err, jsonrpc.ErrBatch):
		l.takeBatch(line)
	default:
		l.discard(line, err)
	}
}

// repair replaces what is not UTF-8, as JSON decoders do. Some servers pass on
// text in an old encoding; the rest of what they send is sound.
func (l *Link) repair(line []byte) []byte {
	l.complain(line, hclog.Warn, "a message is not valid UTF-8: the bad bytes are replaced")
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}

// errBatch: a batch came from a server that must not send any.
var errBatch = errors.New("it is a batch, which only servers of 2025-03-26 may send")

// takeBatch routes the messages of an array.
func (l *Link) takeBatch(line []byte) {
	if !l.batches.Load() {
		l.discard(line, errBatch)
		return
	}
	messages, err := jsonrpc.ScanBatch(line)
	if errors.Is(err, jsonscan.ErrUTF8) {
		line = l.repair(line)
		messages, err = jsonrpc.ScanBatch(line)
	}
	for _, m := range messages {
		l.route(m, true)
	}
	if err != nil {
		l.discard(line, err)
	}
}

// route hands a message to the exchange it belongs to, or to the function given
// to Start. Unless it owns its bytes it is copied, if anybody gets it.
func (l *Link) route(m mcp.Message, owned bool) {
	l.heard.Store(true)
	if m.Kind() == mcp.KindNotification {
		if l.routeEvent(m, owned) {
			return
		}
	}
	if !owned {
		m = jsonrpc.Move(m, m.Raw, bytes.Clone(m.Raw))
	}
	if m.Error != nil {
		m = l.hideSecrets(m)
	}
	if m.Kind() == mcp.KindResponse && l.routeAnswer(m) {
		return
	}
	select {
	case <-l.done: // nobody shall hear of a link that has ended
	default:
		l.receive(l, m)
	}
}

func (l *Link) routeAnswer(m mcp.Message) bool {
	e := l.takeFor(m)
	if e == nil {
		return false
	}
	e.succeed(m)
	return true
}

// takeFor finds the exchange that an answer is for. A number echoed as a string
// counts as that number (P19).
func (l *Link) takeFor(m mcp.Message) *exchange {
	if m.Error != nil && (m.ID.IsZero() || m.ID.IsNull()) {
		return l.pending.takeAnonymous()
	}
	if id, ok := m.ID.Uint64(); ok {
		return l.pending.take(id)
	}
	return nil
}

// hideSecrets keeps a server that repeats its environment or its arguments in an
// error from bringing them into errors and logs.
func (l *Link) hideSecrets(m mcp.Message) mcp.Message {
	hidden := l.secrets.JSON(m.Raw)
	if &hidden[0] == &m.Raw[0] {
		return m
	}
	if rewritten, err := jsonrpc.Scan(hidden); err == nil {
		return rewritten
	}
	m.Raw, m.Error = hidden, []byte(`{"message":"`+redact.Mask+`"}`)
	return m
}

// routeEvent hands over progress by its token, and what belongs to a
// subscription by the id of the request that opened it (R063, R222).
func (l *Link) routeEvent(m mcp.Message, owned bool) bool {
	if m.Method == mcp.NotificationProgress {
		token, found := jsonrpc.ProgressToken(m.Params)
		number, ok := token.Uint64()
		if !found || !ok {
			return false
		}
		e := l.pending.withToken(number)
		if e == nil {
			return false
		}
		l.queue(e, m, owned)
		return true
	}
	subscription, found := jsonrpc.SubscriptionID(m.Params)
	number, ok := subscription.Uint64()
	if !found || !ok {
		return false
	}
	e := l.pending.withID(number)
	if e == nil || !e.wantEvents {
		return false
	}
	l.queue(e, m, owned)
	return true
}

// queue puts an event before an exchange, or fails the exchange if it has too
// many waiting.
func (l *Link) queue(e *exchange, m mcp.Message, owned bool) {
	e.sink.Arrived()
	if !e.wantEvents {
		return
	}
	if !owned {
		m = jsonrpc.Move(m, m.Raw, l.copies.Copy(m.Raw))
	}
	if !e.events.Push(m) {
		l.overflow(e)
	}
}

// overflow fails an exchange whose callback is too far behind.
func (l *Link) overflow(e *exchange) {
	if l.pending.remove(e) {
		e.fail(fmt.Errorf("%w: more than %d bytes of events wait for the callback", errors.ErrDeliveryDropped, e.events.Limit()))
	}
}

// readFailure says why reading ended.
func readFailure(err error, limit int) error {
	switch {
	case errors.Is(err, errLineTooLong):
		return fmt.Errorf("%w: a line has more than max_line_bytes (%d)", errors.ErrMessageTooLarge, limit)
	case errors.Is(err, io.EOF):
		return errStdoutEnded
	default:
		return fmt.Errorf("reading from the process failed: %w", err)
	}
}
