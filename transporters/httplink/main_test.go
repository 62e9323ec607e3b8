package httplink

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink records what an exchange tells the session.
type sink struct {
	accepted, arrived atomic.Int32
	onDeliver         func(mcp.Message)

	mu        sync.Mutex
	delivered []string
}

func (s *sink) Accepted() { s.accepted.Add(1) }
func (s *sink) Arrived()  { s.arrived.Add(1) }

func (s *sink) Deliver(m mcp.Message) {
	s.mu.Lock()
	s.delivered = append(s.delivered, string(m.Raw))
	s.mu.Unlock()
	if s.onDeliver != nil {
		s.onDeliver(m)
	}
}

// inbox records what a link gives to the session's listener.
type inbox struct {
	mu       sync.Mutex
	messages []string
}

func (i *inbox) take(_ transporters.Link, m mcp.Message) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.messages = append(i.messages, string(m.Raw))
}

func (i *inbox) all() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.messages...)
}

// serve starts a server on the loopback interface.
func serve(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// open makes and starts a link that the test closes.
func open(t testing.TB, cfg Config, options ...Option) (*Link, *inbox) {
	t.Helper()
	link := New("test", cfg, options...)
	box := &inbox{}
	require.NoError(t, link.Start(t.Context(), box.take))
	t.Cleanup(func() { shut(t, link) })
	return link, box
}

func shut(t testing.TB, link *Link) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	require.NoError(t, link.Close(ctx))
}

// call is a tools/call with id 7 and progress token 70.
func call() *transporters.Outbound {
	return outbound(7)
}

func outbound(id uint64) *transporters.Outbound {
	return &transporters.Outbound{
		Frame:      fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`, id),
		ID:         id,
		Token:      10 * id,
		Method:     mcp.MethodCallTool,
		Name:       "echo",
		Header:     protocolHeader(),
		WantEvents: true,
	}
}

func protocolHeader() http.Header {
	return http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"},
		"Mcp-Session-Id":       {"session-1"},
	}
}

const answer7 = `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`

// reply writes a complete answer.
func reply(w http.ResponseWriter, status int, contentType, body string) {
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	} else {
		w.Header()["Content-Type"] = nil
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// events writes an event stream, each event flushed.
func events(w http.ResponseWriter, data ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, d := range data {
		_, _ = io.WriteString(w, "data: "+d+"\n\n")
		w.(http.Flusher).Flush()
	}
}

// logs is a logger whose output can be read.
func logs() (hclog.Logger, func() string) {
	var mu sync.Mutex
	var text []byte
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		text = append(text, p...)
		return len(p), nil
	})})
	return logger, func() string {
		mu.Lock()
		defer mu.Unlock()
		return string(text)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func notification() *transporters.Outbound {
	return &transporters.Outbound{
		Frame:  []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
		Method: mcp.NotificationInitialized,
		Header: protocolHeader(),
	}
}

// raw starts a TCP server that reads each request's head and body and then
// lets answer write what it likes; the connection is closed behind it.
func raw(t testing.TB, answer func(conn net.Conn, request *http.Request)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var connections sync.WaitGroup
	connections.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Go(func() {
				defer conn.Close()
				request, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, request.Body)
				answer(conn, request)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		connections.Wait()
	})
	return "http://" + listener.Addr().String() + "/mcp"
}

// waitClosed waits until the peer has closed the connection.
func waitClosed(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, _ = conn.Read(make([]byte, 1))
}

// tlsFiles are PEM files for a test.
type tlsFiles struct{ authority, certificate, key string }

// serveTLS starts an HTTPS server that wants a client's certificate, which is
// its own.
func serveTLS(t testing.TB, handler http.HandlerFunc) (url string, files tlsFiles) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	require.NoError(t, err)
	folder := t.TempDir()
	put := func(name, kind string, bytes []byte) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600))
		return file
	}
	own := put("certificate.pem", "CERTIFICATE", certificate.Certificate[0])
	return server.URL, tlsFiles{authority: own, certificate: own, key: put("key.pem", "PRIVATE KEY", key)}
}
