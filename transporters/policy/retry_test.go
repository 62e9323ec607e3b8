package policy

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// failing fails with one error after the other, then answers.
type failing struct {
	mu       sync.Mutex
	failures []error
	began    []time.Time
	ceilings []time.Duration
	params   []string
}

func (f *failing) Request(ctx context.Context, _ string, params any, _ transporters.EventFunc) (mcp.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.began = append(f.began, time.Now())
	if ceiling := transporters.CallOptionsOf(ctx).MaxRequestTimeout; ceiling != nil {
		f.ceilings = append(f.ceilings, *ceiling)
	}
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, err
	}
	f.params = append(f.params, string(encoded.Raw()))
	if len(f.failures) == 0 {
		return mcp.NewResult([]byte(`{}`)), nil
	}
	err, f.failures = f.failures[0], f.failures[1:]
	return mcp.Result{}, err
}

func failureOf(kind errors.Kind, delivery errors.Delivery, err error) *errors.TransporterRequestError {
	return &errors.TransporterRequestError{Server: "s", Action: "x", Kind: kind, Delivery: delivery, Err: err}
}

func status(code int, after time.Duration) *errors.TransporterRequestError {
	return &errors.TransporterRequestError{Server: "s", Action: "x", Kind: errors.KindStatus, Status: code, RetryAfter: after}
}

func thrice() RetryConfig { return RetryConfig{Attempts: 3} }

// What is made again, and what is not, for a call of a tool, for one of a tool
// that is idempotent, and for a method that only reads.
func TestDefaultCheckRetry(t *testing.T) {
	lost := failureOf(errors.KindTransport, errors.DeliveryUnknown, errors.ErrPeerLost)
	peer := func(code, status int, after time.Duration) error {
		return &errors.TransporterRequestError{Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered, Code: code, Status: status, RetryAfter: after}
	}
	for name, test := range map[string]struct {
		err                       error
		call, idempotent, reading bool
	}{
		"connection refused":             {failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrNotSent), true, true, true},
		"did not start":                  {failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrStartFailed), true, true, true},
		"lost on the way":                {lost, false, true, true},
		"session lost again":             {failureOf(errors.KindSession, errors.DeliveryRefused, errors.ErrSessionLost), true, true, true},
		"being replaced":                 {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrReconnecting), true, true, true},
		"429 with Retry-After":           {status(429, time.Second), true, true, true},
		"503 with Retry-After":           {status(503, time.Second), true, true, true},
		"an error answer put off":        {peer(-32000, 429, time.Second), true, true, true},
		"429":                            {status(429, 0), false, true, true},
		"503":                            {status(503, 0), false, true, true},
		"502":                            {status(502, 0), false, true, true},
		"504 with Retry-After":           {status(504, time.Second), false, true, true},
		"500":                            {status(500, 0), false, false, false},
		"404":                            {status(404, 0), false, false, false},
		"an error answer":                {peer(-32603, 0, 0), false, false, false},
		"a header mismatch":              {peer(mcp.CodeHeaderMismatch, 400, 0), false, false, false},
		"our timeout":                    {failureOf(errors.KindTimeout, errors.DeliveryUnknown, errors.ErrRequestTimeout), false, false, false},
		"connect timeout":                {failureOf(errors.KindTimeout, errors.DeliveryNotSent, errors.Join(errors.ErrConnectTimeout, errors.ErrRequestTimeout)), false, false, false},
		"the caller's deadline":          {failureOf(errors.KindTimeout, errors.DeliveryUnknown, context.DeadlineExceeded), false, false, false},
		"cancelled":                      {failureOf(errors.KindCanceled, errors.DeliveryNotSent, context.Canceled), false, false, false},
		"authorization":                  {failureOf(errors.KindAuth, errors.DeliveryRefused, errors.ErrAuthRequired), false, false, false},
		"circuit open":                   {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrCircuitOpen), false, false, false},
		"limited":                        {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrLimited), false, false, false},
		"budget spent":                   {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrSupervisionExhausted), false, false, false},
		"denied":                         {failureOf(errors.KindDenied, errors.DeliveryNotSent, errors.ErrToolDenied), false, false, false},
		"closed":                         {failureOf(errors.KindClosed, errors.DeliveryNotSent, errors.ErrTransportClosed), false, false, false},
		"protocol":                       {failureOf(errors.KindProtocol, errors.DeliveryUnknown, errors.ErrProtocol), false, false, false},
		"versions":                       {failureOf(errors.KindVersion, errors.DeliveryRefused, errors.ErrVersionMismatch), false, false, false},
		"an error that says nothing":     {errors.New("?"), false, false, false},
		"a failure within another error": {fmt.Errorf("outer: %w", lost), false, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			isIdempotent := func(_ context.Context, tool string) bool { return tool == "idempotent" }
			check := DefaultCheckRetry(isIdempotent)
			decide := func(check CheckRetry, action string, params any) bool {
				encoded, err := mcp.ParamsOf(params)
				require.NoError(t, err)
				again, replaced := check(t.Context(), action, encoded, test.err)
				require.NoError(t, replaced)
				return again
			}
			assert.Equal(t, test.call, decide(check, mcp.MethodCallTool, callNamed("plain")), "tools/call")
			assert.Equal(t, test.idempotent, decide(check, mcp.MethodCallTool, callNamed("idempotent")), "an idempotent tool")
			assert.Equal(t, test.call, decide(DefaultCheckRetry(nil), mcp.MethodCallTool, callNamed("idempotent")), "not opted in")
			assert.Equal(t, test.call, decide(check, "vendor/do", nil), "a method that nobody knows")
			for _, action := range []string{"server/discover", "tools/list", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read", "completion/complete"} {
				assert.Equal(t, test.reading, decide(check, action, nil), action)
			}
			// R212: a round of a request that asked for input.
			round := map[string]any{"uri": "u", "requestState": "s"}
			assert.Equal(t, test.call, decide(check, mcp.MethodReadResource, round), "a continuation")
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	again, _ := DefaultCheckRetry(nil)(ended, "tools/list", nil, lost)
	assert.False(t, again, "nobody waits for it any more")
}

func TestRetryMakesTheSameRequestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := &failing{failures: []error{status(503, 2*time.Second), failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrNotSent)}}
		var log bytes.Buffer
		logger := logTo(&log)
		logger.SetLevel(1) // trace
		backoff := ExponentialBackoff(time.Second, time.Minute, func() float64 { return 0.5 })
		chain := Retry("s", thrice(), RetryOptions{Backoff: backoff, Logger: logger})(peer)
		began := time.Now()
		_, err := chain.Request(t.Context(), mcp.MethodCallTool, map[string]any{"name": "a", "arguments": map[string]int{"n": 1}}, nil)
		require.NoError(t, err)
		require.Len(t, peer.began, 3)
		assert.Equal(t, 2500*time.Millisecond, peer.began[1].Sub(began), "Retry-After is the floor, half of a second is the jitter")
		assert.Equal(t, 3500*time.Millisecond, peer.began[2].Sub(began), "half of two seconds")
		assert.Equal(t, peer.params[0], peer.params[2], "P16")
		assert.Equal(t, 2, strings.Count(log.String(), "is made again"))
	})
}

func TestRetryGivesUp(t *testing.T) {
	none := func(int, error) time.Duration { return 0 }
	lost := failureOf(errors.KindTransport, errors.DeliveryUnknown, errors.ErrPeerLost)
	unsent := failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrNotSent)

	t.Run("after as many attempts as configured", func(t *testing.T) {
		peer := &failing{failures: []error{lost, lost, lost, lost}}
		_, err := Retry("s", thrice(), RetryOptions{Backoff: none})(peer).Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		assert.Len(t, peer.began, 3)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		assert.Equal(t, 3, failure.Attempts)
		assert.EqualError(t, err, `mcp server "s": x: peer lost (3 attempts)`)
		assert.Zero(t, lost.Attempts, "errors are not changed once they were returned")
	})
	t.Run("and an earlier attempt may have been taken", func(t *testing.T) {
		peer := &failing{failures: []error{unsent, lost, unsent}}
		_, err := Retry("s", thrice(), RetryOptions{Backoff: none})(peer).Request(t.Context(), "tools/list", nil, nil)
		require.Error(t, err)
		assert.False(t, errors.SafeToRetry(err), "the second attempt may have been taken")
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		assert.Equal(t, errors.DeliveryUnknown, failure.Delivery)
		assert.EqualError(t, err, `mcp server "s": x: not sent (3 attempts)`)
	})
	t.Run("and none was taken", func(t *testing.T) {
		peer := &failing{failures: []error{unsent, unsent, unsent}}
		_, err := Retry("s", thrice(), RetryOptions{Backoff: none})(peer).Request(t.Context(), "tools/call", callNamed("a"), nil)
		assert.True(t, errors.SafeToRetry(err))
	})
	t.Run("with what Check puts in its place", func(t *testing.T) {
		instead := errors.New("instead")
		check := func(context.Context, string, *mcp.Params, error) (bool, error) { return false, instead }
		_, err := Retry("s", thrice(), RetryOptions{Check: check})(&failing{failures: []error{lost}}).Request(t.Context(), "tools/list", nil, nil)
		assert.Equal(t, instead, err)
	})
	t.Run("params that do not encode", func(t *testing.T) {
		_, err := Retry("s", thrice(), RetryOptions{})(&failing{}).Request(t.Context(), "tools/list", []int{1}, nil)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
	})
}

