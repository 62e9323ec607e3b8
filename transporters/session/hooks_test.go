package session_test

import (
	"context"
	"net/http"
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

type spanKey struct{}

// everything is a hook with all methods that a session calls.
type everything struct {
	told
	mu       sync.Mutex
	attempts []transporters.AttemptInfo
	outcomes []transporters.AttemptOutcome
	connects []transporters.ConnectInfo
}

func (e *everything) OnAttemptStart(ctx context.Context, attempt *transporters.AttemptInfo) context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.attempts = append(e.attempts, *attempt)
	return context.WithValue(ctx, spanKey{}, attempt.Number)
}

func (e *everything) OnAttemptEnd(ctx context.Context, attempt *transporters.AttemptInfo, outcome *transporters.AttemptOutcome) {
	if ctx.Value(spanKey{}) != attempt.Number {
		e.Add("not the context of its start")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outcomes = append(e.outcomes, *outcome)
}

func (e *everything) OnConnect(_ transporters.Source, connection transporters.ConnectInfo) {
	e.mu.Lock()
	e.connects = append(e.connects, connection)
	e.mu.Unlock()
	e.Add("connect %d %v %s", connection.Number, connection.Reason, connection.Version)
}

func (e *everything) OnDisconnect(_ transporters.Source, connection transporters.ConnectInfo, reason error) {
	e.Add("disconnect %d %v", connection.Number, reason)
}

func (e *everything) OnStateChange(source transporters.Source, change transporters.StateChange) {
	e.Add("%s %v", source.Principal, change.To)
}

func (e *everything) OnNotification(_ transporters.Source, m mcp.Message) { e.Add("%s", m.Method) }
func (e *everything) OnError(_ transporters.Source, err error)            { e.Add("error %v", err) }

func (e *everything) set(t *testing.T) session.Option {
	hooks, err := transporters.NewHooks(e)
	require.NoError(t, err)
	return session.WithHooks(hooks)
}

// TestHooksOfAttempts: each time that a request is sent, with its id, why, over
// which connection, and what came of it.
func TestHooksOfAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traits := mcptest.HTTPTraits()
		traits.Address = "mcp.example.com:443"
		link := mcptest.NewScriptedLink(t, traits)
		link.On("server/discover").Fail(-32601, "Method not found", nil)
		link.On("initialize").Header("Mcp-Session-Id", "s-1").Return(initializeResult)
		link.On("tools/call").Delay(time.Second).Status(404)
		link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
		link.On("tools/call").Delay(2*time.Second).Fail(-32603, "broken", nil)
		var e everything
		s := session.New("peer", session.DefaultSettings(), link, e.set(t), session.WithPrincipal("ann"))
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "echo"}, nil)
		require.ErrorContains(t, err, "broken")
		require.NoError(t, s.Close())
		synctest.Wait()
		require.Len(t, e.connects, 2)
		first, second := e.connects[0], e.connects[1]
		require.Equal(t, transporters.ConnectInfo{
			Number: 2, Reason: transporters.ConnectSessionLost, Era: mcp.EraLegacy, Version: mcp.Version20251125,
			Transport: "http", Address: "mcp.example.com:443", HasSession: true,
			Implementation: first.Implementation, At: first.At.Add(time.Second),
		}, second)
		require.Equal(t, "old", first.Implementation.Name)
		source := transporters.Source{Server: "peer", Principal: "ann"}
		require.Equal(t, []transporters.AttemptInfo{
			{Source: source, Action: "tools/call", Method: "tools/call", Name: "echo", ID: mcp.NumberID(3), Number: 1,
				Reason: transporters.AttemptFirst, Connection: first, Began: first.At},
			{Source: source, Action: "tools/call", Method: "tools/call", Name: "echo", ID: mcp.NumberID(5), Number: 2,
				Reason: transporters.AttemptSessionRecovered, Connection: second, Began: second.At},
		}, e.attempts)
		require.Equal(t, []transporters.AttemptOutcome{
			{Duration: time.Second, Status: http.StatusNotFound},
			{Duration: 2 * time.Second, Status: http.StatusOK, Failure: &mcp.Error{Code: -32603, Message: "broken"}},
		}, e.outcomes)
		require.Equal(t, []string{
			"ann starting", "connect 1 first 2025-11-25", "ann ready",
			`disconnect 1 mcp server "peer": session lost`, "ann idle", "ann reconnecting",
			"connect 2 session lost 2025-11-25", "ann ready",
			"ann closed", `disconnect 2 mcp server "peer": transport closed`,
		}, e.Settled())
	})
}

