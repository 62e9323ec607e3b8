// Package storetest tests that the stores of policies do what several programs
// that share them need: policy.CacheStore, policy.PinStore, policy.TurnStore. A test
// of a store calls one of its functions:
//
//	func TestCache(t *testing.T) {
//		storetest.Cache(t, func(t *testing.T) (policy.CacheStore, policy.CacheStore) {
//			database := startDatabase(t)
//			return mystore.NewCache(database), mystore.NewCache(database)
//		})
//	}
//
// The two are handles on one empty store, as two programs have them. They may be
// the same for a store of one program.
package storetest

import (
	"context"
	"testing"
	"time"
)

// How long what is true at once for one program may take to be so for another one,
// how often that is looked at, and what the tests wait for that takes its time
// anyway.
const (
	atMost  = time.Second
	between = 5 * time.Millisecond
	soon    = 100 * time.Millisecond
)

// each returns what runs a test on a store of its own.
func each[Store any](t *testing.T, open func(t *testing.T) (first, second Store)) func(name string, test func(t *testing.T, first, second Store)) {
	return func(name string, test func(t *testing.T, first, second Store)) {
		t.Run(name, func(t *testing.T) {
			first, second := open(t)
			test(t, first, second)
		})
	}
}

// returns checks that a call whose context has ended does not hang, whatever it
// answers.
func returns(t *testing.T, call func(ended context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call(ctx)
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("a call did not return though its context had ended")
	}
}
