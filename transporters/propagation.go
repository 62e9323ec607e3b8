package transporters

import (
	"context"
	"net/http"
)

type traceHeaderKey struct{}

// WithTraceHeader returns a context whose HTTP requests carry the header: the seam
// for traceparent and its like, which a HookAttemptStart sets for one attempt. It is
// no header of the call (CallOptions): it says nothing of whom the call is for, and
// a cached answer is the same with another one. It stands below everything else:
// what the configuration, the call or the protocol sets under the same name wins,
// and what is no valid header is left out. Over other transports it does nothing.
// The header must not be changed any more.
func WithTraceHeader(ctx context.Context, header http.Header) context.Context {
	return context.WithValue(ctx, traceHeaderKey{}, header)
}

// TraceHeaderOf returns what WithTraceHeader set, or nil. It is shared: it must not
// be changed.
func TraceHeaderOf(ctx context.Context) http.Header {
	header, _ := ctx.Value(traceHeaderKey{}).(http.Header)
	return header
}
