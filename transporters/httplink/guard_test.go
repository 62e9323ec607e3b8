package httplink

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// network.deny is above base_url too, by what its name resolves to; nothing is
// sent, and the caller is told which entry it was.
func TestDeniedEndpoint(t *testing.T) {
	requests := atomic.Int32{}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		reply(w, 200, "application/json", answer7)
	})
	named := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for name, options := range map[string][]Option{"own": nil, "pool": {WithPool(dial.NewPool())}, "client": {WithClient(resty.New())}} {
		t.Run(name, func(t *testing.T) {
			link, _ := open(t, Config{BaseURL: named, Network: Network{Deny: []string{"127.0.0.0/8", "::1"}}}, options...)
			_, err := link.Exchange(t.Context(), call(), &sink{})
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, errors.DeliveryNotSent, failure.Delivery)
			refusal, ok := errors.AsType[*errors.ForbiddenAddressError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, "network.deny", refusal.Key)
			assert.Equal(t, "localhost", refusal.Host)
			assert.ErrorIs(t, err, errors.ErrNotSent)

			link, _ = open(t, Config{BaseURL: named, Network: Network{Deny: []string{"10.0.0.0/8"}}}, options...)
			before := requests.Load()
			_, err = link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			assert.Equal(t, before+1, requests.Load())
		})
	}
	// A name or a literal is enough, also where somebody else carries the requests.
	for name, options := range map[string][]Option{"own": nil, "transport": {WithTransport(http.DefaultTransport)}} {
		before := requests.Load()
		link := New("test", Config{BaseURL: server.URL, Network: Network{Deny: []string{"127.0.0.1"}}}, options...)
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.ErrorContains(t, err, `network.deny: connecting to 127.0.0.1 is forbidden by the entry "127.0.0.1" of network.deny`, name)
		assert.Equal(t, before, requests.Load())
		shut(t, link)
	}
	link := New("test", Config{BaseURL: server.URL, Network: Network{Deny: []string{"10.*"}}})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorContains(t, err, "written as a CIDR", "a deny that cannot be understood is no reason to connect")
	shut(t, link)
}

func TestPointerGuard(t *testing.T) {
	for _, test := range []struct {
		cfg     Config
		target  string
		allowed bool
	}{
		{Config{BaseURL: "https://mcp.example.com/mcp"}, "https://10.0.0.7/", false},
		{Config{BaseURL: "https://mcp.example.com/mcp", Network: Network{AllowPrivate: true}}, "https://10.0.0.7/", true},
		{Config{BaseURL: "https://mcp.example.com/mcp", Network: Network{Allow: []string{"10.0.0.0/8"}}}, "https://10.0.0.7/", true},
		{Config{BaseURL: "https://10.0.0.7/mcp"}, "https://10.0.0.7:8443/", true},
		{Config{BaseURL: "https://10.0.0.7/mcp", Network: Network{Deny: []string{"10.0.0.7"}}}, "https://10.0.0.7:8443/", false},
		{Config{BaseURL: "http://localhost:1/mcp"}, "http://127.0.0.1:2/", true},
		{Config{BaseURL: "unix:///run/mcp.sock#/mcp"}, "http://localhost/", false},
	} {
		request, err := http.NewRequest(http.MethodGet, test.target, nil)
		require.NoError(t, err)
		err = test.cfg.PointerGuard().CheckURL(request.URL)
		assert.Equal(t, test.allowed, err == nil, "%+v: %v", test, err)
	}
}

