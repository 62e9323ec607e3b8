//go:build unix

package redis

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/mcp-client-go/mcpclient/auth"
	authtest "github.com/mcp-client-go/mcpclient/auth/storetest"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	policytest "github.com/mcp-client-go/mcpclient/transporters/policy/storetest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	sessiontest "github.com/mcp-client-go/mcpclient/transporters/session/storetest"
)

// pairs returns what opens two handles on one empty store: each pair of programs
// has a prefix of its own.
func pairs(t *testing.T, keys string, flags ...string) func(t *testing.T) (first, second factory.Stores) {
	server := startRedis(t, flags...)
	var opened atomic.Int32
	return func(t *testing.T) (first, second factory.Stores) {
		own := fmt.Sprintf("prefix: 'test%d:'", opened.Add(1))
		if keys != "" {
			own += ", " + keys
		}
		return server.connect(t, own), server.connect(t, own)
	}
}

// What the stores in memory pass, those in Redis pass too.
func TestTokens(t *testing.T) {
	for name, keys := range map[string]string{"error when down": "", "local when down": "tokens_when_down: local"} {
		t.Run(name, func(t *testing.T) {
			open := pairs(t, keys)
			authtest.Run(t, func(t *testing.T) (auth.Store, auth.Store) {
				first, second := open(t)
				return first.Tokens, second.Tokens
			})
		})
	}
}

func TestCache(t *testing.T) {
	for name, keys := range map[string]string{"near": "", "far": "near_cache: false"} {
		t.Run(name, func(t *testing.T) {
			open := pairs(t, keys)
			policytest.Cache(t, func(t *testing.T) (policy.CacheStore, policy.CacheStore) {
				first, second := open(t)
				return first.Cache, second.Cache
			})
		})
	}
}

func TestClaims(t *testing.T) {
	for name, keys := range map[string]string{"near": "", "far": "near_cache: false"} {
		t.Run(name, func(t *testing.T) { policytest.Claims(t, claimers(pairs(t, keys))) })
	}
}

func claimers(open func(t *testing.T) (first, second factory.Stores)) func(t *testing.T) (first, second policy.CacheClaimer) {
	return func(t *testing.T) (policy.CacheClaimer, policy.CacheClaimer) {
		first, second := open(t)
		return first.Cache.(policy.CacheClaimer), second.Cache.(policy.CacheClaimer)
	}
}

// A node of a cluster refuses what concerns keys of several nodes, even if it has
// them all.
func TestCluster(t *testing.T) {
	open := pairs(t, "", "--cluster-enabled", "yes")
	t.Run("cache", func(t *testing.T) {
		policytest.Cache(t, func(t *testing.T) (policy.CacheStore, policy.CacheStore) {
			first, second := open(t)
			return first.Cache, second.Cache
		})
	})
	t.Run("tokens", func(t *testing.T) {
		authtest.Run(t, func(t *testing.T) (auth.Store, auth.Store) {
			first, second := open(t)
			return first.Tokens, second.Tokens
		})
	})
	t.Run("turns", func(t *testing.T) {
		policytest.Turns(t, func(t *testing.T) (policy.TurnStore, policy.TurnStore) {
			first, second := open(t)
			return first.Turns, second.Turns
		})
	})
}

func TestPins(t *testing.T) {
	open := pairs(t, "")
	policytest.Pins(t, func(t *testing.T) (policy.PinStore, policy.PinStore) {
		first, second := open(t)
		return first.Pins, second.Pins
	})
}

func TestTurns(t *testing.T) {
	open := pairs(t, "")
	policytest.Turns(t, func(t *testing.T) (policy.TurnStore, policy.TurnStore) {
		first, second := open(t)
		return first.Turns, second.Turns
	})
}

func TestVerdicts(t *testing.T) {
	open := pairs(t, "")
	sessiontest.Verdicts(t, func(t *testing.T) (session.VerdictStore, session.VerdictStore) {
		first, second := open(t)
		return first.Verdicts, second.Verdicts
	})
}
