package session_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// spy is a link that notes the contexts of the exchanges, which a link that
// releases calls must not do.
type spy struct {
	*mcptest.ScriptedLink
	mu       sync.Mutex
	contexts []context.Context
}

func (l *spy) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	if out.Method == mcp.MethodCallTool {
		l.mu.Lock()
		l.contexts = append(l.contexts, ctx)
		l.mu.Unlock()
	}
	return l.ScriptedLink.Exchange(ctx, out, sink)
}

// context returns that of the n-th call.
func (l *spy) context(n int) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.contexts[n]
}

// newSpy scripts a peer whose tools are called in the order given: "answer",
// "refuse", or "silence".
func newSpy(t *testing.T, releases bool, calls ...string) *spy {
	traits := mcptest.StdioTraits()
	traits.ReleasesCalls = releases
	link := mcptest.NewScriptedLink(t, traits)
	link.On("server/discover").Return(discoverResult)
	for _, what := range calls {
		switch rule := link.On("tools/call"); what {
		case "answer":
			rule.Return(`{"content":[]}`)
		case "refuse":
			rule.Fail(-32000, "no", nil)
		case "silence":
			rule.Silence()
		}
	}
	return &spy{ScriptedLink: link}
}

type valueKey struct{}

func callWith(ctx context.Context, s *session.Session) error {
	_, err := s.Request(ctx, "tools/call", map[string]any{"name": "x"}, nil)
	return err
}

// withTimeout returns a context for calls with this request timeout.
func withTimeout(t *testing.T, limit time.Duration) context.Context {
	return transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.RequestTimeout = &limit })
}

// TestCallsAreUsedAgain: with what was answered, and only with that, and only over a
// link that has promised to keep nothing of it.
func TestCallsAreUsedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		releases bool
		first    string
		again    bool
	}{
		"answered":                      {true, "answer", true},
		"refused by the server":         {true, "refuse", false},
		"not answered in time":          {true, "silence", false},
		"a link that may keep contexts": {false, "answer", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := newSpy(t, test.releases, test.first, "answer")
				s := session.New("peer", session.Settings{}, link)
				defer s.Close()
				_ = callWith(context.WithValue(t.Context(), valueKey{}, 1), s)
				require.NoError(t, callWith(context.WithValue(t.Context(), valueKey{}, 2), s))
				assert.Equal(t, test.again, link.context(0) == link.context(1))
				assert.Equal(t, !test.again, link.context(0).Err() != nil, "one that is over has ended")
			})
		})
	}
}

// TestACallThatIsUsedAgainIsLikeANewOne: it has the values, the limits and the end of
// its own caller, and a fresh id.
func TestACallThatIsUsedAgainIsLikeANewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := newSpy(t, true, "answer", "silence", "answer", "silence", "answer", "silence")
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		short, long := 2*time.Second, 3*time.Second
		require.NoError(t, callWith(withTimeout(t, short), s))
		time.Sleep(short - time.Millisecond)
		began := time.Now()
		require.ErrorIs(t, callWith(withTimeout(t, long), s), errors.ErrRequestTimeout)
		assert.Equal(t, long, time.Since(began), "the timer of the call before does not end it")

		cause := errors.New("the browser is gone")
		ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), valueKey{}, "mine"))
		require.NoError(t, callWith(ctx, s))
		assert.Nil(t, link.context(2).Value(valueKey{}), "nothing of the caller is kept")
		cancel(cause)
		synctest.Wait()
		assert.NoError(t, link.context(2).Err(), "its caller's end is no concern of the next one")

		other, cancelOther := context.WithCancelCause(context.WithValue(t.Context(), valueKey{}, "yours"))
		time.AfterFunc(time.Second, func() {
			assert.Equal(t, "yours", link.context(3).Value(valueKey{}))
			cancelOther(cause)
		})
		err := callWith(other, s)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, cause)
		assert.True(t, link.context(2) == link.context(3))

		require.NoError(t, callWith(t.Context(), s))
		time.AfterFunc(time.Second, func() { assert.NoError(t, s.Close()) })
		require.ErrorIs(t, callWith(t.Context(), s), errors.ErrTransportClosed)
		assert.True(t, link.context(4) == link.context(5))
		assert.False(t, link.context(3) == link.context(4), "what has ended is not used again")
		assert.Error(t, link.context(5).Err())

		ids := map[string]bool{}
		for _, frame := range link.Received() {
			if frame.Method == mcp.MethodCallTool {
				assert.False(t, ids[frame.ID.String()])
				ids[frame.ID.String()] = true
			}
		}
	})
}

// keeper is a hook that keeps the contexts of attempts.
type keeper struct{ contexts []context.Context }

func (k *keeper) OnAttemptStart(ctx context.Context, _ *transporters.AttemptInfo) context.Context {
	k.contexts = append(k.contexts, ctx)
	return ctx
}

// TestACallThatOthersSawIsNotUsedAgain: a hook may keep the context of an attempt for
// work of its own, and finds it ended with the call.
func TestACallThatOthersSawIsNotUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &keeper{}
		hooks, err := transporters.NewHooks(seen)
		require.NoError(t, err)
		link := newSpy(t, true, "answer", "answer")
		s := session.New("peer", session.Settings{}, link, session.WithHooks(hooks))
		defer s.Close()
		for n := range 2 {
			require.NoError(t, callWith(context.WithValue(t.Context(), valueKey{}, n), s))
		}
		for n, ctx := range seen.contexts {
			assert.Error(t, ctx.Err())
			assert.Equal(t, n, ctx.Value(valueKey{}))
		}
	})
}

// TestHandlersSeeACallThatIsNotUsedAgain: the same for who answers a round.
func TestHandlersSeeACallThatIsNotUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept []context.Context
		link := newSpy(t, true)
		for range 2 {
			link.On("tools/call").Return(`{"resultType":"input_required","inputRequests":{"r":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s"}`)
			link.On("tools/call").Return(`{"content":[]}`)
		}
		s := session.New("peer", session.Settings{}, link, session.WithHandlers(session.Handlers{
			ElicitForm: func(ctx context.Context, _ string, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				kept = append(kept, ctx)
				return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
			},
		}))
		defer s.Close()
		for n := range 2 {
			require.NoError(t, callWith(context.WithValue(t.Context(), valueKey{}, n), s))
		}
		require.Len(t, kept, 2)
		for n, ctx := range kept {
			assert.Error(t, ctx.Err())
			assert.Equal(t, n, ctx.Value(valueKey{}))
		}
	})
}
