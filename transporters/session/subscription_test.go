package session_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

var watched = mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"file:///a"}}

// heard collects the methods of notifications.
type heard struct {
	mu      sync.Mutex
	methods []string
}

func (h *heard) handle(m mcp.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.methods = append(h.methods, m.Method)
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.methods...)
}

func tagged(id int) string {
	return fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}`, id)
}

func acknowledged(id int) string {
	return fmt.Sprintf(`{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}`, id)
}

// TestListenModern holds R219 to R225: the filter, the acknowledgement, the
// notifications in order, the clean end, and no deadline for any of it (P60).
func TestListenModern(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("subscriptions/listen").Where(mcptest.Params(`{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}}`)).
			Notify("notifications/subscriptions/acknowledged", acknowledged(2)).
			Delay(24*time.Hour).
			Notify("notifications/tools/list_changed", tagged(2)).
			Notify("notifications/resources/updated", `{"uri":"file:///a"}`).
			Delay(time.Hour).Return(`{"resultType":"complete"}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		var h heard
		sub, err := s.Listen(t.Context(), watched, h.handle)
		require.NoError(t, err)
		require.Equal(t, "2", sub.ID())
		require.Equal(t, mcp.SubscriptionFilter{ToolsListChanged: true}, sub.Acknowledged(), "R220: less than was asked for")
		require.NoError(t, sub.Wait(t.Context()))
		require.Equal(t, []string{"notifications/tools/list_changed", "notifications/resources/updated"}, h.all())
		require.NoError(t, sub.Close())
	})
}

// TestListenIsRefused: the refusal is the error of Listen, and nothing is sent
// again.
func TestListenIsRefused(t *testing.T) {
	link := modernLink(t)
	link.On("subscriptions/listen").Status(404).Fail(-32601, "no subscriptions here", nil)
	s := newSession(t, link, nil)
	_, err := s.Listen(t.Context(), watched, func(mcp.Message) {})
	require.ErrorContains(t, err, "no subscriptions here")
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	require.Equal(t, "subscriptions/listen", failure.Action)

	_, err = s.Listen(t.Context(), mcp.SubscriptionFilter{}, func(mcp.Message) {})
	require.ErrorIs(t, err, errors.ErrInvalidParams)
}

// TestListenIsNotAcknowledged: silence ends the opening (P60).
func TestListenIsNotAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("subscriptions/listen").Silence()
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		start := time.Now()
		_, err := s.Listen(t.Context(), watched, func(mcp.Message) {})
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

// TestCloseSubscription holds R224: over HTTP the stream is closed; the handler
// hears nothing more, and Wait does not block.
func TestCloseSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("subscriptions/listen").Notify("notifications/subscriptions/acknowledged", acknowledged(2)).Silence()
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		sub, err := s.Listen(t.Context(), watched, func(mcp.Message) {})
		require.NoError(t, err)
		require.NoError(t, sub.Close())
		require.ErrorContains(t, sub.Wait(t.Context()), "subscription closed")
		synctest.Wait()
		require.Len(t, link.Abandoned(), 1)
		require.Zero(t, link.Count("notifications/cancelled"))
	})
}

// TestSubscriptionsOnOnePipe holds R063, R123, R222 and R224 against a server in
// memory that, like a process, has one pipe for all: two subscriptions are told
// apart, the server ends one, we cancel the other.
func TestSubscriptionsOnOnePipe(t *testing.T) {
	server := mcptest.NewDemoServer()
	s := newSession(t, server.Link(), nil)
	first, second := make(chan string, 10), make(chan string, 10)
	tools, err := s.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(m mcp.Message) { first <- m.Method })
	require.NoError(t, err)
	prompts, err := s.Listen(t.Context(), mcp.SubscriptionFilter{PromptsListChanged: true}, func(m mcp.Message) { second <- m.Method })
	require.NoError(t, err)
	require.NotEqual(t, tools.ID(), prompts.ID())
	server.Notify(mcp.NotificationToolsListChanged, nil)
	server.Notify(mcp.NotificationPromptsListChanged, nil)
	require.Equal(t, mcp.NotificationToolsListChanged, <-first)
	require.Equal(t, mcp.NotificationPromptsListChanged, <-second)
	require.NoError(t, tools.Close())
	server.Await(t, mcp.NotificationCancelled, 1)
	server.EndListens()
	require.NoError(t, prompts.Wait(within(t, 10*time.Second)))
	require.Empty(t, server.Violations())
}

