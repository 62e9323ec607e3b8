package policy_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// spans is a hook as telemetry would be: a span for each request, below the one
// that the context has.
type spans struct{ words []string }

type spanKey struct{}

func (s *spans) OnRequestStart(ctx context.Context, request *transporters.RequestInfo) context.Context {
	s.words = append(s.words, fmt.Sprintf("start %s %s %s %s below %v", request.Server, request.Principal, request.Action, request.Name, ctx.Value(spanKey{})))
	return context.WithValue(ctx, spanKey{}, request.Action)
}

func (s *spans) OnRequestEnd(ctx context.Context, request *transporters.RequestInfo, outcome *transporters.RequestOutcome) {
	s.words = append(s.words, fmt.Sprintf("end %v after %v: %v, tool error %t, attempts %d, retries %d, id %s",
		ctx.Value(spanKey{}), outcome.Duration, outcome.Err, outcome.ToolError, outcome.Attempts, outcome.Retries, outcome.Last.ID))
}

// TestHooksAroundARequest: they see what the caller asks for and gets, the context
// of the start goes on, and what happens below is told at the end.
func TestHooksAroundARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s spans
		hooks, err := transporters.NewHooks(&s)
		require.NoError(t, err)
		below := transporters.TransporterFunc(func(ctx context.Context, action string, params any, _ transporters.EventFunc) (mcp.Result, error) {
			assert.Equal(t, action, ctx.Value(spanKey{}))
			_, isEncoded := params.(*mcp.Params)
			assert.True(t, isEncoded || action == "bad", "they are encoded once")
			time.Sleep(time.Second)
			trail := transporters.CallOptionsOf(ctx).Trail
			for id := range 2 {
				trail.Begin(action)
				trail.Attempt(&transporters.AttemptInfo{ID: mcp.NumberID(uint64(id + 1))})
			}
			switch action {
			case "tools/call":
				return mcp.NewResult([]byte(`{"content":[],"isError":true}`)), nil
			case "panic":
				panic("a callback")
			}
			return mcp.Result{}, errors.ErrPeerLost
		})
		chain := policy.Hooks("files", hooks)(below)
		ctx := transporters.WithCallOptions(context.WithValue(t.Context(), spanKey{}, "handler"), func(o *transporters.CallOptions) { o.Principal = "ann" })
		_, err = chain.Request(ctx, "tools/call", map[string]any{"name": "echo"}, nil)
		require.NoError(t, err)
		_, err = chain.Request(ctx, "resources/read", map[string]any{"uri": "file:///a"}, nil)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		_, err = chain.Request(ctx, "bad", 7, nil)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.PanicsWithValue(t, "a callback", func() { _, _ = chain.Request(ctx, "panic", nil, nil) })
		require.Equal(t, []string{
			"start files ann tools/call echo below handler",
			"end tools/call after 1s: <nil>, tool error true, attempts 2, retries 1, id 2",
			"start files ann resources/read file:///a below handler",
			"end resources/read after 1s: peer lost, tool error false, attempts 2, retries 1, id 2",
			"start files ann bad  below handler",
			"end bad after 1s: peer lost, tool error false, attempts 2, retries 1, id 2",
			"start files ann panic  below handler",
			"end panic after 1s: a callback of the call panicked, tool error false, attempts 2, retries 1, id 2",
		}, s.words)
	})
}

// TestWithoutHooksThereIsNoPolicy.
func TestWithoutHooksThereIsNoPolicy(t *testing.T) {
	below := &counting{}
	require.Same(t, below, policy.Hooks("files", nil)(below))
	onlyStates, err := transporters.NewHooks(stateHook{})
	require.NoError(t, err)
	require.Same(t, below, policy.Hooks("files", onlyStates)(below))
}

type counting struct{ transporters.Transporter }

type stateHook struct{}

func (stateHook) OnStateChange(transporters.Source, transporters.StateChange) {}
