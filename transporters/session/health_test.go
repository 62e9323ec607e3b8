package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// TestHealthCheck: a process that hangs counts as dead after so many failed
// checks and is replaced; one that answers, be it with an error, is left alone.
func TestHealthCheck(t *testing.T) {
	check := session.WithHealthCheck(session.HealthCheck{Interval: config.Of(10 * time.Second), Timeout: config.Of(5 * time.Second), Failures: 2})
	t.Run("hangs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProcesses(t,
				func(link *mcptest.ScriptedLink) {
					asLegacy(link)
					link.On("ping").Fail(-32603, "busy", nil)
					link.On("ping").Times(2).Silence()
				},
				func(link *mcptest.ScriptedLink) {
					link.On("initialize").Return(initializeResult)
					link.On("ping").Always()
				})
			s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{}, p.dial), check)
			defer s.Close()
			_, err := s.ServerInfo(t.Context())
			require.NoError(t, err)
			start := time.Now()
			require.NoError(t, s.WaitForState(t.Context(), transporters.StateReconnecting))
			require.Equal(t, 40*time.Second, time.Since(start), "10 s, then twice 10 s and 5 s")
			require.NoError(t, s.WaitForState(t.Context(), transporters.StateReady))
			time.Sleep(time.Minute)
			require.Equal(t, 2, p.dials)
		})
	})
	t.Run("modern", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProcesses(t, func(link *mcptest.ScriptedLink) {
				link.On("server/discover").Times(4).Return(discoverResult)
			})
			s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{}, p.dial), check)
			defer s.Close()
			_, err := s.ServerInfo(t.Context())
			require.NoError(t, err)
			time.Sleep(35 * time.Second)
		})
	})
}

// TestWaitForState follows a session through its life.
func TestWaitForState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		s := session.New("peer", session.Settings{}, link)
		require.NoError(t, s.WaitForState(t.Context(), transporters.StateIdle))
		ready := make(chan error, 1)
		go func() { ready <- s.WaitForState(t.Context(), transporters.StateReady) }()
		synctest.Wait()
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		require.NoError(t, <-ready)
		closed := make(chan error, 1)
		go func() { closed <- s.WaitForState(t.Context(), transporters.StateClosed) }()
		synctest.Wait()
		require.NoError(t, s.Close())
		require.NoError(t, <-closed)
		ctx := within(t, time.Second)
		require.Error(t, s.WaitForState(ctx, transporters.StateReady))
	})
}
