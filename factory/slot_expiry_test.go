package factory

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// expiring is a slot within a bubble.
func expiring(t *testing.T, limit time.Duration) (*Slot, *opener) {
	t.Helper()
	var o opener
	slot := NewSlot("files", Blueprint{Open: o.open}, 0, WithPrincipalIdleTimeout(limit))
	t.Cleanup(func() { _ = slot.Close() })
	return slot, &o
}

func ping(t *testing.T, slot *Slot, principal string) {
	t.Helper()
	_, err := slot.Request(as(t.Context(), principal), "x", nil, nil)
	require.NoError(t, err)
}

// alive names the principals whose bases are open, in the order of opening.
func (o *opener) alive() []string {
	synctest.Wait()
	names := []string{}
	for _, base := range o.all() {
		if base.closes.Load() == 0 {
			names = append(names, base.caller.Principal)
		}
	}
	return names
}

func TestBasesOfIdlePrincipalsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := expiring(t, 15*time.Minute)
		ping(t, slot, "") // the client's own
		assert.False(t, slot.expiry.armed.Load(), "nothing can expire, so nothing waits")
		ping(t, slot, "a")
		time.Sleep(5 * time.Minute)
		ping(t, slot, "b")
		time.Sleep(5 * time.Minute)
		ping(t, slot, "a")
		ping(t, slot, "c")

		time.Sleep(10*time.Minute - time.Nanosecond) // 20 minutes from the start
		assert.Equal(t, []string{"", "a", "b", "c"}, o.alive())
		time.Sleep(time.Nanosecond)
		assert.Equal(t, []string{"", "a", "c"}, o.alive(), "b was idle since minute 5")
		time.Sleep(5*time.Minute - time.Nanosecond)
		assert.Equal(t, []string{"", "a", "c"}, o.alive())
		time.Sleep(time.Nanosecond)
		assert.Equal(t, []string{""}, o.alive())
		assert.False(t, slot.expiry.armed.Load())
		for _, base := range o.all()[1:] {
			assert.EqualValues(t, 1, base.closes.Load())
			assert.Zero(t, base.shutdowns.Load())
		}

		time.Sleep(1000 * time.Hour)
		assert.Equal(t, []string{""}, o.alive(), "the client's own base stays")
		ping(t, slot, "a")
		assert.Equal(t, []string{"", "a"}, o.alive(), "the next call opens another")
		time.Sleep(15 * time.Minute)
		assert.Equal(t, []string{""}, o.alive())
		assert.EqualValues(t, 6, slot.Stats().Requests, "calls of closed bases stay counted")
	})
}

func TestBasesInUseDoNotExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := expiring(t, time.Minute)
		results := make(chan error, 2)
		wait := func() {
			_, err := slot.Request(as(context.Background(), "a"), "wait", nil, nil)
			results <- err
		}
		go wait()
		go wait()
		synctest.Wait()
		ping(t, slot, "b")
		time.Sleep(time.Hour)
		assert.Equal(t, []string{"a"}, o.alive())
		assert.False(t, slot.expiry.armed.Load(), "the call that leaves will see to it")
		o.all()[0].release <- struct{}{}
		require.NoError(t, <-results)
		time.Sleep(time.Hour)
		assert.Equal(t, []string{"a"}, o.alive(), "one call is still running")
		o.all()[0].release <- struct{}{}
		require.NoError(t, <-results)
		time.Sleep(time.Minute - time.Nanosecond)
		assert.Equal(t, []string{"a"}, o.alive())
		time.Sleep(time.Nanosecond)
		assert.Empty(t, o.alive())
	})
}

func TestExpiryThatIsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := expiring(t, 0)
		ping(t, slot, "a")
		assert.False(t, slot.expiry.armed.Load())
		time.Sleep(1000 * time.Hour)
		assert.Equal(t, []string{"a"}, o.alive())

		slot = NewSlot("files", Blueprint{Open: o.open}, 0)
		defer func() { require.NoError(t, slot.Close()) }()
		ping(t, slot, "b")
		time.Sleep(DefaultPrincipalIdleTimeout - time.Nanosecond)
		assert.Equal(t, []string{"a", "b"}, o.alive())
		time.Sleep(time.Nanosecond)
		assert.Equal(t, []string{"a"}, o.alive(), "the default")
	})
}

func TestExpiryEndsWithTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := expiring(t, time.Minute)
		ping(t, slot, "a")
		slot.Replace(Blueprint{Open: o.open})
		assert.Empty(t, o.alive(), "replaced")
		time.Sleep(time.Hour)
		ping(t, slot, "b")
		time.Sleep(time.Minute)
		assert.Empty(t, o.alive(), "the timer works on after Replace")
		ping(t, slot, "c")
		require.NoError(t, slot.Close())
		slot.expire() // as if the timer had fired just then
		time.Sleep(time.Hour)
		for _, base := range o.all() {
			assert.EqualValues(t, 1, base.closes.Load())
		}
	})
}

