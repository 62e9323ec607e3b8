// Package storetest tests that an auth.Store does what the authorizers of several
// processes need of it. A test of a store calls Run:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) (auth.Store, auth.Store) {
//			database := startDatabase(t)
//			return redis.NewStore(database), redis.NewStore(database)
//		})
//	}
package storetest

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
)

// OpenFunc returns two handles on one empty store, as two processes have them.
// They may be the same for a store of one process.
type OpenFunc func(t *testing.T) (first, second auth.Store)

// soon is when a record of the tests expires that is waited for, and patience
// how long its end may take.
const (
	soon     = 50 * time.Millisecond
	patience = 30 * time.Second
)

// Run runs the tests, each on a store of its own.
func Run(t *testing.T, open OpenFunc) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *stores)
	}{
		{"WhatOneWritesTheOtherReads", testReading},
		{"RecordsAreToldApartByTheirWholeKey", testKeys},
		{"AnyBytesAreKept", testValues},
		{"SwapComparesTheValue", testSwap},
		{"SwapWithNothingMakesARecordOnce", testSwapAbsent},
		{"DeleteComparesTheValue", testDelete},
		{"ExpiredRecordsAreAsGoodAsNone", testExpired},
		{"RecordsExpireByThemselves", testExpiring},
		{"OneOfManySwaps", testSwapRace},
		{"OneOfManyDeletes", testDeleteRace},
		{"NoSwapIsLost", testCounter},
		{"ValuesBelongToTheStore", testAliasing},
		{"AContextThatHasEndedIsRespected", testContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			first, second := open(t)
			test.run(t, &stores{t, first, second})
		})
	}
}

// stores are the two handles, with methods that must not fail.
type stores struct {
	t             *testing.T
	first, second auth.Store
}

func token(principal string) auth.Key {
	return auth.Key{Kind: auth.KindToken, Server: "https://mcp.example.com/mcp", Issuer: "https://as.example.com", Principal: principal}
}

func (s *stores) put(key auth.Key, value string, expires time.Time) {
	s.t.Helper()
	require.NoError(s.t, s.first.Put(s.t.Context(), key, []byte(value), expires))
}

// holds checks that both handles find the value; "" means no record.
func (s *stores) holds(key auth.Key, want string) {
	s.t.Helper()
	for _, store := range []auth.Store{s.first, s.second} {
		value, found, err := store.Get(s.t.Context(), key)
		require.NoError(s.t, err)
		require.Equal(s.t, want != "", found)
		require.Equal(s.t, want, string(value))
	}
}

func (s *stores) swap(store auth.Store, key auth.Key, old []byte, value string) bool {
	s.t.Helper()
	swapped, err := store.Swap(s.t.Context(), key, old, []byte(value), time.Time{})
	require.NoError(s.t, err)
	return swapped
}

func (s *stores) remove(store auth.Store, key auth.Key, old []byte) bool {
	s.t.Helper()
	removed, err := store.Delete(s.t.Context(), key, old)
	require.NoError(s.t, err)
	return removed
}

func testReading(t *testing.T, s *stores) {
	key := token("alice")
	s.holds(key, "")
	s.put(key, "one", time.Time{})
	s.holds(key, "one")
	require.NoError(t, s.second.Put(t.Context(), key, []byte("two"), time.Now().Add(time.Hour)))
	s.holds(key, "two")
	assert.True(t, s.remove(s.first, key, nil))
	s.holds(key, "")
}

