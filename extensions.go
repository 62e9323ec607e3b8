package mcpclient

import (
	"context"

	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// Traceparent names the span that a request belongs to. See policy.Traceparent.
type Traceparent = policy.Traceparent

// TasksConfig says how tasks are waited for. See policy.TasksConfig.
type TasksConfig = policy.TasksConfig

// WithMetaHook has hook asked for members of _meta with every request to a
// configured server. It is the place where a trace gets in:
//
//	mcpclient.WithMetaHook(func(ctx context.Context) map[string]any {
//		span := trace.SpanContextFromContext(ctx)
//		if !span.IsValid() {
//			return nil
//		}
//		return map[string]any{"traceparent": mcpclient.Traceparent{
//			TraceID: span.TraceID(), SpanID: span.SpanID(), Flags: byte(span.TraceFlags()),
//		}}
//	})
//
// What WithMeta says for one call wins. Values of traceparent, tracestate and
// baggage that have not the format of the W3C are left out, with a warning.
func WithMetaHook(hook func(ctx context.Context) map[string]any) Option {
	return building(factory.WithMetaHook(hook))
}

// WithTasks switches on the extension io.modelcontextprotocol/tasks of
// 2026-07-28: a configured server may answer CallTool with a task, which is then
// waited for. What the task asks for is answered by the handlers. The zero
// TasksConfig is fine.
func WithTasks(cfg TasksConfig) Option { return building(factory.WithTasks(cfg)) }

// ResumeTask waits for a task that an earlier CallTool began, perhaps in an
// earlier run of the program, and returns the result of that call. The id is the
// one that TasksConfig.OnTask was told. It needs WithTasks; its errors are those
// of CallTool. The result is not checked against an outputSchema, since the tool
// is not known.
func (c *Connection) ResumeTask(ctx context.Context, id string, options ...CallOption) (*mcp.CallToolResult, error) {
	ask := func(ctx context.Context, action string, params any, _ transporters.EventFunc) (mcp.Result, error) {
		encoded, err := mcp.ParamsOf(params)
		if err != nil {
			return mcp.Result{}, c.invalid(action, err)
		}
		return c.ask(ctx, action, encoded, options)
	}
	result, err := policy.Resume(ctx, transporters.TransporterFunc(ask), c.name, id)
	if err != nil {
		return nil, err
	}
	return parsed(c, mcp.MethodGetTask, result, mcp.ParseCallToolResult)
}
