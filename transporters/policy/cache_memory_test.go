package policy

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testCacheStore is what every CacheStore must do. It runs in a bubble.
func testCacheStore(t *testing.T, open func(t *testing.T) CacheStore) {
	const own, shared = "s:m:x:self:-", "s:m:x:public:-"
	run := func(name string, test func(t *testing.T, store CacheStore, get func(own, shared string) string, set func(key, value string, ttl time.Duration))) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := open(t)
				get := func(own, shared string) string {
					value, _, err := store.Get(t.Context(), own, shared)
					require.NoError(t, err)
					return string(value)
				}
				test(t, store, get, func(key, value string, ttl time.Duration) {
					_, mark, err := store.Get(t.Context(), key, key)
					require.NoError(t, err)
					require.NoError(t, store.Set(t.Context(), key, []byte(value), ttl, mark))
				})
			})
		})
	}
	run("own goes before shared", func(t *testing.T, _ CacheStore, get func(own, shared string) string, set func(string, string, time.Duration)) {
		assert.Empty(t, get(own, shared))
		set(shared, "{2}", time.Minute)
		assert.Equal(t, "{2}", get(own, shared))
		set(own, "{1}", time.Minute)
		assert.Equal(t, "{1}", get(own, shared))
		set(own, "{3}", time.Minute)
		assert.Equal(t, "{3}", get(own, shared), "replaced")
	})
	run("until its time is over", func(t *testing.T, _ CacheStore, get func(own, shared string) string, set func(string, string, time.Duration)) {
		set(own, "{1}", time.Minute)
		time.Sleep(time.Minute - time.Millisecond)
		assert.Equal(t, "{1}", get(own, shared))
		time.Sleep(time.Millisecond)
		assert.Empty(t, get(own, shared))
	})
	run("deletes by prefix", func(t *testing.T, store CacheStore, get func(own, shared string) string, set func(string, string, time.Duration)) {
		keys := []string{"s:m:x:self:-", "s:m:x:public:1", "s:m:y:self:-", "s:n:x:self:-", "t:m:x:self:-"}
		kept := func() (kept string) {
			for i, key := range keys {
				if get(key, key) != "" {
					kept += fmt.Sprint(i)
				}
			}
			return kept
		}
		for _, test := range []struct{ prefix, want string }{{"s:m:x:", "234"}, {"s:m:", "34"}, {"s:", "4"}, {"u:", "01234"}} {
			for _, key := range keys {
				set(key, "{}", time.Minute)
			}
			require.NoError(t, store.Delete(t.Context(), test.prefix))
			assert.Equal(t, test.want, kept(), test.prefix)
		}
	})
	run("keeps nothing that was fetched before a deletion", func(t *testing.T, store CacheStore, get func(own, shared string) string, _ func(string, string, time.Duration)) {
		for _, prefix := range []string{"s:m:x:", "s:m:", "s:"} {
			_, mark, err := store.Get(t.Context(), own, shared)
			require.NoError(t, err)
			require.NoError(t, store.Delete(t.Context(), prefix))
			require.NoError(t, store.Set(t.Context(), own, []byte("{}"), time.Minute, mark))
			assert.Empty(t, get(own, shared), "P68: %s", prefix)
		}
		_, mark, err := store.Get(t.Context(), own, shared)
		require.NoError(t, err)
		require.NoError(t, store.Set(t.Context(), own, []byte("{}"), time.Minute, mark))
		assert.Equal(t, "{}", get(own, shared))
	})
}

func TestMemoryCache(t *testing.T) {
	testCacheStore(t, func(*testing.T) CacheStore { return NewMemoryCache(100, 1<<20) })
}

// What was asked for longest ago goes first, by number and by bytes; the count of
// bytes is right after any of it.
func TestMemoryCacheIsBounded(t *testing.T) {
	m := NewMemoryCache(3, 3000)
	set := func(key string, size int) {
		_, mark, _ := m.Get(t.Context(), key, key)
		require.NoError(t, m.Set(t.Context(), key, []byte(strings.Repeat("x", size)), time.Minute, mark))
	}
	has := func(keys ...string) (found string) {
		for _, key := range keys {
			if value, _, _ := m.Get(t.Context(), key, key); value != nil {
				found += key
			}
		}
		return found
	}
	set("a", 10)
	set("b", 10)
	set("c", 10)
	assert.Equal(t, "a", has("a"))
	set("d", 10)
	assert.Equal(t, "acd", has("a", "b", "c", "d"), "b was not asked for longest")
	set("e", 2700)
	assert.Equal(t, "e", has("a", "c", "d", "e"), "bytes")
	set("f", 3000)
	assert.Equal(t, "e", has("e", "f"), "larger than all there is")
	set("e", 5)
	entries, bytes := m.Len()
	assert.Equal(t, 1, entries)
	assert.Equal(t, sizeOf("e", make([]byte, 5)), bytes)
	require.NoError(t, m.Delete(t.Context(), ""))
	entries, bytes = m.Len()
	assert.Zero(t, entries)
	assert.Zero(t, bytes)

	for i := range 10_000 {
		set(fmt.Sprint(i), i%500)
	}
	entries, bytes = m.Len()
	assert.LessOrEqual(t, entries, 3)
	assert.LessOrEqual(t, bytes, 3000)

	value := []byte("xyz")
	large := append(make([]byte, 0, 1<<20), value...)
	_, mark, _ := m.Get(t.Context(), "k", "k")
	require.NoError(t, m.Set(t.Context(), "k", large, time.Minute, mark))
	kept, _, _ := m.Get(t.Context(), "k", "k")
	large[0] = '!'
	assert.Equal(t, "xyz", string(kept), "a copy, which keeps nothing larger alive")
	assert.NotPanics(t, func() { NewMemoryCache(0, 0) })
}