// No wait is begun that cannot end in time.
func TestRetryIsBoundedByTime(t *testing.T) {
	ten := func(int, error) time.Duration { return 10 * time.Second }
	put := func() *failing {
		return &failing{failures: []error{status(429, time.Second), status(429, time.Second), status(429, time.Second)}}
	}
	for name, test := range map[string]struct {
		cfg      RetryConfig
		options  RetryOptions
		timeout  time.Duration // of the caller
		ceiling  time.Duration // of the call
		attempts int
		ceilings []time.Duration
	}{
		"max_elapsed":          {cfg: RetryConfig{Attempts: 9, MaxElapsed: config.Of(15 * time.Second)}, attempts: 2},
		"no max_elapsed":       {cfg: RetryConfig{Attempts: 4, MaxElapsed: config.Off()}, attempts: 4},
		"max_request_timeout":  {cfg: RetryConfig{Attempts: 9}, options: RetryOptions{MaxRequestTimeout: 12 * time.Second}, attempts: 2, ceilings: []time.Duration{2 * time.Second}},
		"the call's ceiling":   {cfg: RetryConfig{Attempts: 9}, options: RetryOptions{MaxRequestTimeout: time.Hour}, ceiling: 25 * time.Second, attempts: 3, ceilings: []time.Duration{25 * time.Second, 15 * time.Second, 5 * time.Second}},
		"the call has none":    {cfg: RetryConfig{Attempts: 3}, options: RetryOptions{MaxRequestTimeout: time.Second}, ceiling: -1, attempts: 3, ceilings: []time.Duration{0, 0, 0}},
		"the caller's context": {cfg: RetryConfig{Attempts: 9}, timeout: 15 * time.Second, attempts: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.timeout > 0 {
					bounded, cancel := context.WithTimeout(ctx, test.timeout)
					defer cancel()
					ctx = bounded
				}
				if test.ceiling != 0 {
					ctx = withCeiling(ctx, max(test.ceiling, 0))
				}
				peer := put()
				test.options.Backoff = ten
				began := time.Now()
				_, err := Retry("s", test.cfg, test.options)(peer).Request(ctx, mcp.MethodCallTool, callNamed("a"), nil)
				assert.Len(t, peer.began, test.attempts)
				assert.Equal(t, time.Duration(test.attempts-1)*10*time.Second, time.Since(began), "the last failure is told at once")
				assert.Equal(t, test.ceilings, peer.ceilings)
				if test.attempts < 4 && err != nil {
					failure, _ := errors.AsType[*errors.TransporterRequestError](err)
					assert.Equal(t, time.Second, failure.RetryAfter)
				}
			})
		})
	}
}

