package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// TestThousandFirstCallers: one handshake on the wire, and every caller gets
// its own answer.
func TestThousandFirstCallers(t *testing.T) {
	const callers = 1000
	link := modernLink(t)
	link.On("tools/call").Always().Answer(func(_ context.Context, frame mcptest.Received) (transporters.Reply, error) {
		var params struct {
			Arguments struct{ N json.Number }
		}
		if err := json.Unmarshal(frame.Params, &params); err != nil {
			return transporters.Reply{}, err
		}
		result := fmt.Appendf(nil, `{"resultType":"complete","n":%s}`, params.Arguments.N)
		raw, err := json.Marshal(mcp.Response{ID: frame.ID, Result: result})
		return transporters.Reply{Status: 200, Message: mcp.Message{Raw: raw, ID: frame.ID, Result: result}}, err
	})
	s := newSession(t, link, nil)
	var wait sync.WaitGroup
	var wrong atomic.Int64
	for n := range callers {
		wait.Go(func() {
			result, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"N": n}}, nil)
			var answer struct{ N int }
			if err != nil || result.Decode(&answer) != nil || answer.N != n {
				wrong.Add(1)
			}
		})
	}
	wait.Wait()
	require.Zero(t, wrong.Load())
	require.Equal(t, 1, link.Count("server/discover"))
	require.Equal(t, callers, link.Count("tools/call"))
	stats := s.Stats()
	require.EqualValues(t, 1, stats.Handshakes)
	require.EqualValues(t, callers, stats.Requests)
	require.Zero(t, stats.InFlight)
	require.Zero(t, stats.Failures)
}

// TestConnectBackoff: after a failed start further calls get the same error
// without a new attempt, for connect_backoff, doubling; then one is made.
func TestConnectBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Times(3).Status(503)
		link.On("server/discover").Return(discoverResult)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		attempts := func(want int) {
			t.Helper()
			require.Equal(t, want, link.Count("server/discover"))
		}
		_, first := s.ServerInfo(t.Context())
		require.Error(t, first)
		attempts(1)
		time.Sleep(249 * time.Millisecond)
		_, again := s.ServerInfo(t.Context())
		require.Equal(t, first.Error(), again.Error())
		attempts(1)
		time.Sleep(time.Millisecond)
		_, err := s.ServerInfo(t.Context())
		require.Error(t, err)
		attempts(2)
		time.Sleep(499 * time.Millisecond)
		_, err = s.ServerInfo(t.Context())
		require.Error(t, err)
		attempts(2)
		time.Sleep(time.Millisecond)
		_, err = s.ServerInfo(t.Context())
		require.Error(t, err)
		attempts(3)
		time.Sleep(time.Second)
		_, err = s.ServerInfo(t.Context())
		require.NoError(t, err)
		attempts(4)
	})
}

