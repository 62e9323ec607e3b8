package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

func withProgress(ctx context.Context, onProgress func(mcp.Progress)) context.Context {
	return transporters.WithCallOptions(ctx, func(options *transporters.CallOptions) { options.OnProgress = onProgress })
}

// TestProgressOnRequest: a token is sent only with a call that wants progress,
// and only such a call is extended by it (R133).
func TestProgressOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		link.On("server/discover").Return(discoverResult)
		link.On("tools/call").Delay(59*time.Second).Progress(1, 3, "one").Delay(59*time.Second).Progress(2.5, 3, "").
			Delay(59 * time.Second).Return(`{"content":[]}`)
		link.On("tools/call").Silence()
		s := session.New("peer", session.Settings{Progress: session.ProgressOnRequest}, link)
		defer s.Close()
		var reports []mcp.Progress
		ctx := withProgress(t.Context(), func(p mcp.Progress) { reports = append(reports, p) })
		_, err := s.Request(ctx, "tools/call", map[string]any{"name": "slow"}, nil)
		require.NoError(t, err)
		require.Equal(t, []mcp.Progress{{Progress: 1, Total: 3, Message: "one"}, {Progress: 2.5, Total: 3}}, reports)

		_, err = s.Request(t.Context(), "tools/call", map[string]any{"name": "slow"}, nil)
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		frames := link.Received()
		require.Contains(t, string(frames[1].Params), `"progressToken":2`)
		require.NotContains(t, string(frames[2].Params), "progressToken")
	})
}

// TestForeignProgress: reports for a token that is not the call's, or that is
// not one, are not the call's progress (R135); a number echoed as a string is.
func TestForeignProgress(t *testing.T) {
	link := modernLink(t) // over HTTP everything on the response belongs to the call
	rule := link.On("tools/call")
	for _, token := range []string{`99`, `"x"`, `null`, `"2"`, `2`} {
		rule.Notify("notifications/progress", `{"progressToken":`+token+`,"progress":1}`)
	}
	rule.Return(`{"content":[]}`)
	s := newSession(t, link, nil)
	var reports int
	_, err := s.Request(withProgress(t.Context(), func(mcp.Progress) { reports++ }), "tools/call", map[string]any{"name": "a"}, nil)
	require.NoError(t, err)
	require.Equal(t, 2, reports)
}
