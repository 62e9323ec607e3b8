package otel_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient/contrib/otel"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	eventuallyLimit = 20 * time.Second
	eventuallyPause = 5 * time.Millisecond
)

// linked returns the reasons of the links from one span to another.
func linked(from tracetest.SpanStub, to tracetest.SpanStub) []string {
	var reasons []string
	for _, link := range from.Links {
		if link.SpanContext.SpanID() == to.SpanContext.SpanID() {
			reasons = append(reasons, plain(link.Attributes)["mcpclient.reason"].(string))
		}
	}
	return reasons
}

// TestSpansOfRetries: one of the call, below it one of each attempt, each linked to
// the one before; what is sent is below the attempt over HTTP, below the call in
// _meta.
func TestSpansOfRetries(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.ModernOnly())
	var calls atomic.Int64
	var headers []string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Mcp-Method") == "tools/list" {
			headers = append(headers, request.Header.Get("Traceparent"))
			if calls.Add(1) < 3 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
		server.Handler().ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(front.Close)
	r := newRecorder()
	_, demo := connect(t, r, map[string]any{"type": "http", "base_url": front.URL, "retry": map[string]any{
		"attempts": 4, "initial_backoff": "1ms", "max_backoff": "1ms",
	}})
	ctx, _ := caller(r)
	_, err := demo.Request(ctx, "tools/list", nil, nil)
	require.NoError(t, err)

	call := r.one(t, "tools/list")
	assert.Equal(t, codes.Unset, call.Status.Code, "it has its answer")
	assert.Equal(t, int64(3), plain(call.Attributes)["mcpclient.attempts"])
	attempts := r.named("attempt tools/list")
	require.Len(t, attempts, 3)
	for i, attempt := range attempts {
		got := plain(attempt.Attributes)
		assert.Equal(t, trace.SpanKindInternal, attempt.SpanKind)
		assert.Equal(t, call.SpanContext.SpanID(), attempt.Parent.SpanID())
		assert.Equal(t, int64(i+1), got["mcpclient.attempt"])
		assert.NotEmpty(t, got["jsonrpc.request.id"])
		assert.False(t, attempt.StartTime.Before(call.StartTime))
		assert.False(t, attempt.EndTime.Before(attempt.StartTime))
		if i < 2 {
			assert.Equal(t, "503", got["error.type"])
			assert.Equal(t, codes.Error, attempt.Status.Code)
			assert.Equal(t, int64(503), got["http.response.status_code"])
		}
		if i > 0 {
			assert.Equal(t, []string{"retry"}, linked(attempt, attempts[i-1]))
			assert.Contains(t, headers[i], attempt.SpanContext.SpanID().String())
		}
	}
	assert.Contains(t, headers[0], call.SpanContext.SpanID().String(), "the first attempt has no span yet")
	var received mcptest.Received
	for _, one := range server.Received() {
		if one.Method == "tools/list" {
			received = one
		}
	}
	assert.Contains(t, string(received.Params), call.SpanContext.SpanID().String())
	assert.Equal(t, map[string]int64{"first": 1, "retry": 2}, sums(t, r.metrics(t)["mcpclient.attempts"]))
}

// TestSpansOfALostSession: the second attempt is linked to the new connection, and
// that one to the connection that was lost.
func TestSpansOfALostSession(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	r := newRecorder()
	_, demo := connect(t, r, map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)})
	_, err := demo.CallTool(t.Context(), "add", map[string]int{"a": 1, "b": 2})
	require.NoError(t, err)
	server.ForgetSessions()
	_, err = demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)

	attempts := r.named("attempt tools/call")
	require.Len(t, attempts, 2)
	handshakes := r.named("initialize")
	require.Len(t, handshakes, 2)
	assert.Equal(t, []string{"session recovered"}, linked(attempts[1], attempts[0]))
	assert.Equal(t, []string{"connect: session lost"}, linked(attempts[1], handshakes[1]))
	assert.Equal(t, []string{"session lost"}, linked(handshakes[1], handshakes[0]))
	assert.Equal(t, []string{"connect: session lost"}, linked(r.one(t, "tools/call echo"), handshakes[1]))
	assert.Equal(t, map[string]int64{"first": 1, "session lost": 1}, eventually(t, r, "mcpclient.connections", 2))
	for _, span := range r.spans.GetSpans() {
		assert.NotContains(t, plain(span.Attributes), "mcp.session.id", "who knows it can take the session over")
	}
	points := histogram(t, r.metrics(t)["mcp.client.session.duration"])
	require.Len(t, points, 1)
	assert.Equal(t, "session_lost", plain(points[0].Attributes.ToSlice())["error.type"])
}

// eventually waits until so many were counted: connections are told of by a goroutine
// that nobody waits for.
func eventually(t *testing.T, r *recorder, name string, total int64) map[string]int64 {
	t.Helper()
	var found map[string]int64
	require.Eventually(t, func() bool {
		m, ok := r.metrics(t)[name]
		if !ok {
			return false
		}
		found = sums(t, m)
		sum := int64(0)
		for _, n := range found {
			sum += n
		}
		return sum >= total
	}, eventuallyLimit, eventuallyPause)
	return found
}

// TestSpansOfARestart of a process that dies of a call.
func TestSpansOfARestart(t *testing.T) {
	r := newRecorder()
	section := process(t)
	section["supervision"] = map[string]any{"restart_delay": "1ms"}
	_, demo := connect(t, r, section)
	_, err := demo.CallTool(t.Context(), "crash", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.Eventually(t, func() bool { return demo.Stats().Restarts > 0 && demo.State() == transporters.StateReady }, eventuallyLimit, eventuallyPause)
	_, err = demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)

	assert.Equal(t, "transport_failure", plain(r.one(t, "tools/call").Attributes)["error.type"])
	assert.Equal(t, map[string]int64{"first": 1, "restart": 1}, eventually(t, r, "mcpclient.connections", 2))
	handshakes := r.named("server/discover")
	require.Len(t, handshakes, 2)
	assert.Equal(t, []string{"restart"}, linked(handshakes[1], handshakes[0]))
	points := histogram(t, r.metrics(t)["mcp.client.session.duration"])
	require.Len(t, points, 1)
	assert.Equal(t, "peer_lost", plain(points[0].Attributes.ToSlice())["error.type"])
}

// TestConnectionsThatAreClosed have no error.
func TestConnectionsThatAreClosed(t *testing.T) {
	r := newRecorder()
	telemetry, err := otel.New(r.options()...)
	require.NoError(t, err)
	client, demo := connectWith(t, process(t), telemetry)
	_, err = demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	require.NoError(t, client.Close())
	require.Eventually(t, func() bool { _, ok := r.metrics(t)["mcp.client.session.duration"]; return ok }, eventuallyLimit, eventuallyPause)
	got := plain(histogram(t, r.metrics(t)["mcp.client.session.duration"])[0].Attributes.ToSlice())
	assert.Equal(t, map[string]any{
		"mcpclient.server": "demo", "mcp.protocol.version": "2026-07-28", "network.transport": "pipe"}, got)
}