// TestListenAgain: a stream that broke off is opened again under the same id,
// after a pause that doubles (R225, R226).
func TestListenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := modernLink(t)
		link.On("subscriptions/listen").Notify("notifications/subscriptions/acknowledged", acknowledged(2)).Error(errors.ErrPeerLost)
		link.On("subscriptions/listen").Times(3).Status(503)
		link.On("subscriptions/listen").Notify("notifications/subscriptions/acknowledged", acknowledged(2)).
			Notify("notifications/tools/list_changed", tagged(2)).Return(`{}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		var h heard
		start := time.Now()
		sub, err := s.Listen(t.Context(), watched, h.handle)
		require.NoError(t, err)
		require.EqualValues(t, 1, sub.Openings())
		require.NoError(t, sub.Wait(t.Context()))
		require.EqualValues(t, 2, sub.Openings(), "P63: who caches can see that it was interrupted")
		require.Equal(t, 4*time.Second, time.Since(start), "0.5, 0.5, 1, and 2 s")
		require.Equal(t, []string{"notifications/tools/list_changed"}, h.all())
		var ids []string
		for _, frame := range link.Received()[1:] {
			ids = append(ids, frame.ID.String())
		}
		require.Equal(t, []string{"2", "2", "2", "2", "2"}, ids)
	})
}

// TestSubscriptionAcrossARestart: a supervised process dies, its replacement is
// listened to under the same id; when the budget is spent the subscription ends
// with that.
func TestSubscriptionAcrossARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links []*mcptest.ScriptedLink
		for i := range 2 {
			link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
			link.On("server/discover").Return(discoverResult)
			rule := link.On("subscriptions/listen").Notify("notifications/subscriptions/acknowledged", acknowledged(2))
			rule.Notify("notifications/tools/list_changed", tagged(2)).Delay(time.Duration(i+1) * time.Minute).Die(errors.New("killed"))
			links = append(links, link)
		}
		p := &processes{links: links}
		s := session.New("peer", session.Settings{}, supervise.New("peer", &supervise.Config{MaxRestarts: 1}, p.dial, supervise.WithTraits(mcptest.HTTPTraits())))
		defer s.Close()
		var h heard
		sub, err := s.Listen(t.Context(), watched, h.handle)
		require.NoError(t, err)
		require.ErrorIs(t, sub.Wait(t.Context()), errors.ErrSupervisionExhausted)
		require.Equal(t, []string{"notifications/tools/list_changed", "notifications/tools/list_changed"}, h.all())
		require.Equal(t, "2", links[1].Received()[1].ID.String())
	})
}

// TestSubscribeLegacy: resources/subscribe, list changes unasked, both behind
// the same API; what the server did not announce is not acknowledged; the last
// subscription takes the resource back.
func TestSubscribeLegacy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		link.On("server/discover").Fail(-32601, "no", nil)
		link.On("initialize").Return(`{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"a","version":"1"}}`)
		link.On("resources/subscribe").Where(mcptest.Params(`{"uri":"file:///a"}`))
		link.On("resources/unsubscribe").Where(mcptest.Params(`{"uri":"file:///a"}`))
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		var h heard
		sub, err := s.Listen(t.Context(), watched, h.handle)
		require.NoError(t, err)
		require.Equal(t, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"file:///a"}}, sub.Acknowledged())
		for _, uri := range []string{"file:///a", "file:///a/part", "file:///b", "file:///ab"} {
			link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/resources/updated", Params: []byte(`{"uri":"` + uri + `"}`)})
		}
		link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/tools/list_changed"})
		link.Inject(mcp.Message{Raw: []byte(`{}`), Method: "notifications/prompts/list_changed"})
		synctest.Wait()
		require.Equal(t, []string{"notifications/resources/updated", "notifications/resources/updated", "notifications/tools/list_changed"}, h.all())
		require.NoError(t, sub.Close())
		synctest.Wait()
		require.Equal(t, 1, link.Count("resources/unsubscribe"))
	})
}

// TestSubscribeLegacyAgain: after the session was lost and initialized again,
// the resources are subscribed to in the new one, at once.
func TestSubscribeLegacyAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := legacyLink(t)
		link.On("resources/subscribe").Times(2)
		link.On("tools/list").Status(404)
		link.On("initialize").Header("Mcp-Session-Id", "s-2").Return(initializeResult)
		link.On("tools/list").Return(`{"tools":[]}`)
		s := session.New("peer", session.Settings{}, link)
		defer s.Close()
		sub, err := s.Listen(t.Context(), watched, func(mcp.Message) {})
		require.NoError(t, err)
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		synctest.Wait()
		require.EqualValues(t, 2, sub.Openings())
		var sessions []string
		for _, frame := range link.Received() {
			if frame.Method == mcp.MethodSubscribe {
				sessions = append(sessions, frame.Header.Get("Mcp-Session-Id"))
			}
		}
		require.Equal(t, []string{"s-1", "s-2"}, sessions)
	})
}

// TestSlowSubscriber: a handler that falls behind ends the subscription, and
// says so; nothing is lost silently.
func TestSlowSubscriber(t *testing.T) {
	link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	link.On("server/discover").Fail(-32601, "no", nil)
	link.On("initialize").Return(initializeResult)
	s := newSession(t, link, nil)
	release := make(chan struct{})
	sub, err := s.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) { <-release })
	require.NoError(t, err)
	for range 10_000 {
		link.Inject(mcp.Message{Raw: make([]byte, 1000), Method: "notifications/tools/list_changed"})
	}
	close(release)
	require.ErrorIs(t, sub.Wait(within(t, 10*time.Second)), errors.ErrDeliveryDropped)
}

// TestListAgainFromTheHandler: a list_changed handler may list again.
func TestListAgainFromTheHandler(t *testing.T) {
	link := modernLink(t)
	link.On("subscriptions/listen").Notify("notifications/subscriptions/acknowledged", acknowledged(2)).
		Notify("notifications/tools/list_changed", tagged(2)).Silence()
	link.On("tools/list").Return(`{"tools":[]}`)
	s := newSession(t, link, nil)
	listed := make(chan error, 1)
	_, err := s.Listen(t.Context(), watched, func(mcp.Message) {
		_, err := s.Request(context.Background(), "tools/list", nil, nil)
		listed <- err
	})
	require.NoError(t, err)
	require.NoError(t, <-listed)
}
