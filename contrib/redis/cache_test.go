//go:build unix

package redis

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/internal/masterkey"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// Keys of two principals' results.
const (
	ofAlice = "s-0:tools/list:-:alice:-"
	ofBob   = "s-0:tools/list:-:bob:-"
)

// kept keeps a value, and returns the Redis key that it is under.
func kept(t *testing.T, cache *Cache, key, value string) string {
	t.Helper()
	require.Eventually(t, func() bool { // a slow machine is a miss
		_, mark, err := cache.Get(t.Context(), key, key)
		if err != nil || cache.Set(t.Context(), key, []byte(value), time.Hour, mark) != nil {
			return false
		}
		found, _, err := cache.Get(t.Context(), key, key)
		return err == nil && string(found) == value
	}, 30*time.Second, time.Millisecond)
	at, err := cache.place(key)
	require.NoError(t, err)
	return at.result
}

func found(t *testing.T, cache *Cache, key string) string {
	t.Helper()
	value, _, err := cache.Get(t.Context(), key, key)
	require.NoError(t, err, "what does not open is no error")
	return string(value)
}

// connectLogging is connect with a log to look at.
func (s *redisServer) connectLogging(t *testing.T, keys string) (factory.Stores, *strings.Builder) {
	t.Helper()
	var log strings.Builder
	logger := hclog.New(&hclog.LoggerOptions{Output: &log, Mutex: &sync.Mutex{}})
	return openStores(t, fmt.Sprintf("url: '%s', %s", s.url(), keys), logger), &log
}

// direct is Redis as somebody sees it who has no key. What it sets the replica has
// heard of, so that what is in its memory answers for nothing.
func (s *redisServer) direct(t *testing.T, stores factory.Stores) (get func(key string) string, set func(key, value string)) {
	t.Helper()
	client, err := stores.Cache.(*Cache).db.connect(t.Context())
	require.NoError(t, err)
	get = func(key string) string {
		value, err := client.Do(t.Context(), client.B().Get().Key(key).Build()).ToString()
		require.NoError(t, err)
		return value
	}
	set = func(key, value string) {
		command := client.B().Set().Key(key).Value(rueidis.BinaryString([]byte(value))).Build()
		require.NoError(t, obeyed(t.Context(), client, command, key).Error())
	}
	return get, set
}

// A result opens under the key and the generations that it was kept with. What does
// not open is a miss, of which the log tells once.
func TestResultsAreSealed(t *testing.T) {
	server := startRedis(t)
	for name, near := range map[string]string{"near": "true", "far": "false"} {
		t.Run(name, func(t *testing.T) {
			stores, log := server.connectLogging(t, fmt.Sprintf("key: %s, near_cache: %s, prefix: '%s:'", testKey(), near, name))
			cache := stores.Cache.(*Cache)
			get, set := server.direct(t, stores)
			has := func(want string) {
				t.Helper()
				require.Eventually(t, func() bool { return found(t, cache, ofAlice) == want }, time.Second, time.Millisecond)
			}
			alices, bobs := kept(t, cache, ofAlice, `{"of":"alice"}`), kept(t, cache, ofBob, `{"of":"bob"}`)
			genuine := get(alices)
			assert.Empty(t, log.String())

			set(alices, get(bobs))
			has("")
			words, _, _ := strings.Cut(genuine, "\n")
			_, bobsSealed, _ := strings.Cut(get(bobs), "\n")
			set(alices, words+"\n"+bobsSealed)
			has("")
			assert.Equal(t, 1, strings.Count(log.String(), "does not open"), log.String())
			for i := len(words) + 1; i < len(genuine); i += 7 {
				set(alices, genuine[:i]+string([]byte{genuine[i] ^ 1})+genuine[i+1:])
				has("")
				set(alices, genuine[:i])
				has("")
			}
			set(alices, genuine)
			has(`{"of":"alice"}`)

			require.NoError(t, cache.DeleteOf(t.Context(), []string{"s-0:tools/list:"}, []string{"alice"}))
			kept(t, cache, ofAlice, `{"of":"alice","n":2}`)
			later, _, _ := strings.Cut(get(alices), "\n")
			set(alices, later+genuine[len(words):])
			has("") // the old one under the new generations
			assert.Equal(t, 1, strings.Count(log.String(), "does not open"), "once")
			assert.NotContains(t, log.String(), "alice")
			kept(t, cache, ofAlice, `{"of":"alice","n":3}`)
		})
	}
}

// A replica with another key finds nothing, says so, and harms nobody.
func TestAnotherKeyFindsNothing(t *testing.T) {
	server := startRedis(t)
	right := server.connect(t, "near_cache: false").Cache.(*Cache)
	wrong, log := server.connectLogging(t, "near_cache: false, key: "+strings.Repeat("ab", masterkey.Bytes))
	other := wrong.Cache.(*Cache)
	kept(t, right, ofAlice, "{1}")
	assert.Empty(t, found(t, other, ofAlice))
	kept(t, other, ofAlice, "{2}")
	assert.Equal(t, "{1}", found(t, right, ofAlice), "each has names of its own")
	assert.Empty(t, log.String())
}

