package dial

//lint:file-ignore SA1019 the guard is tested around the older diallers as well

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial/dialtest"
)

// victim is a server that counts the connections and bytes that reach it.
type victim struct {
	*httptest.Server
	connections, requests atomic.Int32
	port                  string
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{}
	v.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { v.requests.Add(1) }))
	v.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			v.connections.Add(1)
		}
	}
	v.Start()
	t.Cleanup(v.Close)
	_, v.port, _ = net.SplitHostPort(v.Listener.Addr().String())
	return v
}

// guardedFrom makes a transport; it is closed with the test.
func guardedFrom(t *testing.T, pool *Pool, settings Settings) http.RoundTripper {
	t.Helper()
	transport, err := pool.Transport(settings)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return transport
}

func requireForbidden(t *testing.T, err error) *errors.ForbiddenAddressError {
	t.Helper()
	failure, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%T: %v", err, err)
	refusal, ok := errors.AsType[*errors.ForbiddenAddressError](failure)
	require.True(t, ok, "%v", err)
	require.ErrorIs(t, err, errors.ErrNotSent)
	return refusal
}

// R303: what counts is the address that a name resolves to, in every form, and
// nobody is connected to before it is looked at.
func TestNamesOfForbiddenAddresses(t *testing.T) {
	v := newVictim(t)
	for name, addresses := range map[string][]string{
		"v4": {"127.0.0.1"}, "v6": {"::1"}, "mapped": {"::ffff:127.0.0.1"}, "both": {"127.0.0.1", "::1"}, "any": {"0.0.0.0"}, "any6": {"::"},
		"nat64": {"64:ff9b::7f00:1"}, "private": {"10.255.255.1"}, "metadata": {"169.254.169.254"}, "two": {"10.255.255.1", "192.168.255.1"},
	} {
		t.Run(name, func(t *testing.T) {
			host := name + ".evil.example"
			pool := NewPool()
			pool.Resolver, _ = dialtest.Resolver(t, dialtest.Answers{host: {addresses}})
			transport := guardedFrom(t, pool, Settings{Guard: NewGuard(false, nil, nil)})
			_, err := get(t, transport, "http://"+host+":"+v.port+"/")
			refusal := requireForbidden(t, err)
			assert.Equal(t, host, refusal.Host)
			assert.Contains(t, append(addresses, "127.0.0.1"), refusal.Address)
			assert.Equal(t, "network.allow", refusal.Key)
			assert.ErrorContains(t, err, "an entry \""+host+"\" of network.allow would allow it")
		})
	}
	assert.Zero(t, v.connections.Load())
}

func TestOneOfSeveralAddressesIsAllowed(t *testing.T) {
	v := newVictim(t)
	pool := NewPool()
	pool.Resolver, _ = dialtest.Resolver(t, dialtest.Answers{"as.example.com": {{"10.255.255.1", "127.0.0.1"}}})
	transport := guardedFrom(t, pool, Settings{Guard: NewGuard(false, []string{"127.0.0.1"}, nil)})
	_, err := get(t, transport, "http://as.example.com:"+v.port)
	require.NoError(t, err)
	assert.EqualValues(t, 1, v.requests.Load())
}

// A name server that gives another address the second time gains nothing.
func TestRebinding(t *testing.T) {
	v := newVictim(t)
	pool := NewPool()
	resolver, names := dialtest.Resolver(t, dialtest.Answers{"rebound.example": {{"127.0.0.1"}, {"10.255.255.1"}, {"192.168.255.1"}}})
	pool.Resolver = resolver
	transport := guardedFrom(t, pool, Settings{Guard: NewGuard(false, []string{"127.0.0.1"}, nil)})
	target := "http://rebound.example:" + v.port
	for range 3 {
		_, err := get(t, transport, target)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, names.Count("rebound.example"), "a connection that is kept is one that was allowed")
	for _, address := range []string{"10.255.255.1", "192.168.255.1"} {
		pool.Close()
		_, err := get(t, transport, target)
		assert.Equal(t, address, requireForbidden(t, err).Address)
	}
	assert.EqualValues(t, 1, v.connections.Load())
}

