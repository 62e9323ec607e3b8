package mcptest

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Call is one tool call, as its handler sees it. It is safe for concurrent use.
type Call struct {
	// Name is the tool's name.
	Name string
	// Arguments is the raw "arguments" member, {} where there was none.
	Arguments json.RawMessage
	// Params is all of the request's params, _meta included.
	Params json.RawMessage
	// Version is the protocol version of the conversation or request.
	Version mcp.Version

	request *request
}

// Decode decodes the arguments; its error tells the client's user what is wrong
// with them.
func (c *Call) Decode(v any) error {
	if err := json.Unmarshal(c.Arguments, v); err != nil {
		return fmt.Errorf("invalid arguments for tool %s: %w", c.Name, err)
	}
	return nil
}

// WantsProgress reports whether the client sent a progress token.
func (c *Call) WantsProgress() bool { return !progressTokenOf(c.Params).IsZero() }

// Progress reports progress, if the client wants it; total 0 and message ""
// are left out. After the handler returned it does nothing.
func (c *Call) Progress(progress, total float64, message string) {
	if token := progressTokenOf(c.Params); !token.IsZero() {
		c.request.emit(progressMessage(token, mcp.Progress{Progress: progress, Total: total, Message: message}))
	}
}

// Log sends a log message, if the client wants this level: in the modern era by
// the request's logLevel (R169), in the legacy one by logging/setLevel, before
// which everything is sent (R170). level is a name of RFC 5424, data anything
// that encodes to JSON.
func (c *Call) Log(level string, data any) {
	if severity(level) < max(0, severity(c.request.logLevel())) || c.request.silenced() {
		return
	}
	params := encode(struct {
		Level  string `json:"level"`
		Logger string `json:"logger"`
		Data   any    `json:"data"`
	}{level, c.Name, data})
	c.request.emit(notificationMessage(mcp.NotificationMessage, params))
}

// Notify sends any notification on the call's own stream. params is JSON text or
// encodes to it.
func (c *Call) Notify(method string, params any) {
	c.request.emit(notificationMessage(method, rawJSON(params)))
}

// logLevel is the lowest level the client wants, "" for none given.
func (r *request) logLevel() string {
	if r.modern() {
		level, _ := textMember(metaOf(r.message.Params), mcp.MetaLogLevel)
		return level
	}
	r.conversation.mu.Lock()
	defer r.conversation.mu.Unlock()
	return r.conversation.level
}

// silenced reports whether no log message may be sent at all.
func (r *request) silenced() bool {
	return r.server.settings.without[capabilityLogging] || r.modern() && r.logLevel() == ""
}
