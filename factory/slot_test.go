package factory

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeBase answers at once, except "wait", which waits for release or Close.
type fakeBase struct {
	caller    Caller
	release   chan struct{}
	closing   chan struct{} // not nil: Close waits for it
	closed    chan struct{}
	once      sync.Once
	closes    atomic.Int32
	shutdowns atomic.Int32
	requests  atomic.Uint64
	current   atomic.Int32 // a transporters.State
}

func (b *fakeBase) Request(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
	b.requests.Add(1)
	if action == "wait" {
		select {
		case <-b.release:
		case <-b.closed:
			return mcp.Result{}, errors.ErrTransportClosed
		}
	}
	return mcp.NewResult([]byte(`{"principal":"` + b.caller.Principal + `"}`)), nil
}

func (b *fakeBase) ServerInfo(context.Context) (transporters.ServerInfo, error) {
	return transporters.ServerInfo{Instructions: b.caller.Principal}, nil
}
func (b *fakeBase) State() transporters.State { return transporters.State(b.current.Load()) }
func (b *fakeBase) Stats() transporters.Stats {
	return transporters.Stats{Requests: b.requests.Load()}
}

func (b *fakeBase) Close() error {
	b.closes.Add(1)
	if b.closing != nil {
		<-b.closing
	}
	b.once.Do(func() { close(b.closed) })
	return nil
}

func (b *fakeBase) Shutdown(context.Context) error {
	b.shutdowns.Add(1)
	b.once.Do(func() { close(b.closed) })
	return nil
}

// opener opens fake bases and remembers them.
type opener struct {
	mu     sync.Mutex
	opened []*fakeBase
	fail   error
	slow   chan struct{} // not nil: bases made now close only once it is closed
}

func (o *opener) open(caller Caller) (transporters.Base, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		return nil, o.fail
	}
	base := &fakeBase{caller: caller, release: make(chan struct{}), closed: make(chan struct{}), closing: o.slow}
	o.opened = append(o.opened, base)
	return base, nil
}

func (o *opener) all() []*fakeBase {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]*fakeBase(nil), o.opened...)
}

func as(ctx context.Context, principal string) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Principal = principal })
}

func newSlot(t *testing.T, limit int) (*Slot, *opener) {
	t.Helper()
	var o opener
	slot := NewSlot("files", Blueprint{Open: o.open}, limit)
	t.Cleanup(func() { _ = slot.Close() })
	return slot, &o
}

func TestSlotOpensOneBaseForEachPrincipal(t *testing.T) {
	slot, o := newSlot(t, 0)
	assert.Equal(t, transporters.StateIdle, slot.State())
	assert.Empty(t, o.all(), "nothing is opened before the first call")

	var calls sync.WaitGroup
	for i := range 1000 {
		calls.Go(func() {
			principal := fmt.Sprintf("p%d", i%3)
			result, err := slot.Request(as(context.Background(), principal), "x", nil, nil)
			assert.NoError(t, err)
			assert.JSONEq(t, `{"principal":"`+principal+`"}`, string(result.Raw()))
		})
	}
	calls.Wait()
	assert.Len(t, o.all(), 3, "a thousand first calls open each base once")
	assert.EqualValues(t, 1000, slot.Stats().Requests)

	info, err := slot.ServerInfo(as(t.Context(), "p1"))
	require.NoError(t, err)
	assert.Equal(t, "p1", info.Instructions)
}

func TestSlotEvictsTheOneIdleForLongest(t *testing.T) {
	slot, o := newSlot(t, 2)
	call := func(principal string) {
		t.Helper()
		_, err := slot.Request(as(t.Context(), principal), "x", nil, nil)
		require.NoError(t, err)
	}
	call("a")
	call("b")
	call("a") // b is now the one idle for longest
	call("c")
	require.NoError(t, slot.Close())

	closedBeforeClose := map[string]bool{}
	for _, base := range o.all() {
		assert.EqualValues(t, 1, base.closes.Load(), base.caller.Principal)
		closedBeforeClose[base.caller.Principal] = true
	}
	require.Len(t, o.all(), 3)
	assert.EqualValues(t, 4, slot.Stats().Requests, "calls of closed bases stay counted")
}

func TestSlotEvictsTheClientsOwnBaseLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := newSlot(t, 2)
		for _, principal := range []string{"", "a", "b"} {
			ping(t, slot, principal)
		}
		assert.Equal(t, []string{"", "b"}, o.alive())

		slot, o = newSlot(t, 1)
		ping(t, slot, "")
		ping(t, slot, "a")
		assert.Equal(t, []string{"a"}, o.alive(), "there is no other")
	})
}

func TestSlotReopensForAPrincipalThatWasEvicted(t *testing.T) {
	slot, o := newSlot(t, 1)
	for _, principal := range []string{"a", "b", "a"} {
		_, err := slot.Request(as(t.Context(), principal), "x", nil, nil)
		require.NoError(t, err)
	}
	var order []string
	for _, base := range o.all() {
		order = append(order, base.caller.Principal)
	}
	assert.Equal(t, []string{"a", "b", "a"}, order)
}

func TestSlotNeverEvictsABusyBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := newSlot(t, 1)
		result := make(chan error, 1)
		go func() {
			_, err := slot.Request(as(context.Background(), "a"), "wait", nil, nil)
			result <- err
		}()
		synctest.Wait()

		_, err := slot.Request(as(t.Context(), "b"), "x", nil, nil)
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		require.True(t, ok, err)
		assert.Equal(t, errors.KindUnavailable, failure.Kind)
		assert.True(t, errors.SafeToRetry(err))
		assert.ErrorContains(t, err, `mcp server "files": x: 1 principals are connected`)

		close(o.all()[0].release)
		require.NoError(t, <-result)
		_, err = slot.Request(as(t.Context(), "b"), "x", nil, nil)
		require.NoError(t, err, "a is idle now and makes room")
	})
}

func TestSlotClosesWhatItEvictsBesideTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := make(chan struct{})
		o := &opener{slow: slow}
		slot := NewSlot("files", Blueprint{Open: o.open}, 1)
		_, err := slot.Request(as(t.Context(), "a"), "x", nil, nil)
		require.NoError(t, err)
		_, err = slot.Request(as(t.Context(), "b"), "x", nil, nil)
		require.NoError(t, err, "the call does not wait for a's Close")
		assert.EqualValues(t, 2, slot.Stats().Requests, "a base that is being closed still counts")

		closed := make(chan struct{})
		go func() {
			assert.NoError(t, slot.Close())
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("Close must wait for the base that was evicted")
		default:
		}
		close(slow)
		<-closed
	})
}

func TestSlotReplaceLetsRunningCallsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, before := newSlot(t, 0)
		result := make(chan error, 1)
		go func() {
			_, err := slot.Request(as(context.Background(), "busy"), "wait", nil, nil)
			result <- err
		}()
		_, err := slot.Request(as(t.Context(), "idle"), "x", nil, nil)
		require.NoError(t, err)
		synctest.Wait()

		var after opener
		slot.Replace(Blueprint{Open: after.open})
		synctest.Wait()
		for _, base := range before.all() {
			want := map[string]int32{"busy": 0, "idle": 1}[base.caller.Principal]
			assert.Equal(t, want, base.closes.Load(), base.caller.Principal)
		}
		_, err = slot.Request(as(t.Context(), "busy"), "x", nil, nil)
		require.NoError(t, err)
		require.Len(t, after.all(), 1, "calls that begin now use the new blueprint")

		for _, base := range before.all() {
			close(base.release)
		}
		require.NoError(t, <-result)
		synctest.Wait()
		for _, base := range before.all() {
			assert.EqualValues(t, 1, base.closes.Load(), "closed with its last call: %s", base.caller.Principal)
		}
		assert.EqualValues(t, 3, slot.Stats().Requests)
	})
}

func TestSlotCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot, o := newSlot(t, 0)
		results := make(chan error, 2)
		for _, principal := range []string{"a", "b"} {
			go func() {
				_, err := slot.Request(as(context.Background(), principal), "wait", nil, nil)
				results <- err
			}()
		}
		synctest.Wait()
		slot.Replace(Blueprint{Open: o.open}) // both are retired and busy
		require.NoError(t, slot.Close())
		require.ErrorIs(t, <-results, errors.ErrTransportClosed)
		require.ErrorIs(t, <-results, errors.ErrTransportClosed)

		assert.Equal(t, transporters.StateClosed, slot.State())
		_, err := slot.Request(t.Context(), "x", nil, nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		assert.True(t, errors.SafeToRetry(err))
		_, err = slot.ServerInfo(t.Context())
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		require.NoError(t, slot.Close(), "Close is idempotent")
		assert.Len(t, o.all(), 2, "nothing is opened after Close")
	})
}