// TestFirstCallerGivesUp: the attempt runs on the connection's context, so the
// one who began it takes nobody else down.
func TestFirstCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Delay(3 * time.Second).Return(discoverResult)
		link.On("tools/list").Return(`{"tools":[]}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wait sync.WaitGroup
		wait.Go(func() {
			_, err := s.Request(ctx, "tools/list", nil, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.True(t, errors.SafeToRetry(err))
		})
		wait.Go(func() {
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
		})
		wait.Wait()
		require.Equal(t, 1, link.Count("server/discover"))
		require.Equal(t, 1, link.Count("tools/list"))
	})
}

// TestSessionLoss holds R101 and P43: which answers mean that the
// session is gone.
func TestSessionLoss(t *testing.T) {
	for _, test := range []struct {
		name   string
		refuse func(*mcptest.Rule)
		lost   bool
		match  []string
	}{
		{"404, plain", func(r *mcptest.Rule) { r.Status(404).Body("gone") }, true, nil},
		{"404, -32001", func(r *mcptest.Rule) { r.Status(404).Fail(-32001, "Session not found", nil) }, true, nil},
		{"404, modern error", func(r *mcptest.Rule) { r.Status(404).Fail(-32022, "new only", nil) }, false, nil},
		{"400, server-everything's text", func(r *mcptest.Rule) {
			r.Status(400).Fail(-32000, "Bad Request: No valid session ID provided", nil)
		}, true, nil},
		{"400, text in a plain body", func(r *mcptest.Rule) { r.Status(400).Body("Invalid session ID") }, true, nil},
		{"400, another text", func(r *mcptest.Rule) { r.Status(400).Fail(-32602, "bad cursor", nil) }, false, nil},
		{"400, a configured text", func(r *mcptest.Rule) { r.Status(400).Body("who are you") }, true, []string{"WHO ARE"}},
		{"400, the list emptied", func(r *mcptest.Rule) { r.Status(400).Body("Invalid session ID") }, false, []string{}},
		{"404, this request's result", func(r *mcptest.Rule) { r.Status(404).Return(`{"tools":[]}`) }, false, nil},
		{"404, this request's error", func(r *mcptest.Rule) { r.Status(404).Fail(-32602, "tool not found", nil) }, false, nil},
		{"400, this request's error with a known text", func(r *mcptest.Rule) { r.Status(400).Fail(-32603, "invalid session of the back end", nil) }, false, nil},
		{"200, -32001 alone is no proof", func(r *mcptest.Rule) { r.Fail(-32001, "Session not found", nil) }, false, nil},
		{"500", func(r *mcptest.Rule) { r.Status(500).Body("session not found") }, false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			link := legacyLink(t)
			test.refuse(link.On("tools/list"))
			if test.lost {
				link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
				link.On("tools/list").Return(`{"tools":[]}`)
			}
			s := newSession(t, link, nil, session.WithSessionLostMatch(test.match))
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			frames := link.Received()
			if !test.lost {
				require.Equal(t, 1, link.Count("tools/list"))
				require.Equal(t, 1, link.Count("initialize"))
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{"server/discover", "initialize", "notifications/initialized", "tools/list",
				"initialize", "notifications/initialized", "tools/list"}, methods(link))
			require.Equal(t, "s-1", frames[3].Header.Get("Mcp-Session-Id"))
			require.Empty(t, frames[4].Header.Get("Mcp-Session-Id"), "initialize carries no session id")
			require.Equal(t, "s-2", frames[5].Header.Get("Mcp-Session-Id"))
			require.Equal(t, "s-2", frames[6].Header.Get("Mcp-Session-Id"))
			require.NotEqual(t, frames[3].ID, frames[6].ID, "a new id (R006)")
		})
	}
}

// TestSessionLossWithoutSession: where no session id was given, 404 is just 404.
func TestSessionLossWithoutSession(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.On("server/discover").Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
	link.On("tools/list").Status(404).Body("not here")
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.ErrorContains(t, err, "404")
	require.NotErrorIs(t, err, errors.ErrSessionLost)
}

// TestSessionLostAgain: one recovery for a request, then the loss is reported.
func TestSessionLostAgain(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/call").Times(2).Status(404)
	link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
	require.ErrorIs(t, err, errors.ErrSessionLost)
	require.ErrorContains(t, err, "404")
	require.True(t, errors.SafeToRetry(err))
	require.EqualValues(t, 2, s.Stats().SessionsLost)
}

// TestSessionRetriesOff: max_session_retries 0.
func TestSessionRetriesOff(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/call").Status(404)
	s := newSession(t, link, func(settings *session.Settings) { settings.MaxSessionRetries = 0 })
	_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
	require.ErrorIs(t, err, errors.ErrSessionLost)
	require.Equal(t, 1, link.Count("initialize"))
}

// TestSessionLossIsSingleFlight: many callers notice the same loss, one of them
// initializes, all are answered (P79).
func TestSessionLossIsSingleFlight(t *testing.T) {
	const callers = 100
	link := legacyLink(t)
	barrier := make(chan struct{})
	var arrived atomic.Int64
	link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
	link.On("tools/list").Always().Answer(func(_ context.Context, frame mcptest.Received) (transporters.Reply, error) {
		if frame.Header.Get("Mcp-Session-Id") == "s-1" {
			if arrived.Add(1) == callers {
				close(barrier)
			}
			<-barrier
			return transporters.Reply{Status: 404}, nil
		}
		result := json.RawMessage(`{"tools":[]}`)
		return transporters.Reply{Status: 200, Message: mcp.Message{Raw: result, ID: frame.ID, Result: result}}, nil
	})
	s := newSession(t, link, nil)
	var wait sync.WaitGroup
	for range callers {
		wait.Go(func() {
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
		})
	}
	wait.Wait()
	require.Equal(t, 2, link.Count("initialize"))
	require.EqualValues(t, 1, s.Stats().SessionsLost)
}

// TestIdleTimeout: silence ends the request, the peer is told, the error names
// the limit; progress keeps it alive; the ceiling holds whatever comes.
func TestIdleTimeout(t *testing.T) {
	for _, test := range []struct {
		name   string
		script func(*mcptest.Rule)
		after  time.Duration
		limit  string
	}{
		{"silence", func(r *mcptest.Rule) { r.Silence() }, 60 * time.Second, "request_timeout"},
		{"progress, then silence", func(r *mcptest.Rule) {
			r.Delay(59*time.Second).Progress(1, 3, "").Delay(59*time.Second).Progress(2, 3, "").Silence()
		}, 178 * time.Second, "request_timeout"},
		{"endless progress", func(r *mcptest.Rule) {
			for i := range 100 {
				r.Delay(10*time.Second).Progress(float64(i), 0, "")
			}
		}, 600 * time.Second, "max_request_timeout"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
				link.On("server/discover").Return(discoverResult)
				test.script(link.On("tools/call"))
				s := session.New("peer", session.Settings{}, link)
				defer s.Close()
				start := time.Now()
				_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "slow"}, nil)
				require.ErrorIs(t, err, errors.ErrRequestTimeout)
				require.NotErrorIs(t, err, context.DeadlineExceeded)
				require.ErrorContains(t, err, "("+test.limit+")")
				require.Equal(t, test.after, time.Since(start).Round(10*time.Millisecond))
				require.False(t, errors.SafeToRetry(err))
				synctest.Wait()
				frames := link.Received()
				last := frames[len(frames)-1]
				require.Equal(t, "notifications/cancelled", last.Method)
				require.Contains(t, string(last.Params), `"requestId":2`)
			})
		})
	}
}

// TestTimeoutsPerCall: options of one call win, a longer idle limit raises the
// ceiling, 0 is off.
func TestTimeoutsPerCall(t *testing.T) {
	ptr := func(d time.Duration) *time.Duration { return &d }
	for _, test := range []struct {
		name    string
		options transporters.CallOptions
		after   time.Duration
	}{
		{"shorter idle", transporters.CallOptions{RequestTimeout: ptr(time.Second)}, time.Second},
		{"longer idle raises the ceiling", transporters.CallOptions{RequestTimeout: ptr(900 * time.Second)}, 900 * time.Second},
		{"a ceiling below the idle limit", transporters.CallOptions{MaxRequestTimeout: ptr(time.Second)}, time.Second},
		{"both, the ceiling is the shorter", transporters.CallOptions{RequestTimeout: ptr(9 * time.Second), MaxRequestTimeout: ptr(time.Second)}, time.Second},
		{"idle off, the ceiling holds", transporters.CallOptions{RequestTimeout: ptr(0)}, 600 * time.Second},
		{"ceiling", transporters.CallOptions{RequestTimeout: ptr(0), MaxRequestTimeout: ptr(7 * time.Second)}, 7 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := modernLink(t)
				link.On("tools/call").Silence()
				s := session.New("peer", session.Settings{}, link)
				defer s.Close()
				ctx := transporters.WithCallOptions(t.Context(), func(options *transporters.CallOptions) { *options = test.options })
				start := time.Now()
				_, err := s.Request(ctx, "tools/call", map[string]any{"name": "slow"}, nil)
				require.ErrorIs(t, err, errors.ErrRequestTimeout)
				require.Equal(t, test.after, time.Since(start).Round(10*time.Millisecond))
			})
		})
	}
	t.Run("both off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link := modernLink(t)
			link.On("tools/call").Delay(24 * time.Hour).Return(`{}`)
			s := session.New("peer", session.Settings{RequestTimeout: config.Off(), MaxRequestTimeout: config.Off()}, link)
			defer s.Close()
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "slow"}, nil)
			require.NoError(t, err)
		})
	})
}

// TestColdStartIsNotSilence: a handshake that takes longer than request_timeout
// does not count against it.
func TestColdStartIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
		link.On("server/discover").Delay(50 * time.Second).Return(discoverResult)
		link.On("tools/list").Delay(4 * time.Second).Return(`{"tools":[]}`)
		s := session.New("peer", session.Settings{RequestTimeout: config.Of(5 * time.Second)}, link)
		defer s.Close()
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	})
}

// TestCallbackIsNotSilence: time that the caller's own callback takes is not
// the peer's silence.
func TestCallbackIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Progress(1, 2, "").Delay(50 * time.Second).Return(`{}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		var seen int
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "slow"}, func(mcp.Message) {
			seen++
			time.Sleep(100 * time.Second)
		})
		require.NoError(t, err)
		require.Equal(t, 2, seen)
	})
}

