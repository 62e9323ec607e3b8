package transporters

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dispatch"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Source says what an event is about: one base, which serves one principal.
type Source struct {
	// Server is the configured name.
	Server string `json:"server"`
	// Principal is whom the base serves; empty is the client itself.
	Principal string `json:"principal,omitempty"`
}

// StateChange is a step from one state to another one.
type StateChange struct {
	From State `json:"from"`
	To   State `json:"to"`
}

// Listeners are functions that are told what happens on one or several bases.
// They are added and taken away at any time, from anywhere, a listener included.
//
// All are called one at a time, in the order of what happened, on one goroutine
// that lives only while there is something to tell; never under a lock. Nobody
// waits for a listener, with two bounded exceptions: a base that is closed gives
// those of OnDrain up to 3 seconds before it ends, and a call that fails since
// its base has ended for good gives those of OnClose as long before it returns.
// Close called from a listener begins the closing and returns at once; Shutdown
// must not be called from one. A panic is logged and told to the listeners of
// OnError, and ends that one call only.
//
// Where nobody listens, nothing is done. Who writes a base announces what happens
// through Observers.
type Listeners struct {
	logger hclog.Logger
	queue  dispatch.Queue

	messages chain[func(Source, mcp.Message)]
	failures chain[func(Source, error)]
	states   chain[func(Source, StateChange)]
	drains   chain[func(Source)]
	closes   chain[func(Source, error)]

	dropped  atomic.Uint64 // messages, since it was last told
	detached atomic.Bool
}

// NewListeners returns an empty set. logger gets the panics; nil discards them.
func NewListeners(logger hclog.Logger) *Listeners {
	if logger == nil {
		logger = hclog.NewNullLogger()
	}
	l := &Listeners{logger: logger}
	l.queue.OnPanic = func(value any, stack []byte) { // of our own code: what listeners do is guarded
		l.logger.Error("telling listeners failed", "panic", value, "stack", string(stack))
	}
	return l
}

// OnMessage adds a listener that sees every message of the server, decoded and
// otherwise as it came: answers, progress, notifications and requests, those of
// the handshake included. It is made for looking at a conversation: while there
// is one, every call is followed more closely than it need be. If the listeners
// fall behind by more than 1,024 messages or 8 MiB, further ones are left out,
// which OnError tells.
func (l *Listeners) OnMessage(listener func(from Source, message mcp.Message)) *Handle {
	return l.messages.add(listener)
}

// OnError adds a listener that hears of what goes wrong without being the error
// of a call: a handshake that failed, a peer that died, a restart that failed,
// messages that are none, a listener that panicked; and, before OnClose, of what
// ended the base for good. The end of a base by Close is no error.
func (l *Listeners) OnError(listener func(from Source, err error)) *Handle {
	return l.failures.add(listener)
}

// OnState adds a listener that hears of every change of a base's state.
func (l *Listeners) OnState(listener func(from Source, change StateChange)) *Handle {
	return l.states.add(listener)
}

// OnDrain adds a listener that is called once for each base before it ends,
// whatever ends it, one that was never used included. Unless the base has ended
// by itself, it still works: the listener may make calls, for which it has 3
// seconds. Only then the state changes and running calls are cancelled.
func (l *Listeners) OnDrain(listener func(from Source)) *Handle {
	return l.drains.add(listener)
}

// OnClose adds a listener that is called once for each base that has ended, after
// its connection or process is gone: with ErrTransportClosed after Close, or with
// what ended it for good. It is the last that is told of a base.
func (l *Listeners) OnClose(listener func(from Source, reason error)) *Handle {
	return l.closes.add(listener)
}

// Detach ends the set: none of its listeners is called again, except for a call
// that is running, and the bases forget it.
func (l *Listeners) Detach() {
	l.detached.Store(true)
	l.queue.Close()
}

// message tells of a message.
func (l *Listeners) message(from Source, m mcp.Message) {
	if l.messages.isEmpty() {
		return
	}
	told := l.queue.Offer(len(m.Raw), func() {
		tell(l, from, "OnMessage", &l.messages, func(listener func(Source, mcp.Message)) { listener(from, m) })
	})
	if !told && !l.detached.Load() && l.dropped.Add(1) == 1 {
		l.queue.Post(func() { l.tellDropped(from) })
	}
}

func (l *Listeners) tellDropped(from Source) {
	l.tellError(from, fmt.Errorf("%w: the listeners of OnMessage are too far behind: %d messages were left out", errors.ErrDeliveryDropped, l.dropped.Swap(0)))
}

// failure tells of an error.
func (l *Listeners) failure(from Source, err error) {
	if !l.failures.isEmpty() {
		l.queue.Offer(0, func() { l.tellError(from, err) })
	}
}

func (l *Listeners) tellError(from Source, err error) {
	tell(l, from, "OnError", &l.failures, func(listener func(Source, error)) { listener(from, err) })
}

// state tells of a change.
func (l *Listeners) state(from Source, change StateChange) {
	if !l.states.isEmpty() {
		l.queue.Offer(0, func() {
			tell(l, from, "OnState", &l.states, func(listener func(Source, StateChange)) { listener(from, change) })
		})
	}
}

// drain tells that a base is about to end. The channel is closed when all
// listeners have returned; it is nil if there are none.
func (l *Listeners) drain(from Source) <-chan struct{} {
	if l.drains.isEmpty() {
		return nil
	}
	return l.queue.Post(func() {
		tell(l, from, "OnDrain", &l.drains, func(listener func(Source)) { listener(from) })
	})
}

// close tells that a base has ended; the channel is as that of drain.
func (l *Listeners) close(from Source, reason error) <-chan struct{} {
	if l.closes.isEmpty() {
		return nil
	}
	return l.queue.Post(func() {
		tell(l, from, "OnClose", &l.closes, func(listener func(Source, error)) { listener(from, reason) })
	})
}

// tell calls the listeners of one kind. The panic of one is reported and does not
// keep the others from being called.
func tell[F any](l *Listeners, from Source, kind string, listeners *chain[F], call func(F)) {
	if l.detached.Load() {
		return
	}
	for listener := range listeners.each() {
		value, stack := caught(func() { call(listener) })
		if value == nil {
			continue
		}
		l.logger.Error("a listener panicked", "server", from.Server, "listener", kind, "panic", value, "stack", string(stack))
		if kind != "OnError" {
			l.tellError(from, fmt.Errorf("mcp server %q: a listener of %s panicked: %v", from.Server, kind, value))
		}
	}
}

// caught runs f and returns its panic, if there was one.
func caught(f func()) (value any, stack []byte) {
	defer func() {
		if value = recover(); value != nil {
			stack = debug.Stack()
		}
	}()
	f()
	return nil, nil
}
