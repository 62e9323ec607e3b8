package factory

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

// The generation changes with every handshake, and with every base.
func TestGenerationOfACachePeer(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	open := func(Caller) (transporters.Base, error) {
		return session.New("s", session.Settings{}, server.Link()), nil
	}
	slot := NewSlot("s", Blueprint{Open: open}, 1)
	defer slot.Close()
	peer := cachePeer{slot}
	assert.Zero(t, peer.Generation("alice"), "nobody is connected")
	_, err := slot.Request(as(t.Context(), "alice"), "tools/list", nil, nil)
	require.NoError(t, err)
	first := peer.Generation("alice")
	assert.EqualValues(t, 1, first.Handshakes)
	assert.Equal(t, mcp.EraModern, peer.Era(as(t.Context(), "alice")))
	_, err = slot.Request(as(t.Context(), "bob"), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Zero(t, peer.Generation("alice"), "she made room for bob")
	_, err = slot.Request(as(t.Context(), "alice"), "tools/list", nil, nil)
	require.NoError(t, err)
	assert.NotEqual(t, first.Connection, peer.Generation("alice").Connection)
	require.NoError(t, slot.Close())
	assert.Equal(t, mcp.EraUnknown, peer.Era(t.Context()))
	_, err = peer.Watch(t.Context(), mcp.SubscriptionFilter{}, nil)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

// Of several instances each is started when it is needed: that it is says nothing of
// what others have said before. That one was lost does.
func TestGenerationOfSeveralInstances(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	var sessions []*session.Session
	open := func(Caller) (transporters.Base, error) {
		s := session.New("s", session.Settings{}, supervise.New("s", nil, func(context.Context) (transporters.Link, error) {
			return server.Link(), nil
		}))
		sessions = append(sessions, s)
		return s, nil
	}
	slot := NewSlot("s", Blueprint{Open: instanceKeys{Instances: 2}.pooled(Build{Server: "s"}, open)}, 1)
	defer slot.Close()
	peer := cachePeer{slot}
	_, err := slot.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	first := peer.Generation("")
	assert.EqualValues(t, 1, first.Handshakes)
	for _, s := range sessions {
		_, err = s.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	}
	assert.Equal(t, first, peer.Generation(""), "both serve now")
	server.Kill(errors.ErrPeerLost)
	for _, s := range sessions {
		require.Eventually(t, func() bool {
			_, err := s.Request(t.Context(), "tools/list", nil, nil)
			return err == nil
		}, 10*time.Second, time.Millisecond)
	}
	assert.EqualValues(t, 3, peer.Generation("").Handshakes, "both were lost")
}

// A subscription of the cache's keeps no base from making room for another.
func TestWatchingDoesNotHoldABase(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	open := func(Caller) (transporters.Base, error) {
		return session.New("s", session.Settings{}, server.Link()), nil
	}
	slot := NewSlot("s", Blueprint{Open: open}, 1)
	defer slot.Close()
	watch, err := cachePeer{slot}.Watch(as(t.Context(), "alice"), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
	require.NoError(t, err)
	assert.EqualValues(t, 1, watch.Openings())
	_, err = slot.Request(as(t.Context(), "bob"), "tools/list", nil, nil)
	require.NoError(t, err)
	<-watch.Done()
}

// Where the base has no subscriptions, the cache works without, as soon as that is
// known.
func TestCacheOfABaseWithoutSubscriptions(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Always().Return(`{"ttlMs":60000}`)
	made := makeScripted(t, script, "    cache: {enabled: true, watch: true}\n")
	require.Eventually(t, func() bool {
		before := len(script.Calls())
		_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		return len(script.Calls()) == before
	}, 10*time.Second, time.Millisecond)
	_, err := cachePeer{made.Slot}.Watch(t.Context(), mcp.SubscriptionFilter{}, nil)
	require.ErrorIs(t, err, errors.ErrCapabilityMissing)
}

// The cache stands within the filter and outside of the retries: it keeps what
// the server said, and what is denied is not in what the caller gets.
func TestCacheIsAKey(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Error(lost())
	script.Expect("tools/list").Return(`{"ttlMs":60000,"tools":[{"name":"a"},{"name":"b"}]}`)
	store := &keeping{MemoryCache: policy.NewMemoryCache(10, 1<<20)}
	made := makeScripted(t, script, "    cache: {enabled: true}\n    retry: {attempts: 2, initial_backoff: 1ms}\n    tools: {deny: [b]}\n", WithCacheStore(store), WithCacheStore(nil))
	for range 3 {
		result, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"ttlMs":60000,"tools":[{"name":"a"}]}`, string(result.Raw()))
	}
	assert.JSONEq(t, `{"ttlMs":60000,"tools":[{"name":"a"},{"name":"b"}]}`, string(store.last))
}

type keeping struct {
	*policy.MemoryCache
	last []byte
}

func (k *keeping) Get(ctx context.Context, own, shared string) ([]byte, string, error) {
	value, mark, err := k.MemoryCache.Get(ctx, own, shared)
	k.last = value
	return value, mark, err
}
