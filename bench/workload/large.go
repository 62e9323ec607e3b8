package workload

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/bench/driver"
	"github.com/mcp-client-go/mcpclient/bench/peer"
)

// leastOps is how often a long operation is measured, whatever it takes.
const leastOps = 3

// repeat measures one operation until the time is over.
func (o *options) repeat(m Metrics, operation func() error) error {
	var latency []int64
	s, err := o.start()
	if err != nil {
		return err
	}
	for len(latency) < leastOps || time.Since(s.started) < o.duration {
		started := time.Now()
		if err := operation(); err != nil {
			return err
		}
		latency = append(latency, int64(time.Since(started)))
	}
	_, err = s.stop(m, len(latency))
	latencies(m, latency)
	return err
}

// blob measures calls with large results.
func (o *options) blob(ctx context.Context, client driver.Client, m Metrics) error {
	want := peer.BlobText(o.bytes)
	call := func() (string, error) {
		text, err := client.Call(ctx, "blob", map[string]any{"bytes": o.bytes})
		if err == nil && len(text) != len(want) {
			err = fmt.Errorf("a blob of %d bytes, want %d", len(text), len(want))
		}
		return text, err
	}
	text, err := call()
	if err != nil {
		return err
	}
	if text != want {
		return fmt.Errorf("a blob that differs from what was sent")
	}
	text = ""
	err = o.repeat(m, func() error {
		_, err := call()
		return err
	})
	m["mb_per_s"] = m["ops_per_s"] * float64(len(want)) / 1e6
	m["bytes_per_payload_byte"] = m["bytes_per_op"] / float64(len(want))
	return err
}

// list measures the listing of tools.
func (o *options) list(ctx context.Context, client driver.Client, m Metrics) error {
	want, err := client.ListTools(ctx)
	if err != nil {
		return err
	}
	m["tools"] = float64(want)
	return o.repeat(m, func() error {
		count, err := client.ListTools(ctx)
		if err == nil && count != want {
			err = fmt.Errorf("%d tools, want %d", count, want)
		}
		return err
	})
}
