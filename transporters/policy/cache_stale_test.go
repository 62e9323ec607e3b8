package policy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// R234, P61: what notifications make stale.
func TestCacheObeysNotifications(t *testing.T) {
	updated := func(uri string) mcp.Message {
		return mcp.Message{Method: mcp.NotificationResourceUpdated, Params: []byte(`{"uri":"` + uri + `"}`)}
	}
	requests := []struct {
		action string
		params any
	}{
		{"tools/list", nil}, {"tools/list", map[string]any{"cursor": "2"}}, {"prompts/list", nil}, {"prompts/get", callNamed("p")},
		{"resources/list", nil}, {"resources/templates/list", nil},
		{"resources/read", mcp.URIParams("file:///a")}, {"resources/read", mcp.URIParams("file:///a/b")}, {"resources/read", mcp.URIParams("file:///a/b/")}, {"resources/read", mcp.URIParams("file:///c")},
	}
	for name, test := range map[string]struct {
		message mcp.Message
		stale   []int
	}{
		"tools":                 {mcp.Message{Method: mcp.NotificationToolsListChanged}, []int{0, 1}},
		"prompts":               {mcp.Message{Method: mcp.NotificationPromptsListChanged}, []int{2, 3}},
		"resources":             {mcp.Message{Method: mcp.NotificationResourcesListChanged}, []int{4, 5}},
		"a resource":            {updated("file:///c"), []int{9}},
		"a part of one":         {updated("file:///a/b/x/y"), []int{6, 7, 8}},
		"the whole of parts":    {updated("file:///a"), []int{6}},
		"another resource":      {updated("file:///d"), nil},
		"an update of nothing":  {mcp.Message{Method: mcp.NotificationResourceUpdated, Params: []byte(`{}`)}, nil},
		"something else":        {mcp.Message{Method: mcp.NotificationProgress}, nil},
		"a uri without a slash": {updated("a"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := &counted{hints: minuteLong}
			cfg := caching()
			cfg.TTL = map[string]config.Duration{"prompts/get": config.Of(time.Minute)}
			cache := NewCache("s", cfg, CacheOptions{})
			chain := cache.Wrap(server)
			for i, request := range requests {
				require.Equal(t, i+1, number(t, t.Context(), chain, request.action, request.params))
			}
			cache.Notify("", test.message)
			var stale []int
			for i, request := range requests {
				if number(t, t.Context(), chain, request.action, request.params) != i+1 {
					stale = append(stale, i)
				}
			}
			assert.Equal(t, test.stale, stale)
		})
	}
	assert.LessOrEqual(t, len(withParents("x:/"+strings.Repeat("/a", 10_000))), 2*maxParents+1)
}

// P68: a change that comes during a fetch makes its result stale, and who asks
// after the change does not wait for that fetch.
func TestCacheChangeDuringAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counted{hints: minuteLong, takes: time.Second}
		cache := NewCache("s", caching(), CacheOptions{})
		chain := cache.Wrap(server)
		var calls sync.WaitGroup
		calls.Go(func() { assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil)) })
		synctest.Wait()
		cache.Notify("", mcp.Message{Method: mcp.NotificationToolsListChanged})
		calls.Go(func() { assert.Equal(t, 2, number(t, t.Context(), chain, "tools/list", nil)) })
		calls.Wait()
		assert.Equal(t, 2, number(t, t.Context(), chain, "tools/list", nil), "what was fetched after the change is kept")
	})
}

// R235: a page that cannot be had any more voids the list.
func TestCacheLostPage(t *testing.T) {
	server := &counted{hints: minuteLong}
	chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
	assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil))
	server.play = func(context.Context, string, transporters.EventFunc) (mcp.Result, error) {
		return mcp.Result{}, failureOf(errors.KindPeer, errors.DeliveryAnswered, nil)
	}
	_, err := chain.Request(t.Context(), "tools/list", map[string]any{"cursor": "gone"}, nil)
	require.Error(t, err)
	server.play = nil
	assert.Equal(t, 3, number(t, t.Context(), chain, "tools/list", nil))
}

