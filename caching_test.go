package mcpclient_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

func cached(more map[string]any) map[string]any {
	keys := map[string]any{"enabled": true}
	for key, value := range more {
		keys[key] = value
	}
	return map[string]any{"cache": keys}
}

func nothing(context.Context, *mcptest.Call) (any, error) { return "x", nil }

// Lists of a modern server are kept as long as it says, for each principal.
func TestResultsAreCached(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
	demo := connectHTTP(t, server, cached(nil))
	list := func(ctx context.Context) int {
		tools, err := demo.Tools(ctx)
		require.NoError(t, err)
		return tools.Len()
	}
	for range 3 {
		assert.Equal(t, 5, list(t.Context()))
		assert.Equal(t, 5, list(mcpclient.WithPrincipal(t.Context(), "alice")))
	}
	assert.Equal(t, 2, server.Count("tools/list"))
	list(mcpclient.WithFresh(t.Context()))
	assert.Equal(t, 3, server.Count("tools/list"))
	_, err := demo.CallTool(t.Context(), "echo", map[string]string{"text": "x"})
	require.NoError(t, err)
	assert.Empty(t, server.Violations())
}

// What is kept goes when the server tells of a change: on a subscription of the
// program's, or on one that the cache opens.
func TestChangesReachTheCache(t *testing.T) {
	for name, keys := range map[string]map[string]any{"the program listens": nil, "the cache watches": {"watch": true}} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
			demo := connectHTTP(t, server, cached(keys))
			heard := make(chan struct{}, 10)
			if keys == nil {
				subscription, err := demo.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) { heard <- struct{}{} })
				require.NoError(t, err)
				defer subscription.Close()
			}
			tools, err := demo.Tools(t.Context())
			require.NoError(t, err)
			require.Equal(t, 5, tools.Len())
			require.Eventually(t, func() bool { return server.Listens() == 1 }, 10*time.Second, time.Millisecond)
			server.AddTool(mcp.Tool{Name: "new"}, nothing)
			if keys == nil {
				<-heard // the cache has heard before
			}
			require.Eventually(t, func() bool {
				tools, err := demo.Tools(t.Context())
				return assert.NoError(t, err) && tools.Len() == 6
			}, 10*time.Second, time.Millisecond)
			require.Eventually(t, func() bool {
				listed := server.Count("tools/list")
				_, err = demo.Tools(t.Context())
				return assert.NoError(t, err) && listed == server.Count("tools/list")
			}, 10*time.Second, time.Millisecond, "it is kept again")
		})
	}
}

// A lost session voids what was kept; a legacy server's results are kept for as
// long as is configured.
func TestCacheOfALegacyServer(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
	section := cached(map[string]any{"ttl": map[string]any{"tools/list": "1h"}})
	section["protocol"] = "legacy"
	demo := connectHTTP(t, server, section)
	for range 2 {
		_, err := demo.Tools(t.Context())
		require.NoError(t, err)
		_, err = demo.Prompts(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, 1, server.Count("tools/list"))
	assert.Equal(t, 2, server.Count("prompts/list"), "it is not configured")
	server.ForgetSessions()
	require.NoError(t, demo.Ping(t.Context()))
	_, err := demo.Tools(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, server.Count("tools/list"))
}

// A store of the program's own gets keys that tell configurations apart.
func TestCacheStoreOfTheProgram(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithTTL(time.Hour))
	url := mcptest.StartHTTP(t, server)
	store := &countingStore{MemoryCache: policy.NewMemoryCache(100, 1<<20)}
	for _, token := range []string{"a", "b", "a"} {
		section := cached(nil)
		section["type"], section["base_url"], section["token"] = "http", url, token
		_, err := connect(t, section, mcpclient.WithCacheStore(store)).Tools(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, 2, server.Count("tools/list"), "another token, another entry; another client with the same, the same")
	assert.EqualValues(t, 3, store.gets.Load())
}

type countingStore struct {
	*policy.MemoryCache
	gets atomic.Int32
}

func (s *countingStore) Get(ctx context.Context, own, shared string) ([]byte, string, error) {
	s.gets.Add(1)
	return s.MemoryCache.Get(ctx, own, shared)
}