// TestCancellation: the caller's own end shows as such, and the peer is told in
// the way of its era and transport (R064, R090, R106).
func TestCancellation(t *testing.T) {
	for _, test := range []struct {
		name     string
		traits   transporters.Traits
		legacy   bool
		notified int
	}{
		{"modern stdio", mcptest.StdioTraits(), false, 1},
		{"legacy stdio", mcptest.StdioTraits(), true, 1},
		{"modern HTTP", mcptest.HTTPTraits(), false, 0},
		{"legacy HTTP", mcptest.HTTPTraits(), true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, test.traits)
				if test.legacy {
					link.On("server/discover").Fail(-32601, "no", nil)
					link.On("initialize").Return(initializeResult)
				} else {
					link.On("server/discover").Return(discoverResult)
				}
				link.On("tools/call").Silence()
				s := session.New("peer", session.Settings{}, link)
				defer s.Close()
				reason := errors.New("the user closed the page")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(reason) })
				_, err := s.Request(ctx, "tools/call", map[string]any{"name": "slow"}, nil)
				require.ErrorIs(t, err, context.Canceled)
				require.ErrorIs(t, err, reason)
				failure, _ := errors.AsType[*errors.TransporterRequestError](err)
				require.Equal(t, errors.KindCanceled, failure.Kind)
				require.Equal(t, errors.DeliveryUnknown, failure.Delivery)
				synctest.Wait()
				require.Equal(t, test.notified, link.Count("notifications/cancelled"))
				require.Len(t, link.Abandoned(), 1)
			})
		})
	}
}

