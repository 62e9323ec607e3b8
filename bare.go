package mcpclient

import (
	"context"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// bareBase stands in for the base of an injected transporter that is none, such
// as a fake with nothing but Request.
type bareBase struct {
	transporters.Transporter
	server string
	closed atomic.Bool
}

// baseOf returns the transporter itself if it is a base.
func baseOf(transporter transporters.Transporter) transporters.Base {
	if base, ok := transporter.(transporters.Base); ok {
		return base
	}
	return &bareBase{Transporter: transporter}
}

// isNil reports whether there is no transporter to call.
func isNil(transporter transporters.Transporter) bool {
	function, isFunction := transporter.(transporters.TransporterFunc)
	return transporter == nil || isFunction && function == nil
}

// noTransporter stands in for one that was forgotten.
func noTransporter(server string) transporters.Transporter {
	return transporters.TransporterFunc(func(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, &errors.TransporterRequestError{
			Server: server, Action: action, Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent,
			Message: "the connection was made with a transporter that is nil", Err: errors.ErrNotSent,
		}
	})
}

// guard returns a transporter that refuses the calls of next after Close.
func (b *bareBase) guard(next transporters.Transporter) transporters.Transporter {
	return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
		if err := b.refuse(action); err != nil {
			return mcp.Result{}, err
		}
		return next.Request(ctx, action, params, onEvent)
	})
}

func (b *bareBase) refuse(action string) error {
	if !b.closed.Load() {
		return nil
	}
	return &errors.TransporterRequestError{
		Server: b.server, Action: action, Kind: errors.KindClosed, Delivery: errors.DeliveryNotSent, Err: errors.ErrTransportClosed,
	}
}

// ServerInfo returns nothing: there is no handshake.
func (b *bareBase) ServerInfo(context.Context) (transporters.ServerInfo, error) {
	return transporters.ServerInfo{}, b.refuse("")
}

// State is ready until Close.
func (b *bareBase) State() transporters.State {
	if b.closed.Load() {
		return transporters.StateClosed
	}
	return transporters.StateReady
}

// Stats knows nothing: the connection counts the calls.
func (b *bareBase) Stats() transporters.Stats { return transporters.Stats{} }

// Close refuses further calls. The transporter is its maker's to end.
func (b *bareBase) Close() error {
	b.closed.Store(true)
	return nil
}

// Shutdown is Close: nothing here knows how to wait for the transporter.
func (b *bareBase) Shutdown(context.Context) error { return b.Close() }
