// Command quickstart is a web backend with one page, which calls a tool.
package main

import (
	"fmt"
	"log"
	"log/slog"
	"net/http"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

func main() {
	cfg, err := config.Load("mcp.yaml") // fails only for the file itself
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcpclient.New(cfg, mcpclient.WithSlog(slog.Default())) // no I/O yet
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	for _, problem := range client.Problems() {
		slog.Error("configuration", "problem", problem) // one bad server does not sink the rest
	}
	demo, err := client.Connect("demo") // no I/O; an unknown name lists the known ones
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("GET /echo", echo(demo))
	log.Print(http.ListenAndServe("127.0.0.1:8080", nil))
}

// echo is called from many goroutines, each with its own context. The server is
// started, and the handshake made, by the first call.
func echo(server *mcpclient.Connection) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := server.CallTool(r.Context(), "echo", map[string]any{"text": r.FormValue("text")})
		switch {
		case err != nil: // no result: who failed and why is in the error
			slog.Error("echo", "error", err, "retry", errors.SafeToRetry(err))
			http.Error(w, "the server does not answer", http.StatusBadGateway)
		case result.IsError: // the tool ran and failed: its text says why
			http.Error(w, result.Text(), http.StatusUnprocessableEntity)
		default:
			_, _ = fmt.Fprintln(w, result.Text())
		}
	}
}
