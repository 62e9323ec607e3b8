package otel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/contrib/otel"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// TestSpanOfATool: name, kind, parent and attributes are those of the conventions,
// over both transports.
func TestSpanOfATool(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	address := mcptest.StartHTTP(t, server)
	host, port, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(address, "/mcp"), "http://"), ":")
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		section   map[string]any
		handshake string
		want      map[string]any
	}{
		"http": {map[string]any{"type": "http", "base_url": address}, "initialize", map[string]any{
			"mcp.protocol.version": "2025-11-25", "network.transport": "tcp", "network.protocol.name": "http",
			"server.address": host, "server.port": int64(number),
		}},
		"stdio": {process(t), "server/discover", map[string]any{
			"mcp.protocol.version": "2026-07-28", "network.transport": "pipe",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			_, demo := connect(t, r, test.section)
			ctx, parent := caller(r)
			_, err := demo.CallTool(ctx, "echo", map[string]string{"text": "x"})
			require.NoError(t, err)

			span := r.one(t, "tools/call echo")
			assert.Equal(t, trace.SpanKindClient, span.SpanKind)
			assert.Equal(t, parent.SpanContext().SpanID(), span.Parent.SpanID())
			assert.Equal(t, codes.Unset, span.Status.Code)
			got := plain(span.Attributes)
			assert.Regexp(t, `^\d+$`, got["jsonrpc.request.id"])
			delete(got, "jsonrpc.request.id")
			want := map[string]any{
				"mcp.method.name": "tools/call", "gen_ai.tool.name": "echo", "gen_ai.operation.name": "execute_tool",
				"mcpclient.server": "demo", "mcpclient.attempts": int64(1),
			}
			for key, value := range test.want {
				want[key] = value
			}
			assert.Equal(t, want, got)

			handshake := r.one(t, test.handshake)
			assert.Equal(t, trace.SpanKindClient, handshake.SpanKind)
			assert.False(t, handshake.Parent.IsValid(), "a connection outlives the call that waited for it")
			require.Len(t, span.Links, 1)
			assert.Equal(t, handshake.SpanContext.SpanID(), span.Links[0].SpanContext.SpanID())
			assert.False(t, handshake.EndTime.After(span.EndTime))

			points := r.operations(t)
			require.Len(t, points, 1)
			assert.Equal(t, uint64(1), points[0].Count)
			assert.InDelta(t, span.EndTime.Sub(span.StartTime).Seconds(), points[0].Sum, 1e-6)
			assert.Equal(t, []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}, points[0].Bounds)
			delete(want, "mcpclient.attempts")
			assert.Equal(t, want, plain(points[0].Attributes.ToSlice()))
			assert.Equal(t, "s", r.metrics(t)["mcp.client.operation.duration"].Unit)
		})
	}
}

// TestSpansOfOtherRequests have what the conventions name for each.
func TestSpansOfOtherRequests(t *testing.T) {
	r := newRecorder()
	_, demo := connect(t, r, map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer())})
	_, err := demo.GetPrompt(t.Context(), "greet", map[string]string{"name": "Ann"})
	require.NoError(t, err)
	_, err = demo.ReadResource(t.Context(), "demo://greeting")
	require.NoError(t, err)
	_, err = demo.Tools(t.Context())
	require.NoError(t, err)

	prompt := plain(r.one(t, "prompts/get greet").Attributes)
	assert.Equal(t, "greet", prompt["gen_ai.prompt.name"])
	assert.NotContains(t, prompt, "gen_ai.operation.name", "only tools are executed")
	assert.Equal(t, "demo://greeting", plain(r.one(t, "resources/read").Attributes)["mcp.resource.uri"])
	assert.NotContains(t, plain(r.one(t, "tools/list").Attributes), "gen_ai.tool.name")
	for _, point := range r.operations(t) {
		assert.NotContains(t, plain(point.Attributes.ToSlice()), "mcp.resource.uri", "there is no end of URIs")
	}
}

// TestResourceURIsAreShownWithoutUsers, or not at all.
func TestResourceURIsAreShownWithoutUsers(t *testing.T) {
	const uri = "ftp://ann:hunter2@example.com/x"
	for name, test := range map[string]struct {
		options []otel.Option
		want    any
	}{
		"shown":  {nil, "ftp://example.com/x"},
		"hidden": {[]otel.Option{otel.WithoutResourceURIs()}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			_, demo := connect(t, r, process(t), test.options...)
			_, err := demo.ReadResource(t.Context(), uri)
			require.Error(t, err)
			span := r.one(t, "resources/read")
			assert.Equal(t, test.want, plain(span.Attributes)["mcp.resource.uri"])
			assert.NotContains(t, fmt.Sprint(span.Attributes), "hunter2")
		})
	}
}

