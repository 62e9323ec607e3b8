package httplink

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestLifecycle(t *testing.T) {
	link := New("test", Config{BaseURL: "http://127.0.0.1:1/mcp"})
	assert.Equal(t, transporters.Traits{Name: "http", HTTP: true, Address: "127.0.0.1:1"}, link.Traits())
	require.NoError(t, link.Start(t.Context(), nil))
	require.ErrorContains(t, link.Start(t.Context(), nil), "twice")
	select {
	case <-link.Done():
		t.Fatal("done before it is closed")
	default:
	}
	require.NoError(t, link.Err())
	for range 3 {
		shut(t, link)
	}
	<-link.Done()
	require.ErrorIs(t, link.Err(), errors.ErrTransportClosed)
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.ErrorIs(t, link.Send(t.Context(), notification()), errors.ErrTransportClosed)
	require.ErrorIs(t, link.Terminate(t.Context(), nil), errors.ErrTransportClosed)

	link = New("test", Config{BaseURL: "http://127.0.0.1:1/mcp"})
	shut(t, link)
	require.ErrorIs(t, link.Start(t.Context(), nil), errors.ErrTransportClosed)
}

// Close ends exchanges rather than waiting for them, and the server sees
// it.
func TestCloseEndsExchanges(t *testing.T) {
	const callers = 20
	var started sync.WaitGroup
	started.Add(callers)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.RawQuery == "stream" {
			events(w, progress70)
		}
		started.Done()
		<-r.Context().Done()
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	streaming, _ := open(t, Config{BaseURL: server.URL + "?stream"})
	var done sync.WaitGroup
	for i := range callers {
		chosen := []*Link{link, streaming}[i%2]
		done.Go(func() {
			_, err := chosen.Exchange(t.Context(), call(), &sink{})
			assert.ErrorIs(t, err, errors.ErrTransportClosed)
			assert.NotErrorIs(t, err, context.Canceled, "that would mean the caller's own context")
		})
	}
	started.Wait()
	var closers sync.WaitGroup
	for range 4 {
		closers.Go(func() { shut(t, link) })
		closers.Go(func() { shut(t, streaming) })
	}
	closers.Wait()
	done.Wait()
}

// Close does not wait for an exchange whose callback does not return, and may be
// called from the callback.
func TestCloseFromCallback(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, progress70)
		<-r.Context().Done()
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	s := &sink{onDeliver: func(mcp.Message) { shut(t, link) }}
	_, err := link.Exchange(t.Context(), call(), s)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
}

// Tails that are being read end with the link, at once.
func TestCloseEndsTails(t *testing.T) {
	ended := make(chan struct{}, 10)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, answer7)
		<-r.Context().Done()
		ended <- struct{}{}
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	for range 10 {
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
	}
	begin := time.Now()
	shut(t, link)
	assert.Less(t, time.Since(begin), drainTime/2)
	for range 10 {
		<-ended
	}
}

// A connection that is still being made ends with the link too: here the peer
// never answers the TLS handshake.
func TestCloseEndsDialling(t *testing.T) {
	accepted, ended := make(chan struct{}), make(chan struct{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		close(accepted)
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
		close(ended)
	}()
	link, _ := open(t, Config{BaseURL: "https://" + listener.Addr().String()})
	failed := make(chan error)
	go func() {
		_, err := link.Exchange(t.Context(), call(), &sink{})
		failed <- err
	}()
	<-accepted
	shut(t, link)
	require.ErrorIs(t, <-failed, errors.ErrTransportClosed)
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the connection is still being made")
	}
}

// Streams and their end over HTTP/2, where many share a connection.
func TestHTTP2(t *testing.T) {
	gone := make(chan struct{}, 1)
	url, files := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.RawQuery {
		case "hang":
			events(w, progress70)
			<-r.Context().Done()
			gone <- struct{}{}
		case "abort":
			events(w, progress70)
			panic(http.ErrAbortHandler)
		default:
			events(w, progress70, answer7)
		}
	})
	cfg := Config{TLS: TLS{CAFile: files.authority, CertFile: files.certificate, KeyFile: files.key}}
	cfg.BaseURL = url
	link, _ := open(t, cfg)
	for range 20 {
		s := &sink{}
		got, err := link.Exchange(t.Context(), call(), s)
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
		assert.Equal(t, []string{progress70}, s.delivered)
	}
	cfg.BaseURL = url + "?abort"
	aborted, _ := open(t, cfg)
	_, err := aborted.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrPeerLost)

	cfg.BaseURL = url + "?hang"
	hanging, _ := open(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = hanging.Exchange(ctx, call(), &sink{onDeliver: func(mcp.Message) { cancel() }})
	assert.Equal(t, context.Canceled, err)
	<-gone
}

func TestCloseIsBounded(t *testing.T) {
	var waiting tails
	require.True(t, waiting.begin())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, waiting.close(ctx), context.DeadlineExceeded)
	require.False(t, waiting.begin())
	waiting.end()
	require.NoError(t, waiting.close(ctx))
}

// A configuration that Check would refuse fails at first use, with its fault
// and without its secrets.
func TestWrongEndpoint(t *testing.T) {
	for _, text := range []string{"", "mcp", "ftp://example.com", "http://", "https://u:canary@example.com/", "http://example.com/#canary", "http://exa mple.com/canary"} {
		link := New("test", Config{BaseURL: text})
		fault, ok := errors.AsType[*errors.ServerConfigurationError](link.Start(t.Context(), nil))
		require.True(t, ok, text)
		assert.Equal(t, "test", fault.Server)
		_, err := link.Exchange(t.Context(), call(), &sink{})
		assert.ErrorIs(t, err, fault)
		assert.ErrorIs(t, err, errors.ErrNotSent)
		assert.NotContains(t, err.Error(), "canary")
		shut(t, link)
	}
}

func TestWarnings(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  Config
		want string
	}{
		"no verification": {Config{BaseURL: "https://127.0.0.1", TLS: TLS{InsecureSkipVerify: true}}, "ANY certificate is accepted"},
		"plain http":      {Config{BaseURL: "http://mcp.example", Token: config.LiteralSecret("x")}, "plain http"},
		"overridden":      {Config{BaseURL: "https://mcp.example", Headers: literals("Accept", "x")}, "has no effect: the protocol sets it"},
		"two tokens":      {Config{BaseURL: "https://mcp.example", Token: config.LiteralSecret("x"), Headers: literals("Authorization", "y")}, "token has no effect"},
		"local http":      {Config{BaseURL: "http://localhost:8080", Token: config.LiteralSecret("x")}, ""},
		"nothing":         {Config{BaseURL: "http://mcp.example"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			logger, text := logs()
			open(t, test.cfg, WithLogger(logger))
			if test.want == "" {
				assert.Empty(t, text())
				return
			}
			assert.Contains(t, text(), test.want)
			assert.Equal(t, 1, strings.Count(text(), "\n"))
		})
	}
}
