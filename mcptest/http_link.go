package mcptest

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// HTTPLink returns a new in-memory link that behaves like streamable HTTP
// without a network: the server checks headers, sessions and statuses as its
// Handler does.
func (s *Server) HTTPLink() transporters.Link {
	return &httpLink{server: s, done: make(chan struct{})}
}

// httpLink runs each POST on a goroutine that the server counts in.
type httpLink struct {
	server *Server
	done   chan struct{}

	mu  sync.Mutex
	in  func(transporters.Link, mcp.Message)
	err error
}

var (
	_ transporters.Link       = (*httpLink)(nil)
	_ transporters.Terminator = (*httpLink)(nil)
)

// Traits are those of HTTP.
func (l *httpLink) Traits() transporters.Traits { return HTTPTraits() }

// Start begins to receive.
func (l *httpLink) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.in != nil:
		return errors.New("in-memory HTTP link started twice")
	}
	l.in = in
	return nil
}

// Exchange posts the request and waits for its answer.
func (l *httpLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	in, err := l.receiver(ctx)
	if err != nil {
		return transporters.Reply{}, err
	}
	sink.Accepted()
	exchange := newInbound(out, sink)
	posting, stop := context.WithCancel(ctx)
	defer stop() // an exchange that ends closes its stream
	emit := l.server.emitting(func(m mcp.Message) {
		exchange.event(m)
		if m.Method != mcp.NotificationProgress || !belongs(m, out.Token) {
			in(l, m)
		}
	})
	frame := append([]byte(nil), out.Frame...)
	go func() {
		exchange.answer(replyOf(l.server.post(posting, out.Header.Clone(), frame, emit), out.ID))
	}()
	return exchange.wait(ctx, l.done, l.Err)
}

// Send posts a notification or a response.
func (l *httpLink) Send(ctx context.Context, out *transporters.Outbound) error {
	if _, err := l.receiver(ctx); err != nil {
		return err
	}
	frame := append([]byte(nil), out.Frame...)
	answer := l.server.post(ctx, out.Header.Clone(), frame, func(mcp.Message) {})
	if answer.status < http.StatusMultipleChoices {
		return nil
	}
	return &errors.TransporterRequestError{
		Kind: errors.KindStatus, Status: answer.status, Snippet: string(answer.body()),
	}
}

// Terminate ends the session that the header names. A server without sessions
// and one that forgot it are no errors (R102).
func (l *httpLink) Terminate(_ context.Context, header http.Header) error {
	l.server.deleteSession(header)
	return nil
}

// Done is closed when the link was closed.
func (l *httpLink) Done() <-chan struct{} { return l.done }

// Err says why the link ended, nil before.
func (l *httpLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends running exchanges with ErrTransportClosed.
func (l *httpLink) Close(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = errors.ErrTransportClosed
		close(l.done)
	}
	return nil
}

// receiver returns where inbound messages go, or why nothing can be sent.
func (l *httpLink) receiver(ctx context.Context) (func(transporters.Link, mcp.Message), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %w", errors.ErrNotSent, context.Cause(ctx))
	case l.err != nil:
		return nil, fmt.Errorf("%w: %w", errors.ErrNotSent, l.err)
	case l.in == nil:
		return nil, fmt.Errorf("%w: in-memory HTTP link is not started", errors.ErrNotSent)
	default:
		return l.in, nil
	}
}

// emitting drops what an HTTP server that answers in JSON only cannot send.
func (s *Server) emitting(emit func(mcp.Message)) func(mcp.Message) {
	if s.settings.answers != AnswersJSON {
		return emit
	}
	return func(m mcp.Message) {
		if isSubscribed(m) {
			emit(m)
		}
	}
}

// snippetBytes bounds the body of a reply without a message.
const snippetBytes = 4 << 10

// replyOf renders an HTTP answer as a link does: an error without an id belongs
// to the POST it answers (P20).
func replyOf(answer httpAnswer, id uint64) transporters.Reply {
	reply := transporters.Reply{Status: answer.status, Header: answer.header.Clone()}
	got, _ := answer.message.ID.Uint64()
	if !answer.message.IsZero() && (got == id || !isID(answer.message.ID)) {
		reply.Message = answer.message
		return reply
	}
	reply.Body = answer.body()
	if len(reply.Body) > snippetBytes {
		reply.Body = reply.Body[:snippetBytes]
	}
	return reply
}

func (a httpAnswer) body() []byte {
	if a.message.IsZero() {
		return []byte(a.text)
	}
	return a.message.Raw
}
