package policy

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// flying makes the request in many goroutines at once, and returns the answers.
func flying(t *testing.T, chain transporters.Transporter, contexts ...context.Context) (numbers []int, failures []error) {
	t.Helper()
	numbers, failures = make([]int, len(contexts)), make([]error, len(contexts))
	var calls sync.WaitGroup
	for i, ctx := range contexts {
		calls.Go(func() {
			result, err := chain.Request(ctx, "tools/list", nil, nil)
			failures[i] = err
			var answer struct{ N int }
			if err == nil {
				assert.NoError(t, result.Decode(&answer))
			}
			numbers[i] = answer.N
		})
		synctest.Wait()
	}
	calls.Wait()
	return numbers, failures
}

func times(ctx context.Context, n int) (contexts []context.Context) {
	for range n {
		contexts = append(contexts, ctx)
	}
	return contexts
}

// Many who ask for the same at once make one request.
func TestCacheIsSingleFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counted{hints: minuteLong, takes: time.Second}
		chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
		numbers, failures := flying(t, chain, times(t.Context(), 100)...)
		for i := range numbers {
			require.NoError(t, failures[i])
			assert.Equal(t, 1, numbers[i])
		}
		assert.Equal(t, 1, server.requests())
	})
	t.Run("each principal for itself", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := &counted{hints: minuteLong, takes: time.Second}
			chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
			alice := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal = "alice" })
			numbers, _ := flying(t, chain, t.Context(), alice, t.Context(), alice)
			assert.Equal(t, []int{1, 2, 1, 2}, numbers)
		})
	})
	t.Run("for real", func(t *testing.T) {
		server := &counted{hints: minuteLong, takes: time.Millisecond}
		chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
		var calls sync.WaitGroup
		for range 200 {
			calls.Go(func() { assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil)) })
		}
		calls.Wait()
		assert.Equal(t, 1, server.requests())
	})
}

// One who gives up takes nobody down: the next one asks.
func TestCacheAFetchThatIsGivenUp(t *testing.T) {
	short := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Second)
	}
	own := func(ctx context.Context) (context.Context, context.CancelFunc) {
		limit := time.Second
		return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.MaxRequestTimeout = &limit }), func() {}
	}
	for name, bound := range map[string]func(context.Context) (context.Context, context.CancelFunc){"by its context": short, "by its own limit": own} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &counted{hints: minuteLong, takes: 10 * time.Second}
				limits := limitedBy(server)
				chain := NewCache("s", caching(), CacheOptions{MaxRequestTimeout: time.Minute}).Wrap(limits)
				ctx, cancel := bound(t.Context())
				defer cancel()
				numbers, failures := flying(t, chain, append([]context.Context{ctx}, times(t.Context(), 20)...)...)
				require.Error(t, failures[0])
				for i := 1; i <= 20; i++ {
					require.NoError(t, failures[i])
					assert.Equal(t, 2, numbers[i])
				}
				assert.Equal(t, 2, server.requests())
				assert.Equal(t, []time.Duration{59 * time.Second}, limits.ceilings, "what was waited counts")
			})
		})
	}
	t.Run("of a panic", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := &counted{hints: minuteLong, takes: time.Second}
			first := true
			server.play = func(context.Context, string, transporters.EventFunc) (mcp.Result, error) {
				if first {
					first = false
					panic("x")
				}
				return mcp.Result{}, nil
			}
			chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
			var calls sync.WaitGroup
			calls.Go(func() {
				assert.PanicsWithValue(t, "x", func() { _, _ = chain.Request(t.Context(), "tools/list", nil, nil) })
			})
			synctest.Wait()
			calls.Go(func() { assert.Equal(t, 2, number(t, t.Context(), chain, "tools/list", nil)) })
			calls.Wait()
		})
	})
}

// limiting ends a request at the ceiling of its call, as a session does.
type limiting struct {
	next     transporters.Transporter
	ceilings []time.Duration // of those who waited
}

func limitedBy(next transporters.Transporter) *limiting { return &limiting{next: next} }

func (l *limiting) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	ceiling := transporters.CallOptionsOf(ctx).MaxRequestTimeout
	if ceiling == nil {
		return l.next.Request(ctx, action, params, onEvent)
	}
	if *ceiling > time.Second {
		l.ceilings = append(l.ceilings, *ceiling)
	}
	bounded, cancel := context.WithTimeout(ctx, *ceiling)
	defer cancel()
	result, err := l.next.Request(bounded, action, params, onEvent)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = failureOf(errors.KindTimeout, errors.DeliveryUnknown, errors.ErrRequestTimeout)
	}
	return result, err
}

