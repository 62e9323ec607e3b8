package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// What IncludeContext asks to be added to the messages.
const (
	IncludeNone       = "none"
	IncludeThisServer = "thisServer"
	IncludeAllServers = "allServers"
)

// Modes of ToolChoice.
const (
	ToolChoiceAuto     = "auto"
	ToolChoiceRequired = "required"
	ToolChoiceNone     = "none"
)

// CreateMessageRequest asks the client's model for a message. It is the server's
// and untrusted; a person should see and be able to change it (R186). Sampling
// is deprecated in 2026-07-28.
type CreateMessageRequest struct {
	Messages []SamplingMessage `json:"messages"`
	// ModelPreferences may be nil.
	ModelPreferences *ModelPreferences `json:"modelPreferences,omitempty"`
	SystemPrompt     string            `json:"systemPrompt,omitempty"`
	// IncludeContext is one of the Include constants or empty, which is none.
	IncludeContext string `json:"includeContext,omitempty"`
	// Temperature is nil if the server did not say.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxTokens is the most that the answer may have (R182); 0 if the server
	// left it out.
	MaxTokens     int64    `json:"maxTokens"`
	StopSequences []string `json:"stopSequences,omitempty"`
	// Metadata is for the model's provider, raw, or nil.
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// Tools are those the model may use in this message, nil if the server sent
	// none; the server runs them, not the client.
	Tools []Tool `json:"tools,omitempty"`
	// ToolChoice may be nil, which is ToolChoiceAuto.
	ToolChoice *ToolChoice `json:"toolChoice,omitempty"`
	// Meta is the params' _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
	// Raw is the whole params object as the server sent it; nil if it was built
	// here. It must not be changed.
	Raw json.RawMessage `json:"-"`
}

// ToolChoice says whether the model has to use a tool.
type ToolChoice struct {
	// Mode is one of the ToolChoice constants; empty is ToolChoiceAuto.
	Mode string `json:"mode,omitempty"`
}

// ModelPreferences say what kind of model the server would like. Hints come
// first, in order, the first match wins; the priorities are from 0 to 1 and nil
// if not told (R183).
type ModelPreferences struct {
	Hints                []ModelHint `json:"hints,omitempty"`
	CostPriority         *float64    `json:"costPriority,omitempty"`
	SpeedPriority        *float64    `json:"speedPriority,omitempty"`
	IntelligencePriority *float64    `json:"intelligencePriority,omitempty"`
}

// ModelHint names a model or a part of its name.
type ModelHint struct {
	Name string `json:"name,omitempty"`
}

// ParseCreateMessageRequest decodes the params of sampling/createMessage. The
// error wraps ErrProtocol: params are no object, there is no messages array, or
// a message or tool in them cannot be used; leaving one out would ask the model
// something else.
func ParseCreateMessageRequest(params json.RawMessage) (*CreateMessageRequest, error) {
	return decodeParams[CreateMessageRequest](params)
}

// WantsTools reports whether the request has tools or a tool choice, which a
// client that did not announce sampling.tools refuses (R181).
func (r *CreateMessageRequest) WantsTools() bool { return r.Tools != nil || r.ToolChoice != nil }

func (r *CreateMessageRequest) decode(raw []byte) error {
	*r = CreateMessageRequest{Raw: raw}
	var faults []error
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		switch string(name) {
		case "messages":
			r.Messages, err = readEntries[SamplingMessage](c, "messages", &faults)
		case "modelPreferences":
			r.ModelPreferences = readModelPreferences(c)
		case "systemPrompt":
			r.SystemPrompt = readText(c)
		case "includeContext":
			r.IncludeContext = readText(c)
		case "temperature":
			r.Temperature = readFloat(c)
		case "maxTokens":
			if n := readInteger(c); n != nil {
				r.MaxTokens = *n
			}
		case "stopSequences":
			r.StopSequences = readTexts(c)
		case "metadata":
			r.Metadata = readKept(c)
		case "tools":
			if c.Kind() == 'n' {
				c.Value()
				break
			}
			r.Tools, err = readEntries[Tool](c, "tools", &faults)
		case "toolChoice":
			r.ToolChoice = readToolChoice(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case len(faults) > 0:
		return faults[0]
	case r.Messages == nil:
		return fmt.Errorf("%q is missing", "messages")
	}
	return nil
}

func readToolChoice(c *jsonscan.Cursor) *ToolChoice {
	if !c.Object() {
		c.Value()
		return nil
	}
	choice := &ToolChoice{}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		if string(name) == "mode" {
			choice.Mode = readText(c)
		} else {
			c.Value()
		}
	}
	return choice
}

func readModelPreferences(c *jsonscan.Cursor) *ModelPreferences {
	if !c.Object() {
		c.Value()
		return nil
	}
	p := &ModelPreferences{}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "hints":
			p.Hints = readModelHints(c)
		case "costPriority":
			p.CostPriority = readFloat(c)
		case "speedPriority":
			p.SpeedPriority = readFloat(c)
		case "intelligencePriority":
			p.IntelligencePriority = readFloat(c)
		default:
			c.Value()
		}
	}
	return p
}

// readModelHints leaves out hints without a name: they match nothing.
func readModelHints(c *jsonscan.Cursor) (hints []ModelHint) {
	if !c.Array() {
		c.Value()
		return nil
	}
	for c.Element() {
		hint := c.Value()
		value, _ := jsonscan.Find(hint, "name")
		if name, ok := jsonscan.String(value); ok && name != "" && len(hints) < maxEntries {
			hints = append(hints, ModelHint{Name: name})
		}
	}
	return hints
}

// UnmarshalJSON decodes the params; Raw is a copy of data.
func (r *CreateMessageRequest) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r CreateMessageRequest) MarshalJSON() ([]byte, error) {
	type fields CreateMessageRequest
	if r.Messages == nil {
		r.Messages = []SamplingMessage{}
	}
	return marshal(r.Raw, fields(r))
}

// CheckToolUse returns an error if the messages break the rules of tool use: a
// message with a tool's result has nothing but results, and the message behind
// one that uses tools has the result of each use (R184). The error wraps
// ErrProtocol and is answered with CodeInvalidParams.
func (r *CreateMessageRequest) CheckToolUse() error {
	var uses []string // of the message before
	for i := range r.Messages {
		message := &r.Messages[i]
		results, count := message.toolResults()
		if count > 0 && count < len(message.Content) {
			return fmt.Errorf("%w: messages[%d] mixes tool results with other content", errors.ErrProtocol, i)
		}
		for _, id := range uses {
			if !results[id] {
				return fmt.Errorf("%w: messages[%d] lacks the result of the tool use %q", errors.ErrProtocol, i, shortened(id))
			}
		}
		uses = message.toolUses()
	}
	if len(uses) > 0 {
		return fmt.Errorf("%w: the last message uses tools, and no results follow", errors.ErrProtocol)
	}
	return nil
}
