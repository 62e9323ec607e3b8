package policy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// counting takes a while for each request, and notes how many ran at once, and
// when they began.
type counting struct {
	takes time.Duration

	mu       sync.Mutex
	running  int
	most     int
	order    []string
	began    []time.Time
	ceilings []time.Duration
}

func (c *counting) Request(ctx context.Context, action string, params any, _ transporters.EventFunc) (mcp.Result, error) {
	c.mu.Lock()
	c.running++
	c.most = max(c.most, c.running)
	if encoded, err := mcp.ParamsOf(params); err == nil {
		c.order = append(c.order, encoded.Name())
	}
	c.began = append(c.began, time.Now())
	if ceiling := transporters.CallOptionsOf(ctx).MaxRequestTimeout; ceiling != nil {
		c.ceilings = append(c.ceilings, *ceiling)
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.running--
	}()
	timer := time.NewTimer(c.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		return mcp.NewResult([]byte(`{}`)), nil
	case <-ctx.Done():
		return mcp.Result{}, failureOf(errors.KindCanceled, errors.DeliveryUnknown, ctx.Err())
	}
}

func limited(cfg LimitConfig, options LimitOptions, next transporters.Transporter) transporters.Transporter {
	if cfg.Queue == 0 {
		cfg.Queue = 1000
	}
	return Limit("s", cfg, options)(next)
}

func callTool(ctx context.Context, chain transporters.Transporter, name string) error {
	_, err := chain.Request(ctx, mcp.MethodCallTool, callNamed(name), nil)
	return err
}

// As many run at once as configured; the rest waits, and goes in the order in
// which it came.
func TestLimitInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &counting{takes: time.Second}
		chain := limited(LimitConfig{InFlight: 3, Wait: config.Off()}, LimitOptions{}, next)
		var calls sync.WaitGroup
		var came []string
		began := time.Now()
		for i := range 30 {
			name := fmt.Sprint(i)
			came = append(came, name)
			calls.Go(func() { assert.NoError(t, callTool(t.Context(), chain, name)) })
			time.Sleep(time.Millisecond) // so that no two are released at the same time
		}
		calls.Wait()
		assert.Equal(t, 3, next.most)
		assert.Equal(t, came, next.order)
		assert.Equal(t, 10*time.Second+2*time.Millisecond, time.Since(began), "no place stays empty")
	})
}

// Who finds the line full, or waits too long, is told so: nothing was sent.
func TestLimitedCalls(t *testing.T) {
	refused := func(t *testing.T, err error, text string) {
		t.Helper()
		require.ErrorIs(t, err, errors.ErrLimited)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		assert.Equal(t, errors.KindUnavailable, failure.Kind)
		assert.True(t, errors.SafeToRetry(err))
		assert.EqualError(t, err, `mcp server "s": tools/call: `+text+": limited by configuration")
	}
	for name, test := range map[string]struct {
		cfg     LimitConfig
		ceiling time.Duration
		after   time.Duration
		text    string
	}{
		"the line is full": {LimitConfig{InFlight: 1, Queue: 1}, 0, 0, "limits, in_flight 1: 1 requests are waiting already (limits.queue)"},
		"waited too long":  {LimitConfig{InFlight: 1, Queue: 5, Wait: config.Of(2 * time.Second)}, 0, 2 * time.Second, "limits, in_flight 1: no place became free within 2s (limits.wait)"},
		"by default":       {LimitConfig{InFlight: 1, Queue: 5}, 0, 10 * time.Second, "limits, in_flight 1: no place became free within 10s (limits.wait)"},
		"the ceiling ends it": {LimitConfig{InFlight: 1, Queue: 5, Wait: config.Off()}, 3 * time.Second, 3 * time.Second,
			"limits, in_flight 1: no place became free within 3s (max_request_timeout)"},
		"of a tool": {LimitConfig{Queue: 5, Wait: config.Of(time.Second), Tools: []ToolLimit{{Match: "t*", InFlight: 1}}}, 0, time.Second,
			`limits.tools "t*", in_flight 1: no place became free within 1s (limits.wait)`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				next := &counting{takes: time.Minute}
				chain := Limit("s", test.cfg, LimitOptions{MaxRequestTimeout: test.ceiling})(next)
				ctx, cancel := context.WithCancel(t.Context())
				var calls sync.WaitGroup
				calls.Go(func() { _ = callTool(ctx, chain, "t0") })
				synctest.Wait()
				calls.Go(func() { _ = callTool(ctx, chain, "t1") })
				synctest.Wait()
				began := time.Now()
				err := callTool(t.Context(), chain, "t2")
				assert.Equal(t, test.after, time.Since(began))
				refused(t, err, test.text)
				cancel()
				calls.Wait()
				assert.Zero(t, chain.(*limiter).waiting.Load())
			})
		})
	}
	t.Run("nobody may wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			chain := Limit("s", LimitConfig{InFlight: 1, Queue: 0}, LimitOptions{})(&counting{takes: time.Second})
			var first sync.WaitGroup
			first.Go(func() { assert.NoError(t, callTool(t.Context(), chain, "t")) })
			synctest.Wait()
			refused(t, callTool(t.Context(), chain, "t"), "limits, in_flight 1: 0 requests are waiting already (limits.queue)")
			first.Wait()
			require.NoError(t, callTool(t.Context(), chain, "t"))
		})
	})
}

