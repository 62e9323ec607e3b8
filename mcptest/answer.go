package mcptest

import (
	"encoding/base64"
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func (r *request) callTool() (json.RawMessage, *mcp.Error) {
	name, ok := textMember(r.message.Params, "name")
	if !ok {
		return nil, invalidParams("name is required")
	}
	t, ok := r.server.content.tool(name)
	if !ok {
		return nil, invalidParams("Unknown tool: " + name)
	}
	arguments := memberOf(r.message.Params, "arguments")
	switch {
	case arguments == nil:
		arguments = json.RawMessage(`{}`)
	case !isObject(arguments):
		return nil, invalidParams("arguments must be an object")
	}
	result, err := t.handler(r.ctx, &Call{
		Name: name, Arguments: arguments, Params: r.message.Params, Version: r.version, request: r,
	})
	if failure, ok := errors.AsType[*mcp.Error](err); ok {
		return nil, failure
	}
	if err != nil {
		return toolFailure(err), nil
	}
	raw, err := toolResult(result)
	if err != nil {
		return nil, internalError(err)
	}
	return raw, nil
}

// toolAnswer is the result of a tool call.
type toolAnswer struct {
	Content    any             `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
}

// textBlock is a text content.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func textContent(text string) []textBlock { return []textBlock{{Type: "text", Text: text}} }

func toolFailure(err error) json.RawMessage {
	return encode(toolAnswer{Content: textContent(err.Error()), IsError: true})
}

// toolResult turns what a handler returned into a result object.
func toolResult(value any) (json.RawMessage, error) {
	switch v := value.(type) {
	case nil:
		return encoded(toolAnswer{Content: []textBlock{}})
	case string:
		return encoded(toolAnswer{Content: textContent(v)})
	case json.RawMessage:
		return v, nil
	case []mcp.Content:
		return encoded(toolAnswer{Content: v})
	}
	structured, err := encoded(value)
	if err != nil {
		return nil, err
	}
	return encoded(toolAnswer{Content: textContent(string(structured)), Structured: structured})
}

func (r *request) readResource() (json.RawMessage, *mcp.Error) {
	uri, ok := textMember(r.message.Params, "uri")
	if !ok {
		return nil, invalidParams("uri is required")
	}
	handler, mimeType, ok := r.server.content.reader(uri)
	if !ok {
		return nil, r.resourceNotFound(uri)
	}
	value, err := handler(r.ctx, uri)
	if err != nil {
		return nil, failureOf(err)
	}
	contents := struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType,omitempty"`
		Text     *string `json:"text,omitempty"`
		Blob     *string `json:"blob,omitempty"`
	}{URI: uri, MIMEType: mimeType}
	switch v := value.(type) {
	case json.RawMessage:
		return v, nil
	case string:
		contents.Text = &v
	case []byte:
		blob := base64.StdEncoding.EncodeToString(v)
		contents.Blob = &blob
	default:
		text, err := encoded(value)
		if err != nil {
			return nil, internalError(err)
		}
		asText := string(text)
		contents.Text = &asText
	}
	return withMember(json.RawMessage(`{}`), "contents", encode([]any{contents})), nil
}

// resourceNotFound is told apart by era (R017).
func (r *request) resourceNotFound(uri string) *mcp.Error {
	code := mcp.CodeResourceNotFound
	if r.modern() {
		code = mcp.CodeInvalidParams
	}
	data := withMember(json.RawMessage(`{}`), "uri", encode(uri))
	return &mcp.Error{Code: code, Message: "Resource not found: " + uri, Data: data}
}

func (r *request) getPrompt() (json.RawMessage, *mcp.Error) {
	name, _ := textMember(r.message.Params, "name")
	p, ok := r.server.content.prompt(name)
	if !ok {
		return nil, invalidParams("Unknown prompt: " + name)
	}
	var arguments map[string]string
	if raw := memberOf(r.message.Params, "arguments"); raw != nil {
		if err := json.Unmarshal(raw, &arguments); err != nil {
			return nil, invalidParams("arguments must be an object of strings") // R164
		}
	}
	value, err := p.handler(r.ctx, arguments)
	if err != nil {
		return nil, failureOf(err)
	}
	if raw, ok := value.(json.RawMessage); ok {
		return raw, nil
	}
	text, ok := value.(string)
	if !ok {
		return nil, internalError(errors.New("prompt handler returned neither a string nor a json.RawMessage"))
	}
	message := struct {
		Role    string    `json:"role"`
		Content textBlock `json:"content"`
	}{"user", textBlock{"text", text}}
	return withMember(json.RawMessage(`{}`), "messages", encode([]any{message})), nil
}

// completionLimit is the protocol's bound on the values of one answer (R166).
const completionLimit = 100

func (r *request) complete() (json.RawMessage, *mcp.Error) {
	reference := memberOf(r.message.Params, "ref")
	key, ok := textMember(reference, "name")
	if !ok {
		key, ok = textMember(reference, "uri")
	}
	argument := memberOf(r.message.Params, "argument")
	name, named := textMember(argument, "name")
	typed, valued := textMember(argument, "value")
	if !ok || !named || !valued {
		return nil, invalidParams("ref and argument with name and value are required")
	}
	var values []string
	if handler, ok := r.server.content.completion(key, name); ok {
		var err error
		if values, err = handler(r.ctx, typed); err != nil {
			return nil, failureOf(err)
		}
	}
	total := len(values)
	values = append([]string{}, values[:min(total, completionLimit)]...)
	completion := struct {
		Values  []string `json:"values"`
		Total   int      `json:"total"`
		HasMore bool     `json:"hasMore"`
	}{values, total, total > completionLimit}
	return withMember(json.RawMessage(`{}`), "completion", encode(completion)), nil
}

// failureOf is what a handler's error is answered with.
func failureOf(err error) *mcp.Error {
	if failure, ok := errors.AsType[*mcp.Error](err); ok {
		return failure
	}
	return internalError(err)
}
