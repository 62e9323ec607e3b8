package storetest_test

import (
	"testing"

	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/policy/storetest"
)

func TestMemoryCache(t *testing.T) {
	storetest.Cache(t, func(*testing.T) (first, second policy.CacheStore) {
		store := policy.NewMemoryCache(100, 4<<20)
		return store, store
	})
}

func TestMemoryPins(t *testing.T) {
	storetest.Pins(t, func(*testing.T) (first, second policy.PinStore) {
		store := &policy.MemoryPins{}
		return store, store
	})
}

func TestMemoryTurns(t *testing.T) {
	storetest.Turns(t, func(*testing.T) (first, second policy.TurnStore) {
		store := &policy.MemoryTurns{}
		return store, store
	})
}
