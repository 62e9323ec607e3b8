package otel

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A connection's span is made from what is known once it serves, by whoever needs it
// first: OnConnect, which comes on a goroutine of its own, or a call that has waited
// for the connection.

// maxConnections bounds what is remembered of connections. Nothing else makes them
// forgotten: a call that a connection ended may look for it afterwards.
const maxConnections = 4096

// connections remembers the spans of the newest connections. It is safe for
// concurrent use.
type connections struct {
	mu       sync.Mutex
	spans    *simplelru.LRU[connectionID, trace.SpanContext]
	numbered *simplelru.LRU[connectionNumber, trace.SpanContext]
}

// connectionNumber is enough to find the connection before one: its number is one
// less. Those of a pool share the numbers, so that there it may be a sibling's.
type connectionNumber struct {
	transporters.Source
	number uint64
}

// connectionID tells all connections apart.
type connectionID struct {
	connectionNumber
	at int64
}

func newConnections() *connections {
	spans, _ := simplelru.NewLRU[connectionID, trace.SpanContext](maxConnections, nil) // fails for a size of 0 only
	numbered, _ := simplelru.NewLRU[connectionNumber, trace.SpanContext](maxConnections, nil)
	return &connections{spans: spans, numbered: numbered}
}

// OnConnect counts the connection and makes its span.
func (h *Hook) OnConnect(source transporters.Source, connection transporters.ConnectInfo) {
	h.metrics.connects.Add(context.Background(), 1, metric.WithAttributes(
		keyServer.String(source.Server), keyReason.String(connection.Reason.String())))
	h.connectionSpan(source, connection)
}

// OnDisconnect measures how long the connection lived.
func (h *Hook) OnDisconnect(source transporters.Source, connection transporters.ConnectInfo, reason error) {
	attributes := append(connectionAttributes(connection), keyServer.String(source.Server))
	if reason != nil && !errors.Is(reason, errors.ErrTransportClosed) {
		attributes = append(attributes, keyErrorType.String(lossType(reason)))
	}
	h.metrics.session.Record(context.Background(), time.Since(connection.At).Seconds(), metric.WithAttributes(attributes...))
}

// lossType says why a connection ended.
func lossType(reason error) string {
	switch {
	case errors.Is(reason, errors.ErrSessionLost):
		return "session_lost"
	case errors.Is(reason, errors.ErrPeerLost):
		return "peer_lost"
	default:
		return errorType(reason)
	}
}

// connectionSpan returns the connection's span, which it makes if there is none.
func (h *Hook) connectionSpan(source transporters.Source, connection transporters.ConnectInfo) trace.SpanContext {
	h.live.mu.Lock()
	defer h.live.mu.Unlock()
	number := connectionNumber{source, connection.Number}
	id := connectionID{number, connection.At.UnixNano()}
	if found, ok := h.live.spans.Get(id); ok {
		return found
	}
	method := mcp.MethodInitialize
	if connection.Era == mcp.EraModern {
		method = mcp.MethodDiscover
	}
	attributes := append(connectionAttributes(connection), keyMethod.String(method), keyServer.String(source.Server),
		keyConnection.Int64(int64(connection.Number)), keyReason.String(connection.Reason.String()), keyEra.String(connection.Era.String()))
	if name := connection.Implementation.Name; name != "" {
		attributes = append(attributes, keyPeer.String(errors.PeerText(name+" "+connection.Implementation.Version, maxName)))
	}
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(connection.At.Add(-connection.Took)), trace.WithAttributes(attributes...)}
	before, ok := h.live.numbered.Get(connectionNumber{source, connection.Number - 1})
	if ok && connection.Reason != transporters.ConnectFirst {
		options = append(options, trace.WithLinks(trace.Link{
			SpanContext: before, Attributes: []attribute.KeyValue{keyReason.String(connection.Reason.String())}}))
	}
	_, span := h.tracer.Start(context.Background(), method, options...)
	span.End(trace.WithTimestamp(connection.At))
	h.live.spans.Add(id, span.SpanContext())
	h.live.numbered.Add(number, span.SpanContext())
	return span.SpanContext()
}
