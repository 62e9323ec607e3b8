//go:build unix

package redis

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// BenchmarkInvalidation is how long it takes until the last of 100 replicas obeys a
// deletion that one of them makes: all have the result in memory.
func BenchmarkInvalidation(b *testing.B) {
	const replicas = 100
	redis := startRedis(b)
	var caches []policy.CacheStore
	for range replicas {
		caches = append(caches, redis.connect(b, "").Cache)
	}
	has := func(cache policy.CacheStore) bool {
		value, _, err := cache.Get(b.Context(), cached, cached)
		require.NoError(b, err)
		return value != nil
	}
	for b.Loop() {
		b.StopTimer()
		_, mark, err := caches[0].Get(b.Context(), cached, cached)
		require.NoError(b, err)
		require.NoError(b, caches[0].Set(b.Context(), cached, []byte("{}"), time.Hour, mark))
		for _, cache := range caches {
			require.Eventually(b, func() bool { return has(cache) }, 10*time.Second, time.Millisecond)
		}
		b.StartTimer()
		require.NoError(b, caches[0].Delete(b.Context(), "s-0:tools/list:"))
		for _, cache := range caches {
			for has(cache) {
				time.Sleep(100 * time.Microsecond)
			}
		}
	}
}

// BenchmarkTurnsOfMany is what one Redis hands out to 8 replicas that ask for turns
// all the time, and BenchmarkReadsOfMany what it is read without the near cache: each
// of them is the time that Redis needs, not that of a caller.
func BenchmarkTurnsOfMany(b *testing.B) {
	redis := startRedis(b)
	many(b, func(i int) func() error {
		turns := redis.connect(b, "").Turns
		return func() error {
			_, _, err := turns.Turn(b.Context(), "k", 1e6, 1e6, time.Hour)
			return err
		}
	})
}

// BenchmarkReadsOfMany reads a small result.
func BenchmarkReadsOfMany(b *testing.B) {
	redis := startRedis(b)
	many(b, func(i int) func() error {
		cache := redis.connect(b, "near_cache: false").Cache
		_, mark, err := cache.Get(b.Context(), cached, cached)
		require.NoError(b, err)
		require.NoError(b, cache.Set(b.Context(), cached, []byte("{}"), time.Hour, mark))
		return func() error {
			_, _, err := cache.Get(b.Context(), cached, cached)
			return err
		}
	})
}

// many has 8 replicas with 8 callers each do b.N operations.
func many(b *testing.B, replica func(i int) func() error) {
	const replicas, callers = 8, 8
	var operations []func() error
	for i := range replicas {
		operations = append(operations, replica(i))
	}
	b.ResetTimer()
	var all sync.WaitGroup
	for i := range replicas * callers {
		all.Go(func() {
			for n := i; n < b.N; n += replicas * callers {
				if err := operations[i%replicas](); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
