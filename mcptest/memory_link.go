package mcptest

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Link returns a new in-memory link to the server: one conversation that behaves
// like a process over stdio, without the process. It is single-use, as a link
// to a process is; Server.Kill ends it as the process's death does.
func (s *Server) Link() transporters.Link {
	return &memoryLink{
		server: s, pending: map[uint64]*inbound{}, tokens: map[uint64]*inbound{},
		wake: make(chan struct{}, 1), done: make(chan struct{}), readerDone: make(chan struct{}),
	}
}

// killable is an in-memory link, which Server.Kill ends.
type killable interface{ kill(err error) }

// memoryLink is the client's end. The server puts messages into the inbox; one
// goroutine, the link's reader, takes them out and routes them.
type memoryLink struct {
	server     *Server
	wake       chan struct{} // one token: the inbox has something
	done       chan struct{}
	readerDone chan struct{}
	handing    sync.Mutex // keeps frames in order; taken before mu

	mu         sync.Mutex
	connection *connection // nil before Start
	in         func(transporters.Link, mcp.Message)
	inbox      []mcp.Message
	pending    map[uint64]*inbound
	tokens     map[uint64]*inbound
	err        error
}

var _ transporters.Link = (*memoryLink)(nil)

// Traits are those of stdio, under the name memory.
func (l *memoryLink) Traits() transporters.Traits {
	return transporters.Traits{Name: "memory", SilenceIsEvidence: true}
}

// Start begins the conversation.
func (l *memoryLink) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.connection != nil:
		return errors.New("in-memory link started twice")
	case !l.server.attach(l):
		return fmt.Errorf("%w: %w", errors.ErrStartFailed, errServerClosed)
	}
	l.in = in
	l.connection = l.server.connect(l.deliver)
	go l.read()
	return nil
}

// deliver is called by the server, in order. After the end nothing arrives: what
// handlers say about having been cancelled is not heard any more.
func (l *memoryLink) deliver(m mcp.Message) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.inbox = append(l.inbox, m)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *memoryLink) read() {
	defer l.server.serving.Done()
	defer close(l.readerDone)
	for {
		select {
		case <-l.wake:
		case <-l.done:
			return
		}
		l.mu.Lock()
		messages := l.inbox
		l.inbox = nil
		l.mu.Unlock()
		for _, m := range messages {
			l.route(m)
		}
	}
}

func (l *memoryLink) route(m mcp.Message) {
	l.mu.Lock()
	owner := l.ownerOf(m)
	l.mu.Unlock()
	switch {
	case owner == nil:
		l.in(l, m)
	case m.Kind() == mcp.KindResponse:
		owner.answer(transporters.Reply{Message: m})
	default:
		owner.event(m)
	}
}

// ownerOf finds the exchange a message belongs to: by id, by progress token or
// by subscription.
func (l *memoryLink) ownerOf(m mcp.Message) *inbound {
	if m.Kind() == mcp.KindResponse {
		id, _ := m.ID.Uint64()
		owner := l.pending[id]
		delete(l.pending, id)
		return owner
	}
	if m.Kind() != mcp.KindNotification {
		return nil
	}
	if m.Method == mcp.NotificationProgress {
		token, _ := jsonrpc.ProgressToken(m.Params)
		n, _ := token.Uint64()
		return l.tokens[n]
	}
	subscription, _ := jsonrpc.SubscriptionID(m.Params)
	id, _ := subscription.Uint64()
	return l.pending[id]
}

// Exchange hands the request to the server and waits for its answer.
func (l *memoryLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if ctx.Err() != nil {
		return transporters.Reply{}, fmt.Errorf("%w: %w", errors.ErrNotSent, context.Cause(ctx))
	}
	exchange := newInbound(out, sink)
	if err := l.hand(out, exchange); err != nil {
		return transporters.Reply{}, err
	}
	defer l.forget(out)
	return exchange.wait(ctx, l.done, l.Err)
}

// Send hands a notification or a response to the server.
func (l *memoryLink) Send(ctx context.Context, out *transporters.Outbound) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", errors.ErrNotSent, context.Cause(ctx))
	}
	return l.hand(out, nil)
}

// hand gives the frame to the server, one after the other. The server's way back
// is the inbox, so that it never meets this lock.
func (l *memoryLink) hand(out *transporters.Outbound, exchange *inbound) error {
	l.handing.Lock()
	defer l.handing.Unlock()
	connection, err := l.expect(out, exchange)
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrNotSent, err)
	}
	if exchange != nil {
		exchange.sink.Accepted()
	}
	connection.receive(append([]byte(nil), out.Frame...))
	return nil
}

// expect registers the exchange, if there is one.
func (l *memoryLink) expect(out *transporters.Outbound, exchange *inbound) (*connection, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return nil, l.err
	case l.connection == nil:
		return nil, errors.New("in-memory link is not started")
	case exchange == nil:
		return l.connection, nil
	}
	l.pending[out.ID] = exchange
	if out.Token != 0 {
		l.tokens[out.Token] = exchange
	}
	return l.connection, nil
}

func (l *memoryLink) forget(out *transporters.Outbound) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pending, out.ID)
	delete(l.tokens, out.Token)
}

// Done is closed when the link has ended.
func (l *memoryLink) Done() <-chan struct{} { return l.done }

// Err says why the link ended, nil before.
func (l *memoryLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends the conversation: what runs in the server is cancelled. It waits
// for the link's reader, not for handlers.
func (l *memoryLink) Close(ctx context.Context) error {
	l.end(errors.ErrTransportClosed)
	l.mu.Lock()
	started := l.connection != nil
	l.mu.Unlock()
	if !started {
		return nil
	}
	select {
	case <-l.readerDone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *memoryLink) kill(err error) {
	if err == nil {
		l.end(errors.ErrPeerLost)
		return
	}
	l.end(fmt.Errorf("%w: %w", errors.ErrPeerLost, err))
}

func (l *memoryLink) end(err error) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.err = err
	close(l.done)
	connection := l.connection
	l.mu.Unlock()
	if connection != nil {
		connection.disconnect(err)
		l.server.detach(l)
	}
}

// attach makes Kill reach the link, and counts its reader in.
func (s *Server) attach(link killable) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.serving.Add(1)
	s.links[link] = struct{}{}
	return true
}

func (s *Server) detach(link killable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.links, link)
}