// TestFailures: error.type, the status of the span, and the answer's code.
func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		err       error // nil: a result with isError
		errorType string
		code      any
		message   string
	}{
		"a tool that fails": {
			nil, "tool_error", nil, "",
		},
		"an error of the server": {
			&errors.TransporterRequestError{Kind: errors.KindPeer, Code: -32602, Message: "no such\ntool"}, "-32602", "-32602", `no such\ntool`,
		},
		"a status": {
			&errors.TransporterRequestError{Kind: errors.KindStatus, Status: 503, Message: "HTTP 503"}, "503", nil, "HTTP 503",
		},
		"silence": {
			&errors.TransporterRequestError{Kind: errors.KindTimeout, Message: "no answer"}, "timeout", nil, "no answer",
		},
		"a refusal of ours": {
			&errors.TransporterRequestError{Kind: errors.KindProtocol, Message: "odd"}, "protocol_violation", nil, "odd",
		},
		"the caller": {context.Canceled, "canceled", nil, "context canceled"},
		"unknown":    {errors.New("odd"), "_OTHER", nil, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			fake := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
				return mcp.NewResult([]byte(`{"isError":true,"content":[]}`)), test.err
			})
			telemetry, err := otel.New(r.options()...)
			require.NoError(t, err)
			_, demo := connectWith(t, process(t), telemetry, mcpclient.WithTransporter("demo", fake))
			_, _ = demo.CallTool(t.Context(), "echo", nil)
			span := r.one(t, "tools/call")
			assert.Equal(t, codes.Error, span.Status.Code)
			assert.Contains(t, span.Status.Description, test.message)
			assert.NotContains(t, span.Status.Description, "\n")
			for _, got := range []map[string]any{plain(span.Attributes), plain(r.operations(t)[0].Attributes.ToSlice())} {
				assert.Equal(t, test.errorType, got["error.type"])
				assert.Equal(t, test.code, got["rpc.response.status_code"])
			}
		})
	}
}

// TestNamesInMetricsAreBounded: what callers invent is told apart only after the
// server has answered it, and only up to the limit; codes likewise.
func TestNamesInMetricsAreBounded(t *testing.T) {
	r := newRecorder()
	telemetry, err := otel.New(r.options(otel.WithNameLimit(3))...)
	require.NoError(t, err)
	fake := mcptest.NewTransporter(t)
	_, demo := connectWith(t, process(t), telemetry, mcpclient.WithTransporter("demo", fake))
	for i := range 10 {
		fake.Expect("tools/call").Error(&errors.TransporterRequestError{Kind: errors.KindPeer, Code: -40000 - i, Message: "no"})
		_, _ = demo.CallTool(t.Context(), fmt.Sprintf("invented%d", i), nil)
		fake.Expect("tools/call").Return(json.RawMessage(`{"content":[]}`))
		_, err := demo.CallTool(t.Context(), fmt.Sprintf("real%d", i), nil)
		require.NoError(t, err)
		fake.Expect(fmt.Sprintf("custom/%d", i)).Return(json.RawMessage(`{}`))
		_, _ = demo.Request(t.Context(), fmt.Sprintf("custom/%d", i), nil, nil)
	}
	distinct := map[string]map[string]bool{}
	for _, point := range r.operations(t) {
		for _, a := range point.Attributes.ToSlice() {
			if distinct[string(a.Key)] == nil {
				distinct[string(a.Key)] = map[string]bool{}
			}
			distinct[string(a.Key)][a.Value.String()] = true
		}
	}
	assert.Equal(t, map[string]bool{"real0": true, "real1": true, "real2": true, "_OTHER": true}, distinct["gen_ai.tool.name"])
	assert.Len(t, distinct["error.type"], 4)
	assert.Len(t, distinct["mcp.method.name"], 5, "tools/call, three others and the rest")
	for _, span := range r.spans.GetSpans() {
		assert.NotContains(t, span.Name, "invented")
		if span.Name == "tools/call" {
			assert.NotEmpty(t, plain(span.Attributes)["gen_ai.tool.name"], "a span has the name in any case")
		}
	}
}

