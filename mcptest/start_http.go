package mcptest

import (
	"net"
	"net/http"
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
	serveUntilEnd(t, server, mux, listener)
	return "http://" + listener.Addr().String() + "/mcp"
}
