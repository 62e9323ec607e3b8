package dial

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(t *testing.T, transport http.RoundTripper, url string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := transport.RoundTrip(request)
	if err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	return response, err
}

// plain is a transport without a guard.
func plain(t *testing.T, pool *Pool, settings Settings) *http.Transport {
	t.Helper()
	transport, err := pool.Transport(settings)
	require.NoError(t, err)
	made, ok := transport.(*http.Transport)
	require.True(t, ok, "%T", transport)
	return made
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// serveTLS starts an HTTPS server and returns a file with its authority.
func serveTLS(t *testing.T) (server *httptest.Server, authority string) {
	t.Helper()
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	authority = filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	require.NoError(t, os.WriteFile(authority, pem.EncodeToMemory(block), 0o600))
	return server, authority
}

func TestPoolSharesTransportsOfEqualSettings(t *testing.T) {
	var pool Pool
	a, err := pool.Transport(Settings{})
	require.NoError(t, err)
	b, err := pool.Transport(Settings{ServerName: "x"})
	require.NoError(t, err)
	assert.NotSame(t, a, b)
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() {
			same, err := pool.Transport(Settings{})
			assert.NoError(t, err)
			assert.Same(t, a, same)
		})
	}
	done.Wait()
	pool.Close()
	pool.Close()
	NewPool().Close()
}

// P6, P7: no compression asked for, no time limit of an answer, and idle
// connections for many callers.
func TestTransportsAreTuned(t *testing.T) {
	base := &http.Transport{ResponseHeaderTimeout: time.Second, MaxIdleConnsPerHost: 2, MaxIdleConns: 3}
	for _, pool := range []*Pool{NewPool(), NewPoolFrom(base)} {
		transport := plain(t, pool, Settings{})
		assert.True(t, transport.DisableCompression)
		assert.EqualValues(t, 256<<10, transport.MaxResponseHeaderBytes)
		assert.Zero(t, transport.ResponseHeaderTimeout)
		assert.Zero(t, transport.MaxIdleConns)
		assert.Equal(t, 1<<20, transport.MaxIdleConnsPerHost)
		assert.Equal(t, 90*time.Second, transport.IdleConnTimeout)

		transport = plain(t, pool, Settings{IdlePerHost: 7, IdleTimeout: time.Minute})
		assert.Equal(t, 7, transport.MaxIdleConnsPerHost)
		assert.Equal(t, time.Minute, transport.IdleConnTimeout)
	}
	assert.Equal(t, 2, base.MaxIdleConnsPerHost, "the base is not changed")
}

// However many callers there are at once, each finds a connection when it comes
// back.
func TestManyCallersKeepTheirConnections(t *testing.T) {
	const callers = 600
	var dials atomic.Int32
	var rendezvous atomic.Pointer[chan struct{}]
	var arrived atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := *rendezvous.Load()
		if arrived.Add(1) == callers {
			close(all)
		}
		select {
		case <-all:
		case <-r.Context().Done():
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dials.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	pool := NewPool()
	defer pool.Close()
	transport, err := pool.Transport(Settings{})
	require.NoError(t, err)
	for range 3 {
		all := make(chan struct{})
		rendezvous.Store(&all)
		arrived.Store(0)
		var round sync.WaitGroup
		for range callers {
			round.Go(func() {
				_, err := get(t, transport, server.URL)
				assert.NoError(t, err)
			})
		}
		round.Wait()
	}
	assert.EqualValues(t, callers, dials.Load(), "of %d requests, %d at once", 3*callers, callers)
}

func TestHTTP2AndPrivateAuthority(t *testing.T) {
	server, authority := serveTLS(t)
	for name, pool := range map[string]*Pool{"own": NewPool(), "adopted": NewPoolFrom(&http.Transport{ForceAttemptHTTP2: true})} {
		t.Run(name, func(t *testing.T) {
			defer pool.Close()
			transport, err := pool.Transport(Settings{CAFile: authority})
			require.NoError(t, err)
			response, err := get(t, transport, server.URL)
			require.NoError(t, err)
			assert.Equal(t, 2, response.ProtoMajor)
			assert.NotNil(t, response.TLS)

			transport, err = pool.Transport(Settings{})
			require.NoError(t, err)
			_, err = get(t, transport, server.URL)
			require.ErrorContains(t, err, "unknown authority", "the CA file belongs to the other settings")

			transport, err = pool.Transport(Settings{InsecureSkipVerify: true})
			require.NoError(t, err)
			_, err = get(t, transport, server.URL)
			require.NoError(t, err)
		})
	}
}

func TestMinVersion(t *testing.T) {
	server, authority := serveTLS(t)
	server.TLS.MaxVersion = tls.VersionTLS12
	pool := NewPool()
	defer pool.Close()
	transport, err := pool.Transport(Settings{CAFile: authority, MinVersion: tls.VersionTLS13})
	require.NoError(t, err)
	_, err = get(t, transport, server.URL)
	failure, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	assert.True(t, failure.TLS)
}

// Every way not to get a connection is an *Error that names the address.
func TestConnectionsThatCannotBeMade(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := listener.Addr().String()
	require.NoError(t, listener.Close())
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	secure, _ := serveTLS(t)
	for name, test := range map[string]struct {
		url      string
		settings Settings
		want     string
	}{
		"refused":      {"http://" + closed, Settings{}, "cannot connect to " + closed + ": connection refused"},
		"name":         {"http://no-such-host.invalid", Settings{}, "cannot connect to no-such-host.invalid:80: name not resolved: "},
		"authority":    {secure.URL, Settings{}, "TLS handshake with " + strings.TrimPrefix(secure.URL, "https://") + " failed: "},
		"server name":  {secure.URL, Settings{ServerName: "other.invalid"}, "other.invalid"},
		"no TLS there": {strings.Replace(plain.URL, "http", "https", 1), Settings{}, "the server speaks plain HTTP here, not HTTPS"},
		"proxy":        {"http://example.invalid", Settings{Proxy: "http://user:canary@" + closed}, "cannot connect to " + closed},
		"secure proxy": {"https://example.invalid", Settings{Proxy: "http://user:canary@" + closed}, "cannot connect to " + closed},
		"timeout":      {plain.URL, Settings{ConnectTimeout: time.Nanosecond}, "i/o timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := NewPool()
			defer pool.Close()
			transport, err := pool.Transport(test.settings)
			require.NoError(t, err)
			_, err = get(t, transport, test.url)
			_, ok := errors.AsType[*Error](err)
			require.True(t, ok, "%T: %v", err, err)
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "canary")
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// What an adopted transport does to reach its peers is kept.
func TestAdoptedTransport(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	dialled := ""
	base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled = address
		if strings.HasPrefix(address, "broken") {
			return nil, errors.New("a dialler of the user's")
		}
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}}
	pool := NewPoolFrom(base)
	defer pool.Close()
	transport, err := pool.Transport(Settings{})
	require.NoError(t, err)
	_, err = get(t, transport, "http://virtual.invalid/")
	require.NoError(t, err)
	assert.Equal(t, "virtual.invalid:80", dialled)
	_, err = get(t, transport, "http://broken.invalid/")
	_, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.ErrorContains(t, err, "cannot connect to broken.invalid:80: a dialler of the user's")
}

func TestProxy(t *testing.T) {
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth()
		w.Header().Set("Via", user+":"+password)
	})
	address := strings.TrimPrefix(proxy.URL, "http://")
	for _, pool := range []*Pool{NewPool(), NewPoolFrom(&http.Transport{})} {
		transport, err := pool.Transport(Settings{Proxy: "http://user:word@" + address})
		require.NoError(t, err)
		response, err := get(t, transport, "http://example.invalid/")
		require.NoError(t, err)
		assert.Equal(t, "user:word", response.Header.Get("Via"))
		pool.Close()
	}
}

