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
			cache.Notify(test.message)
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
		cache.Notify(mcp.Message{Method: mcp.NotificationToolsListChanged})
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
	public := func() int { return number(t, t.Context(), chain, "prompts/list", nil) }
	own := func() int { return number(t, t.Context(), chain, "tools/list", nil) }
	hers := func() int { return number(t, alice, chain, "tools/list", nil) }
	server.hints = `"ttlMs":60000,"cacheScope":"public",`
	require.Equal(t, 1, public())
	server.hints = minuteLong
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
	assert.Equal(t, []int{6, 7, 5}, []int{public(), own(), hers()}, "for all")

	server.play = func(context.Context, string, transporters.EventFunc) (mcp.Result, error) {
		peer.set("alice", Generation{2, 3})
		return mcp.Result{}, nil
	}
	require.Equal(t, 8, number(t, alice, chain, "resources/list", nil), "lost during the fetch")
	server.play = nil
	assert.Equal(t, []int{9, 10, 11, 12}, []int{number(t, alice, chain, "resources/list", nil), public(), own(), hers()})
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
