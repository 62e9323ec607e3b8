package factory

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// goWait makes a call that ends with its base, or when that is released.
func goWait(slot *Slot, principal string) chan error {
	result := make(chan error, 1)
	go func() {
		_, err := slot.Request(as(context.Background(), principal), "wait", nil, nil)
		result <- err
	}()
	return result
}

// What bases share ends with the last of them, not with the slot: a server that
// is replaced a thousand times keeps nothing of the first.
func TestReplacedBlueprintsEndWithTheirLastBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opener
		var ended [3]atomic.Int32
		blueprint := func(i int) Blueprint {
			return Blueprint{Open: o.open, Close: func() error { ended[i].Add(1); return nil }}
		}
		slot := NewSlot("files", blueprint(0), 0)
		busy := goWait(slot, "a")
		synctest.Wait()
		other := goWait(slot, "b")
		synctest.Wait()
		require.True(t, slot.Replace(blueprint(1)))
		require.True(t, slot.Replace(blueprint(2)))
		synctest.Wait()
		assert.EqualValues(t, 1, ended[1].Load(), "it never opened a base")

		close(o.all()[0].release)
		require.NoError(t, <-busy)
		synctest.Wait()
		assert.EqualValues(t, 0, ended[0].Load(), "one of its bases still serves a call")
		close(o.all()[1].release)
		require.NoError(t, <-other)
		synctest.Wait()
		assert.EqualValues(t, 1, ended[0].Load())
		assert.EqualValues(t, 0, ended[2].Load())

		require.NoError(t, slot.Close())
		for i := range ended {
			assert.EqualValues(t, 1, ended[i].Load(), i)
		}
	})
}

// Close ends what replaced blueprints left, once.
func TestCloseEndsReplacedBlueprints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o opener
		var ended atomic.Int32
		slot := NewSlot("files", Blueprint{Open: o.open, Close: func() error { ended.Add(1); return nil }}, 0)
		busy := goWait(slot, "a")
		synctest.Wait()
		require.True(t, slot.Replace(Blueprint{Open: o.open}))
		require.NoError(t, slot.Close())
		require.ErrorIs(t, <-busy, errors.ErrTransportClosed)
		synctest.Wait()
		assert.EqualValues(t, 1, ended.Load())
		assert.False(t, slot.Replace(Blueprint{Open: o.open}), "a closed slot takes nothing")
	})
}

func TestReplacedBasesEndAfterTheDrainTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := newSlot(t, 0)
		slot.drain = time.Minute
		begun := time.Now()
		busy := goWait(slot, "a")
		synctest.Wait()
		require.True(t, slot.Replace(Blueprint{Open: o.open}))
		require.ErrorIs(t, <-busy, errors.ErrTransportClosed)
		assert.Equal(t, time.Minute, time.Since(begun))
		synctest.Wait()
		assert.EqualValues(t, 1, o.all()[0].closes.Load())
		assert.EqualValues(t, 1, slot.Stats().Requests, "counted once, though two were about to close it")
	})
}

// A subscription would keep a replaced base for ever.
func TestSubscriptionsDoNotKeepReplacedBases(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	var o opener
	blueprint := Blueprint{Open: func(Caller) (transporters.Base, error) {
		return session.New("files", session.Settings{}, server.Link()), nil
	}}
	slot := NewSlot("files", blueprint, 1)
	defer func() { require.NoError(t, slot.Close()) }()
	listen := func() *session.Subscription {
		subscription, err := slot.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
		require.NoError(t, err)
		return subscription
	}
	subscription := listen()
	_, err := slot.Request(as(t.Context(), "b"), "x", nil, nil)
	require.ErrorContains(t, err, "1 principals are connected", "a subscription keeps its base from being evicted")

	require.True(t, slot.Replace(blueprint))
	require.ErrorIs(t, subscription.Wait(t.Context()), errors.ErrTransportClosed)
	subscription = listen()
	require.NoError(t, subscription.Close())
	require.Error(t, subscription.Wait(t.Context()))
	require.True(t, slot.Replace(Blueprint{Open: o.open}))
	_, err = slot.Request(as(t.Context(), "b"), "x", nil, nil)
	require.NoError(t, err)
}

func TestWaitForStateFollowsAReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := newSlot(t, 0)
		reached := make(chan error, 1)
		go func() { reached <- slot.WaitForState(context.Background(), transporters.StateReady) }()
		synctest.Wait()
		require.True(t, slot.Replace(Blueprint{Open: o.open}))
		synctest.Wait()
		require.Len(t, o.all(), 2)
		assert.EqualValues(t, 1, o.all()[0].closes.Load(), "nobody waits for it any more")
		o.all()[1].current.Store(int32(transporters.StateReady))
		require.NoError(t, <-reached)

		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		require.EqualError(t, slot.WaitForState(ctx, transporters.StateExhausted), "enough")
	})
}

// Calls, subscriptions' holds and replacements race; every base is closed once
// and every blueprint ended once.
func TestReplacementsUnderLoad(t *testing.T) {
	var o opener
	var made, ended atomic.Int32
	blueprint := func() Blueprint {
		made.Add(1)
		return Blueprint{Open: o.open, Close: func() error { ended.Add(1); return nil }}
	}
	slot := NewSlot("files", blueprint(), 0)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 300 {
				_, err := slot.Request(t.Context(), "x", nil, nil)
				assert.NoError(t, err)
			}
		})
	}
	for range 100 {
		require.True(t, slot.Replace(blueprint()))
	}
	work.Wait()
	require.NoError(t, slot.Close())
	for _, base := range o.all() {
		assert.EqualValues(t, 1, base.closes.Load())
	}
	assert.Equal(t, made.Load(), ended.Load())
	assert.EqualValues(t, 2400, slot.Stats().Requests)
}

// Whoever has authorized does not have to again because a timeout was changed.
func TestTokensInMemoryOutliveAReplacement(t *testing.T) {
	f := New()
	made, err := f.Make(section(t, "servers:\n  s:\n    type: http\n    base_url: https://h\n    auth: {}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Slot.Close()) }()
	require.NotNil(t, made.Slot.tokens)
	seen := &seenStore{Store: made.Slot.tokens}
	made.Slot.tokens = seen
	next, err := f.Remake(section(t, "servers:\n  s:\n    type: http\n    base_url: https://h\n    request_timeout: 5s\n    auth: {}\n"), made.Slot)
	require.NoError(t, err)
	require.True(t, next.Take())
	assert.Same(t, made.Slot, next.Slot)
	assert.NotSame(t, made.Authorizer, next.Authorizer)
	assert.Same(t, next.Authorizer, next.Slot.current.Authorizer)
	_, err = next.Authorizer.Status(t.Context(), "p")
	require.NoError(t, err)
	assert.NotZero(t, seen.gets.Load(), "the new authorizer reads where the old one wrote")

	require.NoError(t, made.Slot.Close())
	assert.False(t, next.Take(), "the slot is closed")
}

// The filter on subscriptions is that of the section in force.
func TestReplaceChangesWhatMayBeSubscribedTo(t *testing.T) {
	f := New()
	made, err := f.Make(section(t, "servers:\n  s: {type: http, base_url: 'http://127.0.0.1:1'}\n"))
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Slot.Close()) }()
	next, err := f.Remake(section(t, "servers:\n  s: {type: http, base_url: 'http://127.0.0.1:1', resources: {deny: ['secret*']}}\n"), made.Slot)
	require.NoError(t, err)
	listen := func() error {
		_, err := made.Slot.Listen(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"secret://x"}}, func(mcp.Message) {})
		return err
	}
	require.NotErrorIs(t, listen(), errors.ErrToolDenied)
	require.NotErrorIs(t, listen(), errors.ErrToolDenied, "nothing has changed yet")
	require.True(t, next.Take())
	require.ErrorIs(t, listen(), errors.ErrToolDenied)
}

// seenStore counts what is read.
type seenStore struct {
	auth.Store
	gets atomic.Int32
}

func (s *seenStore) Get(ctx context.Context, key auth.Key) ([]byte, bool, error) {
	s.gets.Add(1)
	return s.Store.Get(ctx, key)
}
