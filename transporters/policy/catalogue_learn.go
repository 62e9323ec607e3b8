package policy

import (
	"context"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// PrincipalFunc names whom a call is for. nil is the principal of the call's
// options.
type PrincipalFunc func(*transporters.CallOptions) string

func (f PrincipalFunc) orDefault() PrincipalFunc {
	if f == nil {
		return func(options *transporters.CallOptions) string { return options.Principal }
	}
	return f
}

// ToolCatalogue is what a chain knows of one server's tools: what the tools/list
// results that pass through it tell of their output schemas and annotations. It
// asks for nothing itself: a tool that this principal never listed is not known.
// A change becomes known when the tools are listed again. It is safe for
// concurrent use.
//
// It is kept for each principal, since servers may list different tools to
// different ones; equal schemas are shared. It is bounded: 256 KiB for a schema,
// 16 MiB, 65,536 tools and 1,024 principals for a server. Beyond that the
// principal that has been idle for longest is forgotten; where that does not help,
// tools stay unknown, with a warning in the log.
type ToolCatalogue struct {
	server    string
	log       hclog.Logger
	principal PrincipalFunc
	tools     *catalogue
	warned    warned
}

// NewToolCatalogue returns an empty catalogue. A nil logger discards.
func NewToolCatalogue(server string, logger hclog.Logger, principal PrincipalFunc) *ToolCatalogue {
	if logger == nil {
		logger = hclog.NewNullLogger()
	}
	return &ToolCatalogue{server: server, log: logger, principal: principal.orDefault(), tools: newCatalogue(compileSchema)}
}

// Learn returns the policy that does nothing but fill the catalogue. Output with
// the same catalogue fills it too.
func (c *ToolCatalogue) Learn() transporters.Wrapper {
	return func(next transporters.Transporter) transporters.Transporter {
		return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
			if action == mcp.MethodListTools {
				return c.list(ctx, next, params, onEvent)
			}
			return next.Request(ctx, action, params, onEvent)
		})
	}
}

// IsIdempotent reports whether the server listed the tool, to the principal of
// the call that ctx belongs to, as idempotent or read-only. The server's word is
// not proof (R146).
func (c *ToolCatalogue) IsIdempotent(ctx context.Context, tool string) bool {
	return !c.tools.isEmpty() && c.find(ctx, tool).isIdempotent
}

func (c *ToolCatalogue) find(ctx context.Context, tool string) knownTool {
	return c.tools.find(c.principal(transporters.CallOptionsOf(ctx)), tool)
}

// list asks for a page of tools and learns from it.
func (c *ToolCatalogue) list(ctx context.Context, next transporters.Transporter, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	encoded, err := mcp.ParamsOf(params)
	if err != nil {
		return mcp.Result{}, unencodable(c.server, mcp.MethodListTools, err)
	}
	result, err := next.Request(ctx, mcp.MethodListTools, encoded, onEvent)
	if err != nil || result.IsEnvelope() {
		return result, err
	}
	whom := c.principal(transporters.CallOptionsOf(ctx))
	if full := c.tools.learn(whom, isFirstPage(encoded), readPage(result.Raw())); full && c.warned.first("", "full") {
		c.log.Warn("too many tools to remember: output beyond the limit is not checked, nor is a call of such a tool made again", "server", c.server)
	}
	return result, nil
}
