package pinfile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStoreRemembers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "pins.json")
	s := Open(path)
	pins, err := s.Pins(t.Context(), "a")
	require.NoError(t, err)
	assert.Empty(t, pins)
	assert.NoFileExists(t, path)

	require.NoError(t, s.Pin(t.Context(), "a", map[string]string{"y": "1", "x": "1"}, false))
	require.NoError(t, s.Pin(t.Context(), "a", map[string]string{"x": "2", "z": "2"}, false))
	require.NoError(t, s.Pin(t.Context(), "b", map[string]string{"x": "3"}, true))
	require.NoError(t, s.Pin(t.Context(), "a", map[string]string{"y": "4"}, true))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, `{
  "a": {
    "x": "1",
    "y": "4",
    "z": "2"
  },
  "b": {
    "x": "3"
  }
}
`, string(content))
	pins, err = Open(path).Pins(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"x": "1", "y": "4", "z": "2"}, pins)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left beside it")
}

// What cannot be read is not taken for empty, nor written over.
func TestStoreFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pins.json")
	for _, content := range []string{"", "[]", `{"a":["x"]}`, `{"a":`} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := Open(path).Pins(t.Context(), "a")
		require.ErrorContains(t, err, "pins.json is no file of pins")
		require.Error(t, Open(path).Pin(t.Context(), "a", map[string]string{"x": "1"}, false))
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(kept))
	}
	_, err := Open(filepath.Dir(path)).Pins(t.Context(), "a")
	require.Error(t, err, "a folder")
	require.Error(t, Open(filepath.Join(path, "x")).Pin(t.Context(), "a", map[string]string{"x": "1"}, false), "a file where a folder should be")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Open(path).Pins(ended, "a")
	require.ErrorIs(t, err, context.Canceled)
}

func TestStoreUnderConcurrentUse(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "pins.json"))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 5 {
				assert.NoError(t, s.Pin(t.Context(), fmt.Sprint(i%2), map[string]string{fmt.Sprint(i, n): "1"}, false))
			}
		})
	}
	all.Wait()
	for _, server := range []string{"0", "1"} {
		pins, err := s.Pins(t.Context(), server)
		require.NoError(t, err)
		assert.Len(t, pins, 20)
	}
}
