//go:build unix

package redis

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

const cached = "s-0:tools/list:-:public:-"

// everything does one of each, and returns the errors.
func everything(ctx context.Context, stores factory.Stores) map[string]error {
	failures := map[string]error{}
	_, mark, err := stores.Cache.Get(ctx, cached, cached)
	failures["cache get"] = err
	if err != nil {
		mark = "a.b.c"
	}
	failures["cache set"] = stores.Cache.Set(ctx, cached, []byte("{}"), time.Minute, mark)
	failures["cache delete"] = stores.Cache.Delete(ctx, "s-0:tools/list:")
	failures["cache delete of"] = stores.Cache.DeleteOf(ctx, []string{"s-0:tools/list:"}, []string{"self"})
	claimer := stores.Cache.(policy.CacheClaimer)
	_, failures["claim"] = claimer.Claim(ctx, cached, mark, time.Second)
	failures["release"] = claimer.Release(ctx, cached, mark, "x")
	key := auth.Key{Kind: auth.KindToken, Server: "https://a.example", Principal: "p"}
	_, _, failures["token get"] = stores.Tokens.Get(ctx, key)
	failures["token put"] = stores.Tokens.Put(ctx, key, []byte("x"), time.Time{})
	_, failures["token swap"] = stores.Tokens.Swap(ctx, key, nil, []byte("y"), time.Time{})
	_, failures["token delete"] = stores.Tokens.Delete(ctx, key, nil)
	_, failures["pins"] = stores.Pins.Pins(ctx, "s")
	failures["pin"] = stores.Pins.Pin(ctx, "s", map[string]string{"x": "1"}, false)
	_, _, failures["turn"] = stores.Turns.Turn(ctx, "k", 1, 1, 0)
	return failures
}

func isUp(t *testing.T, stores factory.Stores) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, err := range everything(t.Context(), stores) {
			if err != nil {
				return false
			}
		}
		return true
	}, 30*time.Second, 50*time.Millisecond)
	stores.Verdicts.SaveVerdict(t.Context(), "k", session.Verdict{Era: mcp.EraModern})
	verdict, found := stores.Verdicts.LoadVerdict(t.Context(), "k")
	assert.True(t, found)
	assert.Equal(t, mcp.EraModern, verdict.Era)
}

// isDown checks that nothing hangs: ten operations and the like of them take no
// longer than the few that it takes to find out.
func isDown(t *testing.T, stores factory.Stores) {
	t.Helper()
	began := time.Now()
	for range 5 {
		for name, err := range everything(t.Context(), stores) {
			require.ErrorIs(t, err, ErrDown, name)
		}
	}
	_, found := stores.Verdicts.LoadVerdict(t.Context(), "k")
	assert.False(t, found)
	assert.Less(t, time.Since(began), 30*time.Second)
}

func TestAServerThatIsKilledAndStartedAgain(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "")
	isUp(t, stores)
	for range 2 {
		server.kill()
		isDown(t, stores)
		server.start()
		isUp(t, stores)
	}
}

func TestAServerThatDoesNotAnswer(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "timeout: 100ms, token_timeout: 200ms")
	isUp(t, stores)
	server.stop()
	isDown(t, stores)
	server.resume()
	isUp(t, stores)
}

// The store is not asked before it is needed, and may come later.
func TestAServerThatComesLater(t *testing.T) {
	server := startRedis(t)
	server.kill()
	stores := server.connect(t, "")
	isDown(t, stores)
	server.start()
	isUp(t, stores)
}

// Something takes the connection and says nothing.
func TestAServerThatIsNone(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	stores := (&redisServer{port: port}).connect(t, "timeout: 100ms, token_timeout: 200ms")
	isDown(t, stores)
}

// What a replica has in memory is forgotten with the connection: somebody may have
// deleted it meanwhile.
func TestNothingOldIsFoundAfterTheServerWasDown(t *testing.T) {
	server := startRedis(t)
	here, elsewhere := server.connect(t, ""), server.connect(t, "")
	isUp(t, here)
	isUp(t, elsewhere)
	_, mark, err := here.Cache.Get(t.Context(), cached, cached)
	require.NoError(t, err)
	require.NoError(t, here.Cache.Set(t.Context(), cached, []byte("{1}"), time.Hour, mark))
	value, _, err := here.Cache.Get(t.Context(), cached, cached)
	require.NoError(t, err)
	require.Equal(t, "{1}", string(value))
	server.kill()
	server.start()
	require.Eventually(t, func() bool { return elsewhere.Cache.Delete(t.Context(), "s-0:") == nil }, 30*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		value, _, err = here.Cache.Get(t.Context(), cached, cached)
		return err == nil
	}, 30*time.Second, 50*time.Millisecond)
	assert.Empty(t, value)
	require.NoError(t, here.Cache.Set(t.Context(), cached, []byte("{1}"), time.Hour, mark))
	value, _, err = here.Cache.Get(t.Context(), cached, cached)
	require.NoError(t, err)
	assert.Empty(t, value, "a mark of before is worth nothing")
}

