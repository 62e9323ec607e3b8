package mcptest

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// StartHTTP serves the server over HTTP on a free port of the loopback interface
// and returns its endpoint's URL. When the test ends, the server is closed.
func StartHTTP(t TB, server *Server) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen on the loopback interface: %v", err)
		return ""
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.Handler())
	endpoint := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- endpoint.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		_ = endpoint.Close() // the listener is gone either way
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("HTTP server ended: %v", err)
		}
	})
	return "http://" + listener.Addr().String() + "/mcp"
}
