//go:build unix

package config

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever takes the place of a file that is watched, it is reported, nothing hangs,
// and the file is found when it is one again.
func TestWhatMayTakeAFilesPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	const valid = "servers:\n  a: {type: http, base_url: 'https://h'}\n"
	write := func(t *testing.T, content []byte) { require.NoError(t, os.WriteFile(path, content, 0o600)) }
	write(t, []byte(valid))
	cfg, err := Load(path)
	require.NoError(t, err)
	updates := make(chan Update, 10)
	watcher, err := Watch(t.Context(), cfg, WatchOptions{Debounce: time.Millisecond, Grace: 5 * time.Millisecond}, func(u Update) { updates <- u })
	require.NoError(t, err)
	defer watcher.Close()
	binary := make([]byte, 4096)
	_, _ = rand.Read(binary)
	for name, place := range map[string]func(t *testing.T){
		"a folder":       func(t *testing.T) { require.NoError(t, os.Mkdir(path, 0o700)) },
		"a pipe":         func(t *testing.T) { require.NoError(t, syscall.Mkfifo(path, 0o600)) },
		"a loop":         func(t *testing.T) { require.NoError(t, os.Symlink(path, path)) },
		"a device":       func(t *testing.T) { require.NoError(t, os.Symlink("/dev/zero", path)) },
		"a dangling one": func(t *testing.T) { require.NoError(t, os.Symlink("/no/such/file", path)) },
		"too much": func(t *testing.T) {
			write(t, nil)
			require.NoError(t, os.Truncate(path, largestFile+1))
		},
		"binary": func(t *testing.T) { write(t, binary) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.Remove(path))
			place(t)
			assert.Error(t, next(t, updates).Err)
			require.NoError(t, os.RemoveAll(path))
			write(t, []byte(valid))
			for {
				update := next(t, updates)
				if update.Err != nil {
					continue // on the way there
				}
				assert.Equal(t, []string{"a"}, update.Config.Names())
				return
			}
		})
	}
}

func next(t *testing.T, updates chan Update) Update {
	t.Helper()
	select {
	case update := <-updates:
		return update
	case <-time.After(20 * time.Second):
		require.Fail(t, "nothing was told")
		return Update{}
	}
}
