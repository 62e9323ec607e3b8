package factory

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
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Values that make no sense are faults, each with its place.
func TestKeysOfPoliciesAreChecked(t *testing.T) {
	for keys, want := range map[string]string{
		"retry: {attempts: 0}":                            "mcp.yaml:5:13: server \"s\": retry.attempts: not a number of attempts; found 0; allowed: 1 (off) to 20",
		"retry: {attempts: 21}":                           "retry.attempts: not a number of attempts; found 21",
		"retry: {attempts: two}":                          "retry.attempts: not a whole number; found \"two\"",
		"retry: {initial_backoff: off}":                   "retry.initial_backoff: cannot be off",
		"retry: {max_backoff: off}":                       "retry.max_backoff: cannot be off",
		"retry: {max_elapsed: off}":                       "",
		"retry: {initial_backoff: 10s}":                   "retry.max_backoff: shorter than retry.initial_backoff; found 5s; allowed: 10s or more",
		"retry: {initial_backoff: 10s, max_backoff: 10s}": "",
		"retry: {attempt: 3}":                             "retry.attempt: unknown key; did you mean \"retry.attempts\"?",
		"retry: {attempts: 3, idempotent_tools: true}":    "",

		"limits: {in_flight: 10, rate: 600/m, burst: 5, queue: 0, wait: off, tools: [{match: 'search_*', in_flight: 1}, {match: x, rate: 1}]}": "",
		"limits: {in_flight: 0}":       "limits.in_flight: not a number that can be a limit; found 0; allowed: a whole number of 1 or more, or off",
		"limits: {in_flight: off}":     "",
		"limits: {rate: fast}":         "limits.rate: not a rate; found \"fast\"",
		"limits: {rate: 1, burst: -1}": "limits.burst: must not be negative",
		"limits: {burst: 3}":           "limits.burst: has no meaning without a rate; found 3",
		"limits: {queue: -1}":          "limits.queue: must not be negative",
		"limits: {tools: [{match: x, rate: 1}, {match: '[', rate: 1}]}": "mcp.yaml:5:44: server \"s\": limits.tools[1].match: not a glob; found [",
		"limits: {tools: [{match: x}]}":                                 "mcp.yaml:5:22: server \"s\": limits.tools[0]: limits nothing",
		"limits: {tools: [{match: x, rate: much}]}":                     "limits.tools[0].rate: not a rate",
		"limits: {tools: [{in_flight: 1}]}":                             "limits.tools[0].match: the key is required",
		"limits: {tools: [{match: x, inflight: 1}]}":                    "limits.tools[0].inflight: unknown key; did you mean \"limits.tools[0].in_flight\"?",
		"limits: {tools: [{match: x, in_flight: 1, burst: 2}]}":         "limits.tools[0].burst: has no meaning without a rate",

		"breaker: {failures: 5, open_for: 1m, probes: 2}": "",
		"breaker: {failures: off}":                        "",
		"breaker: {failures: 0}":                          "breaker.failures: not a number that can be a limit",
		"breaker: {failures: 1, open_for: off}":           "breaker.open_for: cannot be off; found off; allowed: a duration such as 5s",
		"breaker: {probes: 0}":                            "breaker.probes: not a number of requests that can try a server; found 0; allowed: 1 to 100",

		"cache: {enabled: true, max_entries: 5, max_bytes: 1000, max_ttl: 1h, ttl: {tools/list: 5m, resources/read: off}, watch: true}": "",
		"cache: {max_entries: 0}":          "cache.max_entries: a cache needs room; found 0",
		"cache: {max_bytes: -1}":           "cache.max_bytes: a cache needs room; found -1",
		"cache: {max_ttl: off}":            "cache.max_ttl: cannot be off",
		"cache: {ttl: {tools/call: 5m}}":   "mcp.yaml:5:19: server \"s\": cache.ttl.tools/call: results of this method cannot be cached; allowed: server/discover, tools/list,",
		"cache: {ttl: {tools/lists: 5m}}":  "did you mean \"tools/list\"?",
		"cache: {ttl: {tools/list: soon}}": "cache.ttl.tools/list: not a duration",
		"cache: {enabled: perhaps}":        "cache.enabled: ",

		"tools: {pin: refuse, pin_file: pins.json, deny: [x]}": "",
		"tools: {pin: refused}":                                "tools.pin: not one of the allowed values; found refused; allowed: off, warn, refuse; did you mean \"refuse\"?",
		"tools: {pin: off}":                                    "",
	} {
		t.Run(keys, func(t *testing.T) {
			faults := New().Check(section(t, "servers:\n  s:\n    type: stdio\n    command: [x]\n    "+keys+"\n"))
			if want == "" {
				assert.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			assert.Contains(t, faults[0].String(), want)
		})
	}
}

func unsent() error {
	return &errors.TransporterRequestError{Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent, Err: errors.ErrNotSent}
}

func lost() error {
	return &errors.TransporterRequestError{Kind: errors.KindTransport, Err: errors.ErrPeerLost}
}

func TestRetryIsAKey(t *testing.T) {
	for name, test := range map[string]struct {
		keys   string
		list   string
		first  error
		answer bool
	}{
		"off":                          {"", "", unsent(), false},
		"on":                           {"    retry: {attempts: 2}\n", "", unsent(), true},
		"may have run":                 {"    retry: {attempts: 2}\n", `{"tools":[{"name":"a","annotations":{"idempotentHint":true}}]}`, lost(), false},
		"idempotent":                   {"    retry: {attempts: 2, idempotent_tools: true}\n", `{"tools":[{"name":"a","annotations":{"idempotentHint":true}}]}`, lost(), true},
		"idempotent, output unchecked": {"    output_validation: off\n    retry: {attempts: 2, idempotent_tools: true}\n", `{"tools":[{"name":"a","annotations":{"readOnlyHint":true}}]}`, lost(), true},
		"not idempotent":               {"    retry: {attempts: 2, idempotent_tools: true}\n", `{"tools":[{"name":"a"}]}`, lost(), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := mcptest.NewTransporter(t)
				made := makeScripted(t, script, test.keys)
				if test.list != "" {
					script.Expect("tools/list").Return(test.list)
					_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
					require.NoError(t, err)
				}
				script.Expect("tools/call").Error(test.first)
				if test.answer {
					script.Expect("tools/call")
				}
				_, err := made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
				assert.Equal(t, test.answer, err == nil, err)
			})
		})
	}
}

