package policy

import (
	"context"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// What makes kept results stale before their time.
//
//   - A notification of change (R234), of whichever subscription the chain has.
//   - That a connection had to be made anew: what was notified in between is lost,
//     and the server may be another one. Where a principal got another connection
//     for another reason, only what is its own goes.
//   - That a subscription of the cache's had to be opened again (P63).
//
// The last two are not announced; they are looked at with every request, which
// costs two look-ups and asks nobody.
//
// Whose results go. What comes on a stream that is nobody's own speaks of the server
// as such, and all of its results go. What comes on a principal's stream may speak of
// what that principal alone sees: its own results go, and those that all share, which
// it sees too, but not those of others, whose own streams tell of them. Otherwise
// many principals would keep on emptying the cache for each other. An updated
// resource goes for all: that is one entry for each.
//
// With cache.watch a list is not kept before the principal's subscription is open, so
// that no opening makes anything stale. Where it cannot be opened lists are kept for
// the time that the server gave (P65).

// Notify takes in a message that the server sent of itself to the principal, ""
// for nobody in particular; others than notifications of change are passed over.
func (c *Cache) Notify(principal string, m mcp.Message) {
	switch m.Method {
	case mcp.NotificationToolsListChanged:
		c.forgetFor(principal, mcp.MethodListTools)
	case mcp.NotificationPromptsListChanged:
		c.forgetFor(principal, mcp.MethodListPrompts, mcp.MethodGetPrompt)
	case mcp.NotificationResourcesListChanged:
		c.forgetFor(principal, mcp.MethodListResources, mcp.MethodListResourceTemplates)
	case mcp.NotificationResourceUpdated:
		if params, err := mcp.ParseResourceUpdatedParams(m.Params); err == nil {
			for _, uri := range withParents(params.URI) {
				c.forget(c.subject(mcp.MethodReadResource, uri))
			}
		}
	}
}

// maxParents bounds how far up a change is followed.
const maxParents = 32

// withParents returns the uri and those that it is a part of: a change may name a
// part of what was subscribed to (P61).
func withParents(uri string) []string {
	uris := []string{uri}
	for rest := uri; len(uris) < 2*maxParents; {
		at := strings.LastIndexByte(rest, '/')
		if at <= 0 || strings.HasSuffix(rest[:at], "/") { // what is left is the scheme
			return uris
		}
		rest = rest[:at]
		uris = append(uris, rest, rest+"/")
	}
	return uris
}

// forget deletes what begins with the prefix.
func (c *Cache) forget(prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if err := c.store.Delete(ctx, prefix); err != nil {
		c.complain("delete from", err)
	}
}

// lists are the methods whose results a change of a list makes stale.
func lists() []string {
	return []string{mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources, mcp.MethodListResourceTemplates}
}

func isList(method string) bool {
	switch method {
	case mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources, mcp.MethodListResourceTemplates:
		return true
	default:
		return false
	}
}

// forgetFor deletes what a change makes stale that the principal hears of.
func (c *Cache) forgetFor(principal string, methods ...string) {
	if principal != "" {
		c.forgetOf(methods, whomOf(principal), public)
		return
	}
	for _, method := range methods {
		c.forget(c.prefix(method))
	}
}

// forgetOf deletes results of the methods that were kept for the words.
func (c *Cache) forgetOf(methods []string, words ...string) {
	prefixes := make([]string, 0, len(methods))
	for _, method := range methods {
		prefixes = append(prefixes, c.prefix(method))
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if err := c.store.DeleteOf(ctx, prefixes, words); err != nil {
		c.complain("delete from", err)
	}
}