// What a new connection makes stale.
func TestCacheAfterAReconnect(t *testing.T) {
	peer := &fakePeer{era: mcp.EraModern}
	server := &counted{hints: minuteLong}
	chain := NewCache("s", caching(), CacheOptions{Peer: peer}).Wrap(server)
	alice := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal = "alice" })
	public := func() int {
		server.hints = `"ttlMs":60000,"cacheScope":"public",`
		defer func() { server.hints = minuteLong }()
		return number(t, t.Context(), chain, "prompts/list", nil)
	}
	own := func() int { return number(t, t.Context(), chain, "tools/list", nil) }
	hers := func() int { return number(t, alice, chain, "tools/list", nil) }
	require.Equal(t, 1, public())
	require.Equal(t, 2, own())
	peer.set("alice", Generation{1, 1})
	require.Equal(t, 3, hers())
	assert.Equal(t, []int{1, 2, 3}, []int{public(), own(), hers()}, "the first handshake is none")

	peer.set("alice", Generation{})
	assert.Equal(t, 3, hers(), "an idle connection was closed")
	peer.set("alice", Generation{2, 1})
	assert.Equal(t, 4, hers(), "another connection: what was hers is void")
	assert.Equal(t, []int{1, 2}, []int{public(), own()}, "and only that")

	peer.set("alice", Generation{2, 2})
	assert.Equal(t, 5, hers(), "the server was lost")
	assert.Equal(t, []int{6, 2, 5}, []int{public(), own(), hers()}, "for her, and what she shares with all")

	server.play = func(context.Context, string, transporters.EventFunc) (mcp.Result, error) {
		peer.set("alice", Generation{2, 3})
		return mcp.Result{}, nil
	}
	require.Equal(t, 7, number(t, alice, chain, "resources/list", nil), "lost during the fetch")
	server.play = nil
	assert.Equal(t, []int{8, 9, 2, 10}, []int{number(t, alice, chain, "resources/list", nil), public(), own(), hers()})

	peer.set("", Generation{1, 1})
	assert.Equal(t, []int{9, 2, 10}, []int{public(), own(), hers()})
	peer.set("", Generation{1, 2})
	assert.Equal(t, []int{11, 12, 13}, []int{own(), public(), hers()}, "nobody's connection was lost: the server's, for all")
}

// Whose results a notification makes stale: what a principal hears may be about what
// it alone sees.
func TestCacheObeysEachForItself(t *testing.T) {
	server := &counted{hints: minuteLong}
	cache := NewCache("s", caching(), CacheOptions{})
	chain := cache.Wrap(server)
	as := func(principal, token string) context.Context {
		return transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal, o.Token = principal, token })
	}
	callers := []context.Context{as("", ""), as("alice", ""), as("alice", "t"), as("bob", "")}
	all := func() (numbers []int) {
		server.hints = `"ttlMs":60000,"cacheScope":"public",`
		numbers = append(numbers, number(t, t.Context(), chain, "prompts/list", nil))
		server.hints = minuteLong
		for _, caller := range callers {
			numbers = append(numbers, number(t, caller, chain, "tools/list", nil))
		}
		return numbers
	}
	require.Equal(t, []int{1, 2, 3, 4, 5}, all())
	cache.Notify("alice", mcp.Message{Method: mcp.NotificationToolsListChanged})
	require.Equal(t, []int{1, 2, 6, 7, 5}, all(), "hers, whatever her token")
	cache.Notify("carol", mcp.Message{Method: mcp.NotificationToolsListChanged})
	require.Equal(t, []int{1, 2, 6, 7, 5}, all())
	cache.Notify("bob", mcp.Message{Method: mcp.NotificationPromptsListChanged})
	require.Equal(t, []int{8, 2, 6, 7, 5}, all(), "what all share")
	cache.Notify("", mcp.Message{Method: mcp.NotificationToolsListChanged})
	require.Equal(t, []int{8, 9, 10, 11, 12}, all(), "what nobody in particular hears is about the server")
}

// Many principals with subscriptions do not empty the cache for each other.
func TestCacheWatchesForManyPrincipals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &fakePeer{era: mcp.EraModern}
		server := &counted{}
		cfg := caching()
		cfg.Watch = true
		chain := NewCache("s", cfg, CacheOptions{Peer: peer}).Wrap(server)
		list := func(principal, action, hints string) int {
			t.Helper()
			defer synctest.Wait()
			server.hints = hints
			ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal = principal })
			return number(t, ctx, chain, action, nil)
		}
		tools := func(principal string) int { return list(principal, "tools/list", minuteLong) }
		prompts := func(principal string) int {
			return list(principal, "prompts/list", `"ttlMs":60000,"cacheScope":"public",`)
		}
		require.Equal(t, 1, prompts("alice"), "not kept: the subscription is not open yet")
		require.Equal(t, 2, prompts("alice"))
		require.Equal(t, 3, tools("alice"))
		require.Equal(t, 2, prompts("bob"))
		require.Equal(t, 4, tools("bob"))
		require.Equal(t, 5, tools("bob"))
		require.Equal(t, []string{"alice", "bob"}, peer.watchers)
		assert.Equal(t, []int{2, 3, 5}, []int{prompts("alice"), tools("alice"), tools("bob")}, "bob's subscription has made nothing stale")

		peer.watches[1].reopen()
		assert.Equal(t, 6, tools("bob"), "his was interrupted")
		assert.Equal(t, []int{2, 3, 6}, []int{prompts("bob"), tools("alice"), tools("bob")}, "and only his: hers was not")

		peer.watches[0].reopen()
		peer.watches[1].reopen()
		assert.Equal(t, 7, tools("bob"), "both were interrupted")
		assert.Equal(t, []int{8, 3}, []int{prompts("bob"), 3}, "nobody was there for what all share")
		assert.Equal(t, []int{9, 8}, []int{tools("alice"), prompts("alice")}, "since then bob was")

		close(peer.watches[1].done)
		assert.Equal(t, 10, tools("carol"))
		assert.Equal(t, 11, prompts("alice"), "bob has gone before carol came")
		assert.Equal(t, 9, tools("alice"))
		peer.watches[0].reopen()
		assert.Equal(t, 12, tools("alice"))
		assert.Equal(t, 11, prompts("alice"), "carol was there")
	})
}

