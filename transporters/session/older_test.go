package session_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// olderServer speaks HTTP+SSE alone: its URL refuses POSTs with the status, and
// opens a stream that names the endpoint.
type olderServer struct {
	status   int
	endpoint string // "ORIGIN" in it stands for the server's own
	origin   string

	mu      sync.Mutex
	streams map[chan string]struct{} // open ones; an empty text cuts
	posts   []string                 // where messages were posted to
	refused atomic.Int32
}

func serveOlder(t *testing.T, status int, endpoint string) *olderServer {
	t.Helper()
	s := &olderServer{status: status, endpoint: endpoint, streams: map[chan string]struct{}{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.origin = server.URL
	return s
}

func (s *olderServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/mcp/sse":
		s.stream(w, r)
	case r.URL.Path == "/mcp/sse" && r.URL.RawQuery == "":
		s.refused.Add(1)
		w.WriteHeader(s.status)
	default:
		m, _ := jsonrpc.Scan(body)
		w.WriteHeader(http.StatusAccepted)
		s.answer(r, m)
	}
}

func (s *olderServer) answer(r *http.Request, m mcp.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = append(s.posts, r.URL.RequestURI())
	result := `{"content":[{"type":"text","text":` + fmt.Sprintf("%q", m.ID) + `}]}`
	if m.Method == mcp.MethodInitialize {
		result = `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"older","version":"1"}}`
	}
	if m.Kind() == mcp.KindRequest {
		for stream := range s.streams {
			stream <- `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`
		}
	}
}

func (s *olderServer) stream(w http.ResponseWriter, r *http.Request) {
	messages := make(chan string, 1000)
	s.mu.Lock()
	s.streams[messages] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, messages)
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", statusStream)
	_, _ = io.WriteString(w, "event: endpoint\ndata: "+strings.ReplaceAll(s.endpoint, "ORIGIN", s.origin)+"\n\n")
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case text := <-messages:
			if text == "" {
				return
			}
			_, _ = io.WriteString(w, "event: message\ndata: "+text+"\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// cut ends every open stream.
func (s *olderServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for stream := range s.streams {
		stream <- ""
	}
}

// TestHTTPAndSSEIsFound: behind a URL that refuses POSTs with 400, 404 or 405, by
// an endpoint that is relative or absolute (R113-R115, R117, H20, B70, B71). When
// its stream is cut, the next call finds it again (B72).
func TestHTTPAndSSEIsFound(t *testing.T) {
	for _, test := range []struct {
		status         int
		endpoint, path string
	}{
		{405, "/messages?sid=a%20b", "/messages?sid=a%20b"},
		{404, "messages?sid=1", "/mcp/messages?sid=1"},
		{400, "?sid=1&x=", "/mcp/sse?sid=1&x="},
		{405, "ORIGIN/elsewhere/m", "/elsewhere/m"},
		{404, "../up#part", "/up"},
	} {
		t.Run(fmt.Sprint(test.status, " ", test.endpoint), func(t *testing.T) {
			server := serveOlder(t, test.status, test.endpoint)
			s := httpSession(t, server.origin+"/mcp/sse")
			info, err := s.ServerInfo(within(t, 10*time.Second))
			require.NoError(t, err)
			require.Equal(t, mcp.Version20241105, info.Version)
			var calls sync.WaitGroup
			for range 20 {
				calls.Go(func() {
					_, err := s.Request(within(t, 10*time.Second), mcp.MethodCallTool, map[string]any{"name": "x"}, nil)
					assert.NoError(t, err)
				})
			}
			calls.Wait()
			server.mu.Lock()
			for _, path := range server.posts {
				assert.Equal(t, test.path, path)
			}
			server.mu.Unlock()
			server.cut()
			require.Eventually(t, func() bool {
				_, err := s.Request(within(t, 10*time.Second), mcp.MethodCallTool, map[string]any{"name": "x"}, nil)
				return err == nil
			}, 10*time.Second, time.Millisecond)
			require.EqualValues(t, 2, s.Stats().Handshakes)
			require.Positive(t, server.refused.Load(), "the POST came first")
		})
	}
}

// TestHTTPAndSSEOfAnotherOrigin: no message goes to an endpoint that is not of
// the stream's origin; the refusal of the POST is reported, and why the stream
// was no help (R117, H21).
func TestHTTPAndSSEOfAnotherOrigin(t *testing.T) {
	var stolen atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Add(1) }))
	t.Cleanup(other.Close)
	for _, endpoint := range []string{other.URL + "/messages", "https://example.com/messages", strings.TrimPrefix(other.URL, "http:") + "/messages"} {
		server := serveOlder(t, 405, endpoint)
		s := httpSession(t, server.origin+"/mcp/sse")
		_, err := s.ServerInfo(within(t, 10*time.Second))
		require.ErrorContains(t, err, "HTTP status 405")
		require.ErrorContains(t, err, "of another origin")
		failure, ok := errors.AsType[*errors.TransporterRequestError](err)
		require.True(t, ok)
		require.Equal(t, 405, failure.Status)
	}
	require.Zero(t, stolen.Load())
}
