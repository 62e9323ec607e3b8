package otel

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// call is one call, from OnRequestStart to OnRequestEnd. It travels in the context.
type call struct {
	hook *Hook
	span trace.Span

	mu     sync.Mutex
	newest *attempt
	spans  int // of attempts
	unseen int // attempts that got none
}

// callKey is the key of one hook's call: there may be several hooks.
type callKey struct{ hook *Hook }

func (h *Hook) callOf(ctx context.Context) *call {
	found, _ := ctx.Value(callKey{h}).(*call)
	return found
}

// OnRequestStart begins the call's span.
func (h *Hook) OnRequestStart(ctx context.Context, request *transporters.RequestInfo) context.Context {
	method := h.method(request.Server, request.Action)
	h.metrics.active.Add(ctx, 1, metric.WithAttributes(keyServer.String(request.Server)))
	attributes := append(h.subject(request.Action, request.Name), keyMethod.String(method), keyServer.String(request.Server))
	ctx, span := h.tracer.Start(ctx, h.spanName(method, request), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(request.Began), trace.WithAttributes(attributes...))
	ctx = context.WithValue(ctx, callKey{h}, &call{hook: h, span: span})
	return h.withMeta(ctx, request.Server)
}

// spanName is "method target" where the target is known, else "method".
func (h *Hook) spanName(method string, request *transporters.RequestInfo) string {
	if kind := targetKind(request.Action); kind != "" {
		if name := h.names.find(request.Server, kind, errors.PeerText(request.Name, maxName)); name != other {
			return method + " " + name
		}
	}
	return method
}

// OnRequestEnd ends the call's span and measures the call.
func (h *Hook) OnRequestEnd(ctx context.Context, request *transporters.RequestInfo, outcome *transporters.RequestOutcome) {
	h.metrics.active.Add(ctx, -1, metric.WithAttributes(keyServer.String(request.Server)))
	c := h.callOf(ctx)
	if c == nil {
		return // another hook has thrown our context away
	}
	method := h.method(request.Server, request.Action)
	failed := h.failureOf(request.Server, outcome.Err, outcome.ToolError)
	common := append(connectionAttributes(outcome.Last.Connection), keyMethod.String(method), keyServer.String(request.Server))
	common = append(common, failed.attributes()...)

	measured := common
	if kind := targetKind(request.Action); kind != "" {
		measured = append(measured[:len(measured):len(measured)], h.measuredTarget(kind, request, outcome))
		if kind == kindTool {
			measured = append(measured, keyOperation.String(operationExecute))
		}
	}
	h.metrics.operation.Record(ctx, outcome.Duration.Seconds(), metric.WithAttributes(measured...))
	c.end(request, outcome, h.spanName(method, request), common, failed)
}

// measuredTarget is the bounded name of the tool or prompt.
func (h *Hook) measuredTarget(kind string, request *transporters.RequestInfo, outcome *transporters.RequestOutcome) attribute.KeyValue {
	name := errors.PeerText(request.Name, maxName)
	if outcome.Err == nil && !outcome.ToolError {
		return target(kind, h.names.admit(request.Server, kind, name))
	}
	return target(kind, h.names.find(request.Server, kind, name))
}

func (c *call) end(request *transporters.RequestInfo, outcome *transporters.RequestOutcome, name string, attributes []attribute.KeyValue, failed failure) {
	if !c.span.IsRecording() {
		c.span.End()
		return
	}
	attributes = append(attributes, keyAttempts.Int(outcome.Attempts))
	if last := outcome.Last; last.Action == request.Action && len(last.ID) > 0 {
		attributes = append(attributes, requestID(last.ID))
	}
	if connection := outcome.Last.Connection; connection.Number > 0 && connection.At.After(request.Began) {
		c.span.AddLink(trace.Link{ // the call has waited for it
			SpanContext: c.hook.connectionSpan(outcome.Last.Source, connection),
			Attributes:  []attribute.KeyValue{keyReason.String("connect: " + connection.Reason.String())},
		})
	}
	c.mu.Lock()
	if c.unseen > 0 {
		attributes = append(attributes, keyUnseen.Int(c.unseen))
	}
	c.mu.Unlock()
	c.span.SetName(name)
	c.span.SetAttributes(attributes...)
	failed.mark(c.span)
	c.span.End(trace.WithTimestamp(request.Began.Add(outcome.Duration)))
}

// requestID is the id as the conventions want it: the text of it.
func requestID(id mcp.ID) attribute.KeyValue {
	text := id.String()
	if len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1] // ours have nothing to escape
	}
	return keyRequestID.String(errors.PeerText(text, maxName))
}
