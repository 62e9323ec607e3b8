package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Claims runs the tests of a CacheClaimer's claims, each on a store of its own.
func Claims(t *testing.T, open func(t *testing.T) (first, second policy.CacheClaimer)) {
	t.Helper()
	run := each(t, open)
	mark := func(t *testing.T, store policy.CacheStore) string {
		t.Helper()
		_, mark, err := store.Get(t.Context(), own, shared)
		require.NoError(t, err)
		return mark
	}
	claim := func(t *testing.T, store policy.CacheClaimer, key, mark string, life time.Duration) string {
		t.Helper()
		word, err := store.Claim(t.Context(), key, mark, life)
		require.NoError(t, err)
		return word
	}
	run("OneHasIt", func(t *testing.T, first, second policy.CacheClaimer) {
		at := mark(t, first)
		word := claim(t, first, own, at, time.Minute)
		require.NotEmpty(t, word)
		assert.Empty(t, claim(t, first, own, at, time.Minute))
		assert.Empty(t, claim(t, second, own, at, time.Minute))
		assert.NotEmpty(t, claim(t, second, shared, at, time.Minute), "of another key")
		require.NoError(t, second.Release(t.Context(), own, at, "somebody else's"))
		assert.Empty(t, claim(t, second, own, at, time.Minute))
		require.NoError(t, first.Release(t.Context(), own, at, word))
		assert.NotEmpty(t, claim(t, second, own, at, time.Minute))
	})
	run("ItEndsByItself", func(t *testing.T, first, second policy.CacheClaimer) {
		at := mark(t, first)
		word := claim(t, first, own, at, soon)
		require.NotEmpty(t, word)
		require.Eventually(t, func() bool { return claim(t, second, own, at, time.Minute) != "" }, 30*time.Second, between)
		require.NoError(t, first.Release(t.Context(), own, at, word))
		assert.Empty(t, claim(t, first, own, at, time.Minute), "it is another one's now")
	})
	run("AChangeMakesItAnother", func(t *testing.T, first, second policy.CacheClaimer) {
		require.NotEmpty(t, claim(t, first, own, mark(t, first), time.Minute))
		require.NoError(t, first.Delete(t.Context(), "s-0:tools/list:"))
		assert.NotEmpty(t, claim(t, first, own, mark(t, first), time.Minute))
	})
	run("OneOfMany", func(t *testing.T, first, second policy.CacheClaimer) {
		at := mark(t, first)
		var all sync.WaitGroup
		var won atomic.Int32
		for i := range 32 {
			all.Go(func() {
				word, err := []policy.CacheClaimer{first, second}[i%2].Claim(t.Context(), own, at, time.Minute)
				if assert.NoError(t, err) && word != "" {
					won.Add(1)
				}
			})
		}
		all.Wait()
		assert.EqualValues(t, 1, won.Load())
	})
	run("WhoHasItHasWhatWasKeptUnderTheLast", func(t *testing.T, first, second policy.CacheClaimer) {
		for i := range 100 {
			key := fmt.Sprintf("s-0:tools/list:-:self:%d", i)
			value, at, err := second.Get(t.Context(), key, shared)
			require.NoError(t, err)
			require.Nil(t, value)
			word := claim(t, first, key, at, time.Minute)
			require.NotEmpty(t, word)
			require.NoError(t, first.Set(t.Context(), key, []byte("{}"), time.Minute, at))
			require.NoError(t, first.Release(t.Context(), key, at, word))
			require.NotEmpty(t, claim(t, second, key, at, time.Minute))
			value, _, err = second.Get(t.Context(), key, shared)
			require.NoError(t, err)
			require.Equal(t, "{}", string(value), "at once")
		}
	})
	run("AContextThatHasEndedIsRespected", func(t *testing.T, first, _ policy.CacheClaimer) {
		at := mark(t, first)
		returns(t, func(ctx context.Context) {
			word, _ := first.Claim(ctx, own, at, time.Minute)
			_ = first.Release(ctx, own, at, word)
		})
	})
}
