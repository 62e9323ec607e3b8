package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// TestLogLevel holds R169, R170 and P47: a modern server is told with every
// request, a legacy one once, and again in a new session.
func TestLogLevel(t *testing.T) {
	level := map[string]any{"level": "warning"}
	t.Run("modern", func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/list").Times(2).Return(`{"tools":[]}`)
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "logging/setLevel", level, nil)
		require.NoError(t, err)
		require.Zero(t, link.Count("logging/setLevel"))
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.Contains(t, string(link.Received()[1].Params), `"io.modelcontextprotocol/logLevel":"warning"`)
		own := map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/logLevel": "debug"}}
		_, err = s.Request(t.Context(), "tools/list", own, nil)
		require.NoError(t, err)
		require.Contains(t, string(link.Received()[2].Params), `"io.modelcontextprotocol/logLevel":"debug"`)
		require.NotContains(t, string(link.Received()[2].Params), `warning`)
	})
	t.Run("legacy", func(t *testing.T) {
		link := legacyLink(t)
		link.On("logging/setLevel").Where(mcptest.Params(level)).Times(2)
		link.On("tools/list").Status(404)
		link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
		link.On("tools/list").Return(`{"tools":[]}`)
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "logging/setLevel", level, nil)
		require.NoError(t, err)
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"server/discover", "initialize", "notifications/initialized", "logging/setLevel", "tools/list",
			"initialize", "notifications/initialized", "logging/setLevel", "tools/list"}, methods(link))
	})
	t.Run("an unknown level", func(t *testing.T) {
		s := newSession(t, modernLink(t), nil)
		_, err := s.Request(t.Context(), "logging/setLevel", map[string]any{"level": "loud"}, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		require.ErrorContains(t, err, "loud")
		require.True(t, errors.SafeToRetry(err))
		require.Equal(t, transporters.StateReady, s.State())
	})
}