// Nothing that Redis holds shows a result, or whom it is for.
func TestRedisHoldsNoResults(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "")
	cache := stores.Cache.(*Cache)
	key := "s-0:tools/list:-:canary.canary:canary"
	kept(t, cache, key, `{"tools":"canary"}`)
	_, mark, err := cache.Get(t.Context(), key, key)
	require.NoError(t, err)
	_, err = cache.Claim(t.Context(), key, mark, time.Hour)
	require.NoError(t, err)
	client, err := cache.db.connect(t.Context())
	require.NoError(t, err)
	keys, err := client.Do(t.Context(), client.B().Keys().Pattern("*").Build()).AsStrSlice()
	require.NoError(t, err)
	require.Len(t, keys, 4+2)
	for _, key := range keys {
		value, err := client.Do(t.Context(), client.B().Get().Key(key).Build()).ToString()
		require.NoError(t, err)
		assert.NotContains(t, key+value, "canary")
	}
}

// Three replicas that miss at once make one request, fifty callers each.
func TestAListIsFetchedOnceForAllReplicas(t *testing.T) {
	for name, keys := range map[string]string{"near": "", "far": ", near_cache: false"} {
		t.Run(name, func(t *testing.T) {
			const slow = 100 * time.Millisecond // so that all have looked before there is anything
			server := mcptest.NewDemoServer(mcptest.WithTTL(time.Hour), mcptest.WithDelay(mcp.MethodListTools, slow))
			t.Cleanup(server.Close)
			url, redis := mcptest.StartHTTP(t, server), startRedis(t)
			var connections []*mcpclient.Connection
			for range 3 {
				text := fmt.Sprintf("store: {type: redis, url: '%s', key: %s, timeout: 10s%s}\nservers: {s: {type: http, base_url: '%s', cache: {enabled: true}}}",
					redis.url(), testKey(), keys, url)
				cfg, err := config.Parse("mcp.yaml", []byte(text))
				require.NoError(t, err)
				client, err := mcpclient.New(cfg, Register())
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, client.Close()) })
				require.Empty(t, client.Problems())
				connection, err := client.Connect("s")
				require.NoError(t, err)
				require.NoError(t, connection.Ping(t.Context()))
				connections = append(connections, connection)
			}
			// A machine that is so slow that one cannot wait for the other has more rounds.
			const rounds = 20
			for round := 1; ; round++ {
				before := server.Count(mcp.MethodListTools)
				var all sync.WaitGroup
				begin := make(chan struct{})
				for _, connection := range connections {
					for range 50 {
						all.Go(func() {
							<-begin
							tools, err := connection.Tools(mcpclient.WithPrincipal(t.Context(), fmt.Sprint("round", round)))
							if assert.NoError(t, err) {
								assert.Equal(t, 5, tools.Len())
							}
						})
					}
				}
				close(begin)
				all.Wait()
				if server.Count(mcp.MethodListTools) == before+1 {
					return
				}
				require.Less(t, round, rounds, "never once")
			}
		})
	}
}

// A pin that was not signed with the store's key fits nothing, until it is accepted.
func TestPinsAreSigned(t *testing.T) {
	server := startRedis(t)
	stores, log := server.connectLogging(t, "key: "+testKey())
	pins := stores.Pins.(*Pins)
	client, err := pins.db.connect(t.Context())
	require.NoError(t, err)
	read := func() map[string]string {
		t.Helper()
		found, err := pins.Pins(t.Context(), "s")
		require.NoError(t, err)
		return found
	}
	forge := func(tool, pin string) {
		t.Helper()
		require.NoError(t, client.Do(t.Context(), client.B().Hset().Key(pins.key("s")).FieldValue().FieldValue(tool, pin).Build()).Error())
	}
	raw := func(server, tool string) string {
		t.Helper()
		pin, err := client.Do(t.Context(), client.B().Hget().Key(pins.key(server)).Field(tool).Build()).ToString()
		require.NoError(t, err)
		return pin
	}
	require.NoError(t, pins.Pin(t.Context(), "s", map[string]string{"a": "sha256:1", "b": "sha256:2"}, false))
	require.NoError(t, pins.Pin(t.Context(), "other", map[string]string{"a": "sha256:3"}, false))
	assert.Equal(t, map[string]string{"a": "sha256:1", "b": "sha256:2"}, read())
	assert.Empty(t, log.String())
	genuine := raw("s", "a")
	for name, forged := range map[string]string{
		"a digest alone":      "sha256:evil",
		"with an old hash":    "sha256:evil" + genuine[len("sha256:1"):],
		"of another tool":     raw("s", "b"),
		"of another server":   raw("other", "a"),
		"nothing":             "",
		"more behind it":      genuine + " ",
		"the word for forged": foreignPin,
	} {
		forge("a", forged)
		assert.Equal(t, map[string]string{"a": foreignPin, "b": "sha256:2"}, read(), name)
	}
	assert.Equal(t, 1, strings.Count(log.String(), "forged"), "once")
	require.NoError(t, pins.Pin(t.Context(), "s", map[string]string{"a": "sha256:1"}, false))
	assert.Equal(t, foreignPin, read()["a"], "seen for the first time by another replica: no reason to believe it")
	require.NoError(t, pins.Pin(t.Context(), "s", map[string]string{"a": "sha256:1"}, true))
	assert.Equal(t, "sha256:1", read()["a"], "accepted")

	other, _ := server.connectLogging(t, "key: "+strings.Repeat("ab", masterkey.Bytes))
	found, err := other.Pins.Pins(t.Context(), "s")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": foreignPin, "b": foreignPin}, found)
}
