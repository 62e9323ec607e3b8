package storetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Keys of the tests: a result of a principal's, and one for all.
const (
	own    = "s-0:tools/list:-:self:-"
	shared = "s-0:tools/list:-:public:-"
)

// Cache runs the tests of a CacheStore, each on a store of its own. A deletion must
// be obeyed by the handle that made it at once, by the other one within a second.
func Cache(t *testing.T, open func(t *testing.T) (first, second policy.CacheStore)) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *caches)
	}{
		{"OwnGoesBeforeShared", testPrecedence},
		{"AnyBytesAreKept", testBytes},
		{"WhatOneKeepsTheOtherFinds", testSharing},
		{"WhatIsNobodyElsesStaysSo", testPrincipals},
		{"UntilItsTimeIsOver", testExpiry},
		{"DeletesByPrefix", testPrefixes},
		{"DeletesWhatIsOfSome", testDeleteOf},
		{"KeepsNothingThatWasFetchedBeforeADeletion", testMarks},
		{"ADeletionIsObeyedByAll", testObedience},
		{"ValuesBelongToTheStore", testAliases},
		{"ManyAtOnce", testCrowd},
		{"AContextThatHasEndedIsRespected", testEndedContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, second := open(t)
			test.run(t, &caches{t, first, second})
		})
	}
}

// caches are the two handles, with methods that must not fail.
type caches struct {
	t             *testing.T
	first, second policy.CacheStore
}

func (c *caches) get(store policy.CacheStore, own, shared string) string {
	c.t.Helper()
	value, _, err := store.Get(c.t.Context(), own, shared)
	require.NoError(c.t, err)
	return string(value)
}

func (c *caches) mark(store policy.CacheStore, key string) string {
	c.t.Helper()
	_, mark, err := store.Get(c.t.Context(), key, key)
	require.NoError(c.t, err)
	return mark
}

func (c *caches) set(store policy.CacheStore, key, value string, ttl time.Duration) {
	c.t.Helper()
	require.NoError(c.t, store.Set(c.t.Context(), key, []byte(value), ttl, c.mark(store, key)))
}

// kept tells of which of the keys there is something, by their numbers.
func (c *caches) kept(store policy.CacheStore, keys []string) (kept string) {
	c.t.Helper()
	for i, key := range keys {
		if c.get(store, key, key) != "" {
			kept += fmt.Sprint(i)
		}
	}
	return kept
}

// holds waits until both handles have the value; "" means none.
func (c *caches) holds(own, shared, want string) {
	c.t.Helper()
	for _, store := range []policy.CacheStore{c.first, c.second} {
		require.Eventually(c.t, func() bool { return c.get(store, own, shared) == want }, atMost, between, "%s: %q", own, want)
	}
}

func testPrecedence(_ *testing.T, c *caches) {
	c.holds(own, shared, "")
	c.set(c.first, shared, "{2}", time.Minute)
	c.holds(own, shared, "{2}")
	c.set(c.first, own, "{1}", time.Minute)
	c.holds(own, shared, "{1}")
	c.set(c.second, own, "{3}", time.Minute)
	c.holds(own, shared, "{3}")
}

func testBytes(_ *testing.T, c *caches) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, value := range [][]byte{all, bytes.Repeat(all, 1024), []byte("\x00")} {
		c.set(c.first, own, string(value), time.Minute)
		c.holds(own, own, string(value))
	}
}

func testSharing(_ *testing.T, c *caches) {
	c.set(c.first, own, "{1}", time.Minute)
	c.set(c.second, shared, "{2}", time.Minute)
	c.holds(own, shared, "{1}")
	c.holds("s-0:tools/list:-:other:-", shared, "{2}")
}

func testPrincipals(_ *testing.T, c *caches) {
	c.set(c.first, own, "{1}", time.Minute)
	for _, other := range []string{
		"s-0:tools/list:-:bob:-", "s-0:tools/list:-:self:1", "s-0:prompts/list:-:self:-",
		"s-1:tools/list:-:self:-", "s-0:tools/list:x:self:-", "s-0:tools/list:-:SELF:-",
	} {
		c.holds(other, other, "")
	}
}

func testExpiry(_ *testing.T, c *caches) {
	c.set(c.first, own, "{1}", soon)
	c.set(c.first, shared, "{2}", time.Minute)
	c.holds(own, shared, "{2}")
}

func testPrefixes(t *testing.T, c *caches) {
	keys := []string{"s:m:x:self:-", "s:m:x:public:1", "s:m:y:self:-", "s:n:x:self:-", "t:m:x:self:-"}
	for _, test := range []struct{ prefix, want string }{{"s:m:x:", "234"}, {"s:m:", "34"}, {"s:", "4"}, {"u:", "01234"}} {
		for _, key := range keys {
			c.set(c.first, key, "{}", time.Minute)
		}
		require.Eventually(t, func() bool { return c.kept(c.second, keys) == "01234" }, atMost, between)
		require.NoError(t, c.first.Delete(t.Context(), test.prefix))
		assert.Equal(t, test.want, c.kept(c.first, keys), "at once: %s", test.prefix)
		assert.Eventually(t, func() bool { return c.kept(c.second, keys) == test.want }, atMost, between, test.prefix)
	}
}

