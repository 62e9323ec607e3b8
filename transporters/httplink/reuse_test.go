package httplink

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// countDials starts a server that counts its connections.
func countDials(t testing.TB, handler http.HandlerFunc) (url string, dials *atomic.Int32) {
	t.Helper()
	dials = new(atomic.Int32)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dials.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, dials
}

// drained waits until the tails of earlier streams have been read: how long that
// takes is up to the machine, what becomes of the connection then is not.
func drained(t *testing.T, link *Link) {
	t.Helper()
	require.Eventually(t, func() bool {
		link.tails.mu.Lock()
		defer link.tails.mu.Unlock()
		return link.tails.count == 0
	}, 10*time.Second, 100*time.Microsecond)
}

// P26: connections are used again after every kind of answer, also where
// the stream ends later than the answer.
func TestConnectionsAreReused(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"JSON":          func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "application/json", answer7) },
		"error":         func(w http.ResponseWriter, r *http.Request) { reply(w, 400, "text/plain", "no") },
		"long error":    func(w http.ResponseWriter, r *http.Request) { reply(w, 400, "text/plain", fmt.Sprintf("%60000d", 1)) },
		"web page":      func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "text/html", "<p>") },
		"202":           func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) },
		"event stream":  func(w http.ResponseWriter, r *http.Request) { events(w, progress70, answer7) },
		"late end":      func(w http.ResponseWriter, r *http.Request) { events(w, answer7); time.Sleep(time.Millisecond) },
		"late messages": func(w http.ResponseWriter, r *http.Request) { events(w, answer7, logMessage, logMessage) },
	} {
		t.Run(name, func(t *testing.T) {
			url, dials := countDials(t, handler)
			link, box := open(t, Config{BaseURL: url})
			for range 100 {
				_, err := link.Exchange(t.Context(), call(), &sink{})
				if name != "web page" {
					require.NoError(t, err)
				}
				drained(t, link)
				if err := link.Send(t.Context(), notification()); !strings.HasSuffix(name, "error") {
					require.NoError(t, err)
				}
			}
			assert.LessOrEqual(t, dials.Load(), int32(4), "of 200 requests; net/http may dial while one is on its way back")
			assert.Empty(t, box.all(), "what follows the answer is ignored (R094)")
		})
	}
}

// The caller's context may end right behind the answer, as the session's does,
// without costing the connection.
func TestTailOutlivesTheCallersContext(t *testing.T) {
	url, dials := countDials(t, func(w http.ResponseWriter, r *http.Request) {
		events(w, answer7)
		time.Sleep(time.Millisecond)
	})
	link, _ := open(t, Config{BaseURL: url})
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := link.Exchange(ctx, call(), &sink{})
		cancel()
		require.NoError(t, err)
		drained(t, link)
	}
	assert.LessOrEqual(t, dials.Load(), int32(4))
}

// A stream that stays open behind its answer is closed after a while.
func TestTailIsBounded(t *testing.T) {
	for name, follow := range map[string]func(w http.ResponseWriter){
		"silent": func(http.ResponseWriter) {},
		"endless": func(w http.ResponseWriter) {
			for range 10_000 {
				events(w, fmt.Sprintf("%1000d", 1))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				events(w, answer7)
				follow(w)
				<-r.Context().Done()
				close(ended)
			})
			link, _ := open(t, Config{BaseURL: server.URL})
			begin := time.Now()
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			assert.Less(t, time.Since(begin), drainTime, "nobody waits for the tail")
			select {
			case <-ended:
			case <-time.After(drainTime + 5*time.Second):
				t.Error("the stream is never closed")
			}
		})
	}
}

// Many callers share one link: every answer is the right one, and connections are
// used again by them.
func TestManyCallers(t *testing.T) {
	const callers, calls = 64, 50
	url, dials := countDials(t, func(w http.ResponseWriter, r *http.Request) {
		var id uint64
		_, err := fmt.Fscanf(r.Body, `{"jsonrpc":"2.0","id":%d,`, &id)
		assert.NoError(t, err)
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, id, id)
		if id%2 == 0 {
			events(w, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, 10*id), answer)
			return
		}
		reply(w, 200, "application/json", answer)
	})
	link, box := open(t, Config{BaseURL: url})
	var done sync.WaitGroup
	for caller := range callers {
		done.Go(func() {
			for i := range calls {
				id := uint64(caller*calls + i + 1)
				s := &sink{}
				got, err := link.Exchange(t.Context(), outbound(id), s)
				if !assert.NoError(t, err) {
					return
				}
				assert.Equal(t, fmt.Sprintf(`{"n":%d}`, id), string(got.Message.Result))
				assert.Len(t, s.delivered, int(1-id%2))
			}
		})
	}
	done.Wait()
	assert.Empty(t, box.all())
	assert.LessOrEqual(t, dials.Load(), int32(8*callers), "of %d requests", callers*calls)
}

// Links with equal settings share the connections of a pool. The last of them to be
// closed leaves none open, whoever owns the pool; one that is closed before does not
// touch what the others use.
func TestPoolIsShared(t *testing.T) {
	var opened, closed atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "application/json", answer7) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
		case http.StateClosed:
			closed.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	pool := dial.NewPool()
	defer pool.Close()
	links := make([]*Link, 5)
	for i := range links {
		links[i] = New("test", Config{BaseURL: server.URL}, WithPool(pool))
	}
	for range 2 {
		for _, link := range links {
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
		}
	}
	for i, link := range links {
		_, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		assert.EqualValues(t, 1, opened.Load())
		assert.Zero(t, closed.Load(), "%d links are open", len(links)-i)
		shut(t, link)
	}
	require.Eventually(t, func() bool { return closed.Load() == 1 }, 10*time.Second, time.Millisecond, "the last link is closed, its connection is not")

	again := New("test", Config{BaseURL: server.URL}, WithPool(pool))
	defer shut(t, again)
	_, err := again.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.EqualValues(t, 2, opened.Load())
}