// A call that ends while it waits leaves the line, and its place to the next one.
func TestLimitWaitEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &counting{takes: 10 * time.Second}
		life, end := context.WithCancel(t.Context())
		chain := limited(LimitConfig{InFlight: 1, Rate: 1000, Wait: config.Off()}, LimitOptions{Life: life}, next)
		var calls sync.WaitGroup
		calls.Go(func() { assert.NoError(t, callTool(t.Context(), chain, "first")) })
		synctest.Wait()

		ctx, cancel := context.WithCancelCause(t.Context())
		var gaveUp, closed error
		calls.Go(func() { gaveUp = callTool(ctx, chain, "gives up") })
		synctest.Wait()
		calls.Go(func() { assert.NoError(t, callTool(t.Context(), chain, "next")) })
		synctest.Wait()
		cancel(errors.New("the browser went away"))
		synctest.Wait()
		require.ErrorIs(t, gaveUp, context.Canceled)
		assert.EqualError(t, gaveUp, `mcp server "s": tools/call: while waiting in line (limits, in_flight 1 and rate 1000/s): context canceled: the browser went away`)
		assert.True(t, errors.SafeToRetry(gaveUp))

		time.Sleep(15 * time.Second) // "next" is running
		calls.Go(func() { closed = callTool(t.Context(), chain, "closed") })
		synctest.Wait()
		end()
		synctest.Wait()
		require.ErrorIs(t, closed, errors.ErrTransportClosed)
		calls.Wait()
		assert.Equal(t, []string{"first", "next"}, next.order)
	})
}

// Requests begin at the configured rate, after a burst, in the order they came.
func TestLimitRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &counting{}
		chain := limited(LimitConfig{Rate: 10, Burst: 2, Wait: config.Off()}, LimitOptions{}, next)
		var calls sync.WaitGroup
		began := time.Now()
		for range 20 {
			calls.Go(func() { assert.NoError(t, callTool(t.Context(), chain, "t")) })
		}
		calls.Wait()
		require.Len(t, next.began, 20)
		for i, at := range next.began {
			want := time.Duration(max(0, i-1)) * 100 * time.Millisecond
			assert.InDelta(t, want, at.Sub(began), float64(time.Microsecond), i)
		}
	})
}

