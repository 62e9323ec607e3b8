package mcptest

import (
	"bytes"
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Names of server capabilities.
const (
	capabilityTools       = "tools"
	capabilityResources   = "resources"
	capabilityPrompts     = "prompts"
	capabilityCompletions = "completions"
	capabilityLogging     = "logging"
)

// perform does what the method says. The methods of one era do not exist in the
// other.
func (r *request) perform() (json.RawMessage, *mcp.Error) {
	if r.lacksCapability() {
		return nil, methodNotFound(r.message.Method)
	}
	if r.modern() {
		switch r.message.Method {
		case mcp.MethodDiscover:
			return r.discover(), nil
		case mcp.MethodListen:
			return r.listen()
		}
	} else {
		switch r.message.Method {
		case mcp.MethodInitialize:
			return r.initialize(), nil
		case mcp.MethodPing:
			return nil, nil
		case mcp.MethodSubscribe:
			return r.subscribe(true)
		case mcp.MethodUnsubscribe:
			return r.subscribe(false)
		case mcp.MethodSetLevel:
			return r.setLevel()
		}
	}
	switch r.message.Method {
	case mcp.MethodListTools:
		return r.list(capabilityTools, "tools", r.server.content.listTools())
	case mcp.MethodCallTool:
		return r.callTool()
	case mcp.MethodListResources:
		return r.list(capabilityResources, "resources", r.server.content.listResources())
	case mcp.MethodListResourceTemplates:
		return r.list("templates", "resourceTemplates", r.server.content.listTemplates())
	case mcp.MethodReadResource:
		return r.readResource()
	case mcp.MethodListPrompts:
		return r.list(capabilityPrompts, "prompts", r.server.content.listPrompts())
	case mcp.MethodGetPrompt:
		return r.getPrompt()
	case mcp.MethodComplete:
		return r.complete()
	default:
		return nil, methodNotFound(r.message.Method)
	}
}

func (r *request) lacksCapability() bool {
	var name string
	switch r.message.Method {
	case mcp.MethodListTools, mcp.MethodCallTool:
		name = capabilityTools
	case mcp.MethodListResources, mcp.MethodListResourceTemplates, mcp.MethodReadResource,
		mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		name = capabilityResources
	case mcp.MethodListPrompts, mcp.MethodGetPrompt:
		name = capabilityPrompts
	case mcp.MethodComplete:
		name = capabilityCompletions
	case mcp.MethodSetLevel:
		name = capabilityLogging
	}
	return r.server.settings.without[name]
}

func (r *request) initialize() json.RawMessage {
	c := r.conversation
	c.mu.Lock()
	c.initialized = true
	c.mu.Unlock()
	return encode(struct {
		ProtocolVersion mcp.Version                `json:"protocolVersion"`
		Capabilities    map[string]json.RawMessage `json:"capabilities"`
		ServerInfo      mcp.Implementation         `json:"serverInfo"`
		Instructions    string                     `json:"instructions,omitempty"`
	}{r.version, r.server.capabilities(r.version), r.server.settings.implementation, r.server.settings.instructions})
}

func (r *request) discover() json.RawMessage {
	return encode(struct {
		SupportedVersions []mcp.Version              `json:"supportedVersions"`
		Capabilities      map[string]json.RawMessage `json:"capabilities"`
		Instructions      string                     `json:"instructions,omitempty"`
	}{r.server.supportedVersions(), r.server.capabilities(r.version), r.server.settings.instructions})
}

func (r *request) subscribe(on bool) (json.RawMessage, *mcp.Error) {
	uri, ok := textMember(r.message.Params, "uri")
	if !ok {
		return nil, invalidParams("uri is required")
	}
	r.conversation.mu.Lock()
	defer r.conversation.mu.Unlock()
	if on {
		r.conversation.subscriptions[uri] = true
	} else {
		delete(r.conversation.subscriptions, uri)
	}
	return nil, nil
}

func (r *request) setLevel() (json.RawMessage, *mcp.Error) {
	level, _ := textMember(r.message.Params, "level")
	if severity(level) < 0 {
		return nil, invalidParams("unknown log level " + level)
	}
	r.conversation.mu.Lock()
	defer r.conversation.mu.Unlock()
	r.conversation.level = level
	return nil, nil
}

// decorate adds what every modern result tells beside its own members: the
// result type, cache hints where they apply, and the server's name. What the
// result has already stays.
func (r *request) decorate(result json.RawMessage) json.RawMessage {
	if len(result) == 0 {
		result = json.RawMessage(`{}`)
	}
	if !isObject(result) {
		return result
	}
	if memberOf(result, "resultType") == nil {
		result = withMember(result, "resultType", json.RawMessage(`"`+mcp.ResultComplete+`"`))
	}
	if r.cacheable() && memberOf(result, "ttlMs") == nil {
		result = withMember(result, "ttlMs", encode(r.server.settings.ttl.Milliseconds()))
		result = withMember(result, "cacheScope", json.RawMessage(`"private"`))
	}
	if memberOf(result, "_meta") == nil {
		meta := withMember(json.RawMessage(`{}`), mcp.MetaServerInfo, encode(r.server.settings.implementation))
		result = withMember(result, "_meta", meta)
	}
	return result
}

// cacheable reports whether the method's results have cache hints.
func (r *request) cacheable() bool {
	switch r.message.Method {
	case mcp.MethodDiscover, mcp.MethodListTools, mcp.MethodListPrompts, mcp.MethodListResources,
		mcp.MethodListResourceTemplates, mcp.MethodReadResource:
		return true
	default:
		return false
	}
}

// withMember returns the JSON object with one more member, at its end.
func withMember(object json.RawMessage, key string, value json.RawMessage) json.RawMessage {
	inner := bytes.TrimSpace(object[:bytes.LastIndexByte(object, '}')])
	out := append(make(json.RawMessage, 0, len(object)+len(key)+len(value)+4), inner...)
	if !bytes.HasSuffix(inner, []byte("{")) {
		out = append(out, ',')
	}
	out = append(append(out, encode(key)...), ':')
	return append(append(out, value...), '}')
}