func TestRetryWaitEndsEarly(t *testing.T) {
	hour := func(int, error) time.Duration { return time.Hour }
	cfg := RetryConfig{Attempts: 2, MaxElapsed: config.Off()}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("the browser went away")) })
		began := time.Now()
		peer := &failing{failures: []error{failureOf(errors.KindTransport, errors.DeliveryUnknown, errors.ErrPeerLost)}}
		_, err := Retry("s", cfg, RetryOptions{Backoff: hour})(peer).Request(ctx, "tools/list", nil, nil)
		require.ErrorIs(t, err, context.Canceled)
		assert.EqualError(t, err, `mcp server "s": tools/list: while waiting to try again after: mcp server "s": x: peer lost: context canceled: the browser went away`)
		assert.Equal(t, time.Second, time.Since(began))
		assert.False(t, errors.SafeToRetry(err), "the first attempt may have been taken")
		assert.NotErrorIs(t, err, errors.ErrPeerLost, "it is not why the call failed")
	})
	synctest.Test(t, func(t *testing.T) {
		life, end := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, end)
		began := time.Now()
		peer := &failing{failures: []error{failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrNotSent)}}
		_, err := Retry("s", cfg, RetryOptions{Backoff: hour, Life: life})(peer).Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		assert.Equal(t, errors.KindClosed, failure.Kind)
		assert.Equal(t, time.Second, time.Since(began))
		assert.True(t, errors.SafeToRetry(err))
	})
}

func TestExponentialBackoff(t *testing.T) {
	whole := ExponentialBackoff(100*time.Millisecond, time.Second, func() float64 { return 1 })
	for attempt, want := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 3: 400 * time.Millisecond, 4: 800 * time.Millisecond,
		5: time.Second, 6: time.Second, 500: time.Second,
	} {
		assert.Equal(t, want, whole(attempt, nil), attempt)
	}
	assert.Equal(t, 31*time.Second, whole(5, status(429, 30*time.Second)))
	assert.Equal(t, 5*time.Millisecond, ExponentialBackoff(time.Second, 5*time.Millisecond, func() float64 { return 1 })(1, nil))
	spread := map[time.Duration]bool{}
	for range 100 {
		wait := ExponentialBackoff(time.Second, time.Second, nil)(1, nil)
		assert.Less(t, wait, time.Second)
		spread[wait] = true
	}
	assert.Greater(t, len(spread), 90, "full jitter")
}

func TestRetryIsOffUnlessConfigured(t *testing.T) {
	var next failing
	assert.Same(t, &next, Retry("s", RetryConfig{}, RetryOptions{})(&next))
	assert.Same(t, &next, Retry("s", RetryConfig{Attempts: 1}, RetryOptions{})(&next))
}

// A tool is known for idempotent by what the chain saw listed, to each principal
// for itself.
func TestIdempotentToolsAreThoseThatWereListed(t *testing.T) {
	peer := mcptest.NewTransporter(t)
	catalogue := NewToolCatalogue("s", nil, nil)
	chain := catalogue.Learn()(peer)
	alice := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Principal = "alice" })
	known := func(ctx context.Context) (names string) {
		for _, name := range []string{"plain", "put", "get", "odd", "never"} {
			if catalogue.IsIdempotent(ctx, name) {
				names += " " + name
			}
		}
		return names
	}
	assert.Empty(t, known(alice))
	peer.Expect("tools/list").Return(`{"tools":[{"name":"plain","annotations":{"idempotentHint":false}},{"name":"put","annotations":{"title":"x","idempotentHint":true}},` +
		`{"name":"get","annotations":{"readOnlyHint":true}},{"name":"odd","annotations":["idempotentHint"]}]}`)
	peer.Expect("tools/call")
	_, err := chain.Request(alice, "tools/list", nil, nil)
	require.NoError(t, err)
	_, err = chain.Request(alice, "tools/call", callNamed("put"), nil)
	require.NoError(t, err)
	assert.Equal(t, " put get", known(alice))
	assert.Empty(t, known(t.Context()), "nobody else listed them")
	peer.Expect("tools/list").Return(`{"tools":[{"name":"put"},{"name":"get","annotations":{"readOnlyHint":true}}]}`)
	_, err = chain.Request(alice, "tools/list", nil, nil)
	require.NoError(t, err)
	assert.Equal(t, " get", known(alice), "the server took it back")
	peer.Expect("tools/list").Error(errors.New("no"))
	_, err = chain.Request(alice, "tools/list", nil, nil)
	require.Error(t, err)
	_, err = chain.Request(alice, "tools/list", []int{}, nil)
	require.ErrorIs(t, err, errors.ErrInvalidParams)
}
