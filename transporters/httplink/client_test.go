package httplink

import (
	"context"
	"net"
	"net/http"
	"net/http/cookiejar"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Request middleware, the pre-request hook, the client's headers and
// query take part in every request; its jar, retries, timeout and debug do not.
func TestUsersClient(t *testing.T) {
	var requests atomic.Int32
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		assert.Equal(t, "from-client", r.Header.Get("X-Client"))
		assert.Equal(t, "from-config", r.Header.Get("X-Both"))
		assert.Equal(t, "from-middleware", r.Header.Get("X-Middleware"))
		assert.Equal(t, "from-hook", r.Header.Get("X-Hook"))
		assert.Equal(t, "Bearer client-token", r.Header.Get("Authorization"))
		assert.Equal(t, "q", r.URL.Query().Get("client"))
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.Equal(t, "session-1", r.Header.Get("Mcp-Session-Id"))
		assert.NotContains(t, r.Header, "Cookie")
		assert.EqualValues(t, len(call().Frame), r.ContentLength)
		http.SetCookie(w, &http.Cookie{Name: "tracking", Value: "1"})
		time.Sleep(50 * time.Millisecond)
		reply(w, 500, "text/plain", "no")
	})
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := resty.New().SetCookieJar(jar).SetRetryCount(3).SetTimeout(20*time.Millisecond).SetDebug(true).
		SetHeader("X-Client", "from-client").SetHeader("X-Both", "from-client").SetHeader("Mcp-Session-Id", "evil").
		SetAuthToken("client-token").SetQueryParam("client", "q").SetFormData(map[string]string{"a": "b"}).
		SetPathParam("path", "evil").
		OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
			r.SetHeader("X-Middleware", "from-middleware")
			return nil
		}).
		SetPreRequestHook(func(_ *resty.Client, r *http.Request) error {
			r.Header.Set("X-Hook", "from-hook")
			return nil
		})
	logger, text := logs()
	client.SetLogger(restyTestLogger{func(s string) { logger.Info(s) }})
	link, _ := open(t, Config{BaseURL: server.URL + "/{path}", Headers: literals("X-Both", "from-config")}, WithClient(client))
	for range 2 {
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		assert.Equal(t, 500, got.Status)
	}
	assert.EqualValues(t, 2, requests.Load(), "nothing is sent again")
	assert.NotContains(t, text(), "client-token")
}

type restyTestLogger struct{ log func(string) }

func (l restyTestLogger) Errorf(format string, _ ...any) { l.log(format) }
func (l restyTestLogger) Warnf(format string, _ ...any)  { l.log(format) }
func (l restyTestLogger) Debugf(format string, _ ...any) { l.log(format) }

// A token for one call goes before the client's own, and the client's own user
// and password count as a configured header.
func TestUsersClientCredentials(t *testing.T) {
	url, headers := echoHeaders(t)
	client := resty.New().SetBasicAuth("user", "canary")
	link, _ := open(t, Config{BaseURL: url}, WithClient(client))
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, "Basic dXNlcjpjYW5hcnk=", (<-headers).Get("Authorization"))
	_, err = link.Exchange(withCall(t.Context(), "mine", nil), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, "Bearer mine", (<-headers).Get("Authorization"))
}

// One option serves many links at once, which share connections; the user's own
// requests through the client still work.
func TestUsersClientServesManyLinks(t *testing.T) {
	var dials atomic.Int32
	server, _ := countDials(t, func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "application/json", answer7) })
	transport := &http.Transport{DialContext: countingDialer(&dials), DisableKeepAlives: false}
	client := resty.NewWithClient(&http.Client{Transport: transport})
	option, again := WithClient(client), WithClient(client)
	var done sync.WaitGroup
	for i := range 8 {
		chosen := option
		if i%2 == 1 {
			chosen = again
		}
		link, _ := open(t, Config{BaseURL: server}, chosen)
		done.Go(func() {
			for range 20 {
				_, err := link.Exchange(t.Context(), call(), &sink{})
				assert.NoError(t, err)
			}
		})
	}
	done.Wait()
	assert.LessOrEqual(t, dials.Load(), int32(16), "of 160 requests")
	assert.Positive(t, dials.Load(), "the client's own dialler is used")
	answer, err := client.R().Post(server)
	require.NoError(t, err)
	assert.Equal(t, answer7, answer.String())
	transport.CloseIdleConnections()
}