func TestLimitRefusesATurnThatComesTooLate(t *testing.T) {
	for name, test := range map[string]struct {
		cfg      LimitConfig
		ceiling  time.Duration
		deadline time.Duration
		text     string
	}{
		"limits.wait":           {LimitConfig{Rate: Rate(1) / 60, Wait: config.Of(30 * time.Second)}, 0, 0, "limits, rate 1/m: its turn comes in 1m0s, later than limits.wait"},
		"max_request_timeout":   {LimitConfig{Rate: Rate(1) / 60, Wait: config.Off()}, time.Second, 0, "limits, rate 1/m: its turn comes in 1m0s, later than max_request_timeout"},
		"the caller's deadline": {LimitConfig{Rate: Rate(1) / 60, Wait: config.Off()}, 0, time.Second, "limits, rate 1/m: its turn comes in 1m0s, later than the caller's deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chain := limited(test.cfg, LimitOptions{MaxRequestTimeout: test.ceiling}, &counting{})
				ctx := t.Context()
				if test.deadline > 0 {
					bounded, cancel := context.WithTimeout(ctx, test.deadline)
					defer cancel()
					ctx = bounded
				}
				require.NoError(t, callTool(ctx, chain, "t"))
				began := time.Now()
				err := callTool(ctx, chain, "t")
				require.ErrorIs(t, err, errors.ErrLimited)
				assert.ErrorContains(t, err, test.text)
				assert.Zero(t, time.Since(began), "it does not begin to wait")
				failure, _ := errors.AsType[*errors.TransporterRequestError](err)
				assert.Equal(t, time.Minute, failure.RetryAfter)
				time.Sleep(time.Minute)
				require.NoError(t, callTool(t.Context(), chain, "t"), "its turn was given back")
			})
		})
	}
}

// The limits of tools hold for the calls that match, together and beside those of
// the server; who waits at one of them keeps no place of the server.
func TestLimitTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &counting{takes: time.Second}
		chain := limited(LimitConfig{InFlight: 2, Wait: config.Off(), Tools: []ToolLimit{
			{Match: "search_*", InFlight: 1}, {Match: "search_web", Rate: Rate(1) / 10}, {Match: "other", InFlight: 1},
		}}, LimitOptions{}, next)
		var calls sync.WaitGroup
		began := time.Now()
		after := make(map[string]time.Duration)
		var mu sync.Mutex
		call := func(label, action, name string) {
			calls.Go(func() {
				_, err := chain.Request(t.Context(), action, callNamed(name), nil)
				assert.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				after[label] = time.Since(began)
			})
			synctest.Wait()
		}
		call("first search", mcp.MethodCallTool, "search_files")
		call("second search", mcp.MethodCallTool, "search_web")
		call("third search", mcp.MethodCallTool, "search_web")
		call("a prompt of that name", mcp.MethodGetPrompt, "search_web")
		call("something else", mcp.MethodCallTool, "plain")
		calls.Wait()
		assert.Equal(t, map[string]time.Duration{
			"first search": time.Second, "a prompt of that name": time.Second,
			"something else": 2 * time.Second, // the server's second place was the prompt's
			"second search":  2 * time.Second,
			"third search":   12 * time.Second, // one in ten seconds
		}, after)
		assert.Equal(t, 2, next.most)
		_, err := chain.Request(t.Context(), mcp.MethodCallTool, []int{}, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
	})
}

// What was waited is taken off the ceiling of the call; who did not wait keeps
// the context as it is.
func TestLimitCountsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &counting{takes: 4 * time.Second}
		chain := limited(LimitConfig{InFlight: 1}, LimitOptions{MaxRequestTimeout: time.Minute}, next)
		var calls sync.WaitGroup
		calls.Go(func() { assert.NoError(t, callTool(t.Context(), chain, "a")) })
		synctest.Wait()
		require.NoError(t, callTool(t.Context(), chain, "b"))
		require.NoError(t, callTool(withCeiling(t.Context(), 0), chain, "c"))
		calls.Wait()
		assert.Equal(t, []time.Duration{56 * time.Second, 0}, next.ceilings)
	})
}

