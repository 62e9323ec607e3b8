//go:build unix

package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/internal/masterkey"
)

func newTestSealer(t *testing.T, text string) *sealer {
	t.Helper()
	seal, err := newSealer(config.LiteralSecret(text))
	require.NoError(t, err)
	return seal
}

// What opens is what was sealed for that key, with this key.
func TestSeal(t *testing.T) {
	seal := newTestSealer(t, testKey())
	key := auth.Key{Kind: auth.KindToken, Principal: "alice"}
	sealed := seal.seal(key, []byte("canary"))
	assert.NotContains(t, string(sealed), "canary")
	assert.NotEqual(t, sealed, seal.seal(key, []byte("canary")), "a nonce each time")
	value, err := seal.open(key, sealed)
	require.NoError(t, err)
	assert.Equal(t, "canary", string(value))
	_, err = seal.open(auth.Key{Kind: auth.KindToken, Principal: "bob"}, sealed)
	require.ErrorIs(t, err, errForeign, "it was moved to another record")
	_, err = newTestSealer(t, strings.Repeat("ab", masterkey.Bytes)).open(key, sealed)
	require.ErrorIs(t, err, errForeign, "another key")
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		_, err := seal.open(key, changed)
		require.ErrorIs(t, err, errForeign, "byte %d", i)
		_, err = seal.open(key, sealed[:i])
		require.ErrorIs(t, err, errForeign, "%d bytes", i)
	}
}

// Nothing that Redis holds shows a token, a principal or a flow's secret.
func TestRedisHoldsNoSecrets(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "prefix: 'p:'")
	for _, kind := range []auth.Kind{auth.KindToken, auth.KindClient, auth.KindFlow, auth.KindIssuer, auth.KindLease} {
		key := auth.Key{Kind: kind, Server: "https://canary.example", Issuer: "https://canary.example", Principal: "canary", ID: "canary"}
		require.NoError(t, stores.Tokens.Put(t.Context(), key, []byte("canary"), time.Now().Add(time.Hour)))
	}
	client, err := stores.Tokens.(*Tokens).db.connect(t.Context())
	require.NoError(t, err)
	keys, err := client.Do(t.Context(), client.B().Keys().Pattern("*").Build()).AsStrSlice()
	require.NoError(t, err)
	require.Len(t, keys, 5)
	for _, key := range keys {
		value, err := client.Do(t.Context(), client.B().Get().Key(key).Build()).ToString()
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(key, "p:auth:"))
		assert.NotContains(t, key+value, "canary")
		left, err := client.Do(t.Context(), client.B().Pttl().Key(key).Build()).AsInt64()
		require.NoError(t, err)
		assert.InDelta(t, time.Hour.Milliseconds(), left, 60_000, "it goes by itself")
	}
	assert.Equal(t, "tokens in Redis", fmt.Sprintf("%+v", stores.Tokens))
	assert.Equal(t, "tokens in Redis, and in memory while it is down", fmt.Sprintf("%#v", newLocal(stores.Tokens)))
}

// Errors, logs and prints show neither the password nor the key.
func TestPasswordsAreNotShown(t *testing.T) {
	server := startRedis(t, "--requirepass", "canary-right")
	var log strings.Builder
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: &log})
	open := func(password string) error {
		stores, faults := New(section(t, fmt.Sprintf("url: 'redis://:%s@127.0.0.1:%s', key: %s", password, server.port, testKey())), logger)
		require.Empty(t, faults)
		defer func() { require.NoError(t, stores.Close()) }()
		var err error
		for range 5 {
			_, err = stores.Pins.Pins(t.Context(), "s")
		}
		return err
	}
	require.NoError(t, open("canary-right"))
	err := open("canary-wrong")
	require.Error(t, err)
	assert.NotContains(t, log.String()+err.Error()+fmt.Sprintf("%+v", err), "canary")
}

func TestFaults(t *testing.T) {
	const key = "key: " + "6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b"
	for keys, want := range map[string]string{
		"url: 'redis://h', " + key:                         "",
		"url: 'valkeys://u:canary@h:1/2?addr=g:2', " + key: "",
		"url: 'unix:///run/redis.sock', " + key:            "",
		"url: 'redis://h', prefix: 'x:', near_cache: false, timeout: 1s, tokens_when_down: local, " + key: "",
		"url: 'http://u:canary@h', " + key:                 "mcp.yaml:2:22: store.url: not the URL of a Redis (in a password @, / and the like are written as %40, %2F); allowed: redis://host:port/database, rediss://..., unix:///path",
		"url: 'redis://u:canary@h:port', " + key:           `mcp.yaml:2:22: store.url: not the URL of a Redis (in a password @, / and the like are written as %40, %2F); allowed: redis://host:port/database, rediss://..., unix:///path`,
		"url: 'redis://u:can/ary@h', " + key:               `mcp.yaml:2:22: store.url: not the URL of a Redis (in a password @, / and the like are written as %40, %2F); allowed: redis://host:port/database, rediss://..., unix:///path`,
		"url: 'redis://u:canary@h/zero', " + key:           `mcp.yaml:2:22: store.url: not the URL of a Redis (in a password @, / and the like are written as %40, %2F); allowed: redis://host:port/database, rediss://..., unix:///path`,
		"url: 'redis://h', key: canary":                    "mcp.yaml:2:40: store.key: not 32 bytes in base64 or hex; allowed: 32 random bytes in base64 or hex",
		"url: 'redis://h'":                                 "mcp.yaml:2:1: store.key: the key is required; allowed: secret",
		"url: 'redis://h', ulr: x, " + key:                 `mcp.yaml:2:40: store.ulr: unknown key; did you mean "url"?`,
		"url: 'redis://h', near_cache_bytes: 0, " + key:    "mcp.yaml:2:40: store.near_cache_bytes: must be positive; allowed: 1 or more; near_cache: false turns it off",
		"url: 'redis://h', tokens_when_down: hope, " + key: `mcp.yaml:2:40: store.tokens_when_down: not one of the allowed values; allowed: error, local`,
	} {
		stores, faults := New(section(t, keys), nil)
		var told []string
		for _, fault := range faults {
			told = append(told, fault.String())
		}
		if want == "" {
			assert.Empty(t, told, keys)
			require.NoError(t, stores.Close())
		} else {
			assert.Equal(t, []string{want}, told, keys)
		}
	}
}
