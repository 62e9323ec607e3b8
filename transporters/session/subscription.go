package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/messagequeue"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Subscription is an open stream of change notifications. It is safe for
// concurrent use.
//
// It outlives the connection: toward a modern server subscriptions/listen is
// sent again, under the same id, to a replacement or after the stream broke;
// toward a legacy one resources/subscribe is repeated in the new session (R067,
// R226). Notifications that were sent in between are lost: after every
// (re-)opening what was cached is stale (P63).
//
// One goroutine runs it and calls the handler, so notifications come in order
// and one at a time. Nobody waits for a handler; it may close the subscription,
// and make calls. Its panic is logged and told to the listeners of OnError, and
// ends that one call only.
type Subscription struct {
	session *Session
	id      uint64
	filter  mcp.SubscriptionFilter
	handler func(mcp.Message)

	ctx    context.Context
	cancel context.CancelCauseFunc
	opened chan struct{} // closed when the server first acknowledged
	done   chan struct{} // closed at the end

	mu           sync.Mutex
	acknowledged mcp.SubscriptionFilter
	openings     uint64
	isOpen       bool
	err          error
	queue        *messagequeue.Queue // legacy only
}

// errSubscriptionClosed is the cause of a Close by the caller.
var errSubscriptionClosed = errors.New("subscription closed")

// errEndedByServer is the cause of a clean end that came as a cancellation.
var errEndedByServer = errors.New("subscription ended by the server")

// Listen opens a subscription and returns once the server has acknowledged it.
// ctx bounds the opening, together with request_timeout; afterwards only its
// values are used. handler gets every notification of the subscription.
//
// The subscription ends with Close, with the session, when the server ends it
// (Wait returns nil), when the server refuses it, when the restart budget is
// spent, or with ErrDeliveryDropped when the handler falls behind by more than
// the link's bound: a notification is never dropped silently.
func (s *Session) Listen(ctx context.Context, filter mcp.SubscriptionFilter, handler func(mcp.Message)) (*Subscription, error) {
	if filter.IsZero() || handler == nil {
		return nil, s.failure(notSent(fmt.Errorf("%w: a subscription needs a filter that asks for something, and a handler", errors.ErrInvalidParams)), mcp.MethodListen, nil)
	}
	c := newCall(ctx, s, time.Now(), mcp.MethodListen, nil, nil)
	defer c.finish()
	if err := s.calls.enter(c); err != nil {
		return nil, s.failure(err, mcp.MethodListen, nil)
	}
	p, err := s.connected(c.ctx, nil)
	if err != nil {
		return nil, s.failure(c.explain(err), mcp.MethodListen, c)
	}
	sub := &Subscription{
		session: s,
		id:      s.ids.next(),
		filter:  filter.Clone(),
		handler: handler,
		opened:  make(chan struct{}),
		done:    make(chan struct{}),
		queue:   messagequeue.New(maxQueuedBytes),
	}
	inner, cancel := context.WithCancelCause(s.ctx)
	sub.ctx, sub.cancel = callContext{inner, context.WithoutCancel(ctx)}, cancel
	s.subscriptions.add(sub)
	go sub.run(p)
	c.Accepted() // from here on silence counts
	select {
	case <-sub.opened:
		return sub, nil
	case <-sub.done:
		return nil, s.failure(sub.Err(), mcp.MethodListen, nil)
	case <-c.ctx.Done():
		sub.cancel(context.Cause(c.ctx))
		return nil, s.failure(c.explain(context.Cause(c.ctx)), mcp.MethodListen, c)
	}
}

// ID is the subscription's id as it is written on the wire.
func (sub *Subscription) ID() string { return sub.session.wireID(sub.id) }

// Acknowledged is what the server said it will send, perhaps less than was
// asked for (R220).
func (sub *Subscription) Acknowledged() mcp.SubscriptionFilter {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return sub.acknowledged.Clone()
}

// Openings is how often the server has acknowledged the subscription: once at
// first, and once more for every time that it had to be opened again. Who keeps
// what notifications make stale compares it with what it was (P63).
func (sub *Subscription) Openings() uint64 {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return sub.openings
}

// Done is closed when the subscription has ended.
func (sub *Subscription) Done() <-chan struct{} { return sub.done }

// Err says why the subscription ended; nil before that and after a clean end.
// After Close it is an error that says so.
func (sub *Subscription) Err() error {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return sub.err
}