// TestCloseFailsRunningRequests with ErrTransportClosed and not with
// context.Canceled, and later ones as well.
func TestCloseFailsRunningRequests(t *testing.T) {
	link := legacyLink(t)
	link.On("tools/call").Silence()
	s := session.New("peer", session.Settings{}, link)
	failed := make(chan error, 1)
	go func() {
		_, err := s.Request(context.Background(), "tools/call", map[string]any{"name": "slow"}, nil)
		failed <- err
	}()
	link.Await("tools/call", 1)
	require.Equal(t, transporters.StateReady, s.State())
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	err := <-failed
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.NotErrorIs(t, err, context.Canceled)
	require.Equal(t, transporters.StateClosed, s.State())
	require.Len(t, link.Terminated(), 1, "R102")
	require.Equal(t, "s-1", link.Terminated()[0].Get("Mcp-Session-Id"))

	_, err = s.Request(t.Context(), "tools/list", nil, nil)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.True(t, errors.SafeToRetry(err))
}

// TestCloseFromCallback: Close never waits for the callback it is called from.
func TestCloseFromCallback(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Progress(1, 1, "").Silence()
	s := session.New("peer", session.Settings{}, link)
	_, err := s.Request(within(t, 10*time.Second), "tools/call", map[string]any{"name": "a"}, func(mcp.Message) { _ = s.Close() })
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

// TestShutdown lets running requests finish and refuses new ones.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Delay(5 * time.Second).Return(`{}`)
		s := session.New("peer", session.Settings{}, link)
		answered := make(chan error, 1)
		go func() {
			_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "slow"}, nil)
			answered <- err
		}()
		synctest.Wait()
		start := time.Now()
		require.NoError(t, s.Shutdown(t.Context()))
		require.Equal(t, 5*time.Second, time.Since(start))
		require.NoError(t, <-answered)
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
	})
}

