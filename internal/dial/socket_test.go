package dial

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// listenUnix returns a socket in a folder whose path is short enough for one.
func listenUnix(t *testing.T) (net.Listener, string) {
	t.Helper()
	folder, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "mcp.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	return listener, path
}

func TestUnixSockets(t *testing.T) {
	listener, path := listenUnix(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Host", r.Host)
	}))
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	foreign := &http.Transport{
		Proxy:          http.ProxyURL(parsed(t, "http://127.0.0.1:1")),
		DialContext:    func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe },
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe },
	}
	for name, pool := range map[string]*Pool{"own": NewPool(), "adopted": NewPoolFrom(foreign)} {
		t.Run(name, func(t *testing.T) {
			defer pool.Close()
			settings := Settings{Socket: path, Proxy: "http://127.0.0.1:1", Guard: DenyGuard([]string{"*"})}
			transport, err := pool.Transport(settings)
			require.NoError(t, err)
			response, err := get(t, transport, "http://localhost/mcp")
			require.NoError(t, err, "neither proxy, nor guard, nor the base's dialler")
			assert.Equal(t, "localhost", response.Header.Get("X-Host"))
		})
	}
	server.Close()
	pool := NewPool()
	defer pool.Close()
	transport, err := pool.Transport(Settings{Socket: path})
	require.NoError(t, err)
	_, err = get(t, transport, "http://localhost/mcp")
	failure, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "cannot connect to unix:"+path+": no such file or directory", failure.Error())
}
