// Command allocs prints how many allocations one call of this project's client
// makes, a line for each transport:
//
//	allocs http-json N
//	allocs http-sse N
//	allocs stdio N
//
// It takes a few seconds. The numbers depend neither on the machine's speed nor on
// its load, so that those of two versions can be compared exactly: the server is
// this program again, in a process of its own; the collector, which empties
// pools, runs only between the series of calls; and the least of all series
// counts, since a lost race between goroutines of net/http can cost an allocation
// more. A number is rounded to a whole one.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/clients/product"
	"github.com/mcp-client-go/mcpclient/bench/driver"
	"github.com/mcp-client-go/mcpclient/bench/peer"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

const (
	series  = 7
	calls   = 1000
	timeout = time.Minute

	// What this program serves if it is its first argument.
	serveStdio = "serve-stdio"
	serveHTTP  = "serve-http"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 1:
		err = run()
	case os.Args[1] == serveStdio:
		err = peer.ServeStdio(os.Stdin, os.Stdout, peer.ParseOptions(""))
	case os.Args[1] == serveHTTP:
		err = serve()
	default:
		err = fmt.Errorf("unknown argument %q: allocs takes none", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "allocs:", err)
		os.Exit(1)
	}
}

// serve serves HTTP until standard input ends, which it does with the parent.
func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	go func() { _ = peer.ServeHTTP(listener) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	address, stop, err := startServer(ctx, self)
	if err != nil {
		return err
	}
	defer stop()
	for _, transport := range []struct {
		name   string
		target driver.Target
	}{
		{"http-json", driver.Target{URL: "http://" + address + "/mcp?mode=" + peer.ModeJSON}},
		{"http-sse", driver.Target{URL: "http://" + address + "/mcp?mode=" + peer.ModeStream}},
		{"stdio", driver.Target{Command: []string{self, serveStdio}}},
	} {
		allocations, err := measure(ctx, transport.target)
		if err != nil {
			return fmt.Errorf("%s: %w", transport.name, err)
		}
		fmt.Printf("allocs %s %.0f\n", transport.name, allocations)
	}
	return nil
}

// startServer starts the HTTP server; stop ends it.
func startServer(ctx context.Context, self string) (address string, stop func(), err error) {
	command := exec.CommandContext(ctx, self, serveHTTP)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = command.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server did not tell its address: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// measure returns the allocations of one call, over all goroutines of this
// process.
func measure(ctx context.Context, target driver.Target) (float64, error) {
	client, err := product.Driver{}.Open(ctx, target)
	if err != nil {
		return 0, err
	}
	perCall, err := least(ctx, client)
	if closeErr := client.Close(); err == nil {
		err = closeErr
	}
	return perCall, err
}

func least(ctx context.Context, client driver.Client) (float64, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if err := echo(ctx, client); err != nil { // fills the pools
		return 0, err
	}
	found := make([]float64, series)
	for i := range found {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := echo(ctx, client); err != nil {
			return 0, err
		}
		runtime.ReadMemStats(&after)
		found[i] = float64(after.Mallocs-before.Mallocs) / calls
	}
	return slices.Min(found), nil
}

func echo(ctx context.Context, client driver.Client) error {
	for range calls {
		if err := workload.Echo(ctx, client); err != nil {
			return err
		}
	}
	return nil
}