// A callback that panics does not take its place along.
func TestLimitSurvivesPanics(t *testing.T) {
	panicking := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) { panic("x") })
	chain := limited(LimitConfig{InFlight: 1, Queue: 1, Wait: config.Of(time.Nanosecond)}, LimitOptions{}, panicking)
	for range 3 {
		assert.PanicsWithValue(t, "x", func() { _ = callTool(t.Context(), chain, "t") })
	}
}

func TestLimitIsOffUnlessConfigured(t *testing.T) {
	var next counting
	assert.Same(t, &next, Limit("s", LimitConfig{Queue: 5}, LimitOptions{})(&next))
}

// Under a storm of calls, half of which give up, no place is lost and none is
// given twice.
func TestLimitUnderAStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &counting{takes: 10 * time.Millisecond}
		cfg := LimitConfig{InFlight: 5, Rate: 400, Wait: config.Of(200 * time.Millisecond), Queue: 50, Tools: []ToolLimit{{Match: "a", InFlight: 2}, {Match: "[ab]", InFlight: 3, Rate: 200}}}
		chain := limited(cfg, LimitOptions{}, next)
		var calls sync.WaitGroup
		random := rand.New(rand.NewPCG(1, 2))
		outcomes := map[string]int{}
		var mu sync.Mutex
		for range 2000 {
			name := string(rune('a' + random.IntN(3)))
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(100))*time.Millisecond)
			calls.Go(func() {
				defer cancel()
				err := callTool(ctx, chain, name)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					outcomes["answered"]++
				case errors.Is(err, errors.ErrLimited):
					outcomes["limited"]++
				case errors.Is(err, context.DeadlineExceeded):
					outcomes["deadline"]++
				default:
					outcomes[err.Error()]++
				}
			})
			time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
		}
		calls.Wait()
		assert.Len(t, outcomes, 3, outcomes)
		assert.Greater(t, outcomes["answered"], 200, outcomes)
		assert.LessOrEqual(t, next.most, 5)
		l := chain.(*limiter)
		assert.Zero(t, l.waiting.Load())
		for _, g := range l.gates {
			if g.places != nil {
				assert.True(t, g.places.TryAcquire(int64(g.inFlight)), "%s: every place is free", g.name)
			}
		}
		for i := range next.began { // the rate holds over every stretch of a second
			j, _ := slices.BinarySearchFunc(next.began, next.began[i].Add(time.Second), time.Time.Compare)
			assert.LessOrEqual(t, j-i, 400+400+1)
		}
	})
}

func TestAmountsAreRead(t *testing.T) {
	for text, want := range map[any]Rate{
		10: 10, 0.5: 0.5, "10": 10, "10/s": 10, "600/m": 10, "5000/h": Rate(5000.0 / 3600), "off": 0, false: 0, "1e3": 1000,
	} {
		var r Rate
		require.NoError(t, r.UnmarshalConfig(text), "%v", text)
		assert.InDelta(t, float64(want), float64(r), 1e-9, "%v", text)
	}
	for _, text := range []any{"", "x", 0, -1, "1/d", "/s", "10/", "10/s/s", "NaN", "1e9", "1e-9", true, nil} {
		var r Rate
		assert.Error(t, r.UnmarshalConfig(text), "%v", text)
	}
	assert.Equal(t, []string{"off", "10/s", "30/m", "2/h"}, []string{Rate(0).String(), Rate(10).String(), Rate(0.5).String(), (Rate(2) / 3600).String()})
	for text, want := range map[any]Count{1: 1, "7": 7, "off": 0, false: 0} {
		var c Count
		require.NoError(t, c.UnmarshalConfig(text), "%v", text)
		assert.Equal(t, want, c)
	}
	for _, text := range []any{0, -1, "x", 1.5, true, nil, "99999999999"} {
		var c Count
		assert.Error(t, c.UnmarshalConfig(text), "%v", text)
	}
}
