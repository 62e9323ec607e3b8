package mcpclient

import (
	"context"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// The interfaces below are one method each, so that code which needs a server can
// say what it needs of it, and its tests can pass a type of three lines. A
// *Connection is all of them; a *Group is a ToolCaller, a PromptGetter and a
// ResourceReader. Options that an implementation does not know it may ignore.

// ToolCaller calls tools; see Connection.CallTool.
type ToolCaller interface {
	CallTool(ctx context.Context, name string, arguments any, options ...CallOption) (*mcp.CallToolResult, error)
}

// ToolLister lists tools; see Connection.Tools.
type ToolLister interface {
	Tools(ctx context.Context, options ...CallOption) (Collection[mcp.Tool], error)
}

// ToolServer lists tools and calls them.
type ToolServer interface {
	ToolLister
	ToolCaller
}

// ResourceReader reads resources; see Connection.ReadResource.
type ResourceReader interface {
	ReadResource(ctx context.Context, uri string, options ...CallOption) (*mcp.ReadResourceResult, error)
}

// ResourceLister lists resources; see Connection.Resources.
type ResourceLister interface {
	Resources(ctx context.Context, options ...CallOption) (Collection[mcp.Resource], error)
}

// ResourceTemplateLister lists resource templates; see
// Connection.ResourceTemplates.
type ResourceTemplateLister interface {
	ResourceTemplates(ctx context.Context, options ...CallOption) (Collection[mcp.ResourceTemplate], error)
}

// PromptGetter gets prompts; see Connection.GetPrompt.
type PromptGetter interface {
	GetPrompt(ctx context.Context, name string, arguments map[string]string, options ...CallOption) (*mcp.GetPromptResult, error)
}

// PromptLister lists prompts; see Connection.Prompts.
type PromptLister interface {
	Prompts(ctx context.Context, options ...CallOption) (Collection[mcp.Prompt], error)
}

// Completer completes arguments; see Connection.Complete.
type Completer interface {
	Complete(ctx context.Context, request mcp.CompleteParams, options ...CallOption) (*mcp.CompleteResult, error)
}

// Pinger asks for a sign of life; see Connection.Ping.
type Pinger interface {
	Ping(ctx context.Context, options ...CallOption) error
}

var (
	_ ToolServer             = (*Connection)(nil)
	_ ResourceReader         = (*Connection)(nil)
	_ ResourceLister         = (*Connection)(nil)
	_ ResourceTemplateLister = (*Connection)(nil)
	_ PromptGetter           = (*Connection)(nil)
	_ PromptLister           = (*Connection)(nil)
	_ Completer              = (*Connection)(nil)
	_ Pinger                 = (*Connection)(nil)

	_ ToolCaller     = (*Group)(nil)
	_ PromptGetter   = (*Group)(nil)
	_ ResourceReader = (*Group)(nil)
)