// TestHooksOfAProcessThatDies: the end of the connection, the error, and the
// attempt on the replacement.
func TestHooksOfAProcessThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, func(link *mcptest.ScriptedLink) {
			asModern(link)
			link.On("tools/list").Die(errors.New("exit status 5"))
		}, func(link *mcptest.ScriptedLink) {
			asModern(link)
			link.On("tools/list").Return(`{"tools":[]}`)
		})
		var e everything
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{RestartDelay: config.Of(time.Second)}, p.dial),
			e.set(t), session.WithRetryLostRequests(true))
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, s.Close())
		synctest.Wait()
		require.Len(t, e.attempts, 2)
		require.Equal(t, transporters.AttemptReplayed, e.attempts[1].Reason)
		require.Equal(t, e.attempts[0].ID, e.attempts[1].ID)
		require.Equal(t, []uint64{1, 2}, []uint64{e.attempts[0].Connection.Number, e.attempts[1].Connection.Number})
		require.ErrorIs(t, e.outcomes[0].Err, errors.ErrPeerLost)
		require.NoError(t, e.outcomes[1].Err)
		words := e.Settled()
		require.Equal(t, []string{" starting", "connect 1 first 2026-07-28", " ready"}, words[:3])
		require.Contains(t, words[3], "disconnect 1 ")
		require.Contains(t, words[3], "exit status 5")
		require.Contains(t, words[4], "error ")
		require.Equal(t, []string{" reconnecting", "connect 2 restart 2026-07-28", " ready", " closed"}, words[5:9])
	})
}

// TestHooksOfNotifications, those of subscriptions included, once each.
func TestHooksOfNotifications(t *testing.T) {
	for name, traits := range map[string]transporters.Traits{"http": mcptest.HTTPTraits(), "stdio": mcptest.StdioTraits()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, traits)
				asModern(link)
				link.On("tools/call").Progress(1, 1, "").Return(`{}`)
				var e everything
				s := session.New("peer", session.Settings{}, link, e.set(t))
				_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
				require.NoError(t, err)
				link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/tools/list_changed"})
				synctest.Wait()
				require.NoError(t, s.Close())
				require.Contains(t, e.Settled(), "notifications/tools/list_changed")
				require.NotContains(t, e.Settled(), "notifications/progress", "it belongs to a request")
			})
		})
	}
}

// TestTheContextOfAnAttemptReachesTheLink, with the values of the hook, of the
// caller, and the call's own end.
func TestTheContextOfAnAttemptReachesTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/list").Answer(func(ctx context.Context, _ mcptest.Received) (transporters.Reply, error) {
			require.Equal(t, 1, ctx.Value(spanKey{}))
			require.Equal(t, "caller", ctx.Value(callerKey{}))
			require.NotNil(t, transporters.CallOptionsOf(ctx).Meta)
			<-ctx.Done()
			return transporters.Reply{}, context.Cause(ctx)
		})
		var e everything
		s := session.New("peer", session.Settings{}, link, e.set(t))
		defer s.Close()
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), callerKey{}, "caller"), time.Second)
		defer cancel()
		ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Meta = map[string]any{"k": 1} })
		_, err := s.Request(ctx, "tools/list", nil, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, e.outcomes[0].Err, context.DeadlineExceeded)
	})
}

type callerKey struct{}

// TestAttemptsEndAlsoWhereACallbackPanics.
func TestAttemptsEndAlsoWhereACallbackPanics(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Progress(1, 2, "").Return(`{}`)
	var e everything
	s := newSession(t, link, nil, e.set(t))
	require.Panics(t, func() {
		_, _ = s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, func(mcp.Message) { panic("mine") })
	})
	require.Len(t, e.attempts, 1)
	require.Len(t, e.outcomes, 1)
	require.Zero(t, s.Stats().InFlight)
}

// TestHooksMayCloseAndFail: a session that is closed by a hook, or whose hooks
// panic, goes its way.
func TestHooksMayCloseAndFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Always().Return(discoverResult)
		var s *session.Session
		var once sync.Once
		hooks, err := transporters.NewHooks(stateHook(func() {
			once.Do(func() {
				began := time.Now()
				require.NoError(t, s.Close())
				require.Zero(t, time.Since(began))
				panic("a hook")
			})
		}))
		require.NoError(t, err)
		s = session.New("peer", session.Settings{}, &slowLink{link, time.Second}, session.WithHooks(hooks))
		var h told
		h.listen(s)
		_, _ = s.ServerInfo(t.Context())
		time.Sleep(2 * time.Second)
		require.Equal(t, transporters.StateClosed, s.State())
		require.ElementsMatch(t, []string{"drain", `error: mcp server "peer": a callback panicked: a hook`}, h.Settled()[:2])
		require.Equal(t, closed, h.Settled()[2])
	})
}

type stateHook func()

func (f stateHook) OnStateChange(transporters.Source, transporters.StateChange) { f() }
