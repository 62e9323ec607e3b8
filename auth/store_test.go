package auth

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemoryStore(t *testing.T) {
	now := &clock{time.Now()}
	s := NewMemoryStore()
	s.now = now.time
	ctx, key := t.Context(), Key{Kind: KindFlow, ID: "x"}
	_, found, err := s.Get(ctx, key)
	require.NoError(t, err)
	assert.False(t, found)
	require.NoError(t, s.Put(ctx, key, []byte("v"), now.now.Add(time.Minute)))
	value, found, err := s.Get(ctx, key)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, "v", string(value))
	removed, err := s.Delete(ctx, key, []byte("other"))
	require.NoError(t, err)
	assert.False(t, removed)
	now.now = now.now.Add(time.Minute)
	_, found, _ = s.Get(ctx, key)
	assert.False(t, found, "it has expired")
	removed, _ = s.Delete(ctx, key, nil)
	assert.False(t, removed)
}

func TestMemoryStoreDeletesOnce(t *testing.T) {
	s := NewMemoryStore()
	require.NoError(t, s.Put(t.Context(), Key{}, []byte("v"), time.Time{}))
	var winners atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if removed, err := s.Delete(t.Context(), Key{}, []byte("v")); assert.NoError(t, err) && removed {
				winners.Add(1)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, winners.Load())
}

func TestFlowsThatNobodyComesBackFromAreSwept(t *testing.T) {
	now := &clock{time.Now()}
	s := NewMemoryStore()
	s.now = now.time
	for i := range 100_000 {
		now.now = now.now.Add(time.Second)
		require.NoError(t, s.Put(t.Context(), Key{Kind: KindFlow, ID: fmt.Sprint(i)}, nil, now.now.Add(defaultConsentTimeout)))
	}
	assert.LessOrEqual(t, len(s.records), 2*int(defaultConsentTimeout/time.Second)+firstSweep)
}

func TestKeyNames(t *testing.T) {
	assert.NotEqual(t, Key{Server: "a b"}.Name(), Key{Server: "a", Issuer: "b"}.Name())
	assert.NotEqual(t, Key{Server: `a" "b`}.Name(), Key{Server: "a", Issuer: "b"}.Name())
}
