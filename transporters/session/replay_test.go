package session_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// stateReading are the eight methods that may be sent again.
var stateReading = []string{"server/discover", "tools/list", "prompts/list", "prompts/get", "resources/list",
	"resources/templates/list", "resources/read", "completion/complete"}

func replaying(p *processes, restarts int) *session.Session {
	return session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{MaxRestarts: restarts}, p.dial),
		session.WithRetryLostRequests(true))
}

// TestReplay: each of the eight is sent again, under the same id, with the same
// params; the caller does not notice.
func TestReplay(t *testing.T) {
	for _, method := range stateReading {
		synctest.Test(t, func(t *testing.T) {
			dying := asLegacy
			p := newProcesses(t,
				func(link *mcptest.ScriptedLink) {
					dying(link)
					link.On(method).Delay(time.Second).Die(errors.New("killed"))
				},
				func(link *mcptest.ScriptedLink) {
					link.On("initialize").Return(initializeResult)
					link.On(method).Where(mcptest.Params(`{"name":"a"}`)).Return(`{"second":true}`)
				})
			s := replaying(p, 3)
			defer s.Close()
			result, err := s.Request(t.Context(), method, map[string]any{"name": "a"}, nil)
			require.NoError(t, err, method)
			require.JSONEq(t, `{"second":true}`, string(result.Raw()))
			first, second := p.links[0].Received(), p.links[1].Received()
			require.Equal(t, first[len(first)-1].Raw, second[len(second)-1].Raw, "the same frame")
			require.Equal(t, []string{"initialize", "notifications/initialized", method}, methods(p.links[1]), "initialized first")
		})
	}
}

// TestNoReplay: never tools/call, vendor methods, continuations of rounds
// (either member suffices), and nothing without the setting.
func TestNoReplay(t *testing.T) {
	for _, test := range []struct {
		method string
		params map[string]any
		off    bool
	}{
		{"tools/call", map[string]any{"name": "a"}, false},
		{"com.example/list", nil, false},
		{"prompts/get", map[string]any{"name": "a", "inputResponses": map[string]any{}}, false},
		{"resources/read", map[string]any{"uri": "a", "requestState": "s"}, false},
		{"tools/list", nil, true},
	} {
		t.Run(test.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcesses(t,
					func(link *mcptest.ScriptedLink) {
						asLegacy(link)
						link.On(test.method).Delay(time.Second).Die(nil)
					},
					func(link *mcptest.ScriptedLink) { link.On("initialize").Return(initializeResult) })
				s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{MaxRestarts: 3}, p.dial),
					session.WithRetryLostRequests(!test.off))
				defer s.Close()
				_, err := s.Request(t.Context(), test.method, test.params, nil)
				require.ErrorIs(t, err, errors.ErrPeerLost)
				require.False(t, errors.SafeToRetry(err))
				time.Sleep(time.Second)
				require.Zero(t, p.links[1].Count(test.method))
			})
		})
	}
}

// TestReplayInOrder: many lost requests reach the replacement in the order of
// their ids.
func TestReplayInOrder(t *testing.T) {
	const calls = 50
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t,
			func(link *mcptest.ScriptedLink) {
				asLegacy(link)
				link.On("tools/list").Times(calls).Silence()
			},
			func(link *mcptest.ScriptedLink) {
				link.On("initialize").Return(initializeResult)
				link.On("tools/list").Times(calls).Return(`{"tools":[]}`)
			})
		s := replaying(p, 3)
		defer s.Close()
		var wait sync.WaitGroup
		for range calls {
			wait.Go(func() {
				_, err := s.Request(t.Context(), "tools/list", nil, nil)
				require.NoError(t, err)
			})
		}
		synctest.Wait()
		p.links[0].Die(nil)
		wait.Wait()
		last := 0
		for _, frame := range p.links[1].Received()[2:] {
			id, err := strconv.Atoi(frame.ID.String())
			require.NoError(t, err)
			require.Greater(t, id, last)
			last = id
		}
	})
}

// TestReplayGivesUp: the original deadline goes on, a spent budget and Close end
// the wait with their own errors, a dying replacement leaves it for the next.
func TestReplayGivesUp(t *testing.T) {
	dying := func(link *mcptest.ScriptedLink) {
		link.On("initialize").Return(initializeResult)
		link.On("tools/list").Delay(time.Second).Die(nil)
	}
	first := func(link *mcptest.ScriptedLink) {
		asLegacy(link)
		link.On("tools/list").Delay(time.Second).Die(nil)
	}
	t.Run("for the next replacement", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProcesses(t, first, dying, func(link *mcptest.ScriptedLink) {
				link.On("initialize").Return(initializeResult)
				link.On("tools/list").Return(`{"tools":[]}`)
			})
			s := replaying(p, 3)
			defer s.Close()
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
		})
	})
	t.Run("exhausted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := replaying(newProcesses(t, first, dying), 1)
			defer s.Close()
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.ErrorIs(t, err, errors.ErrSupervisionExhausted)
		})
	})
	t.Run("closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link := supervise.New("peer", &supervise.Config{RestartDelay: config.Of(time.Hour)}, newProcesses(t, first).dial)
			s := session.New("peer", session.Settings{}, link, session.WithRetryLostRequests(true))
			time.AfterFunc(10*time.Second, func() { _ = s.Close() })
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			require.ErrorIs(t, err, errors.ErrTransportClosed)
		})
	})
	t.Run("deadline", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			link := supervise.New("peer", &supervise.Config{RestartDelay: config.Of(time.Hour)}, newProcesses(t, first).dial)
			s := session.New("peer", session.Settings{}, link, session.WithRetryLostRequests(true))
			defer s.Close()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Second, fmt.Errorf("page closed"))
			defer cancel()
			start := time.Now()
			_, err := s.Request(ctx, "tools/list", nil, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, 30*time.Second, time.Since(start))
		})
	})
}

// slowToTell is a link whose lost exchanges return late, as those of a caller do
// that the machine has no time for.
type slowToTell struct{ transporters.Link }

func (l slowToTell) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	reply, err := l.Link.Exchange(ctx, out, sink)
	if err != nil {
		time.Sleep(10 * time.Second)
	}
	return reply, err
}

// TestReplayOfALateCaller: a caller that learns of the death when the replacement
// serves already has its request sent again as all others have, at once.
func TestReplayOfALateCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t,
			func(link *mcptest.ScriptedLink) {
				asLegacy(link)
				link.On("tools/list").Die(errors.New("killed"))
			},
			func(link *mcptest.ScriptedLink) {
				link.On("initialize").Return(initializeResult)
				link.On("tools/list").Return(`{"tools":[]}`)
			})
		dial := func(ctx context.Context) (transporters.Link, error) {
			link, err := p.dial(ctx)
			return slowToTell{link}, err
		}
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{}, dial), session.WithRetryLostRequests(true))
		defer s.Close()
		begun := time.Now()
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, time.Since(begun))
	})
}
