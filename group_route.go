package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// CallTool calls the tool that has the name in the group; see Connection.CallTool.
// Arguments that a model made are passed as json.RawMessage; an empty one, which
// some models give where there are none, is nil. A name that no server has gives an error that wraps ErrUnknownName, after the tools were listed
// anew: at most one listing at a time for each principal.
func (g *Group) CallTool(ctx context.Context, name string, arguments any, options ...CallOption) (*mcp.CallToolResult, error) {
	server, tool, err := g.route(ctx, kindTools, mcp.MethodCallTool, name)
	if err != nil {
		return nil, err
	}
	if text, isJSON := arguments.(json.RawMessage); isJSON && len(bytes.TrimSpace(text)) == 0 {
		arguments = nil
	}
	return server.CallTool(ctx, tool, arguments, options...)
}

// GetPrompt gets the prompt that has the name in the group; see CallTool and
// Connection.GetPrompt.
func (g *Group) GetPrompt(ctx context.Context, name string, arguments map[string]string, options ...CallOption) (*mcp.GetPromptResult, error) {
	server, prompt, err := g.route(ctx, kindPrompts, mcp.MethodGetPrompt, name)
	if err != nil {
		return nil, err
	}
	getter, ok := server.(PromptGetter)
	if !ok {
		return nil, incapable(mcp.MethodGetPrompt, name, "PromptGetter")
	}
	return getter.GetPrompt(ctx, prompt, arguments, options...)
}

// ReadResource reads the resource that has the name in the group, mostly its URI;
// see CallTool and Connection.ReadResource. A resource that no server lists, such
// as one made of a template, is read through Member.
func (g *Group) ReadResource(ctx context.Context, name string, options ...CallOption) (*mcp.ReadResourceResult, error) {
	server, uri, err := g.route(ctx, kindResources, mcp.MethodReadResource, name)
	if err != nil {
		return nil, err
	}
	reader, ok := server.(ResourceReader)
	if !ok {
		return nil, incapable(mcp.MethodReadResource, name, "ResourceReader")
	}
	return reader.ReadResource(ctx, uri, options...)
}

func incapable(action, name, what string) error {
	return &errors.TransporterRequestError{
		Server: groupServer, Action: action, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent,
		Message: fmt.Sprintf("the server of \"%s\" is no %s", errors.PeerText(name, maxShownName), what), Err: errors.ErrCapabilityMissing,
	}
}

// route returns the server that a name belongs to, and what the server calls it.
func (g *Group) route(ctx context.Context, k kind, action, name string) (ToolServer, string, error) {
	table := g.table(ctx, k)
	found, known := table.find(name)
	if !known || !table.isCurrent(g.changed.Load()) {
		if err := g.refresh(ctx, table, k); err != nil {
			return nil, "", groupFailure(ctx, action, err)
		}
		found, known = table.find(name)
	}
	if known {
		if server := g.Member(found.server); server != nil {
			return server, found.key, nil
		}
	}
	return nil, "", groupFailure(ctx, action, fmt.Errorf("%w: %s", errors.ErrUnknownName, table.whyNot(k, name)))
}

// groupFailure is the error of a call that no server has seen.
func groupFailure(ctx context.Context, action string, err error) error {
	failure := &errors.TransporterRequestError{
		Server: groupServer, Action: action, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent, Err: err,
	}
	switch ctx.Err() {
	case context.Canceled:
		failure.Kind = errors.KindCanceled
	case context.DeadlineExceeded:
		failure.Kind = errors.KindTimeout
	}
	return failure
}

// groupServer stands for the server in errors of calls that belong to none.
const groupServer = "(group)"

// refresh lists anew, unless another call does so first. It fails if ctx ends, or
// if collisions are errors and there are some.
func (g *Group) refresh(ctx context.Context, table *nameTable, k kind) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	waited := table.listed.Load()
	select {
	case table.turn <- struct{}{}:
		defer func() { <-table.turn }()
	case <-ctx.Done():
		return ended(ctx)
	}
	if latest := table.listed.Load(); latest != waited && table.isCurrent(g.changed.Load()) {
		return nil
	}
	err := g.relist(ctx, k)
	switch {
	case ctx.Err() != nil:
		return ended(ctx)
	case errors.Is(err, errors.ErrNameCollision):
		return err
	default:
		return nil // what could not be listed is told where a name is missing
	}
}

// ended is why a context ended that has.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// relist lists for the sake of the names alone.
func (g *Group) relist(ctx context.Context, k kind) (err error) {
	switch k {
	case kindTools:
		_, err = g.Tools(ctx)
	case kindPrompts:
		_, err = g.Prompts(ctx)
	default:
		_, err = g.Resources(ctx)
	}
	return err
}

// whyNot says why a name could not be found.
func (t *nameTable) whyNot(k kind, name string) string {
	text := fmt.Sprintf("no server of the group has a %s \"%s\"", k.singular(), errors.PeerText(name, maxShownName))
	latest := t.listed.Load()
	if latest == nil {
		return text
	}
	if nearest := config.Nearest(name, slices.Sorted(maps.Keys(latest.routes))); nearest != "" {
		text += fmt.Sprintf("; did you mean \"%s\"?", errors.PeerText(nearest, maxShownName))
	}
	if len(latest.failed) > 0 {
		text += "; could not be listed: " + shownServers(latest.failed)
	}
	return text
}
