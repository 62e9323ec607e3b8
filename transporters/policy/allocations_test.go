package policy

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// idle answers at once and allocates nothing.
type idle struct{ result mcp.Result }

func (i *idle) Request(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
	return i.result, nil
}

func always(result string) *idle { return &idle{mcp.NewResult([]byte(result))} }

// wrapper is a policy as it stands in a chain, and what a call through it may
// allocate while it has nothing to do but look on.
type wrapper struct {
	name  string
	wrap  transporters.Wrapper
	limit float64
}

// idleWrappers are all policies, switched on, in the order of the chain.
func idleWrappers() []wrapper {
	hook := func(context.Context) map[string]any { return nil }
	cfg := caching()
	return []wrapper{
		{"trace", Trace("s", hook, nil), 0},
		{"pin", NewToolPins("s", PinConfig{Pin: PinRefuse}, nil, nil).Wrap, 0},
		{"filter", Filter("s", denyTools("danger*")), 1},
		{"output", Output("s", OutputConfig{}, nil, nil), 0},
		{"deadline", Deadline(DeadlineConfig{RequestTimeout: time.Minute, MaxRequestTimeout: time.Hour}), 0},
		{"cache", NewCache("s", cfg, CacheOptions{}).Wrap, 0},
		{"retry", Retry("s", RetryConfig{Attempts: 3}, RetryOptions{MaxRequestTimeout: time.Hour}), 0},
		{"breaker", Breaker("s", BreakerConfig{Failures: 5, OpenFor: config.Of(time.Minute), Probes: 1}, nil), 1}, // gobreaker's callback
		{"limit", Limit("s", LimitConfig{InFlight: 100, Rate: 1e6, Burst: 1e6, Queue: 100, Tools: []ToolLimit{{Match: "search_*", InFlight: 5}}}, LimitOptions{}), 0},
	}
}

// A policy that has nothing to do costs next to nothing.
func TestIdlePoliciesAllocate(t *testing.T) {
	params := mcp.NameParams("echo", nil)
	ctx := t.Context()
	measure := func(chain transporters.Transporter) float64 {
		return testing.AllocsPerRun(500, func() {
			if _, err := chain.Request(ctx, mcp.MethodCallTool, params, nil); err != nil {
				t.Error(err)
			}
		})
	}
	var all []transporters.Wrapper
	for _, policy := range idleWrappers() {
		next := always(`{"content":[]}`)
		wrapped := policy.wrap(next)
		require.NotSame(t, next, wrapped, "%s is on", policy.name)
		assert.LessOrEqual(t, measure(wrapped), policy.limit, policy.name)
		all = append(all, policy.wrap)
	}
	assert.LessOrEqual(t, measure(transporters.Chain(always(`{"content":[]}`), all...)), 4.0, "all together")
}

// A hit of the cache costs its keys.
func TestACacheHitAllocates(t *testing.T) {
	chain := NewCache("s", caching(), CacheOptions{Peer: &fakePeer{era: mcp.EraModern}}).Wrap(always(`{"ttlMs":60000,"tools":[]}`))
	allocations := testing.AllocsPerRun(500, func() {
		if _, err := chain.Request(t.Context(), mcp.MethodListTools, nil, nil); err != nil {
			t.Error(err)
		}
	})
	assert.LessOrEqual(t, allocations, 12.0)
}

func BenchmarkIdlePolicies(b *testing.B) {
	params := mcp.NameParams("echo", nil)
	run := func(name string, chain transporters.Transporter) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := b.Context()
			for b.Loop() {
				if _, err := chain.Request(ctx, mcp.MethodCallTool, params, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var all []transporters.Wrapper
	run("none", always(`{"content":[]}`))
	for _, policy := range idleWrappers() {
		run(policy.name, policy.wrap(always(`{"content":[]}`)))
		all = append(all, policy.wrap)
	}
	run("all", transporters.Chain(always(`{"content":[]}`), all...))
}

func BenchmarkCacheHit(b *testing.B) {
	chain := NewCache("s", caching(), CacheOptions{}).Wrap(always(`{"ttlMs":3600000,"tools":[]}`))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := chain.Request(b.Context(), mcp.MethodListTools, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPinnedList is a list of 1,000 tools that was seen before.
func BenchmarkPinnedList(b *testing.B) {
	list := []byte(`{"tools":[`)
	for i := range 1000 {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, mail...)
		copy(list[len(list)-len(mail)+9:], []byte{byte('a' + i/260), byte('a' + i/10%26), byte('0' + i%10)})
	}
	chain := NewToolPins("s", PinConfig{Pin: PinRefuse}, nil, nil).Wrap(always(string(append(list, "]}"...))))
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := chain.Request(b.Context(), mcp.MethodListTools, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
