package mcpclient

import (
	"context"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Connection is a handle to one server: immutable, cheap, and safe to share
// between any number of goroutines. It is a transporters.Transporter. Calls that
// are made for different principals (WithPrincipal, WithToken) go over separate
// sessions.
//
// When Client.Apply changes the server's configuration, calls that begin after it
// follow; what runs finishes where it began.
type Connection struct {
	name string
	head transporters.Transporter
	base transporters.Base

	follower *follower // the head as well; nil if it is never replaced

	meter  transporters.Meter
	events events
}

var _ transporters.Transporter = (*Connection)(nil)

// NewConnection returns a connection that makes its calls through the
// transporter, without a client and a configuration. If it is a
// transporters.Base, ServerInfo, State, Stats, Close and Shutdown reach it.
// Every call of a connection whose transporter is nil fails, with an error that
// says so.
func NewConnection(name string, transporter transporters.Transporter) *Connection {
	if isNil(transporter) {
		transporter = noTransporter(name)
	}
	return newConnection(name, transporter, baseOf(transporter))
}

func newConnection(name string, head transporters.Transporter, base transporters.Base) *Connection {
	if bare, isBare := base.(*bareBase); isBare {
		bare.server = name
		head = bare.guard(head)
	}
	return &Connection{name: name, head: head, base: base}
}

// Name returns the server's configured name.
func (c *Connection) Name() string { return c.name }

// Request sends any action with any params; see transporters.Transporter. It is
// for what has no method of its own here. Its error, like that of every call, is
// or wraps a *errors.TransporterRequestError.
func (c *Connection) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (result mcp.Result, err error) {
	began := c.meter.Begin()
	defer func() { c.meter.End(began, action, err) }() // also where a callback panics
	result, err = c.head.Request(ctx, action, params, onEvent)
	if err != nil {
		return result, c.complete(action, err)
	}
	return result, nil
}

// ServerInfo returns what the server told of itself, after the handshake if it
// has not happened yet. A transporter that was injected and is no
// transporters.Base has nothing to tell.
func (c *Connection) ServerInfo(ctx context.Context) (transporters.ServerInfo, error) {
	return c.base.ServerInfo(ctx)
}

// Ping asks the server for a sign of life. A server of the modern era, which has
// no ping, is asked what it is instead.
func (c *Connection) Ping(ctx context.Context, options ...CallOption) error {
	_, err := c.call(ctx, mcp.MethodPing, nil, options)
	return err
}

// State says what the connection is doing now, without I/O. Of several
// principals the liveliest counts.
func (c *Connection) State() transporters.State { return c.base.State() }

// Stats returns counters, summed over all principals. Requests, failures and
// latency are those that callers see: of each call once, whatever policies made of
// it.
func (c *Connection) Stats() transporters.Stats { return c.meter.Measured(c.base.Stats()) }

// Close ends the connection, for everybody who holds it: running calls fail with
// ErrTransportClosed, and so does every later one. It waits, bounded, for what
// the connection started, never for callbacks, but that listeners of OnDrain have
// 3 seconds first. Further calls return when the first has settled; called from a
// listener it only begins, and returns at once.
func (c *Connection) Close() error {
	return unlessListener(func() error { return c.end(context.Background(), c.base.Close) })
}

// Shutdown lets running calls finish, refuses new ones, then closes. When ctx
// ends first, it closes at once and returns ctx's error. It must not be called
// from a callback.
func (c *Connection) Shutdown(ctx context.Context) error {
	return c.end(ctx, func() error { return c.base.Shutdown(ctx) })
}

// call makes a call with its options.
func (c *Connection) call(ctx context.Context, action string, params *mcp.Params, options []CallOption) (mcp.Result, error) {
	if len(options) == 0 {
		return c.Request(ctx, action, params, nil)
	}
	call := newCall(ctx)
	for _, option := range options {
		option(call)
	}
	if call.err != nil {
		return mcp.Result{}, c.invalid(action, call.err)
	}
	return c.Request(call.context(ctx), action, params, call.onEvent)
}

// complete makes the error of a call a *errors.TransporterRequestError, which
// one of an injected transporter or a wrapper need not be.
func (c *Connection) complete(action string, err error) error {
	if _, isComplete := errors.AsType[*errors.TransporterRequestError](err); isComplete {
		return err
	}
	failure := &errors.TransporterRequestError{Server: c.name, Action: action, Kind: errors.KindTransport, Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		failure.Kind = errors.KindCanceled
	case errors.Is(err, context.DeadlineExceeded):
		failure.Kind = errors.KindTimeout
	}
	return failure
}

// invalid is the error of a call that cannot be made.
func (c *Connection) invalid(action string, err error) error {
	return &errors.TransporterRequestError{
		Server: c.name, Action: action, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent, Err: err,
	}
}

// unusable is the error of an answer that is not what was asked for.
func (c *Connection) unusable(action string, err error) error {
	return &errors.TransporterRequestError{
		Server: c.name, Action: action, Kind: errors.KindProtocol, Delivery: errors.DeliveryAnswered, Err: err,
	}
}
