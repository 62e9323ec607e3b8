package session

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/dispatch"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// OnMessage adds a listener for messages; see transporters.Listeners.
func (s *Session) OnMessage(listener func(from transporters.Source, message mcp.Message)) *transporters.Handle {
	return s.Listeners().OnMessage(listener)
}

// OnError adds a listener for errors; see transporters.Listeners.
func (s *Session) OnError(listener func(from transporters.Source, err error)) *transporters.Handle {
	return s.Listeners().OnError(listener)
}

// OnState adds a listener for changes of the state; see transporters.Listeners.
func (s *Session) OnState(listener func(from transporters.Source, change transporters.StateChange)) *transporters.Handle {
	return s.Listeners().OnState(listener)
}

// OnDrain adds a listener for the beginning of the end; see
// transporters.Listeners.
func (s *Session) OnDrain(listener func(from transporters.Source)) *transporters.Handle {
	return s.Listeners().OnDrain(listener)
}

// OnClose adds a listener for the end; see transporters.Listeners.
func (s *Session) OnClose(listener func(from transporters.Source, reason error)) *transporters.Handle {
	return s.Listeners().OnClose(listener)
}

// Observe tells the listeners what happens on this session from now on.
func (s *Session) Observe(listeners *transporters.Listeners) {
	s.observers.Observe(listeners)
	s.watchLink()
}

// Listeners returns the session's own listeners.
func (s *Session) Listeners() *transporters.Listeners {
	s.own.Do(func() {
		s.ownListeners = transporters.NewListeners(s.log)
		s.Observe(s.ownListeners)
	})
	return s.ownListeners
}

// WithHooks sets what is told of attempts, connections, states, notifications and
// errors. (Hooks for requests are called where the request is made: see
// policy.Hooks.)
func WithHooks(hooks *transporters.Hooks) Option {
	return func(s *Session) { s.hooks = hooks }
}

// seen shows a message of the server to those who listen, and reports whether there
// are any. It may run in a link's reader.
func (s *Session) seen(m mcp.Message) bool {
	if !s.observers.WantMessages() {
		return false
	}
	s.observers.TellMessage(s.source, m)
	return true
}

// noticed shows a notification that belongs to no request to the hooks.
func (s *Session) noticed(m mcp.Message) {
	if s.hooks.WantNotifications() {
		s.notifications.Offer(len(m.Raw), func() { s.hooks.Notification(s.source, m) })
	}
}

// report tells of an error that is nobody's.
func (s *Session) report(err error) {
	s.observers.TellError(s.source, err)
	if s.hooks.WantErrors() {
		s.notifications.Offer(0, func() { s.hooks.Error(s.source, err) })
	}
}

// fault is report for an error that comes from a link.
func (s *Session) fault(err error) {
	if s.ctx.Err() == nil && err != nil {
		s.report(s.failure(err, "", nil))
	}
}

// panicked tells of a callback on the session's queue that panicked.
func (s *Session) panicked(value any, stack []byte) {
	s.log.Error("a callback panicked", "server", s.server, "panic", value, "stack", string(stack))
	s.observers.TellError(s.source, fmt.Errorf("mcp server %q: a callback panicked: %v", s.server, value))
}

// states notices changes of the state.
type states struct {
	mu   sync.Mutex
	last transporters.State
}

// changed is called after everything that may have changed the state, with no
// lock held. Whoever waits looks for himself; listeners and hooks are told of each
// step that is noticed, in order.
func (s *Session) changed() {
	s.changes.announce()
	s.states.mu.Lock()
	defer s.states.mu.Unlock()
	change := transporters.StateChange{From: s.states.last, To: s.State()}
	if change.From == change.To {
		return
	}
	s.states.last = change.To
	s.observers.TellState(s.source, change)
	if !s.hooks.WantStates() {
		return
	}
	tell := func() { s.hooks.StateChange(s.source, change) }
	if change.To == transporters.StateClosed {
		s.notifications.Post(tell) // offers are no longer taken
		return
	}
	s.notifications.Offer(0, tell)
}

// announceConnection tells the hooks of a connection, once it serves.
func (s *Session) announceConnection(p *peer) {
	if s.hooks.WantConnections() {
		s.watchLink()
		p.announced.Store(s.notifications.Offer(0, func() { s.hooks.Connect(s.source, p.connection) }))
	}
}

// disconnected tells the hooks that a connection has ended; p may be nil.
func (s *Session) disconnected(p *peer, reason error) {
	if p != nil && p.announced.CompareAndSwap(true, false) {
		s.notifications.Post(func() { s.hooks.Disconnect(s.source, p.connection, reason) })
	}
}

// connectionClosed is what a reconnecting link calls when a connection has ended.
func (s *Session) connectionClosed(cause error) {
	if s.ctx.Err() == nil {
		if p := s.current.Load(); p != nil && spent(p.link) {
			s.disconnected(p, s.failure(cause, "", nil))
		}
		if !spent(s.link) {
			s.fault(cause)
		}
	}
	s.changed()
	s.linkEnded()
}

// awaitClosed lets the listeners of OnClose hear of an end for good before the
// call that met it returns.
func (s *Session) awaitClosed(ctx context.Context) {
	if !spent(s.link) || s.ctx.Err() != nil {
		return
	}
	s.linkEnded()
	if !dispatch.IsListener() {
		s.observers.AwaitClose(ctx)
	}
}
