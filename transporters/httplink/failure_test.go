package httplink

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// closedPort returns the address of a port where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// Where no connection was made, nothing was sent, and the error says what could
// not be reached.
func TestUnreachable(t *testing.T) {
	refused := closedPort(t)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it is told of every failed handshake
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"refused":            {Config{BaseURL: "http://" + refused + "/mcp?key=q1secret"}, "cannot connect to " + refused + ": connection refused"},
		"refused over TLS":   {Config{BaseURL: "https://" + refused + "/mcp?key=q1secret"}, "cannot connect to " + refused + ": connection refused"},
		"unknown name":       {Config{BaseURL: "http://no-such-host.invalid/mcp?key=q1secret"}, "cannot connect to no-such-host.invalid:80: name not resolved"},
		"unknown authority":  {Config{BaseURL: secure.URL + "?key=q1secret"}, "certificate signed by unknown authority"},
		"TLS to a plain one": {Config{BaseURL: strings.Replace(plain.URL, "http", "https", 1)}, "speaks plain HTTP here, not HTTPS"},
		"proxy refused":      {Config{BaseURL: "http://example.invalid/", Proxy: config.NewSecret("http://user:q1secret@" + refused)}, "cannot connect to " + refused},
		"missing CA file":    {Config{BaseURL: secure.URL, TLS: TLS{CAFile: "/nonexistent/ca.pem"}}, "tls.ca_file: open /nonexistent/ca.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			link, _ := open(t, test.cfg)
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.ErrorIs(t, err, errors.ErrNotSent)
			assert.NotErrorIs(t, err, errors.ErrPeerLost)
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "q1secret")
			assert.True(t, errors.SafeToRetry(err))
			assert.NotErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, link.Send(t.Context(), notification()), errors.ErrNotSent)
			assert.ErrorIs(t, link.Terminate(t.Context(), protocolHeader()), errors.ErrNotSent)
		})
	}
	link, _ := open(t, Config{BaseURL: "http://" + refused})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	assert.ErrorIs(t, err, syscall.ECONNREFUSED, "the cause can be asked for")
}

// A connection that is lost before the answer may have carried the request.
func TestResetConnection(t *testing.T) {
	address := raw(t, func(conn net.Conn, _ *http.Request) { _ = conn.(*net.TCPConn).SetLinger(0) })
	link, _ := open(t, Config{BaseURL: address})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrPeerLost)
	assert.False(t, errors.SafeToRetry(err))
}

// net/http may give a request the end of another one's context.
func TestTheEndOfAnotherRequest(t *testing.T) {
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
		link, _ := open(t, Config{BaseURL: "http://127.0.0.1:1"}, WithTransport(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, cause })))
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.NotErrorIs(t, err, cause)
		require.ErrorContains(t, err, "an earlier request that was given up")
		require.False(t, errors.SafeToRetry(err))
	}
}

// The end of the caller's context ends the exchange with its cause, wherever
// the exchange is.
func TestContextEndsExchange(t *testing.T) {
	cause := errors.New("the user left")
	for name, begin := range map[string]func(w http.ResponseWriter){
		"before the head": func(http.ResponseWriter) {},
		"within JSON": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			reply(w, 200, "application/json", "{")
			w.(http.Flusher).Flush()
		},
		"within a stream":     func(w http.ResponseWriter) { events(w, progress70) },
		"within an error":     func(w http.ResponseWriter) { reply(w, 500, "text/plain", "x"); w.(http.Flusher).Flush() },
		"within a web page":   func(w http.ResponseWriter) { reply(w, 200, "text/html", "<p>"); w.(http.Flusher).Flush() },
		"within gzip's start": func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip"); events(w) },
	} {
		t.Run(name, func(t *testing.T) {
			started, gone := make(chan struct{}), make(chan struct{})
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				begin(w)
				close(started)
				<-r.Context().Done() // the server sees the end: the modern cancel (R090, P8)
				close(gone)
			})
			link, _ := open(t, Config{BaseURL: server.URL})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-started
				cancel(cause)
			}()
			_, err := link.Exchange(ctx, call(), &sink{})
			assert.Equal(t, cause, err)
			select {
			case <-gone:
			case <-time.After(5 * time.Second):
				t.Error("the server does not see the cancel")
			}
		})
	}
	t.Run("before anything", func(t *testing.T) {
		link, _ := open(t, Config{BaseURL: "http://127.0.0.1:1"})
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		s := &sink{}
		_, err := link.Exchange(ctx, call(), s)
		assert.ErrorIs(t, err, cause)
		assert.ErrorIs(t, err, errors.ErrNotSent)
		assert.Zero(t, s.accepted.Load())
	})
	t.Run("deadline", func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})
		link, _ := open(t, Config{BaseURL: server.URL})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := link.Exchange(ctx, call(), &sink{})
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.NotErrorIs(t, err, errors.ErrNotSent, "the server has it")
		assert.ErrorIs(t, link.Send(ctx, notification()), context.DeadlineExceeded)
		assert.ErrorIs(t, link.Terminate(ctx, nil), context.DeadlineExceeded)
	})
}

