package otel

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// Names of the instruments. Those that begin with mcp. are the conventions'.
const (
	metricOperation = "mcp.client.operation.duration"
	metricSession   = "mcp.client.session.duration"
	metricActive    = "mcpclient.active_calls"
	metricAttempts  = "mcpclient.attempts"
	metricConnects  = "mcpclient.connections"
)

// buckets returns the bounds, in seconds, that the conventions recommend.
func buckets() []float64 {
	return []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
}

type instruments struct {
	operation metric.Float64Histogram
	session   metric.Float64Histogram
	active    metric.Int64UpDownCounter
	attempts  metric.Int64Counter
	connects  metric.Int64Counter
}

func newInstruments(meter metric.Meter) (*instruments, error) {
	var i instruments
	var faults [5]error
	i.operation, faults[0] = meter.Float64Histogram(metricOperation, metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(buckets()...),
		metric.WithDescription("How long calls took, retries and connecting included."))
	i.session, faults[1] = meter.Float64Histogram(metricSession, metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(buckets()...),
		metric.WithDescription("How long connections lived, from the handshake to their end."))
	i.active, faults[2] = meter.Int64UpDownCounter(metricActive, metric.WithUnit("{call}"),
		metric.WithDescription("Calls that are under way."))
	i.attempts, faults[3] = meter.Int64Counter(metricAttempts, metric.WithUnit("{request}"),
		metric.WithDescription("Requests that were sent, by why."))
	i.connects, faults[4] = meter.Int64Counter(metricConnects, metric.WithUnit("{connection}"),
		metric.WithDescription("Handshakes that succeeded, by why."))
	return &i, errors.Join(faults[:]...)
}