// Who deletes finds nothing any more, at once, though Redis tells replicas of a
// change only after it has answered who made it.
func TestADeletionIsObeyedByItsOwnReplicaAtOnce(t *testing.T) {
	cache := startRedis(t).connect(t, "timeout: 10s, token_timeout: 10s").Cache
	for range 500 {
		_, mark, err := cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		require.NoError(t, cache.Set(t.Context(), cached, []byte("{1}"), time.Hour, mark))
		value, _, err := cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		require.NotNil(t, value)
		require.NoError(t, cache.Delete(t.Context(), "s-0:tools/list:"))
		value, _, err = cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		require.Nil(t, value)
	}
}

// Redis may lose any key at any time: what is left is not taken for current.
func TestLostGenerations(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "near_cache: false")
	cache := stores.Cache.(*Cache)
	at, err := cache.place(cached)
	require.NoError(t, err)
	for _, lost := range at.generations {
		_, mark, err := cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		require.NoError(t, cache.Set(t.Context(), cached, []byte("{1}"), time.Hour, mark))
		value, _, err := cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		require.NotNil(t, value)
		client, err := cache.db.connect(t.Context())
		require.NoError(t, err)
		require.NoError(t, client.Do(t.Context(), client.B().Del().Key(lost).Build()).Error())
		value, _, err = cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		assert.Nil(t, value, lost)
	}
}

// Callers that leave tell nothing of the store.
func TestCallersThatLeave(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "timeout: 10s, token_timeout: 10s")
	isUp(t, stores)
	server.stop()
	for range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_, err := stores.Pins.Pins(ctx, "s")
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ErrDown)
	}
	server.resume()
	_, err := stores.Pins.Pins(t.Context(), "s")
	require.NoError(t, err)
}

func TestClose(t *testing.T) {
	server := startRedis(t)
	stores := server.connect(t, "")
	isUp(t, stores)
	require.NoError(t, stores.Close())
	require.NoError(t, stores.Close())
	for name, err := range everything(t.Context(), stores) {
		require.Error(t, err, name)
	}
	unused := server.connect(t, "")
	require.NoError(t, unused.Close())
	_, err := unused.Pins.Pins(t.Context(), "s")
	require.ErrorIs(t, err, errors.ErrTransportClosed)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	dialing := (&redisServer{port: port}).connect(t, "timeout: 200ms, token_timeout: 200ms")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = dialing.Pins.Pins(ctx, "s")
	require.Error(t, err)
	require.NoError(t, dialing.Close(), "while it dials")
}

// A deletion that the store did not take is made up for before anything is found,
// by any replica: the store may have kept all it had.
func TestADeletionWhileTheServerIsDown(t *testing.T) {
	server := startRedis(t)
	here, elsewhere := server.connect(t, "timeout: 100ms, token_timeout: 200ms"), server.connect(t, "")
	keep := func(value string) {
		_, mark, err := here.Cache.Get(t.Context(), cached, cached)
		require.NoError(t, err)
		require.NoError(t, here.Cache.Set(t.Context(), cached, []byte(value), time.Hour, mark))
	}
	find := func(stores factory.Stores) (found string) {
		require.Eventually(t, func() bool {
			value, _, err := stores.Cache.Get(t.Context(), cached, cached)
			found = string(value)
			return err == nil
		}, 30*time.Second, 20*time.Millisecond)
		return found
	}
	for _, many := range []int{1, 3 * mostOwed} {
		keep("{1}")
		require.Eventually(t, func() bool { return find(elsewhere) == "{1}" }, time.Second, 5*time.Millisecond)
		server.stop()
		for i := range many - 1 {
			_ = here.Cache.Delete(t.Context(), "s-0:resources/read:"+time.Duration(i).String()+":")
		}
		require.ErrorIs(t, here.Cache.Delete(t.Context(), "s-0:tools/list:"), ErrDown)
		server.resume()
		assert.Empty(t, find(here))
		assert.Eventually(t, func() bool { return find(elsewhere) == "" }, time.Second, 5*time.Millisecond)
	}
	assert.Empty(t, here.Cache.(*Cache).owed)
}