// The way to what a server points to: guarded, with the link's authorities and
// proxy, without the client's certificate.
func TestPointerTransport(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, len(r.TLS.PeerCertificates), r.TLS.ServerName)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, files := serveTLS(t, func(http.ResponseWriter, *http.Request) {}) // the same certificate
	cfg := Config{
		BaseURL: "https://mcp.example.com/mcp",
		TLS:     TLS{CAFile: files.authority, CertFile: files.certificate, KeyFile: files.key, ServerName: "mcp.internal"},
	}
	foreign := func() *resty.Client {
		client := resty.New()
		client.GetClient().Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}
		return client
	}
	for name, options := range map[string][]Option{"own": nil, "pool": {WithPool(dial.NewPool())}, "client": {WithClient(foreign())}} {
		t.Run(name, func(t *testing.T) {
			refused := NewPointerTransport(cfg, cfg.PointerGuard(), options...)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			require.NoError(t, err)
			_, err = refused.RoundTrip(request)
			require.ErrorIs(t, err, errors.ErrForbiddenAddress)

			allowed := NewPointerTransport(cfg, cfg.PointerGuard().AllowEndpoint(request.URL), options...)
			client := &http.Client{Transport: allowed}
			defer client.CloseIdleConnections()
			response, err := client.Do(request)
			require.NoError(t, err)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, "0", string(body), "neither a certificate nor the server's name")
		})
	}
	asked := 0
	users := roundTripFunc(func(*http.Request) (*http.Response, error) {
		asked++
		return &http.Response{StatusCode: 204, Body: http.NoBody}, nil
	})
	for _, option := range []Option{WithTransport(users), WithClient(resty.NewWithClient(&http.Client{Transport: users}))} {
		transport := NewPointerTransport(cfg, cfg.PointerGuard(), option)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://as.example.com", nil)
		require.NoError(t, err)
		_, err = transport.RoundTrip(request)
		require.NoError(t, err)
		(&http.Client{Transport: transport}).CloseIdleConnections()
	}
	assert.Equal(t, 2, asked)

	cfg.TLS.CAFile = "/nonexistent"
	broken := NewPointerTransport(cfg, cfg.PointerGuard())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("x"))
	require.NoError(t, err)
	_, err = broken.RoundTrip(request)
	require.ErrorContains(t, err, "/nonexistent")
	(&http.Client{Transport: broken}).CloseIdleConnections()
}

// The head of an answer is bounded, over HTTP/1 and HTTP/2, whoever made the
// transport.
func TestHeadersOfAnAnswerAreBounded(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "many" {
			for i := range 5000 {
				w.Header().Set(fmt.Sprintf("X-Header-%d", i), strings.Repeat("x", 100))
			}
		} else {
			w.Header().Set("X-Long", strings.Repeat("x", 300<<10))
		}
		reply(w, 200, "application/json", answer7)
	}
	plain := serve(t, handler)
	secure, files := serveTLS(t, handler)
	for name, options := range map[string][]Option{"own": nil, "client": {WithClient(resty.New())}} {
		for _, address := range []string{plain.URL, secure} {
			for _, query := range []string{"", "?many"} {
				t.Run(fmt.Sprint(name, " ", address[:5], query), func(t *testing.T) {
					cfg := Config{BaseURL: address + query, TLS: TLS{CAFile: files.authority, CertFile: files.certificate, KeyFile: files.key}}
					link, _ := open(t, cfg, options...)
					_, err := link.Exchange(t.Context(), call(), &sink{})
					failure, ok := errors.AsType[*errors.TransporterRequestError](err)
					require.True(t, ok, "%v", err)
					assert.Equal(t, errors.DeliveryUnknown, failure.Delivery, "the server may have done the work")
					assert.Less(t, len(err.Error()), 1000)
				})
			}
		}
	}
}

// The links of one server warn once, whoever is first.
func TestLinksOfOneServerWarnOnce(t *testing.T) {
	logger, text := logs()
	once := new(sync.Once)
	cfg := Config{BaseURL: "https://127.0.0.1", TLS: TLS{InsecureSkipVerify: true}}
	var links sync.WaitGroup
	for range 10 {
		links.Go(func() { shut(t, New("test", cfg, WithLogger(logger), WithWarnings(once))) })
	}
	links.Wait()
	assert.Equal(t, 1, strings.Count(text(), "[WARN]"))
	shut(t, New("other", cfg, WithLogger(logger)))
	assert.Equal(t, 2, strings.Count(text(), "[WARN]"), "another server's is its own")
}
