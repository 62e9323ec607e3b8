package session_test

import (
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

// TestStats: what operators look at.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Delay(time.Second).Return(discoverResult)
		link.On("tools/list").Delay(time.Second).Return(`{"tools":[]}`)
		link.On("tools/call").Fail(-32603, "broken", nil)
		s := session.New("peer", session.Settings{}, link)
		require.Zero(t, s.Stats())
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		_, err = s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
		require.Error(t, err)
		_, err = s.Request(t.Context(), "initialize", nil, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		now := time.Now()
		stats := s.Stats()
		require.Equal(t, 2*time.Second, stats.Latency.Longest, "connecting is part of it")
		require.EqualValues(t, 3, stats.Latency.Count())
		stats.Latency = transporters.Latency{}
		require.Equal(t, transporters.Stats{
			Requests: 3, Failures: 2, FailuresByKind: transporters.FailureCounts{errors.KindPeer: 1, errors.KindParams: 1},
			Handshakes: 1, Era: mcp.EraModern, Version: mcp.Version20260728, ConnectedAt: now.Add(-time.Second),
			LastFailure: transporters.Failure{At: now, Action: "initialize", Kind: errors.KindParams, Text: err.Error()},
		}, stats)
		require.NoError(t, s.Close())
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.Error(t, err)
		require.EqualValues(t, 1, s.Stats().FailuresByKind.Of(errors.KindClosed))
	})
}