func testKeys(t *testing.T, s *stores) {
	key := auth.Key{Kind: auth.KindToken, Server: "s", Issuer: "i", Principal: "p", ID: "x"}
	others := []auth.Key{
		{Kind: auth.KindClient, Server: "s", Issuer: "i", Principal: "p", ID: "x"},
		{Kind: auth.KindToken, Server: "S", Issuer: "i", Principal: "p", ID: "x"},
		{Kind: auth.KindToken, Server: "s", Issuer: "i/", Principal: "p", ID: "x"},
		{Kind: auth.KindToken, Server: "s", Issuer: "i", Principal: "P", ID: "x"},
		{Kind: auth.KindToken, Server: "s", Issuer: "i", Principal: "p", ID: ""},
		{Kind: auth.KindToken, Server: "s", Issuer: "ip", Principal: "", ID: "x"},
		{Kind: auth.KindToken, Server: "s\x00i", Issuer: "", Principal: "p", ID: "x"},
		{Kind: auth.KindToken, Server: "s", Issuer: "i", Principal: "p:x", ID: ""},
		{},
	}
	s.put(key, "this", time.Time{})
	for i, other := range others {
		s.holds(other, "")
		s.put(other, fmt.Sprint(i), time.Time{})
	}
	s.holds(key, "this")
	for i, other := range others {
		s.holds(other, fmt.Sprint(i))
	}
	odd := token("a principal \"with\" 'quotes', ../slashes, * and \xff\x00 \u00e9\n")
	s.put(odd, "odd", time.Time{})
	s.holds(odd, "odd")
	assert.True(t, s.remove(s.second, odd, []byte("odd")))
}

func testValues(t *testing.T, s *stores) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, value := range [][]byte{all, bytes.Repeat(all, 256), []byte("\x00"), []byte(" x\n")} {
		s.put(token("alice"), string(value), time.Time{})
		s.holds(token("alice"), string(value))
		assert.False(t, s.swap(s.second, token("alice"), append(bytes.Clone(value), 0), "x"))
		assert.True(t, s.swap(s.second, token("alice"), value, "x"))
	}
}

func testSwap(t *testing.T, s *stores) {
	key := token("alice")
	assert.False(t, s.swap(s.first, key, []byte("one"), "two"), "there is none")
	s.holds(key, "")
	s.put(key, "one", time.Time{})
	assert.False(t, s.swap(s.second, key, []byte("other"), "two"))
	assert.False(t, s.swap(s.second, key, []byte("on"), "two"))
	s.holds(key, "one")
	assert.True(t, s.swap(s.second, key, []byte("one"), "two"))
	s.holds(key, "two")
	assert.False(t, s.swap(s.first, key, []byte("one"), "three"), "it was swapped before")
	assert.True(t, s.swap(s.first, key, []byte("two"), "two"), "also for the same value")
}

func testSwapAbsent(t *testing.T, s *stores) {
	key := token("alice")
	assert.True(t, s.swap(s.first, key, nil, "one"))
	assert.False(t, s.swap(s.second, key, nil, "two"))
	s.holds(key, "one")
	assert.True(t, s.remove(s.first, key, []byte("one")))
	assert.True(t, s.swap(s.second, key, nil, "two"))
	s.holds(key, "two")
}

func testDelete(t *testing.T, s *stores) {
	key := token("alice")
	assert.False(t, s.remove(s.first, key, nil))
	assert.False(t, s.remove(s.first, key, []byte("one")))
	s.put(key, "one", time.Time{})
	assert.False(t, s.remove(s.second, key, []byte("two")))
	s.holds(key, "one")
	assert.True(t, s.remove(s.second, key, []byte("one")))
	assert.False(t, s.remove(s.first, key, []byte("one")))
	s.put(key, "one", time.Time{})
	assert.True(t, s.remove(s.second, key, nil))
	s.holds(key, "")
}

func testExpired(t *testing.T, s *stores) {
	key, past := token("alice"), time.Now().Add(-time.Minute)
	s.put(key, "old", past)
	s.holds(key, "")
	assert.False(t, s.swap(s.first, key, []byte("old"), "new"))
	assert.False(t, s.remove(s.first, key, []byte("old")))
	assert.False(t, s.remove(s.first, key, nil))
	s.put(key, "lasting", time.Time{})
	s.put(key, "old", past)
	s.holds(key, "")
	assert.True(t, s.swap(s.second, key, nil, "new"), "an expired lease can be taken")
	s.holds(key, "new")
	swapped, err := s.first.Swap(t.Context(), key, []byte("new"), []byte("old"), past)
	require.NoError(t, err)
	assert.True(t, swapped)
	s.holds(key, "")
}

