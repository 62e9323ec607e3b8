package pool_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
)

func TestPlacesAreBoundedAndTheLineIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 2}, 2)
		var order []string
		var mu sync.Mutex
		for _, f := range fakes {
			f.serve = func(_ context.Context, action string) error {
				mu.Lock()
				order = append(order, action)
				mu.Unlock()
				time.Sleep(time.Second)
				return nil
			}
		}
		var done []<-chan ended
		want := []string{}
		for i := range 20 {
			action := string(rune('a' + i))
			want = append(want, action)
			done = append(done, call(t.Context(), p, action))
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		for _, d := range done {
			require.NoError(t, (<-d).err)
		}
		assert.Equal(t, want, order, "first come, first served")
		for _, f := range fakes {
			calls, most := f.count()
			assert.Equal(t, 2, most)
			assert.Equal(t, 10, calls)
		}
	})
}

// Whoever leaves the line does not take a place along, whenever that is.
func TestTheLineIsLeftWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 1)
		first := call(t.Context(), p, "x")
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		impatient := call(ctx, p, "y")
		synctest.Wait()
		patient := call(t.Context(), p, "z")
		synctest.Wait()
		cancel(errors.New("the visitor left"))
		left := <-impatient
		require.ErrorIs(t, left.err, context.Canceled)
		require.ErrorContains(t, left.err, "the visitor left")
		failure, ok := errors.AsType[*errors.TransporterRequestError](left.err)
		require.True(t, ok)
		assert.Equal(t, errors.KindCanceled, failure.Kind)
		assert.True(t, errors.SafeToRetry(left.err))

		fakes[0].finish()
		require.NoError(t, (<-first).err)
		synctest.Wait()
		fakes[0].finish()
		require.NoError(t, (<-patient).err)
		calls, _ := fakes[0].count()
		assert.Equal(t, 2, calls)
	})
}

func TestTheWaitForAPlaceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1, MaxRequestTimeout: time.Minute}, 1)
		first := call(t.Context(), p, "x")
		synctest.Wait()
		begun := time.Now()
		_, err := p.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		assert.True(t, errors.SafeToRetry(err))
		assert.ErrorContains(t, err, `mcp server "files": tools/list: no place became free: 1 instances have 1 calls running each (max_in_flight)`)
		assert.Equal(t, time.Minute, time.Since(begun))

		own := 5 * time.Second
		begun = time.Now()
		ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.MaxRequestTimeout = &own })
		_, err = p.Request(ctx, "x", nil, nil)
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		assert.Equal(t, own, time.Since(begun), "the call's own ceiling counts")

		waiting := call(t.Context(), p, "x")
		time.Sleep(20 * time.Second)
		fakes[0].finish()
		synctest.Wait()
		assert.Equal(t, 40*time.Second, *fakes[0].options[1].MaxRequestTimeout, "what is left of the ceiling")
		fakes[0].finish()
		require.NoError(t, (<-waiting).err)
		require.NoError(t, (<-first).err)
	})
}

// A call that an instance refused after it had waited does not go to the end of
// the line.
func TestARefusedCallKeepsItsPlaceInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 2)
		refused := make(chan struct{})
		fakes[1].serve = func(ctx context.Context, action string) error {
			<-refused
			return refuses(errors.KindTransport, errors.ErrStartFailed)(ctx, action)
		}
		onA := call(t.Context(), p, "first")
		synctest.Wait()
		onB := call(t.Context(), p, "unlucky")
		synctest.Wait()
		later := call(t.Context(), p, "later")
		synctest.Wait()
		fakes[1].become(transporters.StateExhausted) // later is to wait for a
		close(refused)
		synctest.Wait()
		for _, d := range []<-chan ended{onA, onB, later} {
			fakes[0].finish()
			assert.Equal(t, "a", instanceOf(t, <-d))
			synctest.Wait()
		}
		assert.Equal(t, []string{"first", "unlucky", "later"}, fakes[0].calls)
	})
}

// Nobody waits for an instance that will not come back.
func TestTheLastInstanceTellsThatItIsSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 2)
		fakes[0].become(transporters.StateExhausted)
		fakes[0].serve = refuses(errors.KindUnavailable, errors.ErrSupervisionExhausted)
		running := call(t.Context(), p, "x")
		synctest.Wait()
		inLine := call(t.Context(), p, "x")
		synctest.Wait()
		fakes[1].become(transporters.StateExhausted)
		fakes[1].mu.Lock()
		fakes[1].serve = refuses(errors.KindUnavailable, errors.ErrSupervisionExhausted)
		fakes[1].mu.Unlock()
		fakes[1].finish()
		require.NoError(t, (<-running).err)
		require.ErrorIs(t, (<-inLine).err, errors.ErrSupervisionExhausted)
		_, err := p.Request(t.Context(), "x", nil, nil)
		require.ErrorIs(t, err, errors.ErrSupervisionExhausted)
	})
}

// A callback that panics gives its place back.
func TestAPanicGivesThePlaceBack(t *testing.T) {
	p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 1)
	fakes[0].serve = func(context.Context, string) error { panic("callback") }
	for range 3 {
		require.PanicsWithValue(t, "callback", func() { _, _ = p.Request(t.Context(), "x", nil, nil) })
	}
	fakes[0].serve = answers
	_, err := p.Request(t.Context(), "x", nil, nil)
	require.NoError(t, err)
	assert.Zero(t, p.Stats().InFlight)
}

// Many callers with little patience, instances that come and go: no place is
// lost, none is given twice.
func TestPlacesUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 3}, 4)
		for _, f := range fakes {
			f.serve = func(ctx context.Context, action string) error {
				if rand.N(10) == 0 {
					return refuses(errors.KindUnavailable, errors.ErrReconnecting)(ctx, action)
				}
				time.Sleep(rand.N(3 * time.Millisecond))
				return nil
			}
		}
		var callers sync.WaitGroup
		for range 64 {
			callers.Go(func() {
				for range 200 {
					ctx, cancel := context.WithTimeout(t.Context(), rand.N(20*time.Millisecond))
					_, err := p.Request(ctx, "x", nil, nil)
					cancel()
					if err != nil {
						failure, ok := errors.AsType[*errors.TransporterRequestError](err)
						assert.True(t, ok && failure.Delivery == errors.DeliveryNotSent, "%v", err)
					}
					fakes[rand.N(len(fakes))].become(transporters.State(rand.N(int(transporters.StateClosed))))
				}
			})
		}
		callers.Wait()
		assert.Zero(t, p.Stats().InFlight)
		for _, f := range fakes {
			_, most := f.count()
			assert.LessOrEqual(t, most, 3)
			f.become(transporters.StateReady)
			f.serve = nil
		}
		time.Sleep(time.Hour)
		var done []<-chan ended
		for range 12 {
			done = append(done, call(t.Context(), p, mcp.MethodPing))
		}
		synctest.Wait()
		for _, f := range fakes {
			f.mu.Lock()
			assert.Equal(t, 3, f.running, "all places are there")
			f.mu.Unlock()
			close(f.release)
		}
		for _, d := range done {
			require.NoError(t, (<-d).err)
		}
	})
}
