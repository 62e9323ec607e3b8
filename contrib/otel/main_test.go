package otel_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/contrib/otel"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// childMode, in the environment of this test program, makes it a server process.
const childMode = "MCPCLIENT_OTEL_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childMode) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	server := mcptest.NewDemoServer()
	defer server.Close()
	server.AddTool(mcp.Tool{Name: "crash", InputSchema: []byte(`{"type":"object"}`)}, func(context.Context, *mcptest.Call) (any, error) {
		os.Exit(4)
		return nil, nil
	})
	_ = server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
}

// recorder is what the program's exporters got.
type recorder struct {
	spans   *tracetest.InMemoryExporter
	tracers *sdktrace.TracerProvider
	reader  *metric.ManualReader
	meters  *metric.MeterProvider
}

func newRecorder() *recorder {
	r := &recorder{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	r.tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(r.spans))
	r.meters = metric.NewMeterProvider(metric.WithReader(r.reader))
	return r
}

func (r *recorder) options(more ...otel.Option) []otel.Option {
	return append([]otel.Option{
		otel.WithTracerProvider(r.tracers), otel.WithMeterProvider(r.meters),
		otel.WithPropagator(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})),
	}, more...)
}

// named returns the spans of that name.
func (r *recorder) named(name string) tracetest.SpanStubs {
	var found tracetest.SpanStubs
	for _, span := range r.spans.GetSpans() {
		if span.Name == name {
			found = append(found, span)
		}
	}
	return found
}

// one returns the only span of that name.
func (r *recorder) one(t *testing.T, name string) tracetest.SpanStub {
	t.Helper()
	found := r.named(name)
	if len(found) != 1 {
		var all []string
		for _, span := range r.spans.GetSpans() {
			all = append(all, span.Name)
		}
		require.Len(t, found, 1, "spans named %q among %q", name, all)
	}
	return found[0]
}

// metrics returns what was measured so far, by name.
func (r *recorder) metrics(t *testing.T) map[string]metricdata.Metrics {
	t.Helper()
	var collected metricdata.ResourceMetrics
	require.NoError(t, r.reader.Collect(context.Background(), &collected))
	found := make(map[string]metricdata.Metrics)
	for _, scope := range collected.ScopeMetrics {
		for _, m := range scope.Metrics {
			found[m.Name] = m
		}
	}
	return found
}

// operations are the points of mcp.client.operation.duration.
func (r *recorder) operations(t *testing.T) []metricdata.HistogramDataPoint[float64] {
	t.Helper()
	return histogram(t, r.metrics(t)["mcp.client.operation.duration"])
}

func histogram(t *testing.T, m metricdata.Metrics) []metricdata.HistogramDataPoint[float64] {
	t.Helper()
	data, ok := m.Data.(metricdata.Histogram[float64])
	require.True(t, ok, "%s is a %T", m.Name, m.Data)
	return data.DataPoints
}

func sums(t *testing.T, m metricdata.Metrics) map[string]int64 {
	t.Helper()
	data, ok := m.Data.(metricdata.Sum[int64])
	require.True(t, ok, "%s is a %T", m.Name, m.Data)
	found := make(map[string]int64)
	for _, point := range data.DataPoints {
		reason, _ := point.Attributes.Value("mcpclient.reason")
		found[text(reason)] += point.Value
	}
	return found
}

// text is empty for an attribute that is not there.
func text(value attribute.Value) string {
	if value.Type() == attribute.EMPTY {
		return ""
	}
	return value.String()
}

// plain makes attributes easy to compare.
func plain(attributes []attribute.KeyValue) map[string]any {
	found := make(map[string]any, len(attributes))
	for _, a := range attributes {
		found[string(a.Key)] = a.Value.AsInterface()
	}
	return found
}

// connect returns a connection to the server of that section, with telemetry.
func connect(t *testing.T, r *recorder, section map[string]any, options ...otel.Option) (*mcpclient.Client, *mcpclient.Connection) {
	t.Helper()
	telemetry, err := otel.New(r.options(options...)...)
	require.NoError(t, err)
	return connectWith(t, section, telemetry)
}

func connectWith(t *testing.T, section map[string]any, options ...mcpclient.Option) (*mcpclient.Client, *mcpclient.Connection) {
	t.Helper()
	cfg, err := config.FromMap(map[string]any{"servers": map[string]any{"demo": section}})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg, options...)
	require.NoError(t, err)
	require.Empty(t, client.Problems())
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	demo, err := client.Connect("demo")
	require.NoError(t, err)
	return client, demo
}

// process is the section of a server that is this test program.
func process(t *testing.T) map[string]any {
	self, err := os.Executable()
	require.NoError(t, err)
	return map[string]any{"type": "stdio", "command": []string{self}, "env": map[string]any{
		childMode: "demo", "GORACE": "atexit_sleep_ms=0", // a program under the race detector sleeps before it exits
	}}
}

// caller returns a context with a span of the program around the call.
func caller(r *recorder) (context.Context, trace.Span) {
	return r.tracers.Tracer("program").Start(context.Background(), "handler")
}
