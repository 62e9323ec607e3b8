package httplink

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// oldServer speaks HTTP+SSE over real connections: what is pushed goes to the
// stream that is open.
type oldServer struct {
	URL      string
	endpoint string      // what the stream names; relative to /deep/sse
	push     chan string // an empty text cuts the stream
	dials    *atomic.Int32

	mu      sync.Mutex
	gets    []http.Header
	posts   []http.Header
	targets []string
}

func serveOld(t testing.TB, onPost func(s *oldServer, w http.ResponseWriter, m mcp.Message)) *oldServer {
	t.Helper()
	s := &oldServer{endpoint: "messages?sid=a%20b", push: make(chan string, 1000)}
	var url string
	url, s.dials = countDials(t, func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if r.Method == http.MethodGet {
			s.gets = append(s.gets, r.Header.Clone())
		} else {
			s.posts, s.targets = append(s.posts, r.Header.Clone()), append(s.targets, r.RequestURI)
		}
		s.mu.Unlock()
		if r.Method == http.MethodGet {
			s.stream(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		m, _ := jsonrpc.Scan(body)
		onPost(s, w, m)
	})
	s.URL = url + "/deep/sse"
	return s
}

func (s *oldServer) stream(w http.ResponseWriter, r *http.Request) {
	begin(w, ": welcome\r\n\r\nevent: endpoint\r\ndata: "+s.endpoint+"\r\n\r\n")
	for {
		select {
		case text := <-s.push:
			if text == "" {
				return
			}
			_, _ = io.WriteString(w, "event: message\ndata: "+text+"\n\n")
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// accept answers every request with 202, and on the stream.
func accept(s *oldServer, w http.ResponseWriter, m mcp.Message) {
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, "Accepted")
	if m.Kind() == mcp.KindRequest {
		s.push <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, m.ID)
	}
}

func openSSE(t testing.TB, cfg Config, options ...Option) (*SSELink, *inbox) {
	t.Helper()
	link := NewSSE("test", cfg, options...)
	box := &inbox{}
	require.NoError(t, link.Start(t.Context(), box.take))
	t.Cleanup(func() { shutSSE(t, link) })
	return link, box
}

func shutSSE(t testing.TB, link *SSELink) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	require.NoError(t, link.Close(ctx))
}

// R113, R114, C29: the stream first, then POSTs to the URL it names; answers,
// progress and the server's own messages come on the stream.
func TestSSE(t *testing.T) {
	server := serveOld(t, func(s *oldServer, w http.ResponseWriter, m mcp.Message) {
		if m.Kind() != mcp.KindRequest {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		for _, text := range []string{ping, progress70, progress99, answer7} {
			s.push <- text
		}
		w.WriteHeader(http.StatusOK)
	})
	link, box := openSSE(t, Config{BaseURL: server.URL, Headers: map[string]config.Secret{"Authorization": config.LiteralSecret("Bearer sesame")}})
	assert.Equal(t, transporters.Traits{Name: "sse", HTTP: true, Legacy: true, Address: link.http.endpoint.host()}, link.Traits())
	s := &sink{}
	got, err := link.Exchange(t.Context(), call(), s)
	require.NoError(t, err)
	assert.Equal(t, answer7, string(got.Message.Raw))
	assert.Equal(t, 200, got.Status)
	assert.Equal(t, []string{progress70}, s.delivered)
	assert.EqualValues(t, 2, s.arrived.Load())
	assert.EqualValues(t, 1, s.accepted.Load())
	assert.Equal(t, []string{ping, progress99}, box.all())
	require.NoError(t, link.Send(t.Context(), notification()))

	server.mu.Lock()
	defer server.mu.Unlock()
	require.Len(t, server.gets, 1)
	assert.Equal(t, "text/event-stream", server.gets[0].Get("Accept"))
	assert.NotContains(t, server.gets[0], "Mcp-Protocol-Version")
	assert.Equal(t, "Bearer sesame", server.gets[0].Get("Authorization"), "R112")
	assert.Equal(t, []string{"/deep/messages?sid=a%20b", "/deep/messages?sid=a%20b"}, server.targets)
	assert.Equal(t, "Bearer sesame", server.posts[0].Get("Authorization"))
	assert.Equal(t, "2025-11-25", server.posts[0].Get("Mcp-Protocol-Version"), "what the session gives")
}

// B70, B71, R117: RFC 3986, the query as it is, the same origin only.
func TestSSEEndpoint(t *testing.T) {
	for given, want := range map[string]string{
		"/messages?sid=1":        "http://h/messages?sid=1",
		"messages?sid=a%20b":     "http://h/deep/messages?sid=a%20b",
		"?sid=1":                 "http://h/deep/sse?sid=1",
		"../m":                   "http://h/m",
		"http://h/m?x=%2F":       "http://h/m?x=%2F",
		"http://H:80/m":          "http://H:80/m",
		"//h/m":                  "http://h/m",
		"/a%2Fb#part":            "http://h/a%2Fb",
		"https://h/m":            "",
		"http://h:81/m":          "",
		"//evil/m":               "",
		"http://h.evil/m":        "",
		"http://user:sesame@h/m": "",
		"javascript:alert(1)":    "",
		"http://[::1/m?secret":   "",
	} {
		synctest.Test(t, func(t *testing.T) {
			link := NewSSE("test", Config{BaseURL: "http://h/deep/sse?key=sesame"}, WithTransport(&scripted{
				status: 200, media: "text/event-stream",
				write: write(piece{0, "retry: 5\n\nevent: ping\ndata: x\n\nevent: endpoint\ndata: " + given + "\n\n"}, piece{time.Hour, ""}),
			}))
			defer func() { shutSSE(t, link); time.Sleep(2 * time.Hour) }()
			err := link.Start(t.Context(), nil)
			if want != "" {
				require.NoError(t, err, given)
				assert.Equal(t, want, *link.target.Load(), given)
				return
			}
			require.ErrorIs(t, err, errors.ErrNotMCP, given)
			assert.NotContains(t, err.Error(), "sesame")
			assert.NotContains(t, err.Error(), "secret")
			assert.Nil(t, link.target.Load())
		})
	}
}

// H21: what is not HTTP+SSE, and how that is told.
func TestSSERefused(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		media  string
		pieces []piece
		is     error
		text   string
		after  time.Duration
	}{
		"405":               {405, "text/plain", []piece{{0, "no"}}, nil, "HTTP status 405", 0},
		"401":               {401, "text/plain", []piece{{0, "no"}}, errors.ErrAuthRequired, "HTTP status 401", 0},
		"a web page":        {200, "text/html", []piece{{0, "<p>"}}, errors.ErrNotMCP, "text/html", 0},
		"an endless page":   {200, "text/html", []piece{{time.Hour, "<p>"}}, errors.ErrNotMCP, "HTTP status 200", defaultReadTimeout},
		"a message first":   {200, "text/event-stream", []piece{{0, "data: " + ping + "\n\n"}}, errors.ErrNotMCP, "the first event of the stream is a message", 0},
		"ends":              {200, "text/event-stream", []piece{{0, ": ok\n\n"}}, errors.ErrNotMCP, "ended before it named an endpoint", 0},
		"silent":            {200, "text/event-stream", []piece{{time.Hour, ""}}, errors.ErrNotMCP, "no endpoint within 10s", endpointTimeout},
		"only comments":     {200, "text/event-stream", []piece{{6e9, ": \n"}, {6e9, ": \n"}, {6e9, ": \n"}}, errors.ErrNotMCP, "no endpoint within 10s", endpointTimeout},
		"an empty endpoint": {200, "text/event-stream", []piece{{0, "event: endpoint\ndata:\n\n"}}, errors.ErrNotMCP, "ended before it named", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := WithTransport(&scripted{status: test.status, media: test.media, write: write(test.pieces...)})
				link := NewSSE("test", Config{BaseURL: "http://h/sse?key=sesame"}, transport)
				defer func() { shutSSE(t, link); time.Sleep(2 * time.Hour) }()
				began := time.Now()
				err := link.Start(t.Context(), nil)
				require.ErrorContains(t, err, test.text)
				if test.is != nil {
					require.ErrorIs(t, err, test.is)
				}
				assert.Equal(t, test.after, time.Since(began))
				assert.NoError(t, link.Err(), "it may be tried again")
				_, err = link.Exchange(t.Context(), call(), &sink{})
				require.ErrorIs(t, err, errors.ErrNotSent)

				parent := New("test", Config{BaseURL: "http://h/sse?key=sesame"}, transport)
				defer settle(t, parent)
				fallback, err := parent.Legacy(t.Context(), nil)
				require.ErrorIs(t, err, transporters.ErrNotOffered)
				assert.Nil(t, fallback)
				assert.NotContains(t, err.Error(), "sesame")
				assert.True(t, strings.HasPrefix(err.Error(), "HTTP+SSE: GET http://h/sse: "), err.Error())
				assert.NotContains(t, err.Error(), "mcp server", "the session names it")
				if name != "an endless page" {
					assert.ErrorContains(t, err, test.text)
				}
			})
		})
	}
}

