//go:build unix

package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// What a cached tools/list costs through a whole client: in memory, in Redis with
// the near cache, and in Redis without. The list has 50 tools, 20 KB.
func BenchmarkCachedToolsList(b *testing.B) {
	server := mcptest.NewServer(mcptest.WithTTL(time.Hour))
	b.Cleanup(server.Close)
	for i := range 50 {
		server.AddTool(mcp.Tool{Name: fmt.Sprintf("tool-%02d", i), Description: strings.Repeat("what it does. ", 25)}, nil)
	}
	url := mcptest.StartHTTP(b, server)
	redis := startRedis(b)
	for _, way := range []struct{ name, store string }{
		{"memory", "store: memory"},
		{"redis-near", fmt.Sprintf("store: {type: redis, url: '%s', key: %s, prefix: 'near:'}", redis.url(), testKey())},
		{"redis-far", fmt.Sprintf("store: {type: redis, url: '%s', key: %s, prefix: 'far:', near_cache: false}", redis.url(), testKey())},
	} {
		b.Run(way.name, func(b *testing.B) {
			text := way.store + "\nservers: {s: {type: http, base_url: '" + url + "', cache: {enabled: true}}}"
			cfg, err := config.Parse("mcp.yaml", []byte(text))
			require.NoError(b, err)
			client, err := mcpclient.New(cfg, Register())
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, client.Close()) })
			require.Empty(b, client.Problems())
			connection, err := client.Connect("s")
			require.NoError(b, err)
			list := func() {
				tools, err := connection.Tools(b.Context())
				if err != nil || tools.Len() != 50 {
					b.Fatal(err, tools.Len())
				}
			}
			list()
			before := server.Count(mcp.MethodListTools)
			b.ReportAllocs()
			for b.Loop() {
				list()
			}
			require.Equal(b, before, server.Count(mcp.MethodListTools), "all were hits")
		})
	}
}

// The stores alone.
func BenchmarkStores(b *testing.B) {
	redis := startRedis(b)
	value := []byte(`{"tools":"` + strings.Repeat("x", 20<<10) + `"}`)
	near, far := redis.connect(b, ""), redis.connect(b, "near_cache: false")
	for _, store := range []struct {
		name  string
		cache policy.CacheStore
	}{{"memory", policy.NewMemoryCache(10, 1<<20)}, {"redis-near", near.Cache}, {"redis-far", far.Cache}} {
		b.Run("get/"+store.name, func(b *testing.B) {
			_, mark, err := store.cache.Get(b.Context(), cached, cached)
			require.NoError(b, err)
			require.NoError(b, store.cache.Set(b.Context(), cached, value, time.Hour, mark))
			b.ReportAllocs()
			for b.Loop() {
				if found, _, err := store.cache.Get(b.Context(), cached, cached); err != nil || found == nil {
					b.Fatal("a miss", err)
				}
			}
		})
		b.Run("set/"+store.name, func(b *testing.B) {
			_, mark, err := store.cache.Get(b.Context(), cached, cached)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if err := store.cache.Set(b.Context(), cached, value, time.Hour, mark); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("turn/redis", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := near.Turns.Turn(b.Context(), "k", 1e6, 1e6, time.Hour); err != nil {
				b.Fatal(err)
			}
		}
	})
}
