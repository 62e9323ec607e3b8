package mcp

import (
	"encoding/json"
	"slices"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// SubscriptionFilter says which notifications a subscription is for. In params
// only what is wanted is listed (R219).
type SubscriptionFilter struct {
	ToolsListChanged     bool `json:"toolsListChanged,omitempty"`
	PromptsListChanged   bool `json:"promptsListChanged,omitempty"`
	ResourcesListChanged bool `json:"resourcesListChanged,omitempty"`
	// ResourceSubscriptions holds the URIs of resources to watch. The server may
	// report a part of one by a URI of its own (P61).
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
	// TaskIDs holds tasks to watch: the tasks extension (R291).
	TaskIDs []string `json:"taskIds,omitempty"`
}

// IsZero reports whether the filter is for nothing.
func (f SubscriptionFilter) IsZero() bool {
	return !f.ToolsListChanged && !f.PromptsListChanged && !f.ResourcesListChanged &&
		len(f.ResourceSubscriptions) == 0 && len(f.TaskIDs) == 0
}

// Without returns the part of the filter that other does not have: what a
// server left out when it acknowledged other instead (R220, P65).
func (f SubscriptionFilter) Without(other SubscriptionFilter) SubscriptionFilter {
	return SubscriptionFilter{
		ToolsListChanged:      f.ToolsListChanged && !other.ToolsListChanged,
		PromptsListChanged:    f.PromptsListChanged && !other.PromptsListChanged,
		ResourcesListChanged:  f.ResourcesListChanged && !other.ResourcesListChanged,
		ResourceSubscriptions: subtract(f.ResourceSubscriptions, other.ResourceSubscriptions),
		TaskIDs:               subtract(f.TaskIDs, other.TaskIDs),
	}
}

func subtract(all, others []string) (rest []string) {
	known := make(map[string]struct{}, len(others))
	for _, other := range others {
		known[other] = struct{}{}
	}
	for _, one := range all {
		if _, found := known[one]; !found {
			rest = append(rest, one)
		}
	}
	return rest
}

// Clone returns a copy that shares no memory with f.
func (f SubscriptionFilter) Clone() SubscriptionFilter {
	f.ResourceSubscriptions = slices.Clone(f.ResourceSubscriptions)
	f.TaskIDs = slices.Clone(f.TaskIDs)
	return f
}

func (f *SubscriptionFilter) read(c *jsonscan.Cursor) (problem string) {
	if !c.Object() {
		return "must be an object, found " + kindOf(c.Value())
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "toolsListChanged":
			f.ToolsListChanged = readTrue(c)
		case "promptsListChanged":
			f.PromptsListChanged = readTrue(c)
		case "resourcesListChanged":
			f.ResourcesListChanged = readTrue(c)
		case "resourceSubscriptions":
			f.ResourceSubscriptions = readTexts(c)
		case "taskIds":
			f.TaskIDs = readTexts(c)
		default:
			c.Value()
		}
	}
	return ""
}

// ListenParams are the params of subscriptions/listen.
type ListenParams struct {
	Notifications SubscriptionFilter `json:"notifications"`
}

// AcknowledgedParams are the params of notifications/subscriptions/acknowledged,
// the first message of a subscription (R221).
type AcknowledgedParams struct {
	// Notifications is what the server will send, perhaps less than was asked
	// for.
	Notifications SubscriptionFilter `json:"notifications"`
	// Meta is the params' _meta, raw, or nil. It names the subscription under
	// MetaSubscriptionID (R222).
	Meta json.RawMessage `json:"_meta,omitempty"`
}

// ParseAcknowledgedParams decodes them. The error wraps ErrProtocol: params or
// the filter in them are no object. A filter that is missing acknowledges
// nothing.
func ParseAcknowledgedParams(params json.RawMessage) (*AcknowledgedParams, error) {
	return decodeParams[AcknowledgedParams](params)
}

func (p *AcknowledgedParams) decode(raw []byte) error {
	*p = AcknowledgedParams{}
	return decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "notifications":
			p.Notifications = SubscriptionFilter{}
			if problem := p.Notifications.read(c); problem != "" {
				return errors.New(`"notifications" ` + problem)
			}
		case "_meta":
			p.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
}

// ResourceUpdatedParams are the params of notifications/resources/updated.
type ResourceUpdatedParams struct {
	// URI is the resource, or a part of one that is watched (P61).
	URI string `json:"uri"`
	// Meta is the params' _meta, raw, or nil. It names the subscription under
	// MetaSubscriptionID (R222).
	Meta json.RawMessage `json:"_meta,omitempty"`
}

// ParseResourceUpdatedParams decodes them. The error wraps ErrProtocol: params
// are no object or have no uri.
func ParseResourceUpdatedParams(params json.RawMessage) (*ResourceUpdatedParams, error) {
	return decodeParams[ResourceUpdatedParams](params)
}

func (p *ResourceUpdatedParams) decode(raw []byte) error {
	*p = ResourceUpdatedParams{}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "uri":
			p.URI = readText(c)
		case "_meta":
			p.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
	if err == nil && p.URI == "" {
		err = errors.New("has no uri")
	}
	return err
}
