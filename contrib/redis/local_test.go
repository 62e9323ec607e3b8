package redis

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
)

// failing is a store in memory that can be down.
type failing struct {
	auth.MemoryStore
	down bool
}

func (f *failing) Get(ctx context.Context, key auth.Key) ([]byte, bool, error) {
	if f.down {
		return nil, false, ErrDown
	}
	return f.MemoryStore.Get(ctx, key)
}

func (f *failing) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	if f.down {
		return ErrDown
	}
	return f.MemoryStore.Put(ctx, key, value, expires)
}

func (f *failing) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (bool, error) {
	if f.down {
		return false, ErrDown
	}
	return f.MemoryStore.Swap(ctx, key, old, value, expires)
}

func (f *failing) Delete(ctx context.Context, key auth.Key, old []byte) (bool, error) {
	if f.down {
		return false, ErrDown
	}
	return f.MemoryStore.Delete(ctx, key, old)
}

func TestLocal(t *testing.T) {
	key := auth.Key{Kind: auth.KindToken, Server: "s", Principal: "alice"}
	ctx := t.Context()
	text := func(store auth.Store) string {
		value, found, err := store.Get(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, value != nil, found)
		return string(value)
	}
	swap := func(store auth.Store, old, value string) {
		t.Helper()
		swapped, err := store.Swap(ctx, key, []byte(old), []byte(value), time.Time{})
		require.NoError(t, err)
		require.True(t, swapped)
	}
	for name, test := range map[string]struct {
		while     func(l auth.Store)   // the store is down
		elsewhere func(store *failing) // before it is asked again
		here      string               // meanwhile
		after     string
	}{
		"what was seen is there": {here: "1", after: "1"},
		"a renewal": {
			while: func(l auth.Store) { swap(l, "1", "2") }, here: "2", after: "2",
		},
		"two renewals": {
			while: func(l auth.Store) { swap(l, "1", "2"); swap(l, "2", "3") }, here: "3", after: "3",
		},
		"a renewal here and elsewhere": {
			while:     func(l auth.Store) { swap(l, "1", "2") },
			elsewhere: func(store *failing) { swap(store, "1", "x") }, here: "2", after: "x",
		},
		"a logout elsewhere": {
			while: func(l auth.Store) { swap(l, "1", "2") },
			elsewhere: func(store *failing) {
				_, err := store.Delete(ctx, key, nil)
				require.NoError(t, err)
			}, here: "2", after: "",
		},
		"a login": {
			while:     func(l auth.Store) { require.NoError(t, l.Put(ctx, key, []byte("new"), time.Time{})) },
			elsewhere: func(store *failing) { swap(store, "1", "x") }, here: "new", after: "new",
		},
		"a logout": {
			while: func(l auth.Store) {
				removed, err := l.Delete(ctx, key, []byte("1"))
				require.NoError(t, err)
				require.True(t, removed)
				removed, err = l.Delete(ctx, key, nil)
				require.NoError(t, err)
				require.False(t, removed)
			}, here: "", after: "",
		},
		"a swap that is too late": {
			while: func(l auth.Store) {
				swapped, err := l.Swap(ctx, key, []byte("0"), []byte("2"), time.Time{})
				require.NoError(t, err)
				require.False(t, swapped)
				swapped, err = l.Swap(ctx, key, nil, []byte("2"), time.Time{})
				require.NoError(t, err)
				require.False(t, swapped)
			}, here: "1", after: "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := &failing{}
			l := newLocal(store)
			require.NoError(t, store.Put(ctx, key, []byte("1"), time.Time{}))
			require.Equal(t, "1", text(l))
			store.down = true
			if test.while != nil {
				test.while(l)
			}
			assert.Equal(t, test.here, text(l))
			store.down = false
			if test.elsewhere != nil {
				test.elsewhere(store)
			}
			assert.Equal(t, test.after, text(l))
			assert.Equal(t, test.after, text(store))
		})
	}
}

// What nobody here has seen is not taken for absent, and leases are not kept.
func TestLocalDoesNotGuess(t *testing.T) {
	store := &failing{down: true}
	l := newLocal(store)
	for _, kind := range []auth.Kind{auth.KindToken, auth.KindLease} {
		key := auth.Key{Kind: kind, Server: "s"}
		_, _, err := l.Get(t.Context(), key)
		require.ErrorIs(t, err, ErrDown)
		_, err = l.Swap(t.Context(), key, nil, []byte("x"), time.Time{})
		require.ErrorIs(t, err, ErrDown)
		_, err = l.Delete(t.Context(), key, nil)
		require.ErrorIs(t, err, ErrDown)
	}
	require.ErrorIs(t, l.Put(t.Context(), auth.Key{Kind: auth.KindLease}, []byte("x"), time.Time{}), ErrDown)
	brief := auth.Key{Kind: auth.KindFlow, ID: "f"}
	require.NoError(t, l.Put(t.Context(), brief, []byte("x"), time.Now().Add(-time.Second)))
	_, found, err := l.Get(t.Context(), brief)
	require.NoError(t, err)
	assert.False(t, found, "it has expired")
}