// A link that refuses before it sends says so, and the reason stays what it is.
func TestRefusedBeforeSending(t *testing.T) {
	cause := errors.New("the user left")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	running, _ := open(t, Config{BaseURL: "http://127.0.0.1:1"})
	closed, _ := open(t, Config{BaseURL: "http://127.0.0.1:1"})
	shut(t, closed)
	closedSSE := NewSSE("test", Config{BaseURL: "http://127.0.0.1:1"})
	shutSSE(t, closedSSE)
	endedSSE := NewSSE("test", Config{BaseURL: "http://127.0.0.1:1"})
	t.Cleanup(func() { shutSSE(t, endedSSE) })
	unusable := New("test", Config{BaseURL: "nowhere"})
	t.Cleanup(func() { shut(t, unusable) })
	for name, test := range map[string]struct {
		ctx  context.Context
		link transporters.Link
		is   error
		kind errors.Kind
	}{
		"the context has ended":      {ended, running, cause, errors.KindUnknown},
		"the link is closed":         {t.Context(), closed, errors.ErrTransportClosed, errors.KindClosed},
		"SSE: the context has ended": {ended, endedSSE, cause, errors.KindUnknown},
		"SSE: the link is closed":    {t.Context(), closedSSE, errors.ErrTransportClosed, errors.KindClosed},
		"a wrong configuration":      {t.Context(), unusable, unusable.fault, errors.KindUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			for _, out := range []*transporters.Outbound{call(), resumable(7)} {
				s := &sink{}
				_, err := test.link.Exchange(test.ctx, out, s)
				sendErr := test.link.Send(test.ctx, notification())
				for _, err := range []error{err, sendErr} {
					require.ErrorIs(t, err, test.is)
					require.ErrorIs(t, err, errors.ErrNotSent)
					require.Equal(t, test.is.Error(), strings.TrimPrefix(detail(err), "mcp server: "))
					failure, _ := errors.AsType[*errors.TransporterRequestError](err)
					if test.kind != errors.KindUnknown {
						require.Equal(t, test.kind, failure.Kind)
					} else {
						require.Nil(t, failure, "the session finds the kind by the reason")
					}
				}
				require.Zero(t, s.accepted.Load())
			}
		})
	}
}

// What a notification may be answered with (R097), and what a DELETE
// (R102).
func TestStatusOfSendAndTerminate(t *testing.T) {
	for status, test := range map[int]struct {
		send, terminate bool
		is              error
	}{
		200: {true, true, nil}, 202: {true, true, nil}, 204: {true, true, nil},
		404: {false, true, nil}, 405: {false, true, nil},
		400: {}, 500: {}, 429: {},
		401: {false, false, errors.ErrAuthRequired}, 403: {false, false, errors.ErrAuthRequired},
	} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Www-Authenticate", "Bearer")
			body := "a word\x1b[31m"
			if status == 204 {
				body = ""
			}
			reply(w, status, "text/plain", body)
		})
		link, _ := open(t, Config{BaseURL: server.URL})
		for what, call := range map[string]struct {
			ok  bool
			err error
		}{
			"send":      {test.send, link.Send(t.Context(), notification())},
			"terminate": {test.terminate, link.Terminate(t.Context(), protocolHeader())},
		} {
			if call.ok {
				assert.NoError(t, call.err, "%s %d", what, status)
				continue
			}
			failure, ok := errors.AsType[*errors.TransporterRequestError](call.err)
			require.True(t, ok, "%s %d: %v", what, status, call.err)
			assert.Equal(t, status, failure.Status)
			assert.Equal(t, 7*time.Second, failure.RetryAfter)
			assert.Equal(t, `a word\x1b[31m`, failure.Snippet)
			if test.is != nil {
				assert.ErrorIs(t, call.err, test.is)
				assert.Equal(t, []string{"Bearer"}, failure.Challenge)
			}
		}
	}
}

// A server that answers a notification with an endless stream costs a bounded
// time in the background, not the caller's.
func TestSendDoesNotWaitForTheBody(t *testing.T) {
	ended := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		events(w, ping)
		<-r.Context().Done()
		close(ended)
	})
	link, box := open(t, Config{BaseURL: server.URL})
	begin := time.Now()
	require.NoError(t, link.Send(t.Context(), notification()))
	assert.Less(t, time.Since(begin), drainTime)
	select {
	case <-ended:
	case <-time.After(drainTime + 5*time.Second):
		t.Error("the stream is never closed")
	}
	assert.Empty(t, box.all())
}
