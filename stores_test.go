package mcpclient_test

import (
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// shelf is a type of stores that only holds a cache, and counts its ends.
type shelf struct {
	cache  policy.CacheStore
	closed int
}

func (s *shelf) option() mcpclient.Option {
	return mcpclient.WithStoreType("shelf", func(section *config.Section, _ hclog.Logger) (factory.Stores, []errors.Fault) {
		var keys struct {
			Type string `config:"type"`
			URL  string `config:"url,required"`
		}
		faults := section.Decode(&keys)
		return factory.Stores{Cache: s.cache, Close: func() error { s.closed++; return nil }}, faults
	})
}

func configuration(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse("mcp.yaml", []byte(text))
	require.NoError(t, err)
	return cfg
}

// Two clients of one configuration share their store: the second one finds what
// the first one was told.
func TestClientsShareTheConfiguredStore(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithTTL(time.Minute))
	text := "store: {type: shelf, url: x}\nservers: {demo: {type: http, base_url: '" + mcptest.StartHTTP(t, server) + "', cache: {enabled: true}}}"
	shared := &shelf{cache: policy.NewMemoryCache(100, 1<<20)}
	for range 2 {
		client, err := mcpclient.New(configuration(t, text), shared.option())
		require.NoError(t, err)
		require.Empty(t, client.Problems())
		connection, err := client.Connect("demo")
		require.NoError(t, err)
		tools, err := connection.Tools(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 5, tools.Len())
		require.NoError(t, client.Close())
		require.NoError(t, client.Close())
	}
	assert.Equal(t, 1, server.Count("tools/list"))
	assert.Equal(t, 2, shared.closed, "each client ends its own, once")
}

func TestStoresThatAreWrong(t *testing.T) {
	const shelved = "store: {type: shelf, url: x}\nservers: {}"
	for name, test := range map[string]struct{ first, then, says string }{
		"not registered":  {"store: {type: redis, url: x}\nservers: {}", "", "has to import github.com/mcp-client-go/mcpclient/contrib/redis"},
		"a key too few":   {"store: shelf\nservers: {}", "", "store.url: the key is required"},
		"strict":          {"strict: true\nstore: shelf\nservers: {}", "", "store.url: the key is required"},
		"another store":   {shelved, "servers: {}\nstore:\n  type: shelf\n  url: y", "mcp.yaml:2:1: store: the store cannot be changed while the program runs"},
		"no store":        {shelved, "servers: {}", "mcp.yaml: store: the store cannot be changed"},
		"a store at last": {"store: memory\nservers: {}", shelved, "store: the store cannot be changed"},
		"the same":        {shelved, "store:\n  url: x\n  type: shelf\nservers: {}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			shared := &shelf{}
			client, err := mcpclient.New(configuration(t, test.first), shared.option())
			switch {
			case test.then != "":
				require.NoError(t, err)
				require.Empty(t, client.Problems())
				_, err = client.Apply(configuration(t, test.then))
			case err == nil:
				require.Len(t, client.Problems(), 1)
				err = client.Problems()[0]
			default:
				assert.Contains(t, test.first, "strict")
			}
			if test.says == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.says)
			}
			if client != nil {
				require.NoError(t, client.Close())
			}
		})
	}
}
