package mcptest

import (
	"encoding/json"
	"slices"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// AddTool adds a tool, or replaces the one of that name, and tells clients that
// the list changed. A tool without an input schema gets {"type":"object"}.
func (s *Server) AddTool(definition mcp.Tool, handler ToolHandler) {
	if definition.Raw == nil && definition.InputSchema == nil {
		definition.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	item := tool{definition.Name, encode(definition), handler}
	s.content.mu.Lock()
	s.content.tools = put(s.content.tools, item, func(t tool) bool { return t.name == item.name })
	s.content.mu.Unlock()
	s.Notify(mcp.NotificationToolsListChanged, nil)
}

// RemoveTool removes a tool and tells clients that the list changed. It returns
// false if there is none of that name.
func (s *Server) RemoveTool(name string) bool {
	s.content.mu.Lock()
	before := len(s.content.tools)
	s.content.tools = slices.DeleteFunc(slices.Clone(s.content.tools), func(t tool) bool { return t.name == name })
	removed := len(s.content.tools) < before
	s.content.mu.Unlock()
	if removed {
		s.Notify(mcp.NotificationToolsListChanged, nil)
	}
	return removed
}

// AddResource adds a resource, or replaces the one of that URI, and tells
// clients that the list changed.
func (s *Server) AddResource(definition mcp.Resource, handler ResourceHandler) {
	item := resource{definition.URI, definition.MIMEType, encode(definition), handler}
	s.content.mu.Lock()
	s.content.resources = put(s.content.resources, item, func(r resource) bool { return r.uri == item.uri })
	s.content.mu.Unlock()
	s.Notify(mcp.NotificationResourcesListChanged, nil)
}

// AddResourceTemplate adds a template, or replaces the same one, and tells
// clients that the list changed. Of RFC 6570 only {name} is understood; each
// stands for characters without a slash. The handler gets the whole URI.
func (s *Server) AddResourceTemplate(definition mcp.ResourceTemplate, handler ResourceHandler) {
	raw := encode(definition)
	item := template{definition.URITemplate, parseURIPattern(definition.URITemplate), definition.MIMEType, raw, handler}
	s.content.mu.Lock()
	s.content.templates = put(s.content.templates, item, func(t template) bool { return t.text == item.text })
	s.content.mu.Unlock()
	s.Notify(mcp.NotificationResourcesListChanged, nil)
}

// AddPrompt adds a prompt, or replaces the one of that name, and tells clients
// that the list changed.
func (s *Server) AddPrompt(definition mcp.Prompt, handler PromptHandler) {
	item := prompt{definition.Name, encode(definition), handler}
	s.content.mu.Lock()
	s.content.prompts = put(s.content.prompts, item, func(p prompt) bool { return p.name == item.name })
	s.content.mu.Unlock()
	s.Notify(mcp.NotificationPromptsListChanged, nil)
}

// AddCompletion completes one argument. reference is a prompt's name or a
// resource template. Arguments without a handler complete to nothing.
func (s *Server) AddCompletion(reference, argument string, handler CompletionHandler) {
	s.content.mu.Lock()
	defer s.content.mu.Unlock()
	if s.content.completions == nil {
		s.content.completions = map[completionKey]CompletionHandler{}
	}
	s.content.completions[completionKey{reference, argument}] = handler
}

// ResourceUpdated tells whoever subscribed to the URI that it changed.
func (s *Server) ResourceUpdated(uri string) {
	s.Notify(mcp.NotificationResourceUpdated, withMember(json.RawMessage(`{}`), "uri", encode(uri)))
}