// Close ends the wait for another attempt.
func TestCloseEndsTheWaitOfARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/call").Error(unsent())
		made := makeScripted(t, script, "    retry: {attempts: 2}\n",
			WithRetry(policy.RetryOptions{Backoff: func(int, error) time.Duration { return 20 * time.Second }}))
		time.AfterFunc(time.Second, func() { _ = made.Slot.Close() })
		began := time.Now()
		_, err := made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

// Close ends every wait in a policy, also one that the server has made long.
func TestCloseEndsTheWaitsOfPolicies(t *testing.T) {
	const (
		task  = `{"resultType":"task","taskId":"t","status":"working","pollIntervalMs":86400000}`
		stuck = time.Hour
	)
	for name, test := range map[string]struct {
		keys   string
		delay  time.Duration
		answer string
		calls  int // the last of them waits
	}{
		"for a task":            {"", 0, task, 1},
		"for a place":           {"    limits: {in_flight: 1, wait: off}\n", stuck, `{}`, 2},
		"for a place of a tool": {"    limits: {wait: off, tools: [{match: a, in_flight: 1}]}\n", stuck, `{}`, 2},
		"for a turn":            {"    limits: {rate: 1/h, burst: 1, wait: off}\n    max_request_timeout: off\n", 0, `{}`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := mcptest.NewTransporter(t)
				script.Expect("tools/call").Delay(test.delay).Return(test.answer)
				made := makeScripted(t, script, test.keys, WithTasks(policy.TasksConfig{MaxWait: -1}))
				outcomes := make(chan error, test.calls)
				for range test.calls {
					go func() {
						_, err := made.Head.Request(context.Background(), "tools/call", mcp.NameParams("a", nil), nil)
						outcomes <- err
					}()
					synctest.Wait()
				}
				if test.delay == 0 && test.calls == 2 {
					require.NoError(t, <-outcomes)
				}
				began := time.Now()
				require.NoError(t, made.Slot.Close())
				require.ErrorIs(t, <-outcomes, errors.ErrTransportClosed)
				assert.Zero(t, time.Since(began))
				time.Sleep(2 * stuck) // the others are not those of policies
			})
		})
	}
}

// A limit holds for all principals of the server together.
func TestLimitsAreKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/call").Delay(time.Minute)
		script.Expect("tools/list")
		made := makeScripted(t, script, "    limits: {wait: 5s, tools: [{match: slow, in_flight: 1}]}\n")
		var running sync.WaitGroup
		running.Go(func() {
			_, err := made.Head.Request(as(t.Context(), "alice"), "tools/call", mcp.NameParams("slow", nil), nil)
			assert.NoError(t, err)
		})
		synctest.Wait()
		_, err := made.Head.Request(as(t.Context(), "bob"), "tools/call", mcp.NameParams("slow", nil), nil)
		require.ErrorIs(t, err, errors.ErrLimited)
		_, err = made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		running.Wait()
	})
}

// The breaker stands within the retries: each attempt counts, and no attempt
// follows once it is open.
func TestBreakerIsAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/list").Times(2).Error(lost())
		made := makeScripted(t, script, "    breaker: {failures: 2}\n    retry: {attempts: 5}\n")
		_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrCircuitOpen)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		assert.Equal(t, 3, failure.Attempts)
		assert.False(t, errors.SafeToRetry(err), "earlier attempts may have been taken")
		script.Expect("ping")
		script.Expect("tools/call")
		time.Sleep(31 * time.Second)
		_, err = made.Head.Request(t.Context(), "tools/call", mcp.NameParams("a", nil), nil)
		require.NoError(t, err)
	})
}

// The order of the policies shows in what they spare each other: an answer from
// the cache needs no turn, and who waits for the same fetch does not repeat it.
func TestPoliciesStandInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/list").Delay(time.Second).Error(lost())
		script.Expect("tools/list").Delay(time.Second).Return(`{"ttlMs":3600000,"tools":[]}`)
		repeats := 0
		made := makeScripted(t, script, "    cache: {enabled: true}\n    retry: {attempts: 2}\n    limits: {rate: 1/m, burst: 2, queue: 0}\n",
			WithRetry(policy.RetryOptions{Backoff: func(int, error) time.Duration { repeats++; return time.Second }}))
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
				assert.NoError(t, err)
			})
		}
		callers.Wait()
		assert.Equal(t, 1, repeats, "the cache stands outside of the retries")
		for range 10 {
			_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err, "and outside of the limits")
		}
		_, err := made.Head.Request(t.Context(), "prompts/list", nil, nil)
		require.ErrorIs(t, err, errors.ErrLimited, "each attempt took a turn")
	})
}
