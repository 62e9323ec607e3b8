package otel

import (
	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// DefaultNameLimit is how many names of tools, and as many of prompts, methods and
// error codes, are told apart for each server.
const DefaultNameLimit = 200

// Option changes what New returns.
type Option func(*settings)

type settings struct {
	tracers     trace.TracerProvider
	meters      metric.MeterProvider
	propagator  propagation.TextMapPropagator
	mayReceive  func(server string) bool
	nameLimit   int
	withoutURIs bool
}

func newSettings(options []Option) *settings {
	s := &settings{
		tracers:    api.GetTracerProvider(),
		meters:     api.GetMeterProvider(),
		propagator: api.GetTextMapPropagator(),
		mayReceive: func(string) bool { return true },
		nameLimit:  DefaultNameLimit,
	}
	for _, option := range options {
		option(s)
	}
	return s
}

// WithTracerProvider sets where spans go; the default, which nil means as well, is
// the global one.
func WithTracerProvider(provider trace.TracerProvider) Option {
	return func(s *settings) {
		if provider != nil {
			s.tracers = provider
		}
	}
}

// WithMeterProvider sets where measurements go; the default, which nil means as
// well, is the global one.
func WithMeterProvider(provider metric.MeterProvider) Option {
	return func(s *settings) {
		if provider != nil {
			s.meters = provider
		}
	}
}

// WithPropagator sets what is sent along to servers; the default, which nil means
// as well, is the global one, which sends nothing unless the program has set it.
// HTTP headers carry all that it writes, _meta only traceparent, tracestate and
// baggage: those are the keys that the protocol has for it.
func WithPropagator(propagator propagation.TextMapPropagator) Option {
	return func(s *settings) {
		if propagator != nil {
			s.propagator = propagator
		}
	}
}

// WithPropagationTo sends the context of traces only to the servers of which
// mayReceive reports true, by their configured names. The default is all of them.
// Baggage in particular is not for everybody's eyes. mayReceive is called for each
// request and must be fast.
func WithPropagationTo(mayReceive func(server string) bool) Option {
	return func(s *settings) {
		if mayReceive != nil {
			s.mayReceive = mayReceive
		}
	}
}

// WithNameLimit sets how many names of tools, and as many of prompts, methods and
// error codes, are told apart for each server; the default, which 0 or less means
// as well, is DefaultNameLimit.
func WithNameLimit(limit int) Option {
	return func(s *settings) {
		if limit > 0 {
			s.nameLimit = limit
		}
	}
}

// WithoutResourceURIs leaves mcp.resource.uri out of spans. Without it they have up
// to 300 bytes of the URI, without user information.
func WithoutResourceURIs() Option { return func(s *settings) { s.withoutURIs = true } }