// What is deleted of some is still there of others.
func testDeleteOf(t *testing.T, c *caches) {
	keys := []string{"s:m:x:self:-", "s:m:y:self.1:2", "s:m:x:public:-", "s:m:x:bob:-", "s:n:x:self:-", "t:m:x:self:-", "s:m:x:self2:-"}
	for _, test := range []struct {
		prefixes, words []string
		want            string
	}{
		{[]string{"s:m:"}, []string{"self"}, "23456"},
		{[]string{"s:m:"}, []string{"public"}, "013456"},
		{[]string{"s:m:", "s:n:"}, []string{"self", "bob"}, "256"},
		{[]string{"u:m:"}, []string{"self"}, "0123456"},
		{nil, []string{"self"}, "0123456"},
	} {
		for _, key := range keys {
			c.set(c.first, key, "{}", time.Minute)
		}
		require.Eventually(t, func() bool { return c.kept(c.second, keys) == "0123456" }, atMost, between)
		late := c.mark(c.first, keys[0])
		require.NoError(t, c.first.DeleteOf(t.Context(), test.prefixes, test.words))
		assert.Equal(t, test.want, c.kept(c.first, keys), "at once: %s", test)
		assert.Eventually(t, func() bool { return c.kept(c.second, keys) == test.want }, atMost, between, "%s", test)
		if test.want[0] != '0' {
			require.NoError(t, c.second.Set(t.Context(), keys[0], []byte("{}"), time.Minute, late))
			assert.Equal(t, test.want, c.kept(c.first, keys), "what was fetched before")
		}
	}
}

func testMarks(t *testing.T, c *caches) { // P68
	for _, prefix := range []string{"s-0:tools/list:-:", "s-0:tools/list:", "s-0:"} {
		for _, other := range []policy.CacheStore{c.first, c.second} {
			mark := c.mark(c.first, own)
			require.NoError(t, other.Delete(t.Context(), prefix))
			require.NoError(t, c.first.Set(t.Context(), own, []byte("{}"), time.Minute, mark))
			assert.Never(t, func() bool { return c.get(c.first, own, shared) != "" }, 50*time.Millisecond, between, "%s", prefix)
		}
	}
	late := c.mark(c.first, own)
	require.NoError(t, c.first.Delete(t.Context(), "s-0:"))
	c.set(c.first, own, "{1}", time.Minute)
	require.NoError(t, c.first.Set(t.Context(), own, []byte("{0}"), time.Minute, late))
	c.holds(own, shared, "{1}") // what came too late takes the place of nothing
}

// One sees the change, and all obey it.
func testObedience(t *testing.T, c *caches) {
	for range 10 {
		c.set(c.first, shared, "{1}", time.Minute)
		c.holds(own, shared, "{1}")
		require.NoError(t, c.second.Delete(t.Context(), "s-0:tools/list:"))
		assert.Empty(t, c.get(c.second, own, shared), "at once where it was seen")
		c.holds(own, shared, "")
	}
}

func testAliases(t *testing.T, c *caches) {
	value := append(make([]byte, 0, 1<<10), "{1}"...)
	mark := c.mark(c.first, own)
	require.NoError(t, c.first.Set(t.Context(), own, value, time.Minute, mark))
	copy(value, "xxx")
	c.holds(own, own, "{1}")
}

// What is found under a key is what was kept under it, whatever else goes on.
func testCrowd(t *testing.T, c *caches) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			key := fmt.Sprintf("s-0:tools/list:-:%d:-", i%4)
			want := fmt.Sprintf("{%d}", i%4)
			store := []policy.CacheStore{c.first, c.second}[i%2]
			for range 50 {
				value, mark, err := store.Get(t.Context(), key, shared)
				if !assert.NoError(t, err) || value != nil && !assert.Equal(t, want, string(value)) {
					return
				}
				assert.NoError(t, store.Set(t.Context(), key, []byte(want), time.Minute, mark))
				if i == 0 {
					assert.NoError(t, store.Delete(t.Context(), "s-0:tools/list:-:"))
				}
			}
		})
	}
	all.Wait()
}

func testEndedContext(t *testing.T, c *caches) {
	returns(t, func(ctx context.Context) {
		_, mark, _ := c.first.Get(ctx, own, shared)
		_ = c.first.Set(ctx, own, []byte("{}"), time.Minute, mark)
		_ = c.first.Delete(ctx, "s-0:")
		_ = c.first.DeleteOf(ctx, []string{"s-0:tools/list:"}, []string{"self"})
	})
}
