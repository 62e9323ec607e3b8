package session_test

import (
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

// TestAnEndForGoodIsTold: the error that ended the session, drain and close, before
// the call that met it returns; a Close afterwards tells nothing more.
func TestAnEndForGoodIsTold(t *testing.T) {
	dying := func(link *mcptest.ScriptedLink) {
		asModern(link)
		link.On("tools/call").Die(errors.New("killed"))
	}
	for name, link := range map[string]func(*testing.T) transporters.Link{
		"a plain link": func(t *testing.T) transporters.Link { return newProcesses(t, dying).links[0] },
		"the budget is spent": func(t *testing.T) transporters.Link {
			return supervise.New("peer", &supervise.Config{MaxRestarts: 1}, newProcesses(t, dying, dying).dial)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := session.New("peer", session.Settings{}, link(t))
				var h told
				s.OnClose(func(transporters.Source, error) { time.Sleep(time.Second) })
				if name != "a plain link" {
					_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
					require.ErrorIs(t, err, errors.ErrPeerLost)
					time.Sleep(time.Minute / 2)
					require.Equal(t, transporters.StateReady, s.State())
				}
				h.listen(s)
				began := time.Now()
				_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
				told := h.All() // by now
				require.ErrorIs(t, err, errors.ErrPeerLost)
				require.Equal(t, time.Second, time.Since(began), "the listener of the close is waited for")
				require.Len(t, told, 3)
				require.Contains(t, told[0], "killed")
				require.Equal(t, "drain", told[1])
				require.Equal(t, told[0][len("error: "):], told[2][len("close: "):])
				if name != "a plain link" {
					require.Equal(t, transporters.StateExhausted, s.State())
					require.Contains(t, told[2], "restart budget exhausted")
				}
				began = time.Now()
				_, err = s.Request(t.Context(), "tools/list", nil, nil)
				require.Error(t, err)
				require.Zero(t, time.Since(began), "it has settled")
				require.NoError(t, s.Close())
				require.Equal(t, told, h.Settled())
			})
		})
	}
}

// TestAnEndForGoodIsNoticedWithoutACall.
func TestAnEndForGoodIsNoticedWithoutACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		asModern(link)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		var h told
		h.listen(s)
		require.NoError(t, s.Start())
		require.Empty(t, h.Settled())
		link.Die(errors.New("killed"))
		all := h.Settled()
		require.Len(t, all, 3)
		require.Contains(t, all[2], "close: ")
		require.Contains(t, all[2], "killed")
		require.NoError(t, s.WaitForState(t.Context(), transporters.StateClosed))
	})
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, asModern) // and no replacement
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{MaxRestarts: 2}, p.dial))
		defer s.Close()
		var h told
		h.listen(s)
		require.NoError(t, s.Start())
		synctest.Wait()
		p.links[0].Die(errors.New("killed"))
		require.NoError(t, s.WaitForState(t.Context(), transporters.StateExhausted))
		all := h.Settled()
		require.Len(t, all, 6)
		for i, want := range []string{"killed", "restart 1 of 2 failed", "restart 2 of 2 failed", "restart budget exhausted", "drain", "close: "} {
			require.Contains(t, all[i], want)
		}
	})
}

// TestStart connects in the background, once, and says if that cannot be.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Delay(10 * time.Second).Status(503)
		link.On("server/discover").Delay(10 * time.Second).Return(discoverResult)
		s := session.New("peer", session.Settings{}, link)
		var h told
		h.listen(s)
		began := time.Now()
		require.NoError(t, s.Start())
		require.NoError(t, s.Start())
		require.Zero(t, time.Since(began))
		require.Equal(t, transporters.StateStarting, s.State())
		time.Sleep(10 * time.Second)
		require.Len(t, h.Settled(), 1, "nobody else is told that it failed")
		require.Contains(t, h.Settled()[0], "503")
		require.ErrorContains(t, s.Start(), "503", "connect_backoff")
		require.Contains(t, s.Stats().ConnectFailure.Text, "503")
		time.Sleep(time.Second)
		require.NoError(t, s.Start())
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.Equal(t, transporters.StateReady, s.State())
		require.True(t, s.Stats().ConnectFailure.IsZero())
		require.NoError(t, s.Start())
		require.Equal(t, 2, link.Count("server/discover"))
		require.NoError(t, s.Close())
		err := s.Start()
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		require.Equal(t, errors.KindClosed, transporters.KindOf(err))
	})
}

