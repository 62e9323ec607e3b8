package workload

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// idle measures what many clients that have nothing to do hold on to. What is
// made lazily, once, is charged to a first client, not to the many.
func (o *options) idle(ctx context.Context, d driver.Driver, m Metrics) error {
	target := o.target()
	first, err := d.Open(ctx, target)
	if err != nil {
		return err
	}
	if err := Echo(ctx, first); err != nil {
		return err
	}
	before := takeHoldings()
	started := time.Now()
	clients, err := o.openMany(ctx, d, target)
	if err != nil {
		return err
	}
	m["open_s"] = time.Since(started).Seconds()
	during := takeHoldings()
	count := float64(o.clients)
	m["heap_bytes_per_client"] = (during.heap - before.heap) / count
	m["stack_bytes_per_client"] = (during.stack - before.stack) / count
	m["rss_bytes_per_client"] = (during.rss - before.rss) / count
	m["goroutines_per_client"] = (during.goroutines - before.goroutines) / count
	m["files_per_client"] = (during.files - before.files) / count
	if err := writeAllocations(o.allocProfile); err != nil {
		return err
	}
	started = time.Now()
	err = inParallel(clients, func(i int) error { return clients[i].Close() })
	m["close_s"] = time.Since(started).Seconds()
	clear(clients)
	after := takeHoldings()
	m["goroutines_per_client_after_close"] = (after.goroutines - before.goroutines) / count
	if err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return closeSoon(first)
}

// openMany opens clients and lets each make a call.
func (o *options) openMany(ctx context.Context, d driver.Driver, target driver.Target) ([]driver.Client, error) {
	clients := make([]driver.Client, o.clients)
	fleet, isFleet := d.(driver.Fleet)
	isFleet = isFleet && !o.own
	if isFleet {
		var err error
		if clients, _, err = fleet.OpenMany(ctx, target, o.clients); err != nil {
			return nil, err
		}
	}
	return clients, inParallel(clients, func(i int) (err error) {
		target := target
		if o.own {
			target.HTTP = &http.Client{Transport: driver.TunedTransport()}
		}
		if !isFleet {
			if clients[i], err = d.Open(ctx, target); err != nil {
				return err
			}
		}
		return Echo(ctx, clients[i])
	})
}

// inParallel does something for each client, some at a time, and returns the
// first error.
func inParallel(clients []driver.Client, do func(i int) error) error {
	const workers = 32
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, workers)
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(clients); i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

// holdings are what a process holds on to.
type holdings struct{ heap, stack, rss, goroutines, files float64 }

func takeHoldings() holdings {
	for range 3 { // what is finalized or pooled needs more than one cycle
		runtime.GC()
		time.Sleep(30 * time.Millisecond)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	files, _ := os.ReadDir("/proc/self/fd")
	return holdings{
		heap:       float64(memory.HeapAlloc),
		stack:      float64(memory.StackInuse),
		rss:        memoryStatus("VmRSS:"),
		goroutines: float64(runtime.NumGoroutine()),
		files:      float64(len(files)),
	}
}