// A list that was fetched before the subscription was refused is kept then, for the
// time that the server gave; what was kept so is stale once there is one.
func TestCacheWithoutASubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &fakePeer{era: mcp.EraModern, refuses: errors.New("no such thing")}
		cfg := caching()
		cfg.Watch = true
		chain := NewCache("s", cfg, CacheOptions{Peer: peer}).Wrap(&counted{hints: `"ttlMs":90000,`})
		list := func() int {
			defer synctest.Wait()
			return number(t, t.Context(), chain, "tools/list", nil)
		}
		assert.Equal(t, []int{1, 1}, []int{list(), list()})
		time.Sleep(90 * time.Second)
		peer.mu.Lock()
		peer.refuses = nil
		peer.mu.Unlock()
		assert.Equal(t, 2, list(), "kept, and a subscription is tried again")
		assert.Equal(t, []int{3, 3}, []int{list(), list()}, "it is open")
	})
}

// A subscription is opened with the first list that is kept, once for each
// principal, and what was missed makes lists stale (P63).
func TestCacheWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &fakePeer{era: mcp.EraModern}
		server := &counted{hints: minuteLong}
		cfg := caching()
		cfg.Watch = true
		chain := NewCache("s", cfg, CacheOptions{Peer: peer}).Wrap(server)
		silence := time.Second
		alice := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal, o.RequestTimeout = "alice", &silence })
		list := func() int { return number(t, alice, chain, "tools/list", nil) }
		read := func() int { return number(t, alice, chain, "resources/read", mcp.URIParams("a")) }

		require.Equal(t, 1, read())
		assert.Empty(t, peer.watchers, "no list was asked for")
		require.Equal(t, 2, list())
		synctest.Wait()
		require.Equal(t, []string{"alice"}, peer.watchers)
		assert.Equal(t, 3, list(), "what was there before it was open is stale")
		assert.Equal(t, 3, list())
		assert.Equal(t, 1, read())
		peer.handler(mcp.Message{Method: mcp.NotificationToolsListChanged})
		assert.Equal(t, 4, list())
		peer.watches[0].reopen()
		assert.Equal(t, 5, list(), "it was interrupted")
		assert.Equal(t, 5, list())
		close(peer.watches[0].done)
		assert.Equal(t, 6, list(), "it has ended")
		synctest.Wait()
		assert.Equal(t, []string{"alice", "alice"}, peer.watchers, "another one is opened")

		peer.refuses = errors.New("no such thing")
		bob := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal = "bob" })
		fresh := transporters.WithCallOptions(bob, func(o *transporters.CallOptions) { o.Fresh = true })
		for range 3 {
			number(t, fresh, chain, "tools/list", nil)
			synctest.Wait()
		}
		assert.Len(t, peer.watchers, 3, "it is not tried with every request")
		assert.Equal(t, number(t, bob, chain, "tools/list", nil), number(t, bob, chain, "tools/list", nil), "the time that the server gave holds (P65)")
		time.Sleep(watchPause)
		number(t, fresh, chain, "tools/list", nil)
		synctest.Wait()
		assert.Len(t, peer.watchers, 4)

		peer.closed = true
		number(t, t.Context(), chain, "tools/list", nil)
		assert.Len(t, peer.watchers, 4, "after Close")
		peer.background.Wait()
	})
}

// Principals beyond the bound are forgotten, and their subscriptions ended.
func TestCacheForgetsPrincipals(t *testing.T) {
	cache := NewCache("s", caching(), CacheOptions{Peer: &fakePeer{}})
	watch := &fakeWatch{done: make(chan struct{})}
	cache.endWatch("first", watch, nil)
	for i := range maxViewers {
		cache.observe(fmt.Sprint(i))
	}
	assert.Equal(t, 1, watch.closes)
	assert.Equal(t, maxViewers, cache.viewers.known.Len())
}
