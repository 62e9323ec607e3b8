package session_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// processes is a dial function over scripted links, in order: each stands for
// one process.
type processes struct {
	mu    sync.Mutex
	links []*mcptest.ScriptedLink
	dials int
}

func (p *processes) dial(context.Context) (transporters.Link, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dials >= len(p.links) {
		p.dials++
		return nil, errors.New("no such file")
	}
	link := p.links[p.dials]
	p.dials++
	return link, nil
}

func newProcesses(t *testing.T, scripts ...func(*mcptest.ScriptedLink)) *processes {
	p := &processes{}
	for _, script := range scripts {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		script(link)
		p.links = append(p.links, link)
	}
	return p
}

func asModern(link *mcptest.ScriptedLink) { link.On("server/discover").Return(discoverResult) }

func asLegacy(link *mcptest.ScriptedLink) {
	link.On("server/discover").Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
}

// TestS14ExitOnTheProbe: a legacy server that exits at any request before
// initialize is started again and greeted the old way, at once and uncounted.
func TestS14ExitOnTheProbe(t *testing.T) {
	p := newProcesses(t,
		func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Die(errors.New("exit status 1"))
		},
		func(link *mcptest.ScriptedLink) {
			link.On("initialize").Return(initializeResult)
			link.On("tools/list").Return(`{"tools":[]}`)
		})
	s := newSession(t, supervise.New("peer", nil, p.dial), nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"initialize", "notifications/initialized", "tools/list"}, methods(p.links[1]))
}

// TestS14ExitsAgain: then it is a failed start, with the cause.
func TestS14ExitsAgain(t *testing.T) {
	p := newProcesses(t,
		func(link *mcptest.ScriptedLink) { link.On("server/discover").Die(errors.New("exit status 1")) },
		func(link *mcptest.ScriptedLink) { link.On("initialize").Die(errors.New("exit status 2")) })
	s := newSession(t, supervise.New("peer", nil, p.dial), nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.ErrorContains(t, err, "exit status 2")
	require.ErrorIs(t, err, errors.ErrStartFailed)
	require.NotErrorIs(t, err, errors.ErrRedial)
	require.True(t, errors.SafeToRetry(err))
	require.Equal(t, 2, p.dials)
}

// TestS14NotForAModernServer: one that has worked as modern and exits on the
// probe has failed to start.
func TestS14NotForAModernServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, asModern,
			func(link *mcptest.ScriptedLink) { link.On("server/discover").Die(errors.New("exit status 1")) },
			func(link *mcptest.ScriptedLink) {
				asModern(link)
				link.On("tools/list").Return(`{"tools":[]}`)
			})
		s := session.New("peer", session.Settings{}, supervise.New("peer", nil, p.dial))
		defer s.Close()
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		p.links[0].Die(nil)
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorContains(t, err, "exit status 1")
		time.Sleep(time.Second)
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.Zero(t, p.links[2].Count("initialize"))
	})
}

// TestRestartByTheNextCall: nothing happens at the death of a process, the next
// call starts it again, once for all who call, in the era it was known for;
// what was in flight fails and is not sent again.
func TestRestartByTheNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t,
			func(link *mcptest.ScriptedLink) {
				asLegacy(link)
				link.On("tools/call").Delay(time.Second).Die(errors.New("killed"))
			},
			func(link *mcptest.ScriptedLink) {
				link.On("initialize").Return(initializeResult)
				link.On("tools/list").Times(10).Return(`{"tools":[]}`)
			})
		s := session.New("peer", session.Settings{}, supervise.New("peer", nil, p.dial))
		defer s.Close()
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.ErrorContains(t, err, "killed")
		require.False(t, errors.SafeToRetry(err))
		time.Sleep(time.Hour)
		require.Equal(t, 1, p.dials, "never between calls")
		require.Equal(t, transporters.StateIdle, s.State())
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() {
				_, err := s.Request(t.Context(), "tools/list", nil, nil)
				require.NoError(t, err)
			})
		}
		wait.Wait()
		require.Equal(t, 2, p.dials)
		require.Equal(t, 1, p.links[1].Count("initialize"))
		require.Zero(t, p.links[1].Count("tools/call"))
	})
}

// TestRememberedEraRefuted: a server known as legacy comes back modern, and the
// other way round.
func TestRememberedEraRefuted(t *testing.T) {
	t.Run("legacy became modern", func(t *testing.T) {
		p := newProcesses(t, asLegacy, func(link *mcptest.ScriptedLink) {
			link.On("initialize").Fail(-32022, "modern", unsupported(`["2026-07-28"]`))
			asModern(link)
		})
		s := newSession(t, supervise.New("peer", nil, p.dial), nil)
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		p.links[0].Die(nil)
		info, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		require.Equal(t, mcp.EraModern, info.Era)
	})
	t.Run("modern became legacy", func(t *testing.T) {
		p := newProcesses(t, asModern, asLegacy)
		s := newSession(t, supervise.New("peer", nil, p.dial), nil)
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		p.links[0].Die(nil)
		info, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		require.Equal(t, mcp.EraLegacy, info.Era)
	})
}

// TestSupervised: with a budget the replacement comes by itself and is
// initialized before it serves; calls in between are refused; a spent budget
// says so.
func TestSupervised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, asLegacy, func(link *mcptest.ScriptedLink) {
			link.On("initialize").Return(initializeResult)
			link.On("tools/list").Return(`{"tools":[]}`)
		})
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{MaxRestarts: 1}, p.dial))
		defer s.Close()
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		p.links[0].Die(nil)
		synctest.Wait()
		require.Equal(t, transporters.StateReconnecting, s.State())
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrReconnecting)
		require.True(t, errors.SafeToRetry(err))
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, transporters.StateReady, s.State())
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		p.links[1].Die(nil)
		synctest.Wait()
		require.Equal(t, transporters.StateExhausted, s.State())
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrSupervisionExhausted)
	})
}

// TestColdStartFails: a process that cannot be started fails the call at once,
// with the cause, and is tried again after the back-off.
func TestColdStartFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &processes{}
		s := session.New("peer", session.Settings{ConnectBackoff: config.Of(time.Second)}, supervise.New("peer", nil, p.dial))
		defer s.Close()
		for _, dials := range []int{1, 1, 2} {
			start := time.Now()
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.ErrorContains(t, err, "no such file")
			require.Zero(t, time.Since(start))
			require.Equal(t, dials, p.dials)
			time.Sleep(600 * time.Millisecond)
		}
	})
}
