package workload

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// servers measures one client with many servers: how long it takes to build from
// its configuration, what it holds on to before and after every server was
// called, how long first calls take, one and all, and the close. What
// is made lazily, once, is charged to another client with one server, not to the
// many.
func (o *options) servers(ctx context.Context, d driver.Driver, m Metrics) error {
	fleet, isFleet := d.(driver.Fleet)
	if !isFleet {
		return fmt.Errorf("%s holds no more than one server", d.Name())
	}
	target := o.target()
	warm, closeWarm, err := fleet.OpenMany(ctx, target, 1)
	if err != nil {
		return err
	}
	if err := Echo(ctx, warm[0]); err != nil {
		return err
	}
	count := float64(o.clients)
	before := takeHoldings()

	s, err := o.start()
	if err != nil {
		return err
	}
	clients, closeAll, err := fleet.OpenMany(ctx, target, o.clients)
	if err != nil {
		return err
	}
	built, err := s.stop(m, o.clients)
	if err != nil {
		return err
	}
	m["build_us"] = built.Seconds() * 1e6
	m["configured_heap_bytes"] = takeHoldings().heap - before.heap
	m["configured_heap_bytes_per_server"] = m["configured_heap_bytes"] / count

	started := time.Now()
	if err := Echo(ctx, clients[0]); err != nil {
		return err
	}
	m["first_call_us"] = time.Since(started).Seconds() * 1e6
	others := clients[1:]
	if err := inParallel(others, func(i int) error { return Echo(ctx, others[i]) }); err != nil {
		return err
	}
	m["first_calls_us"] = time.Since(started).Seconds() * 1e6
	during := takeHoldings()
	m["heap_bytes"] = during.heap - before.heap
	m["heap_bytes_per_server"] = m["heap_bytes"] / count
	m["goroutines_per_server"] = (during.goroutines - before.goroutines) / count

	started = time.Now()
	if err := closeAll(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	m["close_us"] = time.Since(started).Seconds() * 1e6
	return closeWarm()
}