// TestContextIsSentAlong: in _meta that of the call's span (R026), for baggage too,
// and in the headers of HTTP; not where it may not go, and not over the caller's own.
func TestContextIsSentAlong(t *testing.T) {
	member, err := baggage.NewMember("tenant", "blue")
	require.NoError(t, err)
	bag, err := baggage.New(member)
	require.NoError(t, err)
	own := map[string]any{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	for name, test := range map[string]struct {
		options []otel.Option
		call    []mcpclient.CallOption
		sent    bool
		meta    any
	}{
		"all":            {sent: true},
		"not to others":  {options: []otel.Option{otel.WithPropagationTo(func(server string) bool { return server == "another" })}},
		"the caller's":   {call: []mcpclient.CallOption{mcpclient.WithMeta(own)}, sent: true, meta: own["traceparent"]},
		"only the named": {options: []otel.Option{otel.WithPropagationTo(func(server string) bool { return server == "demo" })}, sent: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer()
			r := newRecorder()
			_, demo := connect(t, r, map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server)}, test.options...)
			ctx, parent := caller(r)
			_, err := demo.CallTool(baggage.ContextWithBaggage(ctx, bag), "echo", map[string]string{"text": "x"}, test.call...)
			require.NoError(t, err)

			received := receivedCall(t, server)
			var params struct {
				Meta map[string]any `json:"_meta"`
			}
			require.NoError(t, json.Unmarshal(received.Params, &params))
			span := r.one(t, "tools/call echo").SpanContext
			current := "00-" + parent.SpanContext().TraceID().String() + "-" + span.SpanID().String() + "-01"
			if !test.sent {
				assert.NotContains(t, params.Meta, "traceparent")
				assert.NotContains(t, params.Meta, "baggage")
				assert.Empty(t, received.Header.Get("Traceparent"))
				return
			}
			assert.Equal(t, current, received.Header.Get("Traceparent"))
			assert.Equal(t, "tenant=blue", received.Header.Get("Baggage"))
			if test.meta != nil {
				assert.Equal(t, test.meta, params.Meta["traceparent"])
				return
			}
			assert.Equal(t, current, params.Meta["traceparent"])
			assert.Equal(t, "tenant=blue", params.Meta["baggage"])
		})
	}
}

func receivedCall(t *testing.T, server *mcptest.Server) mcptest.Received {
	t.Helper()
	for _, received := range server.Received() {
		if received.Method == "tools/call" {
			return received
		}
	}
	require.Fail(t, "the server got no call")
	return mcptest.Received{}
}

// TestCachedAnswersStayCached with telemetry: what is sent along is no part of what
// is asked for.
func TestCachedAnswersStayCached(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
	r := newRecorder()
	_, demo := connect(t, r, map[string]any{
		"type": "http", "base_url": mcptest.StartHTTP(t, server), "cache": map[string]any{"enabled": true},
	})
	for range 3 {
		ctx, _ := caller(r)
		_, err := demo.ReadResource(ctx, "demo://greeting")
		require.NoError(t, err)
	}
	assert.Equal(t, 1, server.Count("resources/read"))
	spans := r.named("resources/read")
	require.Len(t, spans, 3)
	assert.Equal(t, int64(1), plain(spans[0].Attributes)["mcpclient.attempts"])
	assert.Equal(t, int64(0), plain(spans[2].Attributes)["mcpclient.attempts"])
}

// TestActiveCalls goes up and down.
func TestActiveCalls(t *testing.T) {
	r := newRecorder()
	_, demo := connect(t, r, process(t))
	during := map[string]int64{}
	_, err := demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"}, mcpclient.OnEvent(func(mcp.Message) {
		during = sums(t, r.metrics(t)["mcpclient.active_calls"])
	}))
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{"": 1}, during)
	assert.Equal(t, map[string]int64{"": 0}, sums(t, r.metrics(t)["mcpclient.active_calls"]))
}

// TestTwoHooks, of two programs' parts, do not disturb each other: the inner one's
// span is the child of the outer one's.
func TestTwoHooks(t *testing.T) {
	outer, inner := newRecorder(), newRecorder()
	first, err := otel.New(outer.options()...)
	require.NoError(t, err)
	second, err := otel.New(inner.options()...)
	require.NoError(t, err)
	_, demo := connectWith(t, process(t), first, second)
	_, err = demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	assert.Equal(t, outer.one(t, "tools/call echo").SpanContext.SpanID(), inner.one(t, "tools/call echo").Parent.SpanID())
}