// B72, C41: the stream's end fails what runs at once, as lost; what comes later
// was surely not sent.
func TestSSEStreamCut(t *testing.T) {
	server := serveOld(t, func(s *oldServer, w http.ResponseWriter, m mcp.Message) {
		w.WriteHeader(http.StatusAccepted)
		s.push <- ""
	})
	link, _ := openSSE(t, Config{BaseURL: server.URL})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.NotErrorIs(t, err, errors.ErrNotSent)
	assert.False(t, errors.SafeToRetry(err))
	<-link.Done()
	require.ErrorIs(t, link.Err(), errors.ErrPeerLost)
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorIs(t, err, errors.ErrNotSent)
	require.ErrorIs(t, link.Send(t.Context(), notification()), errors.ErrNotSent)
	require.Error(t, link.Start(t.Context(), nil), "single use")
}

// A refused POST is a Reply; that the endpoint is gone ends the link.
func TestSSERefusedPost(t *testing.T) {
	for status, gone := range map[int]bool{400: false, 401: false, 404: true, 410: true, 500: false} {
		server := serveOld(t, func(_ *oldServer, w http.ResponseWriter, m mcp.Message) { reply(w, status, "text/plain", "no") })
		link, _ := openSSE(t, Config{BaseURL: server.URL})
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		assert.Equal(t, status, got.Status)
		assert.Equal(t, "no", string(got.Body))
		assert.Equal(t, gone, link.Err() != nil, "%d", status)

		link, _ = openSSE(t, Config{BaseURL: server.URL})
		err = link.Send(t.Context(), notification())
		assert.ErrorContains(t, err, fmt.Sprint(status))
		assert.Equal(t, gone, link.Err() != nil, "%d", status)
	}
}

