package pool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// sessions returns a pool of sessions over the links.
func sessions(links []*mcptest.ScriptedLink, handlers session.Handlers) *pool.Pool {
	var bases []transporters.Base
	for _, link := range links {
		bases = append(bases, session.New("files", session.Settings{}, link, session.WithHandlers(handlers)))
	}
	return pool.New("files", pool.Config{}, bases...)
}

func legacyLinks(t *testing.T, n int) []*mcptest.ScriptedLink {
	var links []*mcptest.ScriptedLink
	for range n {
		link := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		link.On("server/discover").Fail(-32601, "no", nil)
		link.On("initialize").Return(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"old","version":"1"}}`)
		links = append(links, link)
	}
	return links
}

// startAll has every instance connect, by a call each at the same time.
func startAll(t *testing.T, p *pool.Pool, links []*mcptest.ScriptedLink) {
	t.Helper()
	release := make(chan struct{})
	var done []<-chan ended
	for _, link := range links {
		link.On("tools/list").After(release).Return(`{"tools":[]}`)
	}
	for range links {
		done = append(done, call(t.Context(), p, "tools/list"))
		synctest.Wait()
	}
	close(release)
	for _, d := range done {
		require.NoError(t, (<-d).err)
	}
}

// answersOf returns what the client answered on a link, by id.
func answersOf(link *mcptest.ScriptedLink) []string {
	var answers []string
	for _, frame := range link.Received() {
		if frame.Method == "" {
			answers = append(answers, string(frame.Raw))
		}
	}
	return answers
}

// Requests of two instances under one id are two requests: each is answered on
// the link it came on, and a cancellation reaches that of its own link alone.
func TestRequestsOfInstancesAreKeptApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := legacyLinks(t, 2)
		answer := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
		cancelled := map[string]bool{}
		p := sessions(links, session.Handlers{Requests: map[string]func(context.Context, string, json.RawMessage) (any, error){
			"x/who": func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
				var asked struct{ Instance string }
				if err := json.Unmarshal(params, &asked); err != nil {
					return nil, err
				}
				select {
				case <-answer[asked.Instance]:
					return map[string]string{"you": asked.Instance}, nil
				case <-ctx.Done():
					cancelled[asked.Instance] = true
					return nil, context.Cause(ctx)
				}
			},
		}})
		defer func() { require.NoError(t, p.Close()) }()
		startAll(t, p, links)

		for i, instance := range []string{"a", "b"} {
			links[i].Inject(mcptest.ParseMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"x/who","params":{"instance":%q}}`, instance)))
		}
		synctest.Wait()
		close(answer["b"])
		synctest.Wait()
		assert.Empty(t, answersOf(links[0]))
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":1,"result":{"you":"b"}}`}, answersOf(links[1]))

		links[1].Inject(mcptest.ParseMessage(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		synctest.Wait()
		assert.Empty(t, cancelled, "the request under that id has been answered there, and is another one here")
		links[0].Inject(mcptest.ParseMessage(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
		synctest.Wait()
		assert.Equal(t, map[string]bool{"a": true}, cancelled)
		assert.Empty(t, answersOf(links[0]), "a cancelled request is not answered")
		assert.Len(t, answersOf(links[1]), 1)
	})
}

func TestSubscriptionsAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := legacyLinks(t, 2)
		p := sessions(links, session.Handlers{})
		startAll(t, p, links)
		heard := make([]int, 3)
		var open []*session.Subscription
		for i := range heard {
			subscription, err := p.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) { heard[i]++ })
			require.NoError(t, err)
			open = append(open, subscription)
		}
		changed := mcptest.ParseMessage(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		links[1].Inject(changed)
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 0}, heard)
		links[0].Inject(changed)
		synctest.Wait()
		assert.Equal(t, []int{1, 1, 1}, heard)

		require.NoError(t, open[0].Close())
		require.NoError(t, open[2].Close())
		synctest.Wait()
		_, err := p.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) { heard[0] += 10 })
		require.NoError(t, err)
		links[0].Inject(changed)
		synctest.Wait()
		assert.Equal(t, []int{11, 1, 1}, heard, "what was closed counts no more")
		require.NoError(t, p.Close())
		require.ErrorIs(t, open[1].Wait(t.Context()), errors.ErrTransportClosed)
		_, err = p.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
		require.ErrorIs(t, err, errors.ErrTransportClosed)
	})
}

// A subscription is opened elsewhere if an instance cannot be started.
func TestASubscriptionFindsAnInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links := legacyLinks(t, 1)
		dead := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
		dead.FailStart(errors.ErrStartFailed)
		p := sessions([]*mcptest.ScriptedLink{dead, links[0]}, session.Handlers{})
		_, err := p.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
		require.NoError(t, err)
		require.NoError(t, p.Close())
	})
	p, _ := newPool(t, pool.Config{}, 2)
	_, err := p.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.ErrorIs(t, err, errors.ErrCapabilityMissing)
}
