package mcpclient

import (
	"context"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dispatch"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Source says what an event is about. See transporters.Source.
type Source = transporters.Source

// StateChange is a step from one state to another one. See
// transporters.StateChange.
type StateChange = transporters.StateChange

// Handle is the place of a listener, which Dispose takes away. See
// transporters.Handle.
type Handle = transporters.Handle

// OnMessage adds a listener that sees every message of the server. It is made for
// looking at a conversation; see transporters.Listeners for what it costs and for
// the rules that all listeners have in common: they are called one at a time, in
// order, on a goroutine that nobody waits for, so that they may do anything.
//
// A connection that serves several principals tells of each by itself; source
// says of which.
func (c *Connection) OnMessage(listener func(source Source, message mcp.Message)) *Handle {
	return c.Listeners().OnMessage(listener)
}

// OnError adds a listener that hears of what goes wrong without being the error of
// a call: a process that died, a handshake or a restart that failed, what ended
// the connection for good.
func (c *Connection) OnError(listener func(source Source, err error)) *Handle {
	return c.Listeners().OnError(listener)
}

// OnState adds a listener that hears of every change of the state.
func (c *Connection) OnState(listener func(source Source, change StateChange)) *Handle {
	return c.Listeners().OnState(listener)
}

// OnDrain adds a listener that is called once before the connection ends: for each
// principal that is connected, or where none is, once. It has 3 seconds in which
// the connection still works.
func (c *Connection) OnDrain(listener func(source Source)) *Handle {
	return c.Listeners().OnDrain(listener)
}

// OnClose adds a listener that is called once after the connection has ended, as
// OnDrain is before: by Close and Shutdown (ErrTransportClosed), or since its
// restart budget is spent (ErrSupervisionExhausted). What serves one principal
// ends also when it gives way to others; then, unlike after Close, State is not
// closed.
func (c *Connection) OnClose(listener func(source Source, reason error)) *Handle {
	return c.Listeners().OnClose(listener)
}

// Listeners returns the connection's listeners, of all who hold it.
func (c *Connection) Listeners() *transporters.Listeners {
	e := &c.events
	e.once.Do(func() {
		if own, ok := c.base.(interface {
			Listeners() *transporters.Listeners
		}); ok {
			e.listeners = own.Listeners()
			return
		}
		e.listeners = transporters.NewListeners(nil)
		if observable, ok := c.base.(transporters.Observable); ok {
			observable.Observe(e.listeners)
			return
		}
		e.observers.Observe(e.listeners)
	})
	return e.listeners
}

// events are what a connection tells.
type events struct {
	once      sync.Once // makes the next
	listeners *transporters.Listeners
	observers transporters.Observers // for a base that tells nothing itself
}

// Start begins to connect and returns at once, so that the first call need not
// wait for the handshake, or a process to start. ctx names the principal and its
// credentials, as for a call; it bounds nothing. What comes of it State, OnState
// and OnError tell. A connection that is ready, or connecting, and a transporter
// that was injected and cannot be started, are left alone. The error says that
// nothing was begun: the connection is closed, or has failed to start a moment ago
// (connect_backoff).
func (c *Connection) Start(ctx context.Context) error {
	switch starting := c.base.(type) {
	case interface{ Start(context.Context) error }:
		return starting.Start(ctx)
	case transporters.Starter:
		return starting.Start()
	default:
		return nil
	}
}

// Abort ends the running request that has this id on the wire: its caller gets an
// error that wraps ErrAborted, and the server is told as of any request that is
// given up. Others do not notice. An id that is not known, or was answered, does
// nothing. Hooks are told the ids (transporters.AttemptInfo). Most often the
// cancellation of the call's own context is what is wanted instead.
func (c *Connection) Abort(id mcp.ID) {
	if aborting, ok := c.base.(transporters.RequestAborter); ok {
		aborting.Abort(id)
	}
}

// end ends the base, and tells the listeners of it where it does not itself.
func (c *Connection) end(ctx context.Context, end func() error) error {
	if _, tells := c.base.(transporters.Observable); tells {
		return end()
	}
	source := Source{Server: c.name}
	c.events.observers.TellDrain(ctx, source)
	err := end()
	c.events.observers.TellClose(source, &errors.TransporterRequestError{Server: c.name, Kind: errors.KindClosed, Err: errors.ErrTransportClosed})
	return err
}

// unlessListener ends something, in the background if it is called from a
// listener, which nothing may wait for.
func unlessListener(end func() error) error {
	if dispatch.IsListener() {
		go func() { _ = end() }() // bounded, as Close is
		return nil
	}
	return end()
}
