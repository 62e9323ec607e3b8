package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// TestWhenADeadlineElapses: a cancel notice that cannot be sent does not hide
// the timeout, the slot is free, and the answer that comes too late is dropped
// and counted (R119 to R121, R131).
func TestWhenADeadlineElapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		link.On("server/discover").Return(discoverResult)
		link.On("tools/call").Silence()
		link.On("notifications/cancelled").Error(errors.New("pipe full"))
		link.On("tools/list").Return(`{"tools":[]}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "slow"}, nil)
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		require.NotContains(t, err.Error(), "pipe full")
		require.Zero(t, s.Stats().InFlight)
		synctest.Wait()
		link.Inject(mcp.Message{Raw: []byte(`{}`), ID: mcp.NumberID(2), Result: []byte(`{}`)})
		require.EqualValues(t, 1, s.Stats().Orphans)
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err, "nothing else is disturbed")
	})
}

// TestARefusedCallLeavesNoTimer: a call that fails before it is sent is over:
// nothing fires later.
func TestARefusedCallLeavesNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		_, err := s.Request(t.Context(), "resources/subscribe", map[string]any{"uri": "a"}, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, link.Count("notifications/cancelled"))
		require.Zero(t, s.Stats().InFlight)
	})
}
