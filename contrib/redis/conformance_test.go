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

// opening opens two handles on one empty store, as two programs have them.
type opening func(t *testing.T) (first, second factory.Stores)

// pairs returns what opens the stores of one server: each pair of programs has a
// prefix of its own.
func pairs(t *testing.T, keys string, flags ...string) opening {
	return pairsOn(startRedis(t, flags...), keys)
}

func pairsOn(server *redisServer, keys string) opening {
	var opened atomic.Int32
	return func(t *testing.T) (first, second factory.Stores) {
		own := fmt.Sprintf("prefix: 'test%d:'", opened.Add(1))
		if keys != "" {
			own += ", " + keys
		}
		return server.connect(t, own), server.connect(t, own)
	}
}

// pairOf opens two handles on one of the stores.
func pairOf[Store any](open opening, which func(factory.Stores) Store) func(t *testing.T) (first, second Store) {
	return func(t *testing.T) (Store, Store) {
		first, second := open(t)
		return which(first), which(second)
	}
}

// What the stores in memory pass, those in Redis pass too.

func (open opening) cache(t *testing.T) {
	policytest.Cache(t, pairOf(open, func(s factory.Stores) policy.CacheStore { return s.Cache }))
}

func (open opening) claims(t *testing.T) {
	policytest.Claims(t, pairOf(open, func(s factory.Stores) policy.CacheClaimer { return s.Cache.(policy.CacheClaimer) }))
}

func (open opening) tokens(t *testing.T) {
	authtest.Run(t, pairOf(open, func(s factory.Stores) auth.Store { return s.Tokens }))
}

func (open opening) pins(t *testing.T) {
	policytest.Pins(t, pairOf(open, func(s factory.Stores) policy.PinStore { return s.Pins }))
}

func (open opening) turns(t *testing.T) {
	policytest.Turns(t, pairOf(open, func(s factory.Stores) policy.TurnStore { return s.Turns }))
}

func (open opening) verdicts(t *testing.T) {
	sessiontest.Verdicts(t, pairOf(open, func(s factory.Stores) session.VerdictStore { return s.Verdicts }))
}

// all is everything that is shared, each a test of its own.
func (open opening) all(t *testing.T) {
	t.Run("cache", open.cache)
	t.Run("claims", open.claims)
	t.Run("tokens", open.tokens)
	t.Run("pins", open.pins)
	t.Run("turns", open.turns)
	t.Run("verdicts", open.verdicts)
}

func TestTokens(t *testing.T) {
	for name, keys := range map[string]string{"error when down": "", "local when down": "tokens_when_down: local"} {
		t.Run(name, func(t *testing.T) { pairs(t, keys).tokens(t) })
	}
}

func TestCache(t *testing.T) {
	for name, keys := range map[string]string{"near": "", "far": "near_cache: false"} {
		t.Run(name, func(t *testing.T) { pairs(t, keys).cache(t) })
	}
}

func TestClaims(t *testing.T) {
	for name, keys := range map[string]string{"near": "", "far": "near_cache: false"} {
		t.Run(name, func(t *testing.T) { pairs(t, keys).claims(t) })
	}
}

// A node of a cluster refuses what concerns keys of several nodes, even if it has
// them all.
func TestCluster(t *testing.T) { pairs(t, "", "--cluster-enabled", "yes").all(t) }

func TestPins(t *testing.T) { pairs(t, "").pins(t) }

func TestTurns(t *testing.T) { pairs(t, "").turns(t) }

func TestVerdicts(t *testing.T) { pairs(t, "").verdicts(t) }
