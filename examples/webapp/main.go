// Command webapp is a web backend whose users call tools of MCP servers. See
// README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/contrib/redis"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/operations"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "the address to serve on")
	file := flag.String("config", "mcp.yaml", "the file that names the servers: YAML, TOML or JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, flag.Arg(0), *listen, *file); err != nil {
		fmt.Fprintln(os.Stderr, "webapp:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, command, address, file string) error {
	if command == "demo-server" { // what mcp.yaml starts
		return mcptest.NewDemoServer().ServeStdio(ctx, os.Stdin, os.Stdout)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	return serve(ctx, listener, file)
}

// serve runs the backend until ctx ends, and then lets what runs finish.
func serve(ctx context.Context, listener net.Listener, file string) error {
	cfg, err := load(file)
	if err != nil {
		return err
	}
	recorder := &operations.Recorder{}
	client, err := mcpclient.New(cfg, redis.Register(), // what replicas share, if the file says so
		mcpclient.WithSlog(slog.Default()), mcpclient.WithHooks(recorder)) // no I/O yet
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	for _, problem := range client.Problems() {
		slog.Error("configuration", "problem", problem) // one bad server does not sink the rest
	}
	demo, err := client.Connect("demo")
	if err != nil {
		return err
	}
	if _, err := client.Watch(ctx, cfg, config.WatchOptions{}, nil); err != nil { // live reload; the client logs what it does
		return err
	}
	site, err := operations.New(client, operations.WithRecorder(recorder), operations.Required("demo"))
	if err != nil {
		return err
	}
	app := newApp(demo, newSessions(os.Getenv(sessionKey)))
	server := &http.Server{Handler: handler(app, &directory{client: client, sessions: app.sessions}, api{client}, site), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Printf("serving on http://%s\n", listener.Addr())
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	return shutdown(site, app, server, client)
}

// load reads the configuration. mcp.yaml names this very program as a server.
func load(file string) (*config.Config, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("WEBAPP_EXECUTABLE", self); err != nil {
		return nil, err
	}
	return config.Load(file)
}

// handler is all pages. Requests that other sites have a browser make are refused.
func handler(app *app, servers *directory, scripts api, site *operations.Site) http.Handler {
	mux := http.NewServeMux()
	app.register(mux)
	servers.register(mux)
	scripts.register(mux, app.sessions.signedIn)
	mux.Handle("GET /healthz", site.Healthz())
	mux.Handle("GET /readyz", site.Readyz())
	mux.Handle("GET /debug/mcp", site.Page()) // a real backend lets only its operators in
	registerProfiles(mux)
	return http.NewCrossOriginProtection().Handler(mux)
}

// shutdown says that the backend goes, lets requests, runs and calls finish, in
// this order, and cuts short what takes more than some seconds.
func shutdown(site *operations.Site, app *app, server *http.Server, client *mcpclient.Client) error {
	slog.Info("shutting down")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	site.Close()
	app.runs.close()
	failure := server.Shutdown(ctx)
	working, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if app.runs.wait(working) != nil {
		slog.Warn("reports were cut short")
	}
	return errors.Join(failure, client.Shutdown(ctx))
}
