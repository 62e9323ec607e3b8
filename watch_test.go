package mcpclient_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

const oneServer = "servers:\n  a: {type: http, base_url: 'https://h/1'}\n"

// hurried makes watching as fast as a test wants it.
func hurried() config.WatchOptions {
	return config.WatchOptions{Debounce: 5 * time.Millisecond, Grace: 20 * time.Millisecond}
}

// watched returns a client of a file of its own, and what Watch tells.
func watched(t *testing.T) (*mcpclient.Client, *config.Config, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(path, []byte(oneServer), 0o600))
	cfg, err := config.Load(path)
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client, cfg, path
}

func TestWatchTellsWhatItDid(t *testing.T) {
	client, cfg, path := watched(t)
	told := make(chan reloaded, 1)
	watcher, err := client.Watch(t.Context(), cfg, hurried(), func(change mcpclient.Change, err error) { told <- reloaded{change, err} })
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(path, []byte("servers:\n  a: {type: http, base_url: 'https://h/2'}\n  b: {type: http, base_url: 'https://h'}\n"), 0o600))
	found := await(t, told)
	require.NoError(t, found.err)
	assert.Equal(t, "added b; changed a", found.change.String())
	assert.Equal(t, path, found.change.Source)

	require.NoError(t, os.Remove(path))
	found = await(t, told)
	require.ErrorIs(t, found.err, os.ErrNotExist)
	assert.Equal(t, "refused as a whole", found.change.String())
	require.Len(t, client.Problems(), 1)
	assert.ErrorContains(t, client.Problems()[0], "the client goes on with the one before")
	assert.Equal(t, []string{"a", "b"}, client.Servers())

	watcher.Close()
	require.NoError(t, os.WriteFile(path, []byte(oneServer), 0o600))
	time.Sleep(50 * time.Millisecond)
	assert.Empty(t, told)
}

// Close ends the watcher, also from the callback of it; goleak sees to the rest.
func TestCloseEndsWatchers(t *testing.T) {
	client, cfg, path := watched(t)
	outer, err := client.Watch(context.Background(), cfg, hurried(), nil)
	require.NoError(t, err)
	closed := make(chan error, 10)
	inner, err := client.Watch(context.Background(), cfg, hurried(), func(mcpclient.Change, error) { closed <- client.Close() })
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("servers: {}\n"), 0o600))
	require.NoError(t, <-closed)
	for _, watcher := range []*config.Watcher{outer, inner} {
		select {
		case <-watcher.Done():
		case <-time.After(20 * time.Second):
			require.Fail(t, "it watches on")
		}
	}
	assert.Empty(t, closed)
	_, err = client.Watch(context.Background(), cfg, hurried(), nil)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

// Close does not wait for the files that a Watch reads as it begins, which then
// finds the client closed.
func TestCloseWaitsForNoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	require.NoError(t, os.WriteFile(path, []byte("servers:\n  a: {type: http, base_url: 'https://h', token: '${file:/slow}'}\n"), 0o600))
	reading, read := make(chan struct{}, 10), make(chan struct{})
	var isSlow atomic.Bool
	cfg, err := config.LoadWith(config.Options{ReadFile: func(name string) ([]byte, error) {
		if name == "/slow" && isSlow.Load() {
			reading <- struct{}{}
			<-read
		}
		if name == "/slow" {
			return []byte("token"), nil
		}
		return os.ReadFile(name)
	}}, path)
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	isSlow.Store(true)
	begun := make(chan error)
	go func() {
		_, err := client.Watch(context.Background(), cfg, hurried(), nil)
		begun <- err
	}()
	<-reading
	require.NoError(t, client.Close())
	close(read)
	require.ErrorIs(t, <-begun, errors.ErrTransportClosed)
}

func TestWatchNeedsFiles(t *testing.T) {
	client, _, _ := watched(t)
	_, err := client.Watch(t.Context(), parse(t, oneServer), hurried(), nil)
	require.ErrorContains(t, err, "not loaded from files")
}

// reloaded is what Watch tells.
type reloaded struct {
	change mcpclient.Change
	err    error
}

func await(t *testing.T, told chan reloaded) reloaded {
	t.Helper()
	select {
	case found := <-told:
		return found
	case <-time.After(20 * time.Second):
		require.Fail(t, "the change was not told")
		return reloaded{}
	}
}
