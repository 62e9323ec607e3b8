package session_test

import (
	"context"
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

// TestAbortEndsOneRequest and no other one; the server is told where it is told of
// a request that is given up (R119, R064, R090), and nobody else is.
func TestAbortEndsOneRequest(t *testing.T) {
	for name, test := range map[string]struct {
		traits   transporters.Traits
		idType   string
		script   func(*mcptest.ScriptedLink)
		id       mcp.ID
		others   []mcp.ID // that name no request, or not this one
		notified int
	}{
		"modern stdio": {mcptest.StdioTraits(), session.IDTypeInt, asModern, mcp.NumberID(2), []mcp.ID{mcp.StringID("2"), mcp.NumberID(1), mcp.NumberID(99), nil, mcp.ID("null"), mcp.ID("2.0")}, 1},
		"modern http":  {mcptest.HTTPTraits(), session.IDTypeInt, asModern, mcp.NumberID(2), []mcp.ID{mcp.StringID("2")}, 0},
		"legacy http":  {mcptest.HTTPTraits(), session.IDTypeString, asLegacy, mcp.StringID("3"), []mcp.ID{mcp.NumberID(3)}, 1},
		"legacy stdio": {mcptest.StdioTraits(), session.IDTypeInt, asLegacy, mcp.NumberID(3), nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				link := mcptest.NewScriptedLink(t, test.traits)
				test.script(link)
				link.On("tools/call").Silence()
				link.On("tools/list").Delay(time.Minute / 2).Return(`{"tools":[]}`)
				s := session.New("peer", session.Settings{IDType: test.idType}, link)
				defer s.Close()
				var errorsTold told
				s.OnError(func(_ transporters.Source, err error) { errorsTold.Add("%v", err) })
				failed, other := make(chan error, 1), make(chan error, 1)
				go func() {
					_, err := s.Request(context.Background(), "tools/call", map[string]any{"name": "a"}, nil)
					failed <- err
				}()
				synctest.Wait()
				go func() {
					_, err := s.Request(context.Background(), "tools/list", nil, nil)
					other <- err
				}()
				synctest.Wait()
				for _, id := range test.others {
					s.Abort(id)
				}
				synctest.Wait()
				require.Empty(t, failed)
				began := time.Now()
				s.Abort(test.id)
				err := <-failed
				require.Zero(t, time.Since(began))
				require.ErrorIs(t, err, errors.ErrAborted)
				require.NotErrorIs(t, err, context.Canceled, "the caller's own context has not ended")
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok)
				require.Equal(t, errors.KindCanceled, failure.Kind)
				require.Equal(t, errors.DeliveryUnknown, failure.Delivery)
				require.Equal(t, test.id.String(), failure.ID)
				require.False(t, errors.SafeToRetry(err))
				s.Abort(test.id)
				synctest.Wait()
				require.Equal(t, test.notified, link.Count("notifications/cancelled"))
				require.NoError(t, <-other)
				require.Len(t, link.Abandoned(), 1)
				require.Empty(t, errorsTold.Settled())
				require.EqualValues(t, 1, s.Stats().FailuresByKind.Of(errors.KindCanceled))
				require.True(t, s.Stats().LastFailure.IsZero())
			})
		})
	}
}

// TestAbortFromTheCallback of the request itself: the link delivers no more.
func TestAbortFromTheCallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("tools/call").Progress(1, 2, "").Delay(time.Second).Progress(2, 2, "").Return(`{}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		events := 0
		_, err := s.Request(t.Context(), "tools/call", map[string]any{"name": "a"}, func(mcp.Message) {
			events++
			s.Abort(mcp.NumberID(2))
		})
		require.ErrorIs(t, err, errors.ErrAborted)
		require.Equal(t, 1, events)
	})
}

// TestAbortOfARequestThatWaitsForAReplacement: it keeps its id meanwhile.
func TestAbortOfARequestThatWaitsForAReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcesses(t, func(link *mcptest.ScriptedLink) {
			asModern(link)
			link.On("tools/list").Die(errors.New("killed"))
		}, asModern)
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{RestartDelay: config.Of(time.Minute / 2)}, p.dial),
			session.WithRetryLostRequests(true))
		defer s.Close()
		time.AfterFunc(time.Second, func() { s.Abort(mcp.NumberID(2)) })
		began := time.Now()
		_, err := s.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrAborted)
		require.Equal(t, time.Second, time.Since(began))
		require.NoError(t, s.WaitForState(t.Context(), transporters.StateReady))
	})
}

// TestAbortEndsASubscription, whose request it is.
func TestAbortEndsASubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		asModern(link)
		link.On("subscriptions/listen").Answer(func(ctx context.Context, frame mcptest.Received) (transporters.Reply, error) {
			link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/other"})
			<-ctx.Done()
			return transporters.Reply{}, context.Cause(ctx)
		})
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		ended := make(chan error, 1)
		go func() {
			_, err := s.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
			ended <- err
		}()
		link.Await("subscriptions/listen", 1)
		s.Abort(mcp.NumberID(2))
		require.ErrorIs(t, <-ended, errors.ErrAborted)
		synctest.Wait()
		require.Equal(t, 1, link.Count("notifications/cancelled"))
	})
}

// TestSharedIDs: with a counter in common an id names one request of all sessions.
func TestSharedIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ids := &session.IDs{}
		failed := make(chan error, 2)
		var sessions []*session.Session
		for range 2 {
			link := modernLink(t)
			link.On("tools/call").Silence()
			s := session.New("peer", session.Settings{}, link, session.WithIDs(ids), session.WithIDs(nil))
			sessions = append(sessions, s)
			go func() {
				_, err := s.Request(context.Background(), "tools/call", map[string]any{"name": "a"}, nil)
				failed <- err
			}()
			synctest.Wait()
		}
		for _, s := range sessions {
			s.Abort(mcp.NumberID(4))
		}
		require.ErrorIs(t, <-failed, errors.ErrAborted)
		synctest.Wait()
		require.Empty(t, failed)
		for _, s := range sessions {
			require.NoError(t, s.Close())
		}
		require.ErrorIs(t, <-failed, errors.ErrTransportClosed)
	})
}