// Connections are shared among requests with the same guard and no others.
func TestIdleConnectionsKeepTheirGuard(t *testing.T) {
	v := newVictim(t)
	pool := NewPool()
	open := guardedFrom(t, pool, Settings{})
	mine := guardedFrom(t, pool, Settings{Guard: NewGuard(false, nil, nil).AllowServer(parsed(t, v.URL))})
	theirs := guardedFrom(t, pool, Settings{Guard: NewGuard(false, nil, nil)})
	denied := guardedFrom(t, pool, Settings{Guard: DenyGuard([]string{"127.0.0.1"})})
	for range 3 {
		for _, transport := range []http.RoundTripper{open, mine} {
			_, err := get(t, transport, v.URL)
			require.NoError(t, err)
		}
		for _, transport := range []http.RoundTripper{theirs, denied} {
			_, err := get(t, transport, v.URL)
			requireForbidden(t, err)
		}
	}
	assert.EqualValues(t, 2, v.connections.Load())
	assert.Same(t, mine, guardedFrom(t, pool, Settings{Guard: NewGuard(false, nil, nil).AllowServer(parsed(t, v.URL))}))

	var round sync.WaitGroup
	for i := range 40 {
		round.Go(func() {
			_, err := get(t, []http.RoundTripper{open, mine, theirs, denied}[i%4], v.URL)
			assert.Equal(t, i%4 < 2, err == nil, "%v", err)
		})
	}
	round.Wait()
}

// Each hop of a chain of redirects is looked at.
func TestChainsOfRedirects(t *testing.T) {
	v := newVictim(t)
	hops := serve(t, func(w http.ResponseWriter, r *http.Request) {
		next, _ := r.URL.Query()["next"]
		http.Redirect(w, r, next[0], http.StatusFound)
	})
	pool := NewPool()
	pool.Resolver, _ = dialtest.Resolver(t, dialtest.Answers{"as.example.com": {{"127.0.0.1"}}})
	address := strings.TrimPrefix(hops.URL, "http://")
	transport := guardedFrom(t, pool, Settings{Guard: NewGuard(false, []string{address}, nil)})
	client := &http.Client{Transport: transport}
	for _, end := range []string{
		"http://127.0.0.1:", "http://localhost:", "http://[::1]:", "http://[::ffff:127.0.0.1]:", "http://as.example.com:", "http://127.0.0.1.:", "http://0.0.0.0:", "http://2130706433:", "http://127.1:",
	} {
		last := end + v.port + "/"
		middle := hops.URL + "/?next=" + url.QueryEscape(last)
		response, err := client.Get(hops.URL + "/?next=" + url.QueryEscape(middle))
		if err == nil {
			_ = response.Body.Close()
		}
		require.ErrorIs(t, err, errors.ErrForbiddenAddress, last)
	}
	assert.Zero(t, v.connections.Load())
}

func TestGuardedTLS(t *testing.T) {
	server, authority := serveTLS(t)
	pool := NewPool()
	transport := guardedFrom(t, pool, Settings{CAFile: authority, Guard: NewGuard(false, []string{"127.0.0.1"}, nil)})
	response, err := get(t, transport, server.URL)
	require.NoError(t, err)
	assert.Equal(t, 2, response.ProtoMajor)
	_, err = get(t, guardedFrom(t, pool, Settings{CAFile: authority, Guard: NewGuard(false, nil, nil)}), server.URL)
	assert.Equal(t, "a loopback address", requireForbidden(t, err).Reason)
}

