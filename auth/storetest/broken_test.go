package storetest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/auth/storetest"
)

// brokenVariable tells this test program, run by itself, which broken store to
// test.
const brokenVariable = "STORETEST_BROKEN"

// broken is a store that lacks one thing.
type broken struct {
	*auth.MemoryStore
	how string
}

func (b *broken) key(key auth.Key) auth.Key {
	if b.how == "keys without principal" {
		key.Principal = ""
	}
	return key
}

func (b *broken) Get(ctx context.Context, key auth.Key) ([]byte, bool, error) {
	return b.MemoryStore.Get(ctx, b.key(key))
}

func (b *broken) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	if b.how == "nothing expires" {
		expires = time.Time{}
	}
	return b.MemoryStore.Put(ctx, b.key(key), value, expires)
}

func (b *broken) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (bool, error) {
	switch b.how {
	case "swap does not compare":
		return true, b.Put(ctx, key, value, expires)
	case "swap is two steps":
		current, found, err := b.Get(ctx, key)
		if err != nil || found != (old != nil) || !bytes.Equal(current, old) {
			return false, err
		}
		runtime.Gosched()
		return true, b.Put(ctx, key, value, expires)
	default:
		return b.MemoryStore.Swap(ctx, b.key(key), old, value, expires)
	}
}

func (b *broken) Delete(ctx context.Context, key auth.Key, old []byte) (bool, error) {
	if b.how == "delete does not compare" {
		old = nil
	}
	removed, err := b.MemoryStore.Delete(ctx, b.key(key), old)
	return removed || b.how == "delete always wins", err
}

func TestBrokenStore(t *testing.T) {
	how := os.Getenv(brokenVariable)
	if how == "" {
		how = "not at all"
	}
	storetest.Run(t, func(*testing.T) (auth.Store, auth.Store) {
		store := &broken{auth.NewMemoryStore(), how}
		return store, store
	})
}

func TestBrokenStoresAreFound(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, how := range []string{
		"keys without principal", "nothing expires", "swap does not compare", "swap is two steps", "delete does not compare", "delete always wins",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			command := exec.Command(self, "-test.run=^TestBrokenStore$", "-test.failfast")
			command.Env = append(os.Environ(), brokenVariable+"="+how, "GORACE=atexit_sleep_ms=0")
			output, err := command.CombinedOutput()
			require.Error(t, err, "%s", output)
			assert.Contains(t, string(output), "--- FAIL: TestBrokenStore/")
		})
	}
}
