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

import "time"

// How long what is true at once for one program may take to be so for another one,
// how often that is looked at, and what the tests wait for that takes its time
// anyway.
const (
	atMost  = time.Second
	between = 5 * time.Millisecond
	soon    = 100 * time.Millisecond
)
