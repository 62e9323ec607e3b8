package mcpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// telemetry is what a package for traces would be: a span for each call, and below
// it one for each attempt.
type telemetry struct {
	mu    sync.Mutex
	spans []string
}

type spanKey struct{}

func (o *telemetry) add(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spans = append(o.spans, fmt.Sprintf(format, args...))
}

func (o *telemetry) OnRequestStart(ctx context.Context, request *transporters.RequestInfo) context.Context {
	return context.WithValue(ctx, spanKey{}, fmt.Sprintf("%v/%s %s", ctx.Value(spanKey{}), request.Action, request.Name))
}

func (o *telemetry) OnRequestEnd(ctx context.Context, _ *transporters.RequestInfo, outcome *transporters.RequestOutcome) {
	last := outcome.Last.Connection
	o.add("%v: %v, tool error %t, attempts %d, recoveries %d, %s %s", ctx.Value(spanKey{}), transporters.KindOf(outcome.Err),
		outcome.ToolError, outcome.Attempts, outcome.SessionRecoveries, last.Transport, last.Version)
}

func (o *telemetry) OnAttemptEnd(ctx context.Context, attempt *transporters.AttemptInfo, outcome *transporters.AttemptOutcome) {
	o.add("%v/attempt %d %v, status %d", ctx.Value(spanKey{}), attempt.Number, attempt.Reason, outcome.Status)
}

// TestHooksOfAClient see every call: with its attempts below it, what a policy
// refused, and what a transporter that was injected does.
func TestHooksOfAClient(t *testing.T) {
	var o telemetry
	var traced any
	fake := mcptest.NewTransporter(t)
	fake.Expect("tools/call").Error(errors.ErrPeerLost)
	address := mcptest.StartHTTP(t, mcptest.NewDemoServer())
	client := newClient(t, map[string]any{"demo": map[string]any{
		"type": "http", "base_url": address, "tools": map[string]any{"deny": []string{"forbidden"}},
	}}, mcpclient.WithHooks(&o), mcpclient.WithTransporter("fake", fake),
		mcpclient.WithMetaHook(func(ctx context.Context) map[string]any {
			traced = ctx.Value(spanKey{})
			return nil
		}))
	demo, err := client.Connect("demo")
	require.NoError(t, err)
	injected, err := client.Connect("fake")
	require.NoError(t, err)
	ctx := context.WithValue(t.Context(), spanKey{}, "handler")

	_, err = demo.CallTool(ctx, "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	assert.Equal(t, "handler/tools/call echo", traced, "what is sent along is below the call")
	_, err = demo.CallTool(ctx, "forbidden", nil)
	require.ErrorIs(t, err, errors.ErrToolDenied)
	result, err := demo.CallTool(ctx, "fail", nil)
	if err == nil {
		assert.True(t, result.IsError)
	}
	_, err = injected.CallTool(ctx, "a", nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.Equal(t, []string{
		"handler/tools/call echo/attempt 1 first, status 200",
		"handler/tools/call echo: unknown, tool error false, attempts 1, recoveries 0, http 2026-07-28",
		"handler/tools/call forbidden: denied, tool error false, attempts 0, recoveries 0,  ",
		"handler/tools/call fail/attempt 1 first, status 200",
		"handler/tools/call fail: unknown, tool error true, attempts 1, recoveries 0, http 2026-07-28",
		"handler/tools/call a: transport failure, tool error false, attempts 0, recoveries 0,  ",
	}, o.spans)
}

// TestWhatIsNoHookMakesNewFail.
func TestWhatIsNoHookMakesNewFail(t *testing.T) {
	_, err := mcpclient.New(nil, mcpclient.WithHooks(struct{}{}))
	require.ErrorContains(t, err, "hook 1, a struct {}: it has none of the methods of a hook")
}

// TestContextOfAnAttemptReachesTheRoundTripper, for spans of HTTP clients.
func TestContextOfAnAttemptReachesTheRoundTripper(t *testing.T) {
	seen := make(chan any, 10)
	users := resty.New()
	users.SetTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		seen <- r.Context().Value(spanKey{})
		return http.DefaultTransport.RoundTrip(r)
	}))
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	client := newClient(t, map[string]any{"demo": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer())}},
		mcpclient.WithHooks(attemptContext{}), mcpclient.WithRestyClient(users))
	demo, err := client.Connect("demo")
	require.NoError(t, err)
	_, err = demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	assert.Nil(t, <-seen, "the handshake belongs to no call")
	assert.Equal(t, "attempt of tools/call", <-seen)
}

type attemptContext struct{}

func (attemptContext) OnAttemptStart(ctx context.Context, attempt *transporters.AttemptInfo) context.Context {
	return context.WithValue(ctx, spanKey{}, "attempt of "+attempt.Action)
}
