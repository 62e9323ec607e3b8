package supervise_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// onDemand runs a test of a started link without supervision.
func onDemand(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) { test(t, started(t, nil)) })
}

// A dead peer is started again by the next call, never between calls.
func TestOnDemandRestartsWithTheNextCall(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		w.kill(1)
		require.False(t, w.IsReconnecting(), "nothing is promised")
		require.True(t, w.link(1).isClosed())
		require.False(t, isDone(w))
		require.NoError(t, w.Err())
		pass(time.Hour)
		require.Equal(t, 1, w.dialled(), "never between calls")

		begun := time.Now()
		require.NoError(t, w.Send(t.Context(), message("next")))
		require.Zero(t, time.Since(begun), "without a delay")
		require.Equal(t, []string{"next"}, w.link(2).methods())
		require.NoError(t, w.Connect(t.Context()))
		require.Equal(t, 2, w.dialled())
		synctest.Wait()
		require.Equal(t, []string{"closed: exit status 1", "reconnect"}, w.announced())
		w.link(1).deliver("late")
		w.link(2).deliver("fresh")
		require.Equal(t, []string{"fresh"}, w.received())
	})
}

// Callers that come together share one dial.
func TestOnDemandDialIsSharedByItsCallers(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		w.OnPrepare(func(context.Context, transporters.Link) error {
			time.Sleep(time.Second)
			return nil
		})
		w.kill(1)
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() { assert.NoError(t, w.Connect(t.Context())) })
		}
		callers.Wait()
		require.Equal(t, 2, w.dialled())
	})
}

// A caller who leaves takes nothing away from the others; when the last one
// leaves, the dial ends, and the next caller begins a new one.
func TestOnDemandDialLivesAsLongAsOneWaits(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		w.OnPrepare(func(ctx context.Context, _ transporters.Link) error {
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				time.Sleep(time.Second / 10) // undoing takes a while
				return context.Cause(ctx)
			}
		})
		connect := func(patience time.Duration) <-chan error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			result := make(chan error, 1)
			go func() {
				defer cancel()
				result <- w.Connect(ctx)
			}()
			return result
		}
		w.kill(1)
		first := connect(time.Second / 2)
		synctest.Wait()
		second := connect(time.Minute)
		require.ErrorIs(t, <-first, context.DeadlineExceeded)
		require.NoError(t, <-second)
		require.Equal(t, 2, w.dialled())

		w.kill(2)
		impatient := connect(time.Second / 2)
		pass(time.Second/2 + time.Second/20)
		late := connect(time.Minute) // while the abandoned dial is being undone
		require.ErrorIs(t, <-impatient, context.DeadlineExceeded)
		require.NoError(t, <-late)
		require.Equal(t, 4, w.dialled())
		require.Equal(t, 1, w.open())

		w.kill(4)
		one, other := connect(time.Second/4), connect(time.Second/2)
		require.ErrorIs(t, <-one, context.DeadlineExceeded)
		require.ErrorIs(t, <-other, context.DeadlineExceeded)
		pass(time.Minute)
		require.Equal(t, 0, w.open(), "nobody waits for the dial any more")
	})
}

type traceKey struct{}

// The dial has the values of the context that began it, not its end.
func TestOnDemandDialKeepsTheContextsValues(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		var seen any
		w.OnPrepare(func(ctx context.Context, _ transporters.Link) error {
			seen = ctx.Value(traceKey{})
			return nil
		})
		w.kill(1)
		require.NoError(t, w.Connect(context.WithValue(t.Context(), traceKey{}, "trace")))
		require.Equal(t, "trace", seen)
	})
}

// Failed starts do not touch the budget and never hide their cause.
func TestOnDemandFailedStarts(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		w.scripted(func(number int, _ context.Context) (transporters.Link, error) {
			if number <= 21 {
				return nil, errBroken
			}
			return nil, nil
		})
		w.kill(1)
		for range 20 {
			require.ErrorIs(t, w.Connect(t.Context()), errBroken)
		}
		require.NoError(t, w.Connect(t.Context()))
		synctest.Wait()
		require.Equal(t, []string{"closed: exit status 1", "reconnect"}, w.announced(), "55")
		require.Empty(t, w.reported(), "the callers were told")
	})
}

// Three deaths of ready peers within 60 seconds are made good, the
// fourth is not until the window, which the first one opened, is over.
func TestOnDemandBudget(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		pass(50 * time.Second)
		opened := time.Now()
		for n := 1; n <= 3; n++ {
			w.kill(n)
			require.NoError(t, w.Connect(ctx))
			pass(time.Second)
		}
		w.kill(4)
		err := w.Connect(ctx)
		require.ErrorIs(t, err, errors.ErrSupervisionExhausted)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.ErrorContains(t, err, "it died 4 times within 1m0s, the next start is allowed in 57s")
		require.ErrorContains(t, err, "last failure: exit status 4")
		require.True(t, errors.SafeToRetry(err), "it was not sent")
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		require.True(t, ok)
		require.Equal(t, errors.KindUnavailable, failure.Kind)
		require.Equal(t, "cannot open database", failure.Stderr)
		require.Equal(t, 57*time.Second+1, failure.RetryAfter)
		require.False(t, isDone(w), "it is not for good")
		require.NoError(t, w.Err())
		require.Equal(t, 4, w.dialled())

		pass(time.Minute - time.Since(opened))
		require.ErrorIs(t, w.Connect(ctx), errors.ErrSupervisionExhausted, "the edge belongs to the window")
		pass(1)
		require.NoError(t, w.Connect(ctx), "a fresh window")
		for n := 5; n <= 7; n++ {
			w.kill(n)
			require.NoError(t, w.Connect(ctx))
		}
		w.kill(8)
		require.ErrorIs(t, w.Connect(ctx), errors.ErrSupervisionExhausted)
	})
}

// A lost exchange returns once the death is dealt with: the next call is free
// to dial, and the count is right.
func TestOnDemandLostExchange(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		result := exchange(t.Context(), w, "slow")
		synctest.Wait()
		w.link(1).die(exit(1))
		require.ErrorIs(t, <-result, errors.ErrPeerLost)
		require.False(t, w.IsReconnecting())
		require.NoError(t, w.Connect(t.Context()))
		require.Equal(t, 2, w.dialled())
	})
}

// The next peer is not dialled while the old one is still being closed: two
// processes of one server might fight over what both own.
func TestOnDemandDialWaitsForTheOldPeersEnd(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		w.link(1).onClose = func(context.Context) error {
			time.Sleep(time.Second)
			return nil
		}
		w.kill(1)
		begun := time.Now()
		require.NoError(t, w.Connect(t.Context()))
		require.Equal(t, time.Second, time.Since(begun))
	})
}

// What is down already is not announced again.
func TestOnDemandCloseWhileDown(t *testing.T) {
	onDemand(t, func(t *testing.T, w *world) {
		w.kill(1)
		w.shut()
		synctest.Wait()
		require.Equal(t, []string{"closed: exit status 1"}, w.announced())
	})
	onDemand(t, func(t *testing.T, w *world) {
		w.shut()
		synctest.Wait()
		require.Equal(t, []string{"closed: by owner"}, w.announced())
	})
}
