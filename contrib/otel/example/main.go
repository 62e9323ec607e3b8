// Command example calls a tool of a server of its own and writes the spans and
// metrics of it to its output. In a program of yours exporters of OTLP stand in their
// place: everything else stays as it is.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"

	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/contrib/otel"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func main() {
	server := mcptest.NewDemoServer()
	defer server.Close()
	address := httptest.NewServer(server.Handler())
	defer address.Close()
	if err := run(context.Background(), address.URL, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run makes the client with its telemetry and has a request of the program's call a
// tool.
func run(ctx context.Context, address string, output io.Writer) error {
	spans, err := stdouttrace.New(stdouttrace.WithWriter(output), stdouttrace.WithPrettyPrint())
	if err != nil {
		return err
	}
	tracers := trace.NewTracerProvider(trace.WithBatcher(spans))
	measurements, err := stdoutmetric.New(stdoutmetric.WithWriter(output), stdoutmetric.WithPrettyPrint())
	if err != nil {
		return err
	}
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(measurements)))

	telemetry, err := otel.New(
		otel.WithTracerProvider(tracers),
		otel.WithMeterProvider(meters),
		otel.WithPropagator(propagation.TraceContext{}), // no baggage: servers are others' programs
	)
	if err != nil {
		return err
	}
	cfg, err := config.FromServers(map[string]any{"demo": map[string]any{"type": "http", "base_url": address}})
	if err != nil {
		return err
	}
	client, err := mcpclient.New(cfg, telemetry)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()

	ctx, span := tracers.Tracer("example").Start(ctx, "GET /echo") // a handler's, as otelhttp makes it
	demo, err := client.Connect("demo")
	if err != nil {
		return err
	}
	result, err := demo.CallTool(ctx, "echo", map[string]string{"text": "hello"})
	if err != nil {
		return err
	}
	fmt.Fprintln(output, result.Text())
	span.End()

	if err := tracers.Shutdown(ctx); err != nil {
		return err
	}
	return meters.Shutdown(ctx)
}
