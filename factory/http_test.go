package factory

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

// However many principals a server has, and however often its stream is dialled,
// its owner is warned once.
func TestWarningsComeOncePerServer(t *testing.T) {
	gone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }))
	defer gone.Close()
	for _, kind := range []string{"http", "sse"} {
		var text bytes.Buffer
		var mu sync.Mutex
		f := New(WithLogger(hclog.New(&hclog.LoggerOptions{Output: &text, Mutex: &mu, Level: hclog.Warn})))
		for _, name := range []string{"s", "other"} {
			s := section(t, "servers:\n  s: {type: "+kind+", url: '"+gone.URL+"/"+name+"', connect_backoff: off, tls: {insecure_skip_verify: true}}\n")
			assert.Empty(t, f.Check(s))
			made, err := f.Make(s)
			require.NoError(t, err)
			for _, principal := range []string{"", "a", "b", "a", ""} {
				_, err := made.Head.Request(as(t.Context(), principal), "tools/list", nil, nil)
				require.Error(t, err)
			}
			require.NoError(t, made.Slot.Close())
		}
		f.CloseIdle()
		mu.Lock()
		assert.Equal(t, 2, strings.Count(text.String(), "ANY certificate is accepted"), "%s: one for each of two servers:\n%s", kind, text.String())
		mu.Unlock()
	}
}

// A whole server behind a socket, by each of the ways to write it.
func TestServerOnASocket(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	folder, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "mcp.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.Handler())
	listening := httptest.NewUnstartedServer(mux)
	_ = listening.Listener.Close()
	listening.Listener = listener
	listening.Config.ErrorLog = hclog.NewNullLogger().StandardLogger(nil)
	listening.Start()
	defer listening.Close()

	f := New()
	defer f.CloseIdle()
	for _, address := range []string{"unix://" + path + "#/mcp", "unix:" + path + ":/mcp", "http+unix://" + strings.ReplaceAll(path, "/", "%2F") + "/mcp"} {
		made, err := f.Make(section(t, "servers:\n  s: {type: http, url: '"+address+"', proxy: 'http://127.0.0.1:1', network: {deny: ['*']}}\n"))
		require.NoError(t, err)
		result, err := made.Head.Request(t.Context(), "tools/call", map[string]any{"name": "echo", "arguments": map[string]any{"text": "by socket"}}, nil)
		require.NoError(t, err)
		assert.Contains(t, string(result.Raw()), "by socket")
		require.NoError(t, made.Slot.Close())
	}
	assert.Empty(t, server.Violations())
}