// A failure that is not of the caller's making is for all who waited; so is a
// timeout that was configured for all.
func TestCacheAFetchThatFails(t *testing.T) {
	for name, failure := range map[string]error{
		"lost":               failureOf(errors.KindTransport, errors.DeliveryUnknown, errors.ErrPeerLost),
		"a JSON-RPC error":   failureOf(errors.KindPeer, errors.DeliveryAnswered, nil),
		"configured timeout": failureOf(errors.KindTimeout, errors.DeliveryUnknown, errors.ErrRequestTimeout),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &counted{takes: time.Second}
				server.play = func(context.Context, string, transporters.EventFunc) (mcp.Result, error) {
					return mcp.Result{}, failure
				}
				chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
				_, failures := flying(t, chain, times(t.Context(), 20)...)
				for _, err := range failures {
					assert.Equal(t, failure, err)
				}
				assert.Equal(t, 1, server.requests())
			})
		})
	}
}

// Who waits for the fetch of another does so within limits of its own.
func TestCacheWaitsWithinTheLimitsOfTheCall(t *testing.T) {
	second := time.Second
	for name, test := range map[string]struct {
		bound   func(context.Context) (context.Context, context.CancelFunc)
		ceiling time.Duration
		want    error
	}{
		"its context": {bound: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, second)
		}, want: context.DeadlineExceeded},
		"its silence": {bound: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.RequestTimeout = &second }), func() {}
		}, want: errors.ErrRequestTimeout},
		"its ceiling": {bound: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return withCeiling(ctx, second), func() {}
		}, want: errors.ErrRequestTimeout},
		"the configured ceiling": {bound: func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }, ceiling: time.Second, want: errors.ErrRequestTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &counted{hints: minuteLong, takes: time.Minute}
				chain := NewCache("s", caching(), CacheOptions{MaxRequestTimeout: test.ceiling}).Wrap(server)
				var first sync.WaitGroup
				first.Go(func() { assert.Equal(t, 1, number(t, t.Context(), chain, "tools/list", nil)) })
				synctest.Wait()
				ctx, cancel := test.bound(t.Context())
				defer cancel()
				began := time.Now()
				_, err := chain.Request(ctx, "tools/list", nil, nil)
				require.ErrorIs(t, err, test.want)
				assert.Equal(t, time.Second, time.Since(began))
				assert.True(t, errors.SafeToRetry(err), "it made no request itself")
				assert.ErrorContains(t, err, `mcp server "s": tools/list: `)
				first.Wait()
			})
		})
	}
}

// Callers of a server that gives no hints do not stand in line: only the first
// time somebody waits in vain, and gets an answer of its own.
func TestCacheDoesNotHoldUpWhatCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counted{takes: time.Second}
		chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
		began := time.Now()
		numbers, _ := flying(t, chain, times(t.Context(), 3)...)
		assert.ElementsMatch(t, []int{1, 2, 3}, numbers)
		assert.Equal(t, 2*time.Second, time.Since(began))
		began = time.Now()
		numbers, _ = flying(t, chain, times(t.Context(), 3)...)
		assert.ElementsMatch(t, []int{4, 5, 6}, numbers)
		assert.Equal(t, time.Second, time.Since(began))
		server.hints = minuteLong
		numbers, _ = flying(t, chain, times(t.Context(), 1)...)
		assert.Equal(t, []int{7}, numbers)
		numbers, _ = flying(t, chain, times(t.Context(), 3)...)
		assert.Equal(t, []int{7, 7, 7}, numbers)
	})
}

// R212: a question is for the caller alone.
func TestCacheSharesNoQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &counted{hints: `"resultType":"input_required","requestState":"s",`, takes: time.Second}
		chain := NewCache("s", caching(), CacheOptions{}).Wrap(server)
		numbers, _ := flying(t, chain, times(t.Context(), 3)...)
		assert.ElementsMatch(t, []int{1, 2, 3}, numbers)
		handOver := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.HandOverInput = true })
		began := time.Now()
		numbers, _ = flying(t, chain, handOver, handOver)
		assert.ElementsMatch(t, []int{4, 5}, numbers)
		assert.Equal(t, time.Second, time.Since(began), "nobody waited")
	})
}