// Some servers answer on the stream before they answer the POST; that costs
// neither time nor connections.
func TestSSEAnswerBeforeTheResponse(t *testing.T) {
	server := serveOld(t, func(s *oldServer, w http.ResponseWriter, m mcp.Message) {
		s.push <- answer7
		time.Sleep(2 * time.Millisecond)
		w.WriteHeader(http.StatusAccepted)
	})
	link, _ := openSSE(t, Config{BaseURL: server.URL})
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := link.Exchange(ctx, call(), &sink{})
		cancel() // as the session does
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			link.work.mu.Lock()
			defer link.work.mu.Unlock()
			return link.work.count == 1 // the stream's
		}, 5*time.Second, 100*time.Microsecond)
	}
	assert.LessOrEqual(t, server.dials.Load(), int32(5))
}

// The caller's end and Close end what runs.
func TestSSEEnds(t *testing.T) {
	server := serveOld(t, func(_ *oldServer, w http.ResponseWriter, m mcp.Message) { w.WriteHeader(http.StatusAccepted) })
	link, _ := openSSE(t, Config{BaseURL: server.URL})
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(reason) })
	_, err := link.Exchange(ctx, call(), &sink{})
	require.Equal(t, reason, err)
	_, err = link.Exchange(ctx, call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)

	time.AfterFunc(10*time.Millisecond, func() { shutSSE(t, link) })
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	shutSSE(t, link)
}