// Wait waits for the end of the subscription and returns Err, or for the end of
// ctx and returns its cause.
func (sub *Subscription) Wait(ctx context.Context) error {
	select {
	case <-sub.done:
		return sub.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends the subscription and tells the server (R224). It does not wait for
// a handler that is running; none is called afterwards. Idempotent; it always
// returns nil.
func (sub *Subscription) Close() error {
	sub.cancel(errSubscriptionClosed)
	return nil
}

// finish records the end.
func (sub *Subscription) finish(err error) {
	sub.session.subscriptions.remove(sub)
	if sub.ctx.Err() != nil {
		err = context.Cause(sub.ctx)
	}
	if errors.Is(err, errEndedByServer) {
		err = nil
	}
	sub.cancel(err)
	sub.mu.Lock()
	if err != nil {
		sub.err = sub.session.failure(err, mcp.MethodListen, nil)
	}
	sub.mu.Unlock()
	close(sub.done)
}

// acknowledge notes what the server agreed to, at each opening.
func (sub *Subscription) acknowledge(filter mcp.SubscriptionFilter) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.acknowledged = filter.Clone()
	sub.openings++
	if !sub.isOpen {
		sub.isOpen = true
		close(sub.opened)
	}
}

func (sub *Subscription) wasOpened() bool {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	return sub.isOpen
}

// deliver calls the handler, unless the subscription has ended meanwhile. A panic
// ends that one call: nobody else could catch it, and the program would end.
func (sub *Subscription) deliver(m mcp.Message) {
	if sub.ctx.Err() != nil {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			sub.session.panicked(value, debug.Stack())
		}
	}()
	sub.handler(m)
}

// run keeps the subscription open on one peer after the other. What lasts at
// least as long as the longest pause is no failure.
func (sub *Subscription) run(p *peer) {
	for failures := 0; ; failures++ {
		began := time.Now()
		var ended bool
		var err error
		if p.era.version().Era() == mcp.EraModern {
			ended, err = sub.listen(p)
		} else {
			ended, err = sub.subscribe(p)
		}
		if ended || sub.ctx.Err() != nil || !sub.wasOpened() {
			sub.finish(err)
			return
		}
		sub.session.log.Info("a subscription was interrupted", "server", sub.session.server, "error", err)
		if time.Since(began) >= maxRepeatPause {
			failures = 0
		}
		if p, err = sub.session.nextPeer(sub.ctx, p, failures); err != nil {
			sub.finish(err)
			return
		}
	}
}

// Accepted, Arrived and Deliver make the subscription the sink of its listen
// request.
func (sub *Subscription) Accepted() {}

// Arrived does nothing: a subscription has no deadline (P60).
func (sub *Subscription) Arrived() {}

// Deliver sorts the messages of the listen request: the acknowledgement comes
// first (R221).
func (sub *Subscription) Deliver(m mcp.Message) {
	if m.Kind() != mcp.KindNotification {
		return
	}
	if !sub.session.traits.HTTP { // else it went through inbound as well
		sub.session.seen(m)
		sub.session.noticed(m)
	}
	if m.Method != mcp.NotificationAcknowledged {
		sub.deliver(m)
		return
	}
	if params, err := mcp.ParseAcknowledgedParams(m.Params); err == nil {
		sub.acknowledge(params.Notifications)
		return
	}
	sub.acknowledge(mcp.SubscriptionFilter{})
}

// listen holds subscriptions/listen on a modern peer. ended is false if the
// stream broke off and may be opened again.
func (sub *Subscription) listen(p *peer) (ended bool, err error) {
	s := sub.session
	params, err := mcp.ParamsOf(mcp.ListenParams{Notifications: sub.filter})
	if err != nil {
		return true, err
	}
	out := &transporters.Outbound{
		Frame:      jsonrpc.AppendRequest(nil, sub.id, s.settings.IDType == IDTypeString, mcp.MethodListen, params, p.era.meta(), 0),
		ID:         sub.id,
		Method:     mcp.MethodListen,
		WantEvents: true,
	}
	if s.traits.HTTP {
		out.Header = p.era.header(mcp.MethodListen, "")
	}
	reply, err := p.link.Exchange(sub.ctx, out, sub)
	if err == nil && !reply.Message.IsZero() {
		s.seen(reply.Message)
	}
	switch {
	case err == nil && !reply.Message.IsZero() && reply.Message.Error == nil:
		return true, nil // R225: a clean end
	case err == nil && reply.Status >= 500 && reply.Message.IsZero():
		return false, statusFailure(reply)
	case err == nil && reply.Message.IsZero():
		return true, statusFailure(reply)
	case err == nil:
		return true, s.answeredError(reply)
	case errors.Is(err, errors.ErrDeliveryDropped):
		return true, err
	}
	if sub.ctx.Err() != nil && p.usable() && p.era.notifiesCancel(s.traits) {
		s.sendCancel(p, sub.ID(), "the subscription was closed")
	}
	return false, hideContextErrors(err)
}
