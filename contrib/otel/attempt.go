package otel

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// Most calls take one attempt, of which the call's span says all. So the first one
// gets a span only when there is a second: then it is made afterwards, with the times
// that were noted, unless it is still under way.

// maxAttemptSpans bounds the spans of attempts below one call: a task is asked for
// as long as it runs.
const maxAttemptSpans = 50

// attempt is one attempt; its fields are the call's to guard.
type attempt struct {
	call    *call
	parent  context.Context // of the call
	info    transporters.AttemptInfo
	span    trace.Span // nil: none, or not yet
	ended   time.Time
	failed  failure
	status  int
	links   []trace.Link
	noSpans bool
}

type attemptKey struct{ hook *Hook }

// OnAttemptStart begins a span, if the call has had an attempt before, and has the
// HTTP request carry the context.
func (h *Hook) OnAttemptStart(ctx context.Context, info *transporters.AttemptInfo) context.Context {
	h.metrics.attempts.Add(ctx, 1, metric.WithAttributes(
		keyServer.String(info.Server), keyMethod.String(h.method(info.Server, info.Method)), keyReason.String(info.Reason.String())))
	if c := h.callOf(ctx); c != nil && c.span.IsRecording() {
		ctx = c.begin(ctx, info)
	}
	return h.withHeader(ctx, info)
}

// OnAttemptEnd ends the span that OnAttemptStart began, or notes how the attempt
// ended.
func (h *Hook) OnAttemptEnd(ctx context.Context, info *transporters.AttemptInfo, outcome *transporters.AttemptOutcome) {
	a, _ := ctx.Value(attemptKey{h}).(*attempt)
	if a == nil {
		return
	}
	failed := h.failureOf(info.Server, outcome.Err, false)
	if outcome.Failure != nil {
		failed = h.answered(info.Server, outcome.Failure)
	}
	a.call.mu.Lock()
	defer a.call.mu.Unlock()
	a.ended, a.failed, a.status = info.Began.Add(outcome.Duration), failed, outcome.Status
	a.finish()
}

// begin notes the attempt, and returns the context of its span if it gets one.
func (c *call) begin(ctx context.Context, info *transporters.AttemptInfo) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &attempt{call: c, parent: ctx, info: *info}
	before := c.newest
	c.newest = a
	switch {
	case before == nil:
	case c.spans >= maxAttemptSpans:
		c.unseen++
		a.noSpans = true
	default:
		before.start()
		a.follow(before)
		a.start()
		ctx = trace.ContextWithSpan(ctx, a.span)
	}
	return context.WithValue(ctx, attemptKey{c.hook}, a)
}

// follow links the attempt to the one before, and to its connection if that is
// another one.
func (a *attempt) follow(before *attempt) {
	reason := keyReason.String(a.info.Reason.String())
	if before.span != nil {
		a.links = append(a.links, trace.Link{SpanContext: before.span.SpanContext(), Attributes: []attribute.KeyValue{reason}})
	}
	if connection := a.info.Connection; connection.Number > 0 && connection.Number != before.info.Connection.Number {
		if before.info.Connection.Number > 0 { // the new one is linked to it
			a.call.hook.connectionSpan(before.info.Source, before.info.Connection)
		}
		a.links = append(a.links, trace.Link{
			SpanContext: a.call.hook.connectionSpan(a.info.Source, connection),
			Attributes:  []attribute.KeyValue{keyReason.String("connect: " + connection.Reason.String())},
		})
	}
}

// start begins the span, if there is none, with the attempt's own time.
func (a *attempt) start() {
	if a.span != nil || a.noSpans {
		return
	}
	h := a.call.hook
	method := h.method(a.info.Server, a.info.Method)
	attributes := append(connectionAttributes(a.info.Connection), h.subject(a.info.Action, a.info.Name)...)
	attributes = append(attributes, keyMethod.String(method), keyServer.String(a.info.Server), requestID(a.info.ID),
		keyAttempt.Int(a.info.Number), keyReason.String(a.info.Reason.String()))
	_, a.span = h.tracer.Start(a.parent, "attempt "+method, trace.WithSpanKind(trace.SpanKindInternal),
		trace.WithTimestamp(a.info.Began), trace.WithAttributes(attributes...), trace.WithLinks(a.links...))
	a.call.spans++
	a.finish()
}

// finish ends the span, if there is one and the attempt is over.
func (a *attempt) finish() {
	if a.span == nil || a.ended.IsZero() {
		return
	}
	if a.status > 0 {
		a.span.SetAttributes(keyHTTPStatus.Int(a.status))
	}
	if a.failed.errorType == "" && a.status >= 400 {
		a.failed = failure{errorType: a.call.hook.errorName(a.info.Server, strconv.Itoa(a.status))}
	}
	a.failed.mark(a.span)
	a.span.End(trace.WithTimestamp(a.ended))
}
