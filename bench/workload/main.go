// Package workload runs one workload with one client in this process and prints
// one line of measurements, as JSON.
package workload

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// Output is the line that a worker prints.
type Output struct {
	Client  string  `json:"client"`
	Metrics Metrics `json:"metrics"`
	Error   string  `json:"error,omitempty"`
}

// Names of workloads.
const (
	Calls    = "calls"
	Blob     = "blob"
	List     = "list"
	Progress = "progress"
	Idle     = "idle"
	Servers  = "servers"
)

type options struct {
	workload string
	url      string
	command  string
	modern   bool
	tuned    bool
	own      bool

	duration time.Duration
	callers  int
	least    int
	bytes    int
	clients  int
	limit    int
	events   int

	cpuProfile   string
	allocProfile string
}

// Main is the main function of every worker.
func Main(d driver.Driver) {
	var o options
	flag.StringVar(&o.workload, "workload", Calls, "calls, blob, list, progress, idle or servers")
	flag.StringVar(&o.url, "url", "", "HTTP endpoint")
	flag.StringVar(&o.command, "command", "", "of a stdio server, its words separated by blanks")
	flag.BoolVar(&o.modern, "modern", false, "speak 2026-07-28")
	flag.BoolVar(&o.tuned, "tuned", true, "give the client a transport with enough idle connections")
	flag.BoolVar(&o.own, "own", false, "idle: a transport for each client")
	flag.DurationVar(&o.duration, "duration", time.Second, "of what is measured")
	flag.IntVar(&o.callers, "callers", 1, "calls: at the same time")
	flag.IntVar(&o.least, "least", 1, "calls: of each caller, however long it takes")
	flag.IntVar(&o.bytes, "bytes", 1<<20, "blob: length of the text")
	flag.IntVar(&o.clients, "clients", 1000, "idle, servers: how many")
	flag.IntVar(&o.limit, "limit", 0, "of one message, in `bytes`; 0 is what the client has by itself")
	flag.IntVar(&o.events, "events", 100_000, "progress: notifications")
	flag.StringVar(&o.cpuProfile, "cpuprofile", "", "write a CPU profile of what is measured to this `file`")
	flag.StringVar(&o.allocProfile, "allocprofile", "", "write a profile of all allocations to this `file`")
	flag.Parse()
	output := Output{Client: d.Name(), Metrics: Metrics{}}
	if err := o.run(context.Background(), d, output.Metrics); err != nil {
		output.Error = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(output); err != nil || output.Error != "" {
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context, d driver.Driver, m Metrics) error {
	if o.allocProfile != "" {
		profileAllocations()
	}
	switch o.workload {
	case Idle:
		return o.idle(ctx, d, m)
	case Servers:
		return o.servers(ctx, d, m)
	}
	client, err := d.Open(ctx, o.target())
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	if err := o.measure(ctx, client, m); err != nil {
		return err
	}
	m["peak_rss_mib"] = memoryStatus("VmHWM:") / (1 << 20)
	if err := writeAllocations(o.allocProfile); err != nil {
		return err
	}
	return closeSoon(client)
}

func (o *options) measure(ctx context.Context, client driver.Client, m Metrics) error {
	switch o.workload {
	case Calls:
		return o.calls(ctx, client, m)
	case Blob:
		return o.blob(ctx, client, m)
	case List:
		return o.list(ctx, client, m)
	case Progress:
		return o.progress(ctx, client, m)
	default:
		return fmt.Errorf("no workload %q", o.workload)
	}
}

func (o *options) target() driver.Target {
	target := driver.Target{URL: o.url, Command: strings.Fields(o.command), Modern: o.modern, Limit: o.limit}
	if o.tuned && o.url != "" {
		target.HTTP = &http.Client{Transport: driver.TunedTransport()}
	}
	return target
}

// closeSoon closes a client that may not be able to.
func closeSoon(client driver.Client) error {
	const patience = 10 * time.Second
	closed := make(chan error, 1)
	go func() { closed <- client.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			return fmt.Errorf("close: %w", err)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("close took longer than %v", patience)
	}
}
