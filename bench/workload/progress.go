package workload

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

// progress measures one call with very many progress notifications.
func (o *options) progress(ctx context.Context, client driver.Client, m Metrics) error {
	const warmUpEvents = 1000
	var seen, disordered atomic.Int64
	var last float64
	report := func(value float64) {
		if value <= last {
			disordered.Add(1)
		}
		last = value
		seen.Add(1)
	}
	call := func(events int) error {
		_, err := client.CallProgress(ctx, "progress", map[string]any{"n": events}, report)
		return err
	}
	if err := call(warmUpEvents); err != nil {
		return err
	}
	waitFor(&seen, warmUpEvents)
	seen.Store(0)
	disordered.Store(0)
	last = 0
	s, err := o.start()
	if err != nil {
		return err
	}
	if err := call(o.events); err != nil {
		return err
	}
	atReturn := seen.Load()
	waitFor(&seen, int64(o.events)) // late ones count as well
	elapsed, err := s.stop(m, o.events)
	m["events_per_s"] = float64(seen.Load()) / elapsed.Seconds()
	m["late_events"] = float64(int64(o.events) - atReturn)
	m["lost_events"] = float64(int64(o.events) - seen.Load())
	m["disordered_events"] = float64(disordered.Load())
	return err
}

// waitFor waits, for a time, until as many events have been seen.
func waitFor(seen *atomic.Int64, want int64) {
	const patience = 20 * time.Second
	for deadline := time.Now().Add(patience); seen.Load() < want && time.Now().Before(deadline); {
		time.Sleep(200 * time.Microsecond)
	}
}