func testExpiring(t *testing.T, s *stores) {
	key, lasting := token("alice"), token("bob")
	s.put(key, "brief", time.Now().Add(soon))
	s.put(lasting, "brief", time.Now().Add(soon))
	s.put(lasting, "lasting", time.Time{})
	assert.Eventually(t, func() bool { return s.swap(s.second, key, nil, "next") }, patience, soon/5)
	s.holds(key, "next")
	s.holds(lasting, "lasting")
}

// racers is how many take part in a race.
const racers = 16

// race runs all at once, half with each handle, and counts those who won.
func (s *stores) race(run func(ctx context.Context, store auth.Store, racer int) (bool, error)) int {
	s.t.Helper()
	var winners atomic.Int32
	var all sync.WaitGroup
	begin := make(chan struct{})
	for racer := range racers {
		all.Go(func() {
			<-begin
			won, err := run(s.t.Context(), []auth.Store{s.first, s.second}[racer%2], racer)
			if assert.NoError(s.t, err) && won {
				winners.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()
	return int(winners.Load())
}

func testSwapRace(t *testing.T, s *stores) {
	for _, old := range [][]byte{nil, []byte("old")} {
		key := token(fmt.Sprintf("alice %q", old))
		if old != nil {
			s.put(key, string(old), time.Time{})
		}
		assert.Equal(t, 1, s.race(func(ctx context.Context, store auth.Store, racer int) (bool, error) {
			return store.Swap(ctx, key, old, fmt.Append(nil, racer), time.Now().Add(time.Hour))
		}))
	}
}

func testDeleteRace(t *testing.T, s *stores) {
	for _, old := range [][]byte{nil, []byte("value")} {
		s.put(token("alice"), "value", time.Time{})
		assert.Equal(t, 1, s.race(func(ctx context.Context, store auth.Store, _ int) (bool, error) {
			return store.Delete(ctx, token("alice"), old)
		}))
	}
}

// Everybody counts up, with nothing but Get and Swap.
func testCounter(t *testing.T, s *stores) {
	const each = 8
	key := token("alice")
	s.put(key, "0", time.Time{})
	assert.Equal(t, racers, s.race(func(ctx context.Context, store auth.Store, _ int) (bool, error) {
		for done := 0; done < each; {
			value, _, err := store.Get(ctx, key)
			if err != nil {
				return false, err
			}
			n, err := strconv.Atoi(string(value))
			if err != nil {
				return false, err
			}
			swapped, err := store.Swap(ctx, key, value, fmt.Append(nil, n+1), time.Time{})
			if err != nil {
				return false, err
			}
			if swapped {
				done++
			}
		}
		return true, nil
	}))
	s.holds(key, fmt.Sprint(racers*each))
}

func testAliasing(t *testing.T, s *stores) {
	key, value := token("alice"), []byte("one")
	require.NoError(t, s.first.Put(t.Context(), key, value, time.Time{}))
	copy(value, "xxx")
	s.holds(key, "one")
	value = []byte("two")
	swapped, err := s.first.Swap(t.Context(), key, []byte("one"), value, time.Time{})
	require.NoError(t, err)
	require.True(t, swapped)
	copy(value, "xxx")
	s.holds(key, "two")
}

func testContext(t *testing.T, s *stores) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan struct{})
	go func() { // whatever it answers, it does not hang
		defer close(done)
		_, _, _ = s.first.Get(ctx, token("alice"))
		_ = s.first.Put(ctx, token("alice"), []byte("x"), time.Time{})
		_, _ = s.first.Swap(ctx, token("alice"), nil, []byte("x"), time.Time{})
		_, _ = s.first.Delete(ctx, token("alice"), nil)
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("a call did not return though its context had ended")
	}
}