// listen_read_timeout bounds the silence of the stream; without it there is no
// bound.
func TestSSESilence(t *testing.T) {
	for ends, limit := range map[time.Duration]config.Duration{time.Hour: config.Off(), time.Minute: config.Of(time.Minute)} {
		synctest.Test(t, func(t *testing.T) {
			link := NewSSE("test", Config{BaseURL: "http://h/sse", ListenReadTimeout: limit}, WithTransport(&scripted{
				status: 200, media: "text/event-stream", write: write(piece{0, "event: endpoint\ndata: /m\n\n"}, piece{time.Hour, ": \n"}),
			}))
			began := time.Now()
			require.NoError(t, link.Start(t.Context(), nil))
			<-link.Done()
			require.ErrorIs(t, link.Err(), errors.ErrPeerLost)
			assert.Equal(t, ends, time.Since(began))
			shutSSE(t, link)
			time.Sleep(2 * time.Hour)
		})
	}
}

// H20: the fallback shares the link's settings and connections and ends with it.
func TestLegacyFallback(t *testing.T) {
	server := serveOld(t, accept)
	parent, _ := open(t, Config{BaseURL: server.URL, Token: config.LiteralSecret("sesame-sesame")})
	box := &inbox{}
	var from transporters.Link
	link, err := parent.Legacy(t.Context(), func(l transporters.Link, m mcp.Message) { from = l; box.take(l, m) })
	require.NoError(t, err)
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, answer7, string(got.Message.Raw))
	server.push <- ping
	require.Eventually(t, func() bool { return len(box.all()) == 1 }, 5*time.Second, time.Millisecond)
	shut(t, parent)
	<-link.Done()
	require.ErrorIs(t, link.Err(), errors.ErrTransportClosed)
	assert.Same(t, link, from)
	assert.Equal(t, "Bearer sesame-sesame", server.gets[0].Get("Authorization"))
	assert.Equal(t, "Bearer sesame-sesame", server.posts[0].Get("Authorization"))
	_, err = parent.Legacy(t.Context(), nil)
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.NotErrorIs(t, err, transporters.ErrNotOffered)
}

// When the fallback's stream is cut, another one can be had.
func TestLegacyFallbackAgain(t *testing.T) {
	server := serveOld(t, accept)
	parent, _ := open(t, Config{BaseURL: server.URL})
	for range 3 {
		link, err := parent.Legacy(t.Context(), nil)
		require.NoError(t, err)
		_, err = link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		server.push <- ""
		<-link.Done()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := parent.Legacy(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, transporters.ErrNotOffered)
}

// The credentials of the call that Start is for go with the stream.
func TestSSEStartUsesTheCallsToken(t *testing.T) {
	server := serveOld(t, accept)
	link := NewSSE("test", Config{BaseURL: server.URL})
	ctx, cancel := context.WithCancel(transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Token = "of-the-call" }))
	require.NoError(t, link.Start(ctx, nil))
	cancel() // it bounded the start only
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, "Bearer of-the-call", server.gets[0].Get("Authorization"))
	shutSSE(t, link)
}

// Many calls at a time, and a cut in the middle: each gets its own answer or a
// typed error.
func TestSSEConcurrency(t *testing.T) {
	var posts atomic.Int32
	server := serveOld(t, func(s *oldServer, w http.ResponseWriter, m mcp.Message) {
		accept(s, w, m)
		if posts.Add(1) == 150 {
			s.push <- ""
		}
	})
	link, _ := openSSE(t, Config{BaseURL: server.URL})
	var wait sync.WaitGroup
	var answered, lost atomic.Int32
	for id := range uint64(200) {
		wait.Go(func() {
			got, err := link.Exchange(t.Context(), outbound(id+1), &sink{})
			if err != nil {
				assert.ErrorIs(t, err, errors.ErrPeerLost)
				lost.Add(1)
				return
			}
			n, _ := got.Message.ID.Uint64()
			assert.Equal(t, id+1, n)
			answered.Add(1)
		})
	}
	wait.Wait()
	assert.Positive(t, answered.Load())
	assert.EqualValues(t, 200, answered.Load()+lost.Load())
	<-link.Done()
}
