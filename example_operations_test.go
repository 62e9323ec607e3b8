package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// readyz answers the question of a load balancer. It starts no server.
func readyz(client *mcpclient.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		health := client.Health(r.Context(), mcpclient.HealthOf("search")) // what this backend cannot do without
		w.Header().Set("Content-Type", "application/json")
		if !health.OK {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(health)
	}
}

// showStats writes what a dashboard wants of every server.
func showStats(client *mcpclient.Client) {
	for _, name := range client.Servers() {
		connection, err := client.Connect(name)
		if err != nil {
			continue // it has just been removed
		}
		stats := connection.Stats()
		fmt.Println(name, connection.State(), stats.Requests, "requests", stats.Failures, "failures", stats.Restarts, "restarts")
	}
}

// slowCalls is a hook: any method of the Hook interfaces is enough.
type slowCalls struct{ log *slog.Logger }

// OnRequestEnd runs in the goroutine of the call, so it must be fast.
func (s slowCalls) OnRequestEnd(ctx context.Context, request *transporters.RequestInfo, outcome *transporters.RequestOutcome) {
	if outcome.Attempts > 1 || outcome.Err != nil {
		s.log.WarnContext(ctx, "call", "server", request.Server, "action", request.Action, "name", request.Name,
			"attempts", outcome.Attempts, "kind", transporters.KindOf(outcome.Err))
	}
}

// newOperatedClient is a client whose log and hooks go to slog.
func newOperatedClient(cfg *config.Config, logger *slog.Logger) (*mcpclient.Client, error) {
	return mcpclient.New(cfg,
		mcpclient.WithSlog(logger),
		mcpclient.WithHooks(slowCalls{logger}),
	)
}

// newQuietLogger has debug messages of one server only: hclog asks the hook for each
// sub-logger, and there is one of the name of each server.
func newQuietLogger() hclog.Logger {
	return hclog.New(&hclog.LoggerOptions{
		Name: "mcp", Level: hclog.Info, IndependentLevels: true,
		SubloggerHook: func(sub hclog.Logger) hclog.Logger {
			if sub.Name() == "mcp.search" {
				sub.SetLevel(hclog.Debug)
			}
			return sub
		},
	})
}

func ExampleClient_Health() {
	server := mcptest.NewDemoServer()
	defer server.Close()
	address := httptest.NewServer(server.Handler())
	defer address.Close()
	cfg, err := config.FromServers(map[string]any{"search": map[string]any{"type": "http", "base_url": address.URL}})
	if err != nil {
		panic(err)
	}
	client, err := newOperatedClient(cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		panic(err)
	}
	defer func() { _ = client.Close() }()
	search, err := client.Connect("search")
	if err != nil {
		panic(err)
	}
	if _, err := search.CallTool(context.Background(), "echo", map[string]string{"text": "hello"}); err != nil {
		panic(err)
	}
	page := httptest.NewRecorder()
	readyz(client)(page, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	fmt.Println(page.Code)
	showStats(client)
	// Output:
	// 200
	// search ready 1 requests 0 failures 0 restarts
}
