package policy

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Until its time is over, to the millisecond.
func TestMemoryCacheExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemoryCache(100, 1<<20)
		_, mark, _ := m.Get(t.Context(), "k", "k")
		require.NoError(t, m.Set(t.Context(), "k", []byte("{}"), time.Minute, mark))
		time.Sleep(time.Minute - time.Millisecond)
		value, _, _ := m.Get(t.Context(), "k", "k")
		assert.NotNil(t, value)
		time.Sleep(time.Millisecond)
		value, _, _ = m.Get(t.Context(), "k", "k")
		assert.Nil(t, value)
	})
}

// What was asked for longest ago goes first, by number and by bytes; the count of
// bytes is right after any of it.
func TestMemoryCacheIsBounded(t *testing.T) {
	m := NewMemoryCache(3, 3000)
	set := func(key string, size int) {
		_, mark, _ := m.Get(t.Context(), key, key)
		require.NoError(t, m.Set(t.Context(), key, []byte(strings.Repeat("x", size)), time.Minute, mark))
	}
	has := func(keys ...string) (found string) {
		for _, key := range keys {
			if value, _, _ := m.Get(t.Context(), key, key); value != nil {
				found += key
			}
		}
		return found
	}
	set("a", 10)
	set("b", 10)
	set("c", 10)
	assert.Equal(t, "a", has("a"))
	set("d", 10)
	assert.Equal(t, "acd", has("a", "b", "c", "d"), "b was not asked for longest")
	set("e", 2700)
	assert.Equal(t, "e", has("a", "c", "d", "e"), "bytes")
	set("f", 3000)
	assert.Equal(t, "e", has("e", "f"), "larger than all there is")
	set("e", 5)
	entries, bytes := m.Len()
	assert.Equal(t, 1, entries)
	assert.Equal(t, sizeOf("e", make([]byte, 5)), bytes)
	require.NoError(t, m.Delete(t.Context(), ""))
	entries, bytes = m.Len()
	assert.Zero(t, entries)
	assert.Zero(t, bytes)

	for i := range 10_000 {
		set(fmt.Sprint(i), i%500)
	}
	entries, bytes = m.Len()
	assert.LessOrEqual(t, entries, 3)
	assert.LessOrEqual(t, bytes, 3000)

	value := []byte("xyz")
	large := append(make([]byte, 0, 1<<20), value...)
	_, mark, _ := m.Get(t.Context(), "k", "k")
	require.NoError(t, m.Set(t.Context(), "k", large, time.Minute, mark))
	kept, _, _ := m.Get(t.Context(), "k", "k")
	large[0] = '!'
	assert.Equal(t, "xyz", string(kept), "a copy, which keeps nothing larger alive")
	assert.NotPanics(t, func() { NewMemoryCache(0, 0) })
}
