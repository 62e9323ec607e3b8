package mcpclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// watch runs Watch until the test ends, and returns what it tells.
func watch(t *testing.T, group *mcpclient.Group) chan mcpclient.GroupChange {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	told, ended := make(chan mcpclient.GroupChange, 100), make(chan error, 1)
	go func() { ended <- group.Watch(ctx, func(change mcpclient.GroupChange) { told <- change }) }()
	t.Cleanup(func() {
		cancel(errors.New("the test is over"))
		assert.EqualError(t, <-ended, "the test is over")
	})
	return told
}

func next(t *testing.T, told chan mcpclient.GroupChange) mcpclient.GroupChange {
	t.Helper()
	select {
	case change := <-told:
		return change
	case <-time.After(20 * time.Second):
		require.Fail(t, "no change was told")
		return mcpclient.GroupChange{}
	}
}

// addTool adds a tool to a server that tells of it.
func addTool(server *mcptest.Server, name string) {
	server.AddTool(mcp.Tool{Name: name}, func(context.Context, *mcptest.Call) (any, error) { return name, nil })
}

// Names follow what servers say, in both eras: a name that went to one server goes
// to another when that one has dropped it.
func TestGroupWatch(t *testing.T) {
	for _, protocol := range []string{"modern", "legacy"} {
		t.Run(protocol, func(t *testing.T) {
			one, two := mcptest.NewServer(mcptest.WithStandaloneStream()), mcptest.NewServer(mcptest.WithStandaloneStream())
			addTool(one, "a")
			addTool(two, "b")
			section := func(server *mcptest.Server) map[string]any {
				return map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, server), "protocol": protocol}
			}
			client := newClient(t, map[string]any{"one": section(one), "two": section(two)})
			group := client.Group(mcpclient.WithoutPrefix())
			listing, err := group.Tools(t.Context())
			require.NoError(t, err)
			require.Equal(t, []string{"a", "b"}, listing.Keys())
			told := watch(t, group)

			require.Eventually(t, func() bool { // until the subscription is open
				two.RemoveTool("b")
				addTool(two, "a")
				return len(told) > 0
			}, 20*time.Second, 20*time.Millisecond)
			change := next(t, told)
			assert.Equal(t, "two", change.Server)
			assert.True(t, change.Tools)
			_, err = group.CallTool(t.Context(), "a", nil)
			require.ErrorIs(t, err, errors.ErrUnknownName, "it could be either's now")
			_, err = group.CallTool(t.Context(), "two__a", nil)
			require.NoError(t, err)
		})
	}
}

// A group follows its client: what is replaced is subscribed to again, what is
// added is watched as well.
func TestGroupWatchFollowsTheClient(t *testing.T) {
	one, two := mcptest.NewServer(), mcptest.NewServer()
	addTool(one, "a")
	addTool(two, "a")
	urls := []string{mcptest.StartHTTP(t, one), mcptest.StartHTTP(t, two)}
	configuration := func(servers map[string]any) *config.Config {
		cfg, err := config.FromServers(servers)
		require.NoError(t, err)
		return cfg
	}
	server := func(url string, timeout string) map[string]any {
		return map[string]any{"type": "http", "base_url": url, "request_timeout": timeout}
	}
	client := newClient(t, map[string]any{"one": server(urls[0], "60s")})
	group := client.Group()
	told := watch(t, group)
	require.Eventually(t, func() bool { return one.Listens() == 1 }, 20*time.Second, 5*time.Millisecond)

	_, err := client.Apply(configuration(map[string]any{"one": server(urls[0], "50s")}))
	require.NoError(t, err)
	assert.Equal(t, mcpclient.GroupChange{Tools: true, Prompts: true, Resources: true}, next(t, told), "there may be other members")
	assert.Equal(t, mcpclient.GroupChange{Server: "one", Tools: true, Prompts: true, Resources: true}, next(t, told), "it was interrupted")
	addTool(one, "b")
	assert.Equal(t, mcpclient.GroupChange{Server: "one", Tools: true}, next(t, told))

	_, err = client.AddServer("two", server(urls[1], "60s"))
	require.NoError(t, err)
	assert.Empty(t, next(t, told).Server)
	require.Eventually(t, func() bool { return two.Listens() == 1 }, 20*time.Second, 5*time.Millisecond)
	addTool(two, "b")
	assert.Equal(t, "two", next(t, told).Server)
	require.NoError(t, client.RemoveServer(t.Context(), "two"))
	assert.Empty(t, next(t, told).Server)
	require.Eventually(t, func() bool { return two.Listens() == 0 }, 20*time.Second, 5*time.Millisecond)
}

// A server that tells of nothing is left alone, and so is a fake.
func TestGroupWatchOfServersThatTellNothing(t *testing.T) {
	fake := &fakeTools{name: "fake", tools: []string{"a"}}
	bare := mcpclient.NewConnection("bare", mcptest.NewTransporter(t))
	group, err := mcpclient.NewGroup([]mcpclient.Member{{Name: "fake", Server: fake}, {Name: "bare", Server: bare}})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, group.Watch(ctx, nil), context.DeadlineExceeded)
}
