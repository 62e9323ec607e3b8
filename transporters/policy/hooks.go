package policy

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Hooks returns the policy that calls the hooks for requests. It belongs outside
// of all others, so that the hooks see what the caller asks for and gets; what
// happens below, it learns from the call's Trail. Without such hooks it adds no
// policy.
func Hooks(server string, set *transporters.Hooks) transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		if !set.WantRequests() {
			return next
		}
		return &hooked{server: server, hooks: set, next: next}
	}
}

type hooked struct {
	server string
	hooks  *transporters.Hooks
	next   transporters.Transporter
}

// Request calls the hooks around the request.
func (h *hooked) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (result mcp.Result, err error) {
	request := &transporters.RequestInfo{
		Source: transporters.Source{Server: h.server, Principal: transporters.CallOptionsOf(ctx).Principal},
		Action: action,
		Began:  time.Now(),
	}
	if encoded, err := mcp.ParamsOf(params); err == nil { // else the session says what is wrong
		request.Name = transporters.NameOf(action, encoded)
		params = encoded
	}
	trail := &transporters.Trail{}
	ctx = h.hooks.RequestStart(ctx, request)
	err = errCallbackPanicked
	defer func() { h.end(ctx, request, trail, result, err) }()
	result, err = h.next.Request(transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Trail = trail }), action, params, onEvent)
	return result, err
}

// errCallbackPanicked is the outcome of a call that never returned.
var errCallbackPanicked = errors.New("a callback of the call panicked")

func (h *hooked) end(ctx context.Context, request *transporters.RequestInfo, trail *transporters.Trail, result mcp.Result, err error) {
	outcome := trail.Outcome()
	outcome.Duration, outcome.Err = time.Since(request.Began), err
	if err == nil && request.Action == mcp.MethodCallTool {
		var tool mcp.CallToolResult // Raw would keep a large text from being decoded in place
		_ = result.Decode(&tool)    // whoever wants the result learns what is wrong with it
		outcome.ToolError = tool.IsError
	}
	h.hooks.RequestEnd(ctx, request, &outcome)
}