// TestWhatIsNobodysErrorIsTold: peers that die, restarts that fail. The end by
// Close, an aborted request and an unknown id are none.
func TestWhatIsNobodysErrorIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, asModern, func(link *mcptest.ScriptedLink) {
			link.On("server/discover").Die(errors.New("exit status 7"))
		}, asModern)
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{RestartDelay: config.Of(time.Second)}, p.dial))
		var h told
		h.listen(s)
		_, err := s.ServerInfo(t.Context())
		require.NoError(t, err)
		p.links[0].Die(errors.New("exit status 5"))
		all := h.Settled()
		require.Len(t, all, 1)
		require.Contains(t, all[0], "exit status 5")
		time.Sleep(1500 * time.Millisecond)
		all = h.Settled()
		require.Len(t, all, 2)
		require.Contains(t, all[1], "exit status 7")
		require.Contains(t, s.Stats().ConnectFailure.Text, "exit status 7")
		time.Sleep(10 * time.Second)
		require.Equal(t, transporters.StateReady, s.State())
		require.True(t, s.Stats().ConnectFailure.IsZero())
		require.EqualValues(t, 1, s.Stats().Restarts)
		s.Abort(mcp.NumberID(4711))
		require.Len(t, h.Settled(), 2)
		require.NoError(t, s.Close())
		require.Equal(t, []string{"drain", closed}, h.Settled()[2:])
	})
}

// TestStatesAreToldInOrder, each step once, to the end.
func TestStatesAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, asModern, asModern)
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{}, p.dial), session.WithPrincipal("ann"))
		var h told
		s.OnState(func(from transporters.Source, change transporters.StateChange) {
			h.Add("%s %s %v-%v", from.Server, from.Principal, change.From, change.To)
		})
		s.OnClose(func(transporters.Source, error) { h.Add("close") })
		require.NoError(t, s.Start())
		synctest.Wait()
		p.links[0].Die(nil)
		time.Sleep(time.Minute)
		require.NoError(t, s.Close())
		require.Equal(t, []string{
			"peer ann idle-starting", "peer ann starting-ready", "peer ann ready-reconnecting", "peer ann reconnecting-ready",
			"peer ann ready-closed", "close",
		}, h.Settled())
	})
}

// TestASessionThatIsLostIsAStateToo.
func TestASessionThatIsLostIsAStateToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := legacyLink(t)
		link.On("tools/list").Status(404)
		link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
		link.On("tools/list").Return(`{"tools":[]}`)
		s := session.New("peer", session.DefaultSettings(), link)
		defer s.Close()
		var h told
		s.OnState(func(_ transporters.Source, change transporters.StateChange) { h.Add("%v", change.To) })
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"starting", "ready", "idle", "reconnecting", "ready"}, h.Settled())
		stats := s.Stats()
		require.EqualValues(t, 1, stats.SessionsLost)
		require.EqualValues(t, 1, stats.SessionsRecovered)
		require.Zero(t, stats.Restarts)
	})
}

// TestMessagesAreSeen, all of them, once each, whether anybody else wants them or
// not: over both kinds of transport.
func TestMessagesAreSeen(t *testing.T) {
	for name, traits := range map[string]transporters.Traits{"http": mcptest.HTTPTraits(), "stdio": mcptest.StdioTraits()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, traits)
				link.On("server/discover").Return(discoverResult)
				link.On("tools/call").Progress(1, 2, "").Notify("notifications/message", `{"level":"info","data":"x"}`).Return(`{"n":1}`)
				link.On("tools/list").Fail(-32603, "no", nil)
				s := session.New("peer", session.Settings{}, link)
				defer s.Close()
				var h told
				handle := s.OnMessage(func(_ transporters.Source, m mcp.Message) { h.Add("%s%s", m.ID, m.Method) })
				_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
				require.NoError(t, err)
				_, err = s.Request(t.Context(), "tools/list", nil, nil)
				require.Error(t, err)
				link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/tools/list_changed"})
				require.ElementsMatch(t, []string{
					"1", "notifications/progress", "notifications/message", "2", "3", "notifications/tools/list_changed",
				}, h.Settled())
				handle.Dispose()
				link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/tools/list_changed"})
				require.Len(t, h.Settled(), 6)
			})
		})
	}
}

// TestCloseFromEverywhereAtOnce is for the race detector: everything ends, drain
// and close are told once, and nothing is left behind.
func TestCloseFromEverywhereAtOnce(t *testing.T) {
	for range 20 {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Always().Return(discoverResult)
		link.On("tools/list").Always().Return(`{"tools":[]}`)
		s := session.New("peer", session.Settings{}, link)
		var mu sync.Mutex
		drains, closes := 0, 0
		end := make(chan struct{})
		s.OnDrain(func(transporters.Source) {
			mu.Lock()
			defer mu.Unlock()
			drains++
			_ = s.Close()
		})
		s.OnClose(func(transporters.Source, error) {
			mu.Lock()
			defer mu.Unlock()
			closes++
			close(end)
		})
		s.OnMessage(func(transporters.Source, mcp.Message) { _ = s.Close() })
		var busy sync.WaitGroup
		for range 8 {
			busy.Go(func() {
				_, _ = s.Request(t.Context(), "tools/list", nil, func(mcp.Message) { _ = s.Close() })
				s.OnError(func(transporters.Source, error) {}).Dispose()
			})
			busy.Go(func() { _ = s.Close() })
		}
		busy.Wait()
		<-end
		mu.Lock()
		require.Equal(t, []int{1, 1}, []int{drains, closes})
		mu.Unlock()
	}
}