// TestShutdownGivesUp when its context ends: it closes at once.
func TestShutdownGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Silence()
		s := session.New("peer", session.Settings{}, link)
		answered := make(chan error, 1)
		go func() {
			_, err := s.Request(context.Background(), "tools/call", map[string]any{"name": "slow"}, nil)
			answered <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
		require.ErrorIs(t, <-answered, errors.ErrTransportClosed)
	})
}

// TestServerRequests: ping is answered, others are refused, and toward a modern
// server nothing is answered (R009, R010, R137).
func TestServerRequests(t *testing.T) {
	t.Run("legacy", func(t *testing.T) {
		link := legacyLink(t)
		link.On("tools/list").Request(`9007199254740993`, "ping", nil).Request(`"a"`, "sampling/createMessage", `{}`).Return(`{"tools":[]}`)
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		link.Await("", 2)
		var answers []string
		for _, frame := range link.Received() {
			if frame.Method == "" {
				answers = append(answers, string(frame.Raw))
				require.Equal(t, "s-1", frame.Header.Get("Mcp-Session-Id"))
			}
		}
		require.ElementsMatch(t, []string{
			`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`,
			`{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"this client does not serve sampling/createMessage"}}`,
		}, answers)
	})
	t.Run("modern", func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/list").Request(`1`, "ping", nil).Return(`{"tools":[]}`)
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.Zero(t, link.Count(""))
	})
}

// TestPeerDied: the running request fails at once, nothing is sent again.
func TestPeerDied(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Die(errors.New("exit status 3"))
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, nil)
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorContains(t, err, "exit status 3")
	require.False(t, errors.SafeToRetry(err))
	require.Equal(t, 1, link.Count("tools/call"))
}

// TestStaleAttempt: who lost the newest session while the attempt that made it
// was still finishing gets another one, not the lost one again.
func TestStaleAttempt(t *testing.T) {
	link := legacyLink(t)
	link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
	link.On("tools/list").Always().Answer(func(_ context.Context, frame mcptest.Received) (transporters.Reply, error) {
		if frame.Header.Get("Mcp-Session-Id") == "s-1" {
			return transporters.Reply{Status: 404}, nil
		}
		result := json.RawMessage(`{"tools":[]}`)
		return transporters.Reply{Status: 200, Message: mcp.Message{Raw: result, ID: frame.ID, Result: result}}, nil
	})
	// The log line "connected" comes after the peer is current and before the
	// attempt has ended.
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Debug, Output: writerFunc(func(line []byte) (int, error) {
		if strings.Contains(string(line), "connected") {
			time.Sleep(50 * time.Millisecond)
		}
		return len(line), nil
	})})
	s := newSession(t, link, nil, session.WithLogger(logger))
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	})
	link.Await("notifications/initialized", 1)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	wait.Wait()
	require.EqualValues(t, 2, s.Stats().Handshakes)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// TestPanickingCallback: the panic is the caller's, and the server is told that
// nobody waits any more.
func TestPanickingCallback(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Return(discoverResult)
	link.On("tools/call").Progress(1, 2, "").Silence()
	s := newSession(t, link, nil)
	require.PanicsWithValue(t, "oops", func() {
		_, _ = s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, func(mcp.Message) { panic("oops") })
	})
	link.Await("notifications/cancelled", 1)
	require.Zero(t, s.Stats().InFlight)
}

