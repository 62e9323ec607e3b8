package filestore

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func master(fill byte) config.Secret {
	return config.LiteralSecret(hex.EncodeToString(bytes.Repeat([]byte{fill}, KeyBytes)))
}

func open(t *testing.T, folder string, key config.Secret) *Store {
	t.Helper()
	s, err := Open(folder, key)
	require.NoError(t, err)
	return s
}

func TestRecordsSurvive(t *testing.T) { // R271
	folder := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, folder, master(1))
	key := auth.Key{Kind: auth.KindToken, Server: "https://mcp.example.com", Principal: "alice"}
	_, found, err := s.Get(t.Context(), key)
	require.NoError(t, err)
	assert.False(t, found)
	require.NoError(t, s.Put(t.Context(), key, []byte("canary-1"), time.Time{}))
	require.NoError(t, s.Put(t.Context(), key, []byte("canary-2"), time.Time{}))

	again := open(t, folder, master(1))
	value, found, err := again.Get(t.Context(), key)
	require.NoError(t, err)
	require.True(t, found)
	assert.Equal(t, "canary-2", string(value))

	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2, "nothing is left behind")
	require.Equal(t, lockName, entries[0].Name())
	entries = entries[1:]
	info, err := entries[0].Info()
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	content, err := os.ReadFile(filepath.Join(folder, entries[0].Name()))
	require.NoError(t, err)
	assert.NotContains(t, string(content), "canary")
	assert.NotContains(t, entries[0].Name(), "alice")
	folderInfo, err := os.Stat(folder)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), folderInfo.Mode().Perm())

	_, _, err = open(t, folder, master(2)).Get(t.Context(), key)
	require.NoError(t, err, "another key gives other names")
}

func TestDamagedAndMovedRecordsDoNotOpen(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder, master(1))
	a, b := auth.Key{ID: "a"}, auth.Key{ID: "b"}
	require.NoError(t, s.Put(t.Context(), a, []byte("canary"), time.Time{}))
	require.NoError(t, os.Rename(s.path(a), s.path(b)))
	_, _, err := s.Get(t.Context(), b)
	require.ErrorContains(t, err, "does not open")
	require.NoError(t, os.WriteFile(s.path(a), []byte("short"), 0o600))
	_, _, err = s.Get(t.Context(), a)
	require.ErrorContains(t, err, "does not open")
	assert.NotContains(t, err.Error(), "canary")
	_, err = s.Delete(t.Context(), a, []byte("x"))
	require.Error(t, err)
	removed, err := s.Delete(t.Context(), a, nil)
	require.NoError(t, err)
	assert.True(t, removed, "what does not open can be removed")
}

func TestDeleteComparesAndHappensOnce(t *testing.T) {
	folder := t.TempDir()
	s, other := open(t, folder, master(1)), open(t, folder, master(1))
	key := auth.Key{Kind: auth.KindFlow, ID: "state"}
	require.NoError(t, s.Put(t.Context(), key, []byte("new"), time.Time{}))
	removed, err := s.Delete(t.Context(), key, []byte("old"))
	require.NoError(t, err)
	assert.False(t, removed)
	var winners atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			store := []*Store{s, other}[i%2]
			if removed, err := store.Delete(context.Background(), key, []byte("new")); assert.NoError(t, err) && removed {
				winners.Add(1)
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, winners.Load())
	removed, err = s.Delete(t.Context(), key, nil)
	require.NoError(t, err)
	assert.False(t, removed)
}

func TestExpiredRecordsAreSwept(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder, master(1))
	past := time.Now().Add(-time.Second)
	require.NoError(t, s.Put(t.Context(), auth.Key{ID: "gone"}, []byte("x"), past))
	require.NoError(t, s.Put(t.Context(), auth.Key{ID: "kept"}, []byte("x"), time.Now().Add(time.Hour)))
	_, found, err := s.Get(t.Context(), auth.Key{ID: "gone"})
	require.NoError(t, err)
	assert.False(t, found)
	leftover := filepath.Join(folder, newPrefix+"1")
	require.NoError(t, os.WriteFile(leftover, nil, 0o600))
	require.NoError(t, os.Chtimes(leftover, past, time.Now().Add(-2*time.Hour)))
	open(t, folder, master(1))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "the lock and one record")
}

func TestKeys(t *testing.T) {
	raw := bytes.Repeat([]byte{0xfb}, KeyBytes)
	for _, text := range []string{
		hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw) + "\n",
		base64.URLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw),
	} {
		_, err := Open(t.TempDir(), config.LiteralSecret(text))
		require.NoError(t, err)
	}
	for _, text := range []string{"", "canary", hex.EncodeToString(raw[1:])} {
		_, err := Open(t.TempDir(), config.LiteralSecret(text))
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "canary")
	}
	_, err := Open(filepath.Join(os.DevNull, "x"), master(1))
	require.Error(t, err)
}

func TestStoreDoesNotShowItself(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder, master(1))
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		assert.Equal(t, "store in "+folder, fmt.Sprintf(verb, s))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.Get(ctx, auth.Key{})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.Put(ctx, auth.Key{}, nil, time.Time{}), context.Canceled)
	_, err = s.Delete(ctx, auth.Key{}, nil)
	require.ErrorIs(t, err, context.Canceled)
}
