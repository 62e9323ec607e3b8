package filestore

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

func TestOnFirstUse(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tokens")
	s := OnFirstUse(folder, master(1))
	require.NoDirExists(t, folder)
	require.NoError(t, s.Put(t.Context(), auth.Key{}, []byte("x"), time.Time{}))
	value, found, err := open(t, folder, master(1)).Get(t.Context(), auth.Key{})
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, "x", string(value))

	s = OnFirstUse(folder, config.LiteralSecret("short"))
	_, _, err = s.Get(t.Context(), auth.Key{})
	require.ErrorContains(t, err, "32 bytes")
	require.Error(t, s.Put(t.Context(), auth.Key{}, nil, time.Time{}))
	_, err = s.Swap(t.Context(), auth.Key{}, nil, nil, time.Time{})
	require.Error(t, err)
	_, err = s.Delete(t.Context(), auth.Key{}, nil)
	require.Error(t, err)
}

func personal(folder string) auth.Store {
	return Personal(func() (string, error) { return folder, nil })
}

func TestAUserWithoutAFolder(t *testing.T) {
	s := Personal(func() (string, error) { return "", errors.New("there is no home") })
	_, found, err := s.Get(t.Context(), auth.Key{})
	require.NoError(t, err)
	assert.False(t, found)
	require.ErrorContains(t, s.Put(t.Context(), auth.Key{}, nil, time.Time{}), "there is no home")
}

func TestPersonal(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, "mcpclient", "tokens")
	s := personal(folder)
	_, found, err := s.Get(t.Context(), auth.Key{})
	require.NoError(t, err)
	assert.False(t, found)
	removed, err := s.Delete(t.Context(), auth.Key{}, nil)
	require.NoError(t, err)
	assert.False(t, removed)
	swapped, err := s.Swap(t.Context(), auth.Key{}, []byte("x"), nil, time.Time{})
	require.NoError(t, err)
	assert.False(t, swapped)
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, entries, "who only looks leaves nothing")

	require.NoError(t, s.Put(t.Context(), auth.Key{}, []byte("x"), time.Time{}))
	info, err := os.Stat(folder + ".key")
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	value, found, err := personal(folder).Get(t.Context(), auth.Key{})
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, "x", string(value))
}

func TestPersonalStoresThatBeginAtTheSameTime(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tokens")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			assert.NoError(t, personal(folder).Put(t.Context(), auth.Key{ID: string(rune('a' + i))}, []byte("x"), time.Time{}))
		})
	}
	all.Wait()
	for i := range 8 {
		_, found, err := personal(folder).Get(t.Context(), auth.Key{ID: string(rune('a' + i))})
		require.NoError(t, err)
		assert.True(t, found, "all have the same key")
	}
}

func TestKeysThatAreNotUsed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "tokens")
	put := func() error {
		return personal(folder).Put(t.Context(), auth.Key{}, []byte("x"), time.Time{})
	}
	require.NoError(t, put())
	require.NoError(t, os.Chmod(folder+".key", 0o640))
	require.ErrorContains(t, put(), "tokens.key, is open to others (mode 0640); make it the user's own: chmod 600")
	require.NoError(t, os.Chmod(folder+".key", 0o600))
	require.NoError(t, put())
	require.NoError(t, os.WriteFile(folder+".key", []byte("canary"), 0o600))
	err := put()
	require.ErrorContains(t, err, "is not 32 bytes")
	assert.NotContains(t, err.Error(), "canary")
	require.NoError(t, os.Remove(folder+".key"))
	require.NoError(t, os.Mkdir(folder+".key", 0o700))
	require.ErrorContains(t, put(), "the key of the store")
}
