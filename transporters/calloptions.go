package transporters

import (
	"context"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// CallOptions are the options of one call. They travel in the call's context
// under one key; policies and the session read them from there. The zero value
// means: nothing special.
type CallOptions struct {
	// Principal names whom the call is for. Calls of different principals never
	// share a session. Empty is the client itself.
	Principal string
	// Token is a bearer token for HTTP servers, in place of the configured one.
	Token string
	// Header is added to the HTTP request, below the protocol's headers.
	Header http.Header
	// RequestTimeout, if not nil, replaces the configured idle timeout of this
	// call; 0 turns it off. One longer than the ceiling raises the ceiling.
	RequestTimeout *time.Duration
	// MaxRequestTimeout, if not nil, replaces the configured ceiling of this
	// call; 0 turns it off.
	MaxRequestTimeout *time.Duration
	// OnProgress receives this call's progress reports, under the rules of
	// EventFunc. Setting it asks the server for progress.
	OnProgress func(mcp.Progress)
	// HandOverInput returns an input-required result of a modern server to the
	// caller, who drives the rounds, instead of answering it through the
	// session's handlers.
	HandOverInput bool
	// Fresh asks the server although an answer is cached; what it answers is
	// cached in place of that.
	Fresh bool
	// Meta is added to the request's _meta; reserved keys are protected.
	Meta map[string]any
	// Trail notes what becomes of the call, for hooks; nil: nobody looks.
	Trail *Trail
}

type callOptionsKey struct{}

// CallOptionsOf returns the options of the call that ctx belongs to. The result
// is shared: it must not be changed.
func CallOptionsOf(ctx context.Context) *CallOptions {
	if options, ok := ctx.Value(callOptionsKey{}).(*CallOptions); ok {
		return options
	}
	return &noCallOptions
}

// noCallOptions is the zero value that contexts without options share; it is
// never written.
var noCallOptions CallOptions

// WithCallOptions returns a context whose options are a copy of ctx's, changed
// by the given function. Reference fields (Header, Meta) of the copy are shared
// with the original: the function replaces them, it does not write into them.
func WithCallOptions(ctx context.Context, change func(*CallOptions)) context.Context {
	options := *CallOptionsOf(ctx)
	change(&options)
	return context.WithValue(ctx, callOptionsKey{}, &options)
}
