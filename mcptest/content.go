package mcptest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
)

// ToolHandler performs a tool call. What it returns becomes the result:
//
//   - a string: one text block
//   - nil: no content
//   - a json.RawMessage: the whole result object, as it is
//   - a []mcp.Content: the content blocks
//   - anything else: structured content, and its JSON as a text block
//
// An *mcp.Error is answered as a JSON-RPC error, any other error as a result
// with isError (R151).
type ToolHandler func(ctx context.Context, call *Call) (any, error)

// ResourceHandler reads a resource. A string becomes a text content, a []byte a
// blob, a json.RawMessage the whole result object. An *mcp.Error is answered as
// it is, any other error as an internal error.
type ResourceHandler func(ctx context.Context, uri string) (any, error)

// PromptHandler renders a prompt. A string becomes one message of the user, a
// json.RawMessage the whole result object. Errors are as in ResourceHandler.
type PromptHandler func(ctx context.Context, arguments map[string]string) (any, error)

// CompletionHandler returns the values that complete what was typed so far.
type CompletionHandler func(ctx context.Context, typed string) ([]string, error)

// content is what a server offers, in the order it was added. Its zero value is
// ready; it is safe for concurrent use.
type content struct {
	mu          sync.RWMutex
	tools       []tool
	resources   []resource
	templates   []template
	prompts     []prompt
	completions map[completionKey]CompletionHandler
}

type tool struct {
	name       string
	definition json.RawMessage
	handler    ToolHandler
}

type resource struct {
	uri        string
	mimeType   string
	definition json.RawMessage
	handler    ResourceHandler
}

type template struct {
	text       string
	pattern    uriPattern
	mimeType   string
	definition json.RawMessage
	handler    ResourceHandler
}

type prompt struct {
	name       string
	definition json.RawMessage
	handler    PromptHandler
}

// completionKey names one argument: of a prompt by its name, of a template by
// its text.
type completionKey struct{ reference, argument string }

// put replaces the item that has the same key, or appends.
func put[T any](items []T, item T, same func(T) bool) []T {
	if at := slices.IndexFunc(items, same); at >= 0 {
		items = slices.Clone(items)
		items[at] = item
		return items
	}
	return append(slices.Clone(items), item)
}

func definitions[T any](items []T, of func(T) json.RawMessage) []json.RawMessage {
	all := make([]json.RawMessage, len(items))
	for i, item := range items {
		all[i] = of(item)
	}
	return all
}

func (c *content) listTools() []json.RawMessage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return definitions(c.tools, func(t tool) json.RawMessage { return t.definition })
}

func (c *content) listResources() []json.RawMessage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return definitions(c.resources, func(r resource) json.RawMessage { return r.definition })
}

func (c *content) listTemplates() []json.RawMessage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return definitions(c.templates, func(t template) json.RawMessage { return t.definition })
}

func (c *content) listPrompts() []json.RawMessage {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return definitions(c.prompts, func(p prompt) json.RawMessage { return p.definition })
}

func (c *content) tool(name string) (tool, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	at := slices.IndexFunc(c.tools, func(t tool) bool { return t.name == name })
	if at < 0 {
		return tool{}, false
	}
	return c.tools[at], true
}

func (c *content) prompt(name string) (prompt, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	at := slices.IndexFunc(c.prompts, func(p prompt) bool { return p.name == name })
	if at < 0 {
		return prompt{}, false
	}
	return c.prompts[at], true
}

// reader finds who reads the uri: a resource, else the first template that
// matches.
func (c *content) reader(uri string) (handler ResourceHandler, mimeType string, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range c.resources {
		if r.uri == uri {
			return r.handler, r.mimeType, true
		}
	}
	for _, t := range c.templates {
		if t.pattern.matches(uri) {
			return t.handler, t.mimeType, true
		}
	}
	return nil, "", false
}

func (c *content) completion(reference, argument string) (CompletionHandler, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	handler, ok := c.completions[completionKey{reference, argument}]
	return handler, ok
}