// TestRefusedActions never reach the link.
func TestRefusedActions(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	s := newSession(t, link, nil)
	for _, action := range []string{"", "initialize", "notifications/initialized", "notifications/cancelled"} {
		_, err := s.Request(t.Context(), action, nil, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams, action)
	}
	for _, params := range []any{[]int{1}, "text", 7, make(chan int), json.RawMessage(`{"a":1,"a":2}`), json.RawMessage(`{`)} {
		_, err := s.Request(t.Context(), "tools/list", params, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		require.Equal(t, errors.KindParams, failure.Kind)
	}
	require.Empty(t, link.Received())
}

// TestEraTranslation: what an era does not have is translated or refused (P47).
func TestEraTranslation(t *testing.T) {
	t.Run("ping of a modern server", func(t *testing.T) {
		link := modernLink(t)
		link.On("server/discover").Return(discoverResult)
		s := newSession(t, link, nil)
		_, err := s.Request(t.Context(), "ping", nil, nil)
		require.NoError(t, err)
		require.Zero(t, link.Count("ping"))
	})
	t.Run("refused by the modern era", func(t *testing.T) {
		s := newSession(t, modernLink(t), nil)
		for _, action := range []string{"resources/subscribe", "resources/unsubscribe"} {
			_, err := s.Request(t.Context(), action, nil, nil)
			require.ErrorContains(t, err, "2026-07-28")
			require.True(t, errors.SafeToRetry(err))
		}
	})
	t.Run("refused by the legacy era", func(t *testing.T) {
		s := newSession(t, legacyLink(t), nil)
		_, err := s.Request(t.Context(), "subscriptions/listen", nil, nil)
		require.ErrorContains(t, err, "2025-11-25")
	})
}

// TestModernMetadata holds R021-R023, R075-R078: what every modern request says
// of itself, in the body and in the headers.
func TestModernMetadata(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Times(2)
	link.On("resources/read")
	s := newSession(t, link, nil, session.WithClientInfo(mcp.Implementation{Name: "acme", Version: "1.4"}))
	for _, name := range []string{"get_order", "größe"} {
		_, err := s.Request(t.Context(), "tools/call", map[string]any{
			"name":  name,
			"_meta": map[string]any{"com.example/trace": 7, "io.modelcontextprotocol/protocolVersion": "1999-01-01", "progressToken": "mine"},
		}, nil)
		require.NoError(t, err)
	}
	_, err := s.Request(t.Context(), "resources/read", map[string]any{"uri": "file:///a b"}, nil)
	require.NoError(t, err)
	frames := link.Received()
	require.JSONEq(t, `{"name":"get_order","_meta":{
		"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"acme","version":"1.4"},
		"io.modelcontextprotocol/clientCapabilities":{},
		"progressToken":2,"com.example/trace":7}}`, string(frames[1].Params))
	for i, want := range []map[string]string{
		{"Mcp-Method": "server/discover", "Mcp-Name": ""},
		{"Mcp-Method": "tools/call", "Mcp-Name": "get_order"},
		{"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?Z3LDtsOfZQ==?="},
		{"Mcp-Method": "resources/read", "Mcp-Name": "file:///a b"},
	} {
		header := frames[i].Header
		for name, value := range want {
			require.Equal(t, value, header.Get(name))
		}
		require.Equal(t, "2026-07-28", header.Get("Mcp-Protocol-Version"))
		require.Equal(t, "application/json, text/event-stream", header.Get("Accept"))
		require.Empty(t, header.Get("Mcp-Session-Id"))
	}
}

// TestVersionRefused: a modern server that no longer speaks the version is
// probed again, once, and the request sent again with a new id (R039).
func TestVersionRefused(t *testing.T) {
	link := modernLink(t)
	link.On("tools/list").Status(400).Fail(-32022, "no longer", unsupported(`["2026-07-28"]`))
	link.On("server/discover").Return(discoverResult)
	link.On("tools/list").Return(`{"tools":[]}`)
	s := newSession(t, link, nil)
	_, err := s.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"server/discover", "tools/list", "server/discover", "tools/list"}, methods(link))
}

// TestResultTypes holds R011, R012 and R215. What asks for input is for the
// caller where he wants to drive the rounds himself.
func TestResultTypes(t *testing.T) {
	for _, test := range []struct {
		method, result, err string
	}{
		{"tools/call", `{"content":[]}`, ""},
		{"tools/call", `{"resultType":"complete"}`, ""},
		{"tools/call", `{"resultType":"input_required","requestState":"x"}`, ""},
		{"tools/list", `{"resultType":"input_required","requestState":"x"}`, "not allowed"},
		{"tools/call", `{"resultType":"surprise"}`, "surprise"},
	} {
		link := modernLink(t)
		link.On(test.method).Return(test.result)
		s := newSession(t, link, nil)
		ctx := transporters.WithCallOptions(t.Context(), func(options *transporters.CallOptions) { options.HandOverInput = true })
		_, err := s.Request(ctx, test.method, map[string]any{"name": "a"}, nil)
		if test.err == "" {
			require.NoError(t, err, test.result)
			continue
		}
		require.ErrorIs(t, err, errors.ErrProtocol)
		require.ErrorContains(t, err, test.err)
	}
}
