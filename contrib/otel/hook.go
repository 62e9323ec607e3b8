package otel

import (
	"fmt"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// scope is the name of the instrumentation.
const scope = "github.com/mcp-client-go/mcpclient/contrib/otel"

// Hook is a transporters.Hook that makes spans and measurements. It is safe for
// concurrent use, may serve several clients, and has nothing to be closed.
type Hook struct {
	settings *settings
	tracer   trace.Tracer
	metrics  *instruments
	names    *names
	live     *connections
}

// New returns the option for mcpclient.New that turns telemetry on. An error says
// that an instrument could not be made, which SDKs do not let happen.
func New(options ...Option) (mcpclient.Option, error) {
	hook, err := NewHook(options...)
	if err != nil {
		return nil, err
	}
	return mcpclient.WithHooks(hook), nil
}

// NewHook returns what New passes to mcpclient.WithHooks: for chains that are put
// together by hand.
func NewHook(options ...Option) (*Hook, error) {
	s := newSettings(options)
	metrics, err := newInstruments(s.meters.Meter(scope, metric.WithInstrumentationVersion(mcp.ClientInfo().Version)))
	if err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return &Hook{
		settings: s,
		tracer:   s.tracers.Tracer(scope, trace.WithInstrumentationVersion(mcp.ClientInfo().Version)),
		metrics:  metrics,
		names:    newNames(s.nameLimit),
		live:     newConnections(),
	}, nil
}

// propagates reports whether there is anything to send along to the server.
func (h *Hook) propagates(server string) bool {
	return len(h.settings.propagator.Fields()) > 0 && h.settings.mayReceive(server)
}
