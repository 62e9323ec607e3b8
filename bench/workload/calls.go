package workload

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/driver"
)

const echoText = "The quick brown fox jumps over the lazy dog, again and again. 64!"

// Echo makes one call of the tool echo and checks its answer.
func Echo(ctx context.Context, client driver.Client) error {
	text, err := client.Call(ctx, "echo", map[string]any{"text": echoText})
	if err == nil && text != echoText {
		err = fmt.Errorf("echo answered %q", text)
	}
	return err
}

// calls measures echo calls of many callers, each making one after the other.
func (o *options) calls(ctx context.Context, client driver.Client, m Metrics) error {
	if err := o.enoughFiles(); err != nil {
		return err
	}
	// Before anything is measured every caller makes a few calls, so that its
	// connection is open.
	const warmUpCalls = 4
	if err := o.load(ctx, client, o.duration/4, warmUpCalls, nil); err != nil {
		return err
	}
	latency := make([][]int64, o.callers)
	for i := range latency {
		latency[i] = make([]int64, 0, 200_000/o.callers+64)
	}
	var goroutines atomic.Int64
	halfway := time.AfterFunc(o.duration/2, func() { goroutines.Store(int64(runtime.NumGoroutine())) })
	defer halfway.Stop()
	s, err := o.start()
	if err != nil {
		return err
	}
	if err := o.load(ctx, client, o.duration, o.least, latency); err != nil {
		return err
	}
	all := slices.Concat(latency...)
	if _, err := s.stop(m, len(all)); err != nil {
		return err
	}
	latencies(m, all)
	m["goroutines"] = float64(goroutines.Load())
	return nil
}

// load lets all callers call until the time is over, and at least so many
// times. What a call took goes into latency, if it is there.
func (o *options) load(ctx context.Context, client driver.Client, duration time.Duration, least int, latency [][]int64) error {
	var over atomic.Bool
	timer := time.AfterFunc(duration, func() { over.Store(true) })
	defer timer.Stop()
	failures := make(chan error, o.callers)
	var callers sync.WaitGroup
	for caller := range o.callers {
		callers.Go(func() {
			for call := 0; call < least || !over.Load(); call++ {
				started := time.Now()
				if err := Echo(ctx, client); err != nil {
					failures <- err
					return
				}
				if latency != nil {
					latency[caller] = append(latency[caller], int64(time.Since(started)))
				}
			}
		})
	}
	callers.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}
