package transporters

import (
	"context"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// EventFunc receives every decoded message that belongs to a request, in the
// order of arrival: notifications, progress, rounds, and last the answer or the
// error answer itself, the same over HTTP JSON, HTTP event streams and stdio.
//
// It runs in the goroutine that called Request, never after Request returned
// and never under a lock, so it may call anything, Request included.
type EventFunc func(message mcp.Message)

// Transporter carries requests to one MCP server.
//
// Implementations are safe for concurrent use by many goroutines.
type Transporter interface {
	// Request sends the action (a method such as "tools/call") with its params
	// and returns the result.
	//
	// params is nil or anything that encodes to a JSON object; see
	// mcp.ParamsOf. onEvent may be nil. Every error is, or wraps, a
	// *errors.TransporterRequestError; it satisfies errors.Is with
	// context.Canceled or context.DeadlineExceeded only if ctx itself ended.
	// A tool result with isError set is a result, not an error.
	Request(ctx context.Context, action string, params any, onEvent EventFunc) (mcp.Result, error)
}

// TransporterFunc makes a Transporter of a function, which is all that a fake
// in a test needs.
type TransporterFunc func(ctx context.Context, action string, params any, onEvent EventFunc) (mcp.Result, error)

// Request calls f.
func (f TransporterFunc) Request(ctx context.Context, action string, params any, onEvent EventFunc) (mcp.Result, error) {
	return f(ctx, action, params, onEvent)
}

// Wrapper adds a policy to a Transporter.
type Wrapper func(next Transporter) Transporter

// Chain wraps last in the wrappers, the first one outermost.
func Chain(last Transporter, wrappers ...Wrapper) Transporter {
	for i := len(wrappers) - 1; i >= 0; i-- {
		last = wrappers[i](last)
	}
	return last
}