func TestSlotShutdownReachesEveryBase(t *testing.T) {
	slot, o := newSlot(t, 0)
	for _, principal := range []string{"a", "b"} {
		_, err := slot.Request(as(t.Context(), principal), "x", nil, nil)
		require.NoError(t, err)
	}
	require.NoError(t, slot.Shutdown(t.Context()))
	for _, base := range o.all() {
		assert.EqualValues(t, 1, base.shutdowns.Load())
	}
	_, err := slot.Request(t.Context(), "x", nil, nil)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

func TestSlotTriesAgainAfterABaseCouldNotBeOpened(t *testing.T) {
	slot, o := newSlot(t, 0)
	o.fail = errors.New("no such device")
	_, err := slot.Request(t.Context(), "x", nil, nil)
	assert.EqualError(t, err, `mcp server "files": x: no such device`)
	assert.True(t, errors.SafeToRetry(err))
	o.fail = nil
	_, err = slot.Request(t.Context(), "x", nil, nil)
	require.NoError(t, err)
}

func TestSlotStateIsThatOfTheLiveliestBase(t *testing.T) {
	slot, o := newSlot(t, 0)
	for _, principal := range []string{"a", "b"} {
		_, err := slot.Request(as(t.Context(), principal), "x", nil, nil)
		require.NoError(t, err)
	}
	ascending := []transporters.State{
		transporters.StateIdle, transporters.StateExhausted, transporters.StateStarting,
		transporters.StateReconnecting, transporters.StateReady,
	}
	for i, livelier := range ascending {
		for _, other := range ascending[:i+1] {
			o.all()[0].current.Store(int32(livelier))
			o.all()[1].current.Store(int32(other))
			assert.Equal(t, livelier, slot.State(), "%v beside %v", livelier, other)
		}
	}
}

func TestSlotSurvivesCallsEvictionsAndReplacementsAtOnce(t *testing.T) {
	var o opener
	slot := NewSlot("files", Blueprint{Open: o.open}, 4)
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range 200 {
				if _, err := slot.Request(as(context.Background(), fmt.Sprint((i+j)%6)), "x", nil, nil); err != nil {
					failure, _ := errors.AsType[*errors.TransporterRequestError](err)
					assert.Equal(t, errors.KindUnavailable, failure.Kind, err)
				}
			}
		})
	}
	work.Go(func() {
		for range 50 {
			slot.Replace(Blueprint{Open: o.open})
			_ = slot.Stats()
			_ = slot.State()
		}
	})
	work.Wait()
	require.NoError(t, slot.Close())
	for _, base := range o.all() {
		assert.EqualValues(t, 1, base.closes.Load(), "every base is closed exactly once")
	}
}

func TestPrincipalOf(t *testing.T) {
	identity := []string{"x-user"}
	user := func(name string) http.Header { return http.Header{"X-User": {name}} }
	plain := principalOf(&transporters.CallOptions{Principal: "p"}, identity)
	alice := principalOf(&transporters.CallOptions{Principal: "p", Header: user("alice")}, identity)
	bob := principalOf(&transporters.CallOptions{Principal: "p", Header: user("bob")}, identity)

	assert.Equal(t, "p", plain)
	assert.NotEqual(t, plain, alice)
	assert.NotEqual(t, alice, bob)
	assert.Equal(t, alice, principalOf(&transporters.CallOptions{Principal: "p", Header: user("alice")}, identity))
	assert.Equal(t, "p", principalOf(&transporters.CallOptions{Principal: "p", Header: user("alice")}, nil), "other headers imply nobody")
	assert.False(t, strings.Contains(alice, "alice"), "values may be credentials and are hashed")
}

func TestSlotKeepsAPrincipalsCredentials(t *testing.T) {
	var o opener
	slot := NewSlot("files", Blueprint{Open: o.open, IdentityHeaders: []string{"X-User"}}, 0)
	defer func() { require.NoError(t, slot.Close()) }()
	call := func(token string, header http.Header) {
		ctx := transporters.WithCallOptions(t.Context(), func(options *transporters.CallOptions) {
			options.Principal, options.Token, options.Header = "p", token, header
		})
		_, err := slot.Request(ctx, "x", nil, nil)
		require.NoError(t, err)
	}
	call("t1", nil)
	call("t2", http.Header{"X-Request-Id": {"7"}})
	call("", nil)
	require.Len(t, o.all(), 1)
	token, header := o.all()[0].caller.Credentials.Latest()
	assert.Equal(t, "t2", token, "the latest call that brought a token counts")
	assert.Empty(t, header, "other headers belong to their call alone")

	call("t3", http.Header{"X-User": {"alice"}, "X-Request-Id": {"8"}})
	require.Len(t, o.all(), 2)
	token, header = o.all()[1].caller.Credentials.Latest()
	assert.Equal(t, "t3", token)
	assert.Equal(t, http.Header{"X-User": {"alice"}}, header)
}

func TestSlotWaitsForNoCallAtClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inside, leave := make(chan struct{}), make(chan struct{})
		stuck := &stuckBase{inside: inside, leave: leave}
		slot := NewSlot("files", Blueprint{Open: func(Caller) (transporters.Base, error) { return stuck, nil }}, 0)
		done := make(chan struct{})
		go func() {
			_, _ = slot.Request(context.Background(), "x", nil, nil)
			close(done)
		}()
		<-inside
		begun := time.Now()
		require.NoError(t, slot.Close(), "a call that is stuck in a callback does not hold Close up")
		assert.Zero(t, time.Since(begun))
		close(leave)
		<-done
	})
}

// stuckBase is in a user's callback and notices nothing.
type stuckBase struct {
	fakeBase
	inside, leave chan struct{}
}

func (b *stuckBase) Request(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
	close(b.inside)
	<-b.leave
	return mcp.Result{}, nil
}

func (b *stuckBase) Close() error { return nil }