func countingDialer(dials *atomic.Int32) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

// A round tripper of the user's own carries the requests.
func TestUsersRoundTripper(t *testing.T) {
	client := resty.NewWithClient(&http.Client{Transport: &canned{
		header: http.Header{"Content-Type": {"application/json"}}, body: answer7, length: int64(len(answer7)),
	}})
	link, _ := open(t, Config{BaseURL: "http://example.invalid"}, WithClient(client))
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, answer7, string(got.Message.Raw))
}

func TestClientWithoutTransport(t *testing.T) {
	url, headers := echoHeaders(t)
	client := resty.NewWithClient(&http.Client{})
	client.GetClient().Transport = nil
	link, _ := open(t, Config{BaseURL: url}, WithClient(client), WithClient(nil))
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	<-headers
	_, err = client.R().Post(url)
	require.NoError(t, err)
	<-headers
}

// An error of the user's middleware or rate limiter means that nothing was sent.
func TestMiddlewareRefuses(t *testing.T) {
	refusal := errors.New("not today: canary-value")
	client := resty.New().OnBeforeRequest(func(*resty.Client, *resty.Request) error { return refusal })
	link, _ := open(t, Config{BaseURL: "http://example.invalid", Token: config.LiteralSecret("canary-value")}, WithClient(client))
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	require.ErrorIs(t, err, refusal)
	assert.NotContains(t, err.Error(), "canary-value")

	client = resty.New().SetRateLimiter(refusing{})
	link, _ = open(t, Config{BaseURL: "http://example.invalid"}, WithClient(client))
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	assert.ErrorIs(t, err, resty.ErrRateLimitExceeded)
}

type refusing struct{}

func (refusing) Allow() bool { return false }

// A middleware that replaces the request's context by a stranger's is told so.
func TestMiddlewareLosesContext(t *testing.T) {
	link, _ := open(t, Config{BaseURL: "http://example.invalid"})
	link.kept.client.OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
		r.SetContext(t.Context())
		return nil
	})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	assert.ErrorContains(t, err, "middleware must derive")
}

// Net/http would send a POST with an idempotency key again when a
// connection that was idle dies under it, unseen by everybody.
func TestIdempotencyKeyIsNoReasonToSendTwice(t *testing.T) {
	for _, header := range []string{"Idempotency-Key", "X-Idempotency-Key", "x-idempotency-key"} {
		t.Run(header, func(t *testing.T) {
			var received atomic.Int32
			address := raw(t, func(conn net.Conn, _ *http.Request) {
				received.Add(1)
				_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 48\r\n\r\n" + answer7))
				// The second request of the connection is read and not answered.
				_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
				if n, _ := conn.Read(make([]byte, 4096)); n > 0 {
					received.Add(1)
				}
			})
			link, _ := open(t, Config{BaseURL: address, Headers: literals(header, "k-1234")})
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			_, err = link.Exchange(t.Context(), call(), &sink{})
			require.ErrorIs(t, err, errors.ErrPeerLost)
			assert.False(t, errors.SafeToRetry(err))
			assert.EqualValues(t, 2, received.Load())
		})
	}
}

// A connection that died while it was idle is replaced without anybody
// noticing: the request was not written.
func TestDeadIdleConnectionIsReplaced(t *testing.T) {
	var connections atomic.Int32
	address := raw(t, func(conn net.Conn, _ *http.Request) {
		connections.Add(1)
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 48\r\n\r\n" + answer7))
	})
	link, _ := open(t, Config{BaseURL: address})
	for range 3 {
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond) // the close arrives
	}
	assert.EqualValues(t, 3, connections.Load())
}