// A base whose Close takes long holds up neither calls nor the next expiry.
func TestExpiryWaitsForNoClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &opener{slow: make(chan struct{})}
		slot := NewSlot("files", Blueprint{Open: o.open}, 0, WithPrincipalIdleTimeout(time.Minute))
		ping(t, slot, "a")
		time.Sleep(30 * time.Second)
		ping(t, slot, "b")
		time.Sleep(time.Minute)
		assert.Empty(t, o.alive(), "both are being closed")
		ping(t, slot, "a")
		assert.Equal(t, []string{"a"}, o.alive())
		close(o.slow)
		require.NoError(t, slot.Close())
	})
}

// A subscription is use: its principal does not expire while it is open.
func TestSubscriptionsKeepTheirBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.NewDemoServer()
		defer server.Close()
		var closes sync.WaitGroup
		slot := NewSlot("demo", Blueprint{Open: func(caller Caller) (transporters.Base, error) {
			closes.Add(1)
			settings := session.DefaultSettings()
			return &watched{Session: session.New("demo", settings, server.Link()), closed: closes.Done}, nil
		}}, 0, WithPrincipalIdleTimeout(time.Minute))
		subscription, err := slot.Listen(as(t.Context(), "a"), mcp.SubscriptionFilter{ToolsListChanged: true}, func(mcp.Message) {})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		assert.Equal(t, transporters.StateReady, slot.State())
		select {
		case <-subscription.Done():
			t.Error("the subscription ended")
		default:
		}
		_ = subscription.Close()
		time.Sleep(time.Minute)
		closes.Wait()
		assert.Equal(t, transporters.StateIdle, slot.State())
		require.NoError(t, slot.Close())
	})
}

type watched struct {
	*session.Session
	closed func()
}

func (w *watched) Close() error {
	defer w.closed()
	return w.Session.Close()
}

// Calls race with the timer, whose limit is next to nothing: none of them meets a
// base that is closed, and every base is closed once.
func TestExpiryRacesWithCalls(t *testing.T) {
	o := &opener{}
	slot := NewSlot("files", Blueprint{Open: func(caller Caller) (transporters.Base, error) {
		base, err := o.open(caller)
		return &strictBase{fakeBase: base.(*fakeBase)}, err
	}}, 0, WithPrincipalIdleTimeout(time.Microsecond))
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range 1000 {
				_, err := slot.Request(as(context.Background(), fmt.Sprint((i+j)%3)), "x", nil, nil)
				assert.NoError(t, err)
				if j%50 == 0 {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	work.Wait()
	require.Eventually(t, func() bool {
		slot.mu.RLock()
		defer slot.mu.RUnlock()
		return slot.tenants.count() == 0 && !slot.expiry.armed.Load()
	}, 10*time.Second, time.Millisecond, "none is forgotten")
	require.NoError(t, slot.Close())
	assert.Greater(t, len(o.all()), 3, "the test must see bases expire")
	for _, base := range o.all() {
		assert.EqualValues(t, 1, base.closes.Load())
	}
	assert.EqualValues(t, 8000, slot.Stats().Requests)
}

// strictBase serves nobody once it is closed.
type strictBase struct{ *fakeBase }

func (b *strictBase) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	if b.closes.Load() > 0 {
		return mcp.Result{}, errors.ErrTransportClosed
	}
	result, err := b.fakeBase.Request(ctx, action, params, onEvent)
	if b.closes.Load() > 0 {
		return mcp.Result{}, errors.ErrTransportClosed
	}
	return result, err
}

func TestKeysOfPrincipals(t *testing.T) {
	for lines, want := range map[string]struct {
		limit  int
		expiry time.Duration
	}{
		"{}": {7, 15 * time.Minute}, // the program's option
		"{max_principals: 3, principal_idle_timeout: 90s}": {3, 90 * time.Second},
		"{principal_idle_timeout: off}":                    {7, 0},
	} {
		for _, kind := range []string{"http, url: 'http://h'", "sse, url: 'http://h'", "stdio, command: [x]"} {
			f := New(WithMaxPrincipals(7))
			made, err := f.Make(section(t, "defaults: "+lines+"\nservers:\n  s: {type: "+kind+"}\n"))
			require.NoError(t, err)
			assert.Equal(t, want.limit, made.Slot.current.limit, lines)
			assert.Equal(t, want.expiry, made.Slot.current.idle, lines)
			require.NoError(t, made.Slot.Close())
		}
	}
	made, err := New().Make(section(t, "servers:\n  s: {type: stdio, command: [x]}\n"))
	require.NoError(t, err)
	assert.Equal(t, DefaultMaxPrincipals, made.Slot.current.limit)
	assert.Equal(t, DefaultPrincipalIdleTimeout, made.Slot.current.idle)
	require.NoError(t, made.Slot.Close())

	for lines, want := range map[string]string{
		"max_principals: 0":          `max_principals: nobody could be connected; found 0; allowed: a whole number of 1 or more`,
		"max_principals: -1":         "max_principals: nobody could be connected; found -1",
		"max_principals: many":       "max_principals: ",
		"principal_idle_timeout: 0":  "principal_idle_timeout: 0 is not a duration here",
		"principal_idle_timeout: -1": "principal_idle_timeout: a duration cannot be negative",
		"principal_idle_timout: 5m":  `principal_idle_timout: unknown key; did you mean "principal_idle_timeout"?`,
	} {
		_, err := New().Make(section(t, "servers:\n  s:\n    type: http\n    url: http://h\n    "+lines+"\n"))
		require.ErrorContains(t, err, want)
	}
}
