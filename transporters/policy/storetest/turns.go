package storetest

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Turns runs the tests of a TurnStore, each on a store of its own. They use rates
// so slow that the pace of the machine does not show.
func Turns(t *testing.T, open func(t *testing.T) (first, second policy.TurnStore)) {
	t.Helper()
	run := each(t, open)
	const perHour, forever = 1.0 / 3600, time.Duration(math.MaxInt64)
	turn := func(t *testing.T, store policy.TurnStore, key string, perSecond float64, burst int, longest time.Duration) (time.Duration, bool) {
		t.Helper()
		wait, taken, err := store.Turn(t.Context(), key, perSecond, burst, longest)
		require.NoError(t, err)
		return wait, taken
	}
	near := func(t *testing.T, want, got time.Duration) {
		t.Helper()
		assert.InDelta(t, want.Seconds(), got.Seconds(), 60)
	}
	run("ABurstAtOnceThenOneAfterTheOther", func(t *testing.T, first, second policy.TurnStore) {
		for i := range 5 {
			wait, taken := turn(t, []policy.TurnStore{first, second}[i%2], "k", perHour, 3, forever)
			assert.True(t, taken)
			near(t, time.Duration(max(0, i-2))*time.Hour, wait)
			assert.Equal(t, i < 3, wait == 0)
		}
	})
	run("ATurnThatComesTooLateIsNotTaken", func(t *testing.T, first, second policy.TurnStore) {
		_, taken := turn(t, first, "k", perHour, 1, 0)
		assert.True(t, taken)
		for range 3 {
			wait, taken := turn(t, second, "k", perHour, 1, time.Minute)
			assert.False(t, taken)
			near(t, time.Hour, wait)
		}
		wait, taken := turn(t, first, "k", perHour, 1, 2*time.Hour)
		assert.True(t, taken)
		near(t, time.Hour, wait)
	})
	run("KeysAreApart", func(t *testing.T, first, second policy.TurnStore) {
		for _, key := range []string{"a", "b", `limits.tools "a*"`, "A"} {
			wait, taken := turn(t, first, key, perHour, 1, 0)
			assert.True(t, taken && wait == 0, key)
			_, taken = turn(t, second, key, perHour, 1, 0)
			assert.False(t, taken, key)
		}
	})
	run("TurnsComeBack", func(t *testing.T, first, second policy.TurnStore) {
		_, taken := turn(t, first, "k", 10, 1, 0)
		assert.True(t, taken)
		require.Eventually(t, func() bool {
			_, taken := turn(t, second, "k", 10, 1, 0)
			return taken
		}, 30*time.Second, between)
	})
	run("NoMoreThanTheBurstOfMany", func(t *testing.T, first, second policy.TurnStore) {
		var all sync.WaitGroup
		var count atomic.Int32
		for i := range 32 {
			all.Go(func() {
				_, taken, err := []policy.TurnStore{first, second}[i%2].Turn(t.Context(), "k", perHour, 7, 0)
				if assert.NoError(t, err) && taken {
					count.Add(1)
				}
			})
		}
		all.Wait()
		assert.EqualValues(t, 7, count.Load())
	})
	run("AContextThatHasEndedIsRespected", func(t *testing.T, first, _ policy.TurnStore) {
		returns(t, func(ctx context.Context) { _, _, _ = first.Turn(ctx, "k", 1, 1, 0) })
	})
}
