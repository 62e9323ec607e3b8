package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// What the handlers answer. Checks look for it in what servers say.
const (
	sampledText = "sampled by the peers' client"
	rootURI     = "file:///peers/root"
	userName    = "Ada"
)

// handlers returns the handlers of the client under test. They count in heard
// what they are asked.
func handlers(heard *Heard) mcpclient.Handlers {
	return mcpclient.Handlers{
		ElicitForm: func(_ context.Context, _ string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			heard.add(mcp.MethodElicit)
			content, err := fillIn(request.RequestedSchema)
			if err != nil {
				return nil, err
			}
			return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: content}, nil
		},
		ElicitURL: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			heard.add(mcp.MethodElicit)
			return &mcp.ElicitResult{Action: mcp.ElicitAccept}, nil
		},
		CreateMessage: func(context.Context, string, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			heard.add(mcp.MethodCreateMessage)
			return &mcp.CreateMessageResult{Content: []mcp.Content{mcp.TextContent(sampledText)}, Model: "none", StopReason: mcp.StopEndTurn}, nil
		},
		ListRoots: func(context.Context, string) ([]mcp.Root, error) {
			heard.add(mcp.MethodListRoots)
			return []mcp.Root{{URI: rootURI, Name: "root"}}, nil
		},
		OfferDeprecated: true,
		Notification:    func(_ string, message mcp.Message) { heard.add(message.Method) },
	}
}

// field is a property of a form.
type field struct {
	Type    string   `json:"type"`
	Format  string   `json:"format"`
	Enum    []string `json:"enum"`
	Minimum float64  `json:"minimum"`
	// MinLength is in characters.
	MinLength int `json:"minLength"`
	OneOf     []struct {
		Const string `json:"const"`
	} `json:"oneOf"`
	Items struct {
		Enum []string `json:"enum"`
	} `json:"items"`
}

// fillIn answers what a form requires. What it does not require is left to the
// form's defaults.
func fillIn(schema json.RawMessage) (map[string]any, error) {
	var form struct {
		Properties map[string]field `json:"properties"`
		Required   []string         `json:"required"`
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return nil, fmt.Errorf("the form's schema: %w", err)
	}
	content := map[string]any{}
	for _, name := range form.Required {
		content[name] = form.Properties[name].value()
	}
	return content, nil
}

func (f field) value() any {
	switch {
	case f.Type == "boolean":
		return true
	case f.Type == "number" || f.Type == "integer":
		return max(f.Minimum, 1)
	case f.Type == "array":
		return slices.Clone(f.Items.Enum[:min(1, len(f.Items.Enum))])
	case len(f.Enum) > 0:
		return f.Enum[0]
	case len(f.OneOf) > 0:
		return f.OneOf[0].Const
	case f.Format == "email":
		return "ada@example.com"
	case f.Format == "uri":
		return "https://example.com/ada"
	case f.Format == "date":
		return "2026-01-02"
	default:
		return userName + strings.Repeat(".", max(0, f.MinLength-len(userName)))
	}
}

// Heard counts what the client's handlers got, by method. It is safe for
// concurrent use.
type Heard struct {
	mu     sync.Mutex
	counts map[string]int
}

func (h *Heard) add(method string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.counts == nil {
		h.counts = map[string]int{}
	}
	h.counts[method]++
}

func (h *Heard) count(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts[method]
}