// A proxy connects by itself, so names are looked up before it is asked.
func TestGuardBeforeAProxy(t *testing.T) {
	var asked atomic.Int32
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Method == http.MethodConnect {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	address := strings.TrimPrefix(proxy.URL, "http://")
	names := dialtest.Answers{
		"public.example": {{"8.8.8.8"}}, "private.example": {{"10.0.0.7"}}, "mixed.example": {{"8.8.8.8", "10.0.0.7"}}, "mapped.example": {{"::ffff:10.0.0.7"}},
		"silent.example": {{dialtest.Silence}}, "empty.example": {{}},
	}
	for name, test := range map[string]struct {
		guard  Guard
		target string
		reason string // empty: the proxy is asked
	}{
		"public":                     {NewGuard(false, nil, nil), "http://public.example/", ""},
		"private":                    {NewGuard(false, nil, nil), "http://private.example/", "a private address"},
		"one of several":             {NewGuard(false, nil, nil), "http://mixed.example/", "a private address"},
		"mapped":                     {NewGuard(false, nil, nil), "http://mapped.example/", "a private address"},
		"a literal":                  {NewGuard(false, nil, nil), "http://10.0.0.7/", "a private address"},
		"a number":                   {NewGuard(false, nil, nil), "http://2130706433/", "unusual"},
		"a public literal":           {NewGuard(false, nil, nil), "http://8.8.8.8/", ""},
		"the proxy itself":           {NewGuard(false, nil, nil), "http://" + address + "/", "a loopback address"},
		"localhost":                  {NewGuard(false, nil, nil), "http://localhost/", "this machine"},
		"unknown":                    {NewGuard(false, nil, nil), "http://unknown.example/", "cannot be resolved here"},
		"no addresses":               {NewGuard(false, nil, nil), "http://empty.example/", "cannot be resolved here"},
		"no answer":                  {NewGuard(false, nil, nil), "http://silent.example/", "cannot be resolved here"},
		"unknown, allowed by name":   {NewGuard(false, []string{"*.example"}, nil), "http://unknown.example/", ""},
		"unknown, allow_private":     {NewGuard(true, nil, nil), "http://unknown.example/", ""},
		"private, allowed":           {NewGuard(false, []string{"10.0.0.0/8"}, nil), "http://private.example/", ""},
		"unknown, where deny counts": {NewGuard(true, nil, []string{"10.0.0.0/8"}), "http://unknown.example/", "cannot be resolved here"},
		"through CONNECT":            {NewGuard(false, nil, nil), "https://private.example/", "a private address"},
		"other characters":           {NewGuard(false, nil, nil), "http://b%C3%BCcher.example/", "cannot be resolved here"},
	} {
		t.Run(name, func(t *testing.T) {
			pool := NewPool()
			pool.Resolver, _ = dialtest.Resolver(t, names)
			pool.patience = 100 * time.Millisecond
			transport := guardedFrom(t, pool, Settings{Proxy: proxy.URL, Guard: test.guard})
			before := asked.Load()
			_, err := get(t, transport, test.target)
			if test.reason == "" {
				require.NoError(t, err)
				assert.Equal(t, before+1, asked.Load())
				return
			}
			refusal := requireForbidden(t, err)
			assert.Contains(t, refusal.Reason, test.reason)
			assert.Equal(t, before, asked.Load(), "nothing reaches the proxy")
			if strings.Contains(name, "deny") {
				assert.ErrorContains(t, err, "connecting to unknown.example is forbidden by network.deny: it is a name that cannot be resolved here")
			}
		})
	}
	t.Run("deny is above the proxy as well", func(t *testing.T) {
		pool := NewPool()
		pool.Resolver, _ = dialtest.Resolver(t, names)
		_, err := get(t, guardedFrom(t, pool, Settings{Proxy: proxy.URL, Guard: DenyGuard([]string{"127.0.0.0/8"})}), "http://public.example/")
		assert.Equal(t, "127.0.0.0/8", requireForbidden(t, err).Entry)
	})
	t.Run("a public name through CONNECT", func(t *testing.T) {
		pool := NewPool()
		pool.Resolver, _ = dialtest.Resolver(t, names)
		before := asked.Load()
		_, err := get(t, guardedFrom(t, pool, Settings{Proxy: proxy.URL, Guard: NewGuard(false, nil, nil)}), "https://public.example/")
		require.ErrorContains(t, err, "teapot")
		assert.Equal(t, before+1, asked.Load())
	})
	t.Run("SOCKS", func(t *testing.T) {
		v := newVictim(t)
		pool := NewPool()
		pool.Resolver, _ = dialtest.Resolver(t, names)
		for _, scheme := range []string{"socks5", "socks5h"} {
			_, err := get(t, guardedFrom(t, pool, Settings{Proxy: scheme + "://127.0.0.1:" + v.port, Guard: NewGuard(false, nil, nil)}), "http://private.example/")
			assert.Equal(t, "10.0.0.7", requireForbidden(t, err).Address)
		}
		assert.Zero(t, v.connections.Load())
	})
}

// A caller that does not wait for the look is told its own reason.
func TestTheLookEndsWithTheRequest(t *testing.T) {
	pool := NewPool()
	pool.Resolver, _ = dialtest.Resolver(t, dialtest.Answers{"silent.example": {{dialtest.Silence}}})
	transport := guardedFrom(t, pool, Settings{Proxy: "http://127.0.0.1:1", Guard: NewGuard(false, nil, nil)})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the caller is gone")
	time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
	body := &closing{Reader: strings.NewReader("x")}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://silent.example/", body)
	require.NoError(t, err)
	_, err = transport.RoundTrip(request)
	require.ErrorIs(t, err, gone)
	assert.True(t, body.closed.Load())
}

type closing struct {
	io.Reader
	closed atomic.Bool
}

func (c *closing) Close() error {
	c.closed.Store(true)
	return nil
}

// A base that chooses its proxy wrongly sends nothing, neither to the place nor
// anywhere else.
func TestAProxyThatIsNone(t *testing.T) {
	fault := errors.New("no idea which proxy")
	pool := NewPoolFrom(&http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, fault }})
	_, err := get(t, guardedFrom(t, pool, Settings{Guard: NewGuard(true, nil, nil)}), "http://public.example/")
	require.ErrorIs(t, err, fault)
	_, isError := errors.AsType[*Error](err)
	assert.True(t, isError)

	// One that changes its mind between the look and the connection.
	v := newVictim(t)
	calls := 0
	pool = NewPoolFrom(&http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		if calls++; calls == 1 {
			return parsed(t, v.URL), nil
		}
		return nil, nil
	}})
	_, err = get(t, guardedFrom(t, pool, Settings{Guard: NewGuard(false, nil, nil)}), "http://8.8.8.8/")
	require.ErrorIs(t, err, errNoProxy)
	assert.Zero(t, v.connections.Load())
}

