package policy

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// claiming is a store that several programs share.
type claiming struct {
	*MemoryCache
	claimed func() error // fails a claim, or releases; nil for neither

	mu     sync.Mutex
	claims map[string]time.Time // until when
	tries  atomic.Int32
}

func newClaiming() *claiming {
	return &claiming{MemoryCache: NewMemoryCache(100, 1<<20), claims: map[string]time.Time{}}
}

func (s *claiming) Claim(_ context.Context, key, mark string, life time.Duration) (string, error) {
	s.tries.Add(1)
	if s.claimed != nil {
		if err := s.claimed(); err != nil {
			return "", err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.claims[key+mark]) {
		return "", nil
	}
	s.claims[key+mark] = time.Now().Add(life)
	return "mine", nil
}

func (s *claiming) Release(_ context.Context, key, mark, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.claims, key+mark)
	return nil
}

func (s *claiming) isFree() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.claims) == 0
}

// crowd has so many callers of so many programs ask for the list at the same time.
func crowd(t *testing.T, programs, callers int, store CacheStore, server transporters.Transporter, contexts ...context.Context) (numbers []int) {
	t.Helper()
	ctx := append(contexts, t.Context())[0]
	var all sync.WaitGroup
	numbers = make([]int, programs*callers)
	for program := range programs {
		chain := NewCache("s", caching(), CacheOptions{Store: store}).Wrap(server)
		for caller := range callers {
			all.Go(func() { numbers[program*callers+caller] = number(t, ctx, chain, "tools/list", nil) })
		}
	}
	all.Wait()
	return numbers
}

// Many programs that miss at once make one request.
func TestCacheIsFetchedOnceForAll(t *testing.T) {
	for name, takes := range map[string]time.Duration{"quickly": time.Millisecond, "slowly": 700 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, server := newClaiming(), &counted{hints: minuteLong, takes: takes}
				began := time.Now()
				for _, n := range crowd(t, 3, 50, store, server) {
					assert.Equal(t, 1, n)
				}
				assert.LessOrEqual(t, time.Since(began), takes+lastLook)
				assert.Equal(t, 1, server.requests())
				assert.True(t, store.isFree())
			})
		})
	}
}

// The wait is bounded: who has the claim may be gone, or slow.
func TestCacheDoesNotWaitForAClaimForLong(t *testing.T) {
	silence := 800 * time.Millisecond
	for name, test := range map[string]struct {
		change func(ctx context.Context) (context.Context, context.CancelFunc)
		want   time.Duration
	}{
		"a second": {nil, claimWait},
		"half of the call's time": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, time.Second / 2},
		"half of the call's limit": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.RequestTimeout = &silence }), func() {}
		}, silence / 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, server := newClaiming(), &counted{hints: minuteLong}
				ctx := t.Context()
				if test.change != nil {
					changed, cancel := test.change(ctx)
					defer cancel()
					ctx = changed
				}
				cache := NewCache("s", caching(), CacheOptions{Store: store})
				_, mark, err := store.Get(ctx, "", "")
				require.NoError(t, err)
				_, err = store.Claim(ctx, cache.prefix("tools/list")+"-:self:-", mark, time.Hour) // of one that is gone
				require.NoError(t, err)
				began := time.Now()
				assert.Equal(t, 1, number(t, ctx, cache.Wrap(server), "tools/list", nil))
				assert.Equal(t, test.want, time.Since(began))
				assert.False(t, store.isFree(), "it is not the caller's to give back")
				assert.Equal(t, 1, number(t, ctx, cache.Wrap(server), "tools/list", nil), "it was kept")
			})
		})
	}
	t.Run("until the caller leaves", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newClaiming()
			ctx, cancel := context.WithCancel(t.Context())
			var calls sync.WaitGroup
			chain := func() transporters.Transporter {
				return NewCache("s", caching(), CacheOptions{Store: store}).Wrap(&counted{hints: minuteLong, takes: time.Hour})
			}
			for range 2 {
				calls.Go(func() {
					_, err := chain().Request(ctx, "tools/list", nil, nil)
					assert.ErrorIs(t, err, context.Canceled)
				})
				synctest.Wait()
			}
			cancel()
			calls.Wait()
			assert.True(t, store.isFree())
		})
	})
}

// Where a claim does not help nobody waits: the store is down, the result is not
// kept, or it is no list.
func TestCacheWithoutClaims(t *testing.T) {
	t.Run("the store is down", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := newClaiming()
			store.claimed = func() error { return errors.New("down") }
			began := time.Now()
			crowd(t, 3, 50, store, &counted{hints: minuteLong, takes: time.Millisecond})
			assert.Equal(t, time.Millisecond, time.Since(began))
		})
	})
	t.Run("nothing was kept", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, server := newClaiming(), &counted{takes: time.Millisecond}
			began := time.Now()
			crowd(t, 3, 1, store, server)
			assert.Equal(t, 3, server.requests())
			assert.Less(t, time.Since(began), 200*time.Millisecond, "the next has the claim as soon as it is given back")
			assert.True(t, store.isFree())
		})
	})
	t.Run("a resource", func(t *testing.T) {
		store := newClaiming()
		chain := NewCache("s", caching(), CacheOptions{Store: store}).Wrap(&counted{hints: minuteLong})
		number(t, t.Context(), chain, "resources/read", mcp.URIParams("a"))
		assert.Zero(t, store.tries.Load())
	})
}

// What was waited counts against the ceiling of the call.
func TestCacheTakesTheWaitOffTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newClaiming()
		cache := NewCache("s", caching(), CacheOptions{Store: store, MaxRequestTimeout: time.Minute})
		_, mark, _ := store.Get(t.Context(), "", "")
		_, err := store.Claim(t.Context(), cache.prefix("tools/list")+"-:self:-", mark, time.Hour)
		require.NoError(t, err)
		server := transporterFunc(func(ctx context.Context) (mcp.Result, error) {
			assert.Equal(t, time.Minute-claimWait, *transporters.CallOptionsOf(ctx).MaxRequestTimeout)
			return mcp.NewResult([]byte(`{}`)), nil
		})
		_, err = cache.Wrap(server).Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
	})
}

type transporterFunc func(ctx context.Context) (mcp.Result, error)

func (f transporterFunc) Request(ctx context.Context, _ string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
	return f(ctx)
}
