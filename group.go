package mcpclient

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Group makes many servers look like one: its lists hold what all of them have,
// under names that a function call of a language model may have, and a call by
// such a name goes to the server that it belongs to. It is safe for concurrent
// use, and has nothing to close: connections are closed by who made them.
//
// A server that is down costs its own part of a list, no more, and at most the
// limit for one server: see Listing.
//
// Names are made by one rule for tools and prompts:
//
//   - "github" and its tool "create_issue" give "github__create_issue", or
//     "create_issue" with WithoutPrefix.
//   - A name has at most 64 characters, of a-z, A-Z, 0-9, "_" and "-". One that
//     does not fit is made to fit, and ends in eight hexadecimal digits of a hash
//     of server and tool: it is the same after a restart, and no other tool's.
//   - Where several have the same name all the same, the Collisions decide; none
//     ever takes another's place unseen.
//
// Resources and resource templates keep their URIs, which only collisions change.
//
// The names are those of the latest listing for the caller's principal, so that
// what one user is shown does not decide where another one's call goes. A server
// that could not be listed keeps its names of before. Calling a name that is not
// known lists anew first.
type Group struct {
	members  membership
	only     []string // names of members; nil: all
	limit    time.Duration
	complete bool
	naming   naming
	tables   nameTables
	started  atomic.Uint64 // counts listings
	changed  atomic.Uint64 // counts changes that Watch was told of
}

// Member is one server of a group.
type Member struct {
	// Name comes before the names of its tools, and names it in errors.
	Name string
	// Server is a *Connection or anything else that can do this. Prompts and
	// resources of it are in the group if it is a PromptLister, PromptGetter and so
	// on as well.
	Server ToolServer
}

// DefaultServerLimit is how long the list of one server of a group may take.
const DefaultServerLimit = 10 * time.Second

// GroupOption changes a group.
type GroupOption func(*Group)

// WithServerLimit bounds how long a group waits for the list of one server; the
// lists are asked for at the same time. 0 or less means DefaultServerLimit. A
// process that takes longer to start goes on starting, and is in the next list.
func WithServerLimit(limit time.Duration) GroupOption {
	if limit <= 0 {
		limit = DefaultServerLimit
	}
	return func(g *Group) { g.limit = limit }
}

// WithoutPrefix leaves the name of the server out of the names of its tools and
// prompts. What a name stands for then depends on which servers there are.
func WithoutPrefix() GroupOption { return func(g *Group) { g.naming.unprefixed = true } }

// WithCollisions says what is done about equal names; the default is
// CollisionPrefix.
func WithCollisions(collisions Collisions) GroupOption {
	return func(g *Group) { g.naming.collisions = collisions }
}

// AllOrNothing makes a listing fail if any server's does.
func AllOrNothing() GroupOption { return func(g *Group) { g.complete = true } }

// OnlyServers makes a group of those members alone, in this order.
func OnlyServers(names ...string) GroupOption {
	only := make([]string, 0, len(names))
	for _, name := range names {
		if !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	return func(g *Group) { g.only = only }
}

// NewGroup returns a group of these servers, in this order. Their names must be
// different and not empty.
func NewGroup(members []Member, options ...GroupOption) (*Group, error) {
	g := newGroup(options)
	fixed, err := newFixedMembers(members, g.only)
	if err != nil {
		return nil, err
	}
	g.members = fixed
	return g, nil
}

// Group returns a group of the client's servers, in the order of Servers. It
// follows what Apply, AddServer and RemoveServer do. A server with faults is in it:
// each listing tells them; so is one that OnlyServers names and that is not there.
func (c *Client) Group(options ...GroupOption) *Group {
	g := newGroup(options)
	g.members = &clientMembers{client: c, only: g.only}
	return g
}

func newGroup(options []GroupOption) *Group {
	g := &Group{limit: DefaultServerLimit}
	for _, option := range options {
		option(g)
	}
	return g
}

// Member returns a member's server, as it is now; nil if there is none of that
// name, or it has faults.
func (g *Group) Member(name string) ToolServer {
	if member, ok := g.members.get(name); ok && member.problem == nil {
		return member.Server
	}
	return nil
}

// Tools lists the tools of all servers.
func (g *Group) Tools(ctx context.Context) (Listing[mcp.Tool], error) {
	return listGroup(ctx, g, kindTools, func(ctx context.Context, server ToolServer) (Collection[mcp.Tool], error) {
		return server.Tools(ctx)
	})
}

// Prompts lists the prompts of all servers that are a PromptLister.
func (g *Group) Prompts(ctx context.Context) (Listing[mcp.Prompt], error) {
	return listGroup(ctx, g, kindPrompts, func(ctx context.Context, server ToolServer) (Collection[mcp.Prompt], error) {
		if lister, ok := server.(PromptLister); ok {
			return lister.Prompts(ctx)
		}
		return Collection[mcp.Prompt]{}, nil
	})
}

// Resources lists the resources of all servers that are a ResourceLister, by URI.
func (g *Group) Resources(ctx context.Context) (Listing[mcp.Resource], error) {
	return listGroup(ctx, g, kindResources, func(ctx context.Context, server ToolServer) (Collection[mcp.Resource], error) {
		if lister, ok := server.(ResourceLister); ok {
			return lister.Resources(ctx)
		}
		return Collection[mcp.Resource]{}, nil
	})
}

// ResourceTemplates lists the resource templates of all servers that are a
// ResourceTemplateLister. What is made of one is read through Member.
func (g *Group) ResourceTemplates(ctx context.Context) (Listing[mcp.ResourceTemplate], error) {
	return listGroup(ctx, g, kindTemplates, func(ctx context.Context, server ToolServer) (Collection[mcp.ResourceTemplate], error) {
		if lister, ok := server.(ResourceTemplateLister); ok {
			return lister.ResourceTemplates(ctx)
		}
		return Collection[mcp.ResourceTemplate]{}, nil
	})
}