// Over a dialler of the user's: it may connect to where it likes, but nothing is
// sent to a forbidden place.
func TestGuardAroundAForeignDialler(t *testing.T) {
	v := newVictim(t)
	elsewhere := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, v.Listener.Addr().String())
	}
	older := func(network, _ string) (net.Conn, error) { return net.Dial(network, v.Listener.Addr().String()) }
	piped := func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			_, _ = there.Read(make([]byte, 4096))
			_, _ = io.WriteString(there, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
		}()
		return here, nil
	}
	broken := func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe }
	for name, test := range map[string]struct {
		base   *http.Transport
		guard  Guard
		target string
		want   string
	}{
		"connects to loopback":       {&http.Transport{DialContext: elsewhere}, NewGuard(false, nil, nil), "http://as.example.com", "a loopback address"},
		"the older way":              {&http.Transport{Dial: older}, NewGuard(false, nil, nil), "http://as.example.com", "a loopback address"},
		"with TLS":                   {&http.Transport{DialTLSContext: elsewhere}, NewGuard(false, nil, nil), "https://as.example.com", "a loopback address"},
		"with TLS, the older way":    {&http.Transport{DialTLS: older}, NewGuard(false, nil, nil), "https://as.example.com", "a loopback address"},
		"no dialler of its own":      {&http.Transport{}, NewGuard(false, nil, nil), "http://127.0.0.1:" + v.port, "a loopback address"},
		"is not asked for a literal": {&http.Transport{DialContext: broken}, NewGuard(false, nil, nil), "http://127.0.0.1", "a loopback address"},
		"is not asked for localhost": {&http.Transport{DialContext: broken}, NewGuard(false, nil, nil), "http://localhost", "this machine"},
		"is not asked for denied":    {&http.Transport{DialContext: broken}, DenyGuard([]string{"as.example.com"}), "http://as.example.com", ""},
		"denied by address":          {&http.Transport{DialContext: elsewhere}, DenyGuard([]string{"127.0.0.1"}), "http://as.example.com", ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := v.requests.Load()
			_, err := get(t, guardedFrom(t, NewPoolFrom(test.base), Settings{Guard: test.guard}), test.target)
			assert.Contains(t, requireForbidden(t, err).Reason, test.want)
			assert.Equal(t, before, v.requests.Load())
		})
	}
	for name, test := range map[string]struct {
		base  *http.Transport
		guard Guard
	}{
		"allowed by name":    {&http.Transport{DialContext: elsewhere}, NewGuard(false, []string{"as.example.com"}, nil)},
		"allowed by address": {&http.Transport{DialContext: elsewhere}, NewGuard(false, []string{"127.0.0.1"}, nil)},
		"allow_private":      {&http.Transport{Dial: older}, NewGuard(true, nil, nil)},
		"no guard":           {&http.Transport{Dial: older}, Guard{}},
		"no TCP":             {&http.Transport{DialContext: piped}, NewGuard(false, nil, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := get(t, guardedFrom(t, NewPoolFrom(test.base), Settings{Guard: test.guard}), "http://as.example.com")
			require.NoError(t, err)
		})
	}
	_, err := get(t, guardedFrom(t, NewPoolFrom(&http.Transport{DialContext: broken}), Settings{Guard: NewGuard(false, nil, nil)}), "http://as.example.com")
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// Every way not to be allowed is found again through what wraps it.
func TestForbiddenErrorsAreTyped(t *testing.T) {
	_, err := get(t, guardedFrom(t, NewPool(), Settings{Guard: NewGuard(false, nil, nil)}), "http://127.0.0.1:1")
	require.EqualError(t, err, `connecting to 127.0.0.1 is forbidden: it is a loopback address, where a server must not lead this client; an entry "127.0.0.1" of network.allow would allow it`)
	_, err = get(t, guardedFrom(t, NewPool(), Settings{Guard: DenyGuard([]string{"127.0.0.0/8"})}), "http://[::ffff:127.0.0.1]:1")
	require.EqualError(t, err, `connecting to 127.0.0.1 is forbidden by the entry "127.0.0.0/8" of network.deny`)
	refusal := requireForbidden(t, fmt.Errorf("outer: %w", err))
	assert.Equal(t, &errors.ForbiddenAddressError{Host: "127.0.0.1", Address: "127.0.0.1", Entry: "127.0.0.0/8", Key: "network.deny"}, refusal)
}
