package otel

import (
	"context"
	"maps"
	"net/http"

	"go.opentelemetry.io/otel/propagation"

	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// withMeta has the request's _meta carry the context of the call's span: all attempts
// of a call are one operation to the server. What the caller has put there wins, as
// a whole: a tracestate belongs to its traceparent.
func (h *Hook) withMeta(ctx context.Context, server string) context.Context {
	if !h.propagates(server) {
		return ctx
	}
	keys := [...]string{policy.MetaTraceparent, policy.MetaTracestate, policy.MetaBaggage}
	own := transporters.CallOptionsOf(ctx).Meta
	for _, key := range keys {
		if _, found := own[key]; found {
			return ctx
		}
	}
	carrier := propagation.MapCarrier{}
	h.settings.propagator.Inject(ctx, carrier)
	meta := make(map[string]any, len(own)+len(keys))
	maps.Copy(meta, own)
	for _, key := range keys {
		if value := carrier[key]; value != "" {
			meta[key] = value
		}
	}
	if len(meta) == len(own) {
		return ctx
	}
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Meta = meta })
}

// withHeader has the HTTP request of an attempt carry the context of the span that
// ctx has: the attempt's, else the call's.
func (h *Hook) withHeader(ctx context.Context, info *transporters.AttemptInfo) context.Context {
	if info.Connection.Transport == "stdio" || !h.propagates(info.Server) {
		return ctx
	}
	header := make(http.Header)
	h.settings.propagator.Inject(ctx, propagation.HeaderCarrier(header))
	if len(header) == 0 {
		return ctx
	}
	return transporters.WithTraceHeader(ctx, header)
}
