package dial

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hellos collects what clients begin a handshake with.
type hellos struct {
	mu    sync.Mutex
	names []string
	h2    bool
}

func (h *hellos) note(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.names = append(h.names, hello.ServerName)
	h.h2 = h.h2 || slices.Contains(hello.SupportedProtos, "h2")
	return nil, nil
}

func (h *hellos) seen() (names []string, h2 bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.names, h.h2
}

// serveHellos starts an HTTPS server that tells of handshakes.
func serveHellos(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *hellos) {
	t.Helper()
	seen := &hellos{}
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{GetConfigForClient: seen.note} //nolint:gosec // a test
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, seen
}

// tunnel is what an HTTPS proxy does with CONNECT, whatever the host: to the one
// address.
func tunnel(t *testing.T, address string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodConnect, r.Method)
		assert.Equal(t, "HTTP/1.1", r.Proto)
		hijacker, ok := w.(http.Hijacker)
		if !assert.True(t, ok, "net/http speaks HTTP/1.1 to proxies") {
			return
		}
		outside, err := net.Dial("tcp", address)
		if !assert.NoError(t, err) {
			return
		}
		defer outside.Close()
		inside, _, err := hijacker.Hijack()
		if !assert.NoError(t, err) {
			return
		}
		defer inside.Close()
		_, _ = io.WriteString(inside, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(outside, inside); _ = outside.Close() }()
		_, _ = io.Copy(inside, outside)
	}
}

// tls.server_name is the name of the server. The handshake with a proxy that is
// reached over TLS has the proxy's own, with a guard and without.
func TestAServerNameIsNotTheProxys(t *testing.T) {
	target, atTarget := serveHellos(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	proxy, atProxy := serveHellos(t, tunnel(t, target.Listener.Addr().String()))
	authority := filepath.Join(t.TempDir(), "ca.pem") // httptest has one certificate for all
	block := &pem.Block{Type: "CERTIFICATE", Bytes: target.Certificate().Raw}
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(block), 0o600))

	for name, guard := range map[string]Guard{"without a guard": {}, "with a guard": DenyGuard([]string{"192.0.2.0/24"})} {
		t.Run(name, func(t *testing.T) {
			pool := NewPool()
			defer pool.Close()
			transport, err := pool.Transport(Settings{CAFile: authority, ServerName: "sub.example.com", Proxy: proxy.URL, Guard: guard})
			require.NoError(t, err)
			u, err := url.Parse(target.URL)
			require.NoError(t, err)
			_, err = get(t, transport, "https://127.0.0.1:"+u.Port()+"/")
			require.NoError(t, err)

			names, h2 := atProxy.seen()
			require.NotEmpty(t, names)
			assert.Empty(t, strings.Join(names, ""), "an address is not told as a name")
			assert.False(t, h2, "HTTP/2 is offered to the proxy")
			names, _ = atTarget.seen()
			require.NotEmpty(t, names)
			assert.Equal(t, "sub.example.com", names[len(names)-1])
		})
	}
}