func TestParseProxy(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "env": true, "off": true, "none": true, "http://p:1": true, "https://p": true, "socks5://u:canary@p:1": true, "socks5h://p": true,
		"ftp://canary@p": false, "canary": false, "http://": false, "http://user:canary@": false, "http://p:canary": false, "none ": false,
	} {
		choose, err := ParseProxy(text)
		assert.Equal(t, ok, err == nil, text)
		if err != nil {
			assert.NotContains(t, err.Error(), "canary")
			continue
		}
		assert.Equal(t, text == "none" || text == "off", choose == nil, text)
	}
	_, err := ParseProxy("direct")
	require.EqualError(t, err, "proxy: neither a known word nor a URL of a known scheme; allowed: env, off, or a URL of scheme http, https, socks5 or socks5h")
	choose, err := ParseProxy("http://p:1")
	require.NoError(t, err)
	chosen, err := choose(&http.Request{URL: &url.URL{Scheme: "http", Host: "example.com"}})
	require.NoError(t, err)
	assert.Equal(t, "http://p:1", chosen.String())
}

func TestFaultsOfFiles(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, test := range map[string]struct {
		settings Settings
		want     string
	}{
		"missing authority": {Settings{CAFile: filepath.Join(folder, "none")}, "tls.ca_file: open "},
		"empty authority":   {Settings{CAFile: empty}, "tls.ca_file: no certificate"},
		"no key":            {Settings{CertFile: empty}, "both are needed"},
		"no certificate":    {Settings{KeyFile: empty}, "both are needed"},
		"empty certificate": {Settings{CertFile: empty, KeyFile: empty}, "tls.cert_file " + empty},
		"proxy":             {Settings{Proxy: "ftp://x"}, "proxy: "},
	} {
		for _, pool := range []*Pool{NewPool(), NewPoolFrom(&http.Transport{})} {
			_, err := pool.Transport(test.settings)
			require.Error(t, err, name)
			assert.Contains(t, err.Error(), test.want, name)
		}
	}
	// A fault is not remembered: the file may be repaired.
	_, authority := serveTLS(t)
	pool := NewPool()
	settings := Settings{CAFile: filepath.Join(folder, "later.pem")}
	_, err := pool.Transport(settings)
	require.Error(t, err)
	text, err := os.ReadFile(authority)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(settings.CAFile, text, 0o600))
	_, err = pool.Transport(settings)
	require.NoError(t, err)
}

func TestSettingsHideThePassword(t *testing.T) {
	for _, proxy := range []string{"http://user:canary@proxy:1", "http://canary:1 "} {
		settings := Settings{Proxy: proxy}
		assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", settings, settings, settings, settings), "canary")
	}
	assert.Contains(t, Settings{Proxy: "http://user:canary@proxy:1", CAFile: "ca.pem"}.String(), "proxy:1")
}
