// Command worker does the jobs of a queue with the tools of a supervised server
// process. The server of its configuration dies now and then, so that one sees what
// becomes of the jobs:
//
//	go run ./examples/worker
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func main() {
	file := flag.String("config", "examples/worker/mcp.yaml", "the file that names the server")
	jobs := flag.Int("jobs", 60, "how many jobs there are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if flag.Arg(0) == "unreliable-server" { // what mcp.yaml starts
		serveUnreliably(ctx)
		return
	}
	if err := work(ctx, *file, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

// work does jobs until there are none left, or ctx ends: then those that are at
// hand are finished, and the others stay in the queue.
func work(ctx context.Context, file string, jobs int) error {
	cfg, err := load(file)
	if err != nil {
		return err
	}
	client, err := mcpclient.New(cfg, mcpclient.WithSlog(slog.Default())) // the log tells of restarts
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	tools, err := client.Connect("tools")
	if err != nil {
		return err
	}
	queue := newQueue(jobs)
	for i := range jobs {
		queue.add(job{ID: i + 1, Text: fmt.Sprintf("job %d", i+1), Repeatable: true})
	}
	(&worker{tools: tools, queue: queue, atOnce: 4, pause: 100 * time.Millisecond}).run(ctx)

	done, given := queue.counts()
	fmt.Printf("%d jobs done, %d given up, %d left; the server was restarted %d times\n",
		done, given, jobs-done-given, tools.Stats().Restarts)
	ending, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return client.Shutdown(ending)
}

// load reads the configuration. mcp.yaml names this very program as a server.
func load(file string) (*config.Config, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("WORKER_EXECUTABLE", self); err != nil {
		return nil, err
	}
	return config.Load(file)
}

// serveUnreliably is a server that dies of every 25th call.
func serveUnreliably(ctx context.Context) {
	server := mcptest.NewDemoServer()
	var calls atomic.Int64
	server.AddTool(mcp.Tool{Name: "work", InputSchema: []byte(`{"type":"object"}`)}, func(_ context.Context, call *mcptest.Call) (any, error) {
		if calls.Add(1)%25 == 0 {
			fmt.Fprintln(os.Stderr, "fatal: out of luck")
			os.Exit(3)
		}
		var arguments struct{ Text string }
		if err := call.Decode(&arguments); err != nil {
			return nil, err
		}
		return "did " + arguments.Text, nil
	})
	_ = server.ServeStdio(ctx, os.Stdin, os.Stdout)
}
