package httplink

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// dying is a server that answers the first request of each connection, reads the
// second one whole, and dies with the connection: what it was asked for then may
// have been done.
type dying struct {
	mu    sync.Mutex
	seen  map[string]int      // calls, by their bodies
	keys  map[string]struct{} // idempotency keys
	conns []net.Conn
}

func startDying(t *testing.T) (address string, server *dying) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server = &dying{seen: map[string]int{}, keys: map[string]struct{}{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server.mu.Lock()
			server.conns = append(server.conns, conn)
			server.mu.Unlock()
			running.Go(func() { server.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		server.mu.Lock()
		for _, conn := range server.conns {
			_ = conn.Close()
		}
		server.mu.Unlock()
		running.Wait()
	})
	return "http://" + listener.Addr().String() + "/mcp", server
}

func (s *dying) serve(conn net.Conn) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	body := s.read(reader)
	var id uint64
	if _, err := fmt.Sscanf(body, `{"jsonrpc":"2.0","id":%d,`, &id); err != nil {
		return
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id)
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
	s.read(reader)
}

func (s *dying) read(reader *bufio.Reader) string {
	request, err := http.ReadRequest(reader)
	if err != nil {
		return ""
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[string(body)]++
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if key := request.Header.Get(name); key != "" {
			s.keys[key] = struct{}{}
		}
	}
	return string(body)
}

// Whoever sets an idempotency key, and wherever: net/http must not take it for
// leave to send a call twice behind everybody's back.
func TestNoCallRunsTwiceForItsIdempotencyKey(t *testing.T) {
	const calls = 20
	set := func(name string) resty.RequestMiddleware {
		return func(_ *resty.Client, request *resty.Request) error {
			request.SetHeader(name, "key")
			return nil
		}
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		for place, test := range map[string]struct {
			headers map[string]config.Secret
			client  func() *resty.Client
			call    http.Header
		}{
			"configured":    {headers: literals(name, "key")},
			"of the call":   {call: http.Header{name: {"key"}}},
			"of the client": {client: func() *resty.Client { return resty.New().SetHeader(name, "key") }},
			"in middleware": {client: func() *resty.Client { return resty.New().OnBeforeRequest(set(name)) }},
			"in the request hook": {client: func() *resty.Client {
				return resty.New().SetPreRequestHook(func(_ *resty.Client, request *http.Request) error {
					request.Header.Set(name, "key")
					return nil
				})
			}},
			"with a transport of the user's": {client: func() *resty.Client {
				return resty.NewWithClient(&http.Client{Transport: &http.Transport{}}).OnBeforeRequest(set(name))
			}},
			"with a round tripper of the user's": {client: func() *resty.Client {
				transport := &http.Transport{}
				t.Cleanup(transport.CloseIdleConnections)
				return resty.NewWithClient(&http.Client{Transport: passing{transport}}).OnBeforeRequest(set(name))
			}},
		} {
			t.Run(name+" "+place, func(t *testing.T) {
				address, server := startDying(t)
				var options []Option
				if test.client != nil {
					options = append(options, WithClient(test.client()))
				}
				link, _ := open(t, Config{BaseURL: address, Headers: test.headers}, options...)
				ctx := withCall(t.Context(), "", test.call)
				failed := 0
				for id := range uint64(calls) {
					_, err := link.Exchange(ctx, outbound(7000+id), &sink{})
					if err == nil {
						continue
					}
					failed++
					require.ErrorIs(t, err, errors.ErrPeerLost)
					assert.False(t, errors.SafeToRetry(err), "it may have been done")
				}
				server.mu.Lock()
				defer server.mu.Unlock()
				assert.Contains(t, server.keys, "key", "the key was sent")
				assert.GreaterOrEqual(t, failed, calls/4, "the server died under calls")
				assert.Len(t, server.seen, calls)
				for body, times := range server.seen {
					assert.Equal(t, 1, times, body)
				}
			})
		}
	}
}

// passing is a round tripper that is no *http.Transport.
type passing struct{ transport *http.Transport }

func (p passing) RoundTrip(request *http.Request) (*http.Response, error) {
	return p.transport.RoundTrip(request)
}

// A connection that was kept alive, and that the server has closed since, loses
// no call: nothing of the call was written to it. So it is with an idempotency
// key, of which net/http could make more.
func TestAConnectionThatTheServerClosedLosesNoCall(t *testing.T) {
	for name, headers := range map[string]map[string]config.Secret{
		"plain":              nil,
		"an idempotency key": literals("Idempotency-Key", "key"),
	} {
		t.Run(name, func(t *testing.T) {
			const calls = 20
			address := raw(t, func(conn net.Conn, _ *http.Request) {
				_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 48\r\n\r\n" + answer7))
			})
			closed := make(chan struct{}, calls)
			client := resty.NewWithClient(&http.Client{Transport: &http.Transport{
				DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
					return &telling{conn, closed}, err
				},
			}})
			link, _ := open(t, Config{BaseURL: address, Headers: headers}, WithClient(client))
			for n := range calls {
				_, err := link.Exchange(t.Context(), call(), &sink{})
				require.NoError(t, err, fmt.Sprint("call ", n))
				<-closed
				time.Sleep(5 * time.Millisecond) // net/http has read the end, and drops the connection
			}
		})
	}
}

// telling tells when the end of the connection was read.
type telling struct {
	net.Conn
	closed chan<- struct{}
}

func (c *telling) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		c.closed <- struct{}{}
	}
	return n, err
}
