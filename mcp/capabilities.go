package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// ServerCapabilities is what a server announces that it can do. A nil pointer
// or false means not announced. Capabilities that this module does not know are
// in Raw.
type ServerCapabilities struct {
	Tools     *ListCapability
	Prompts   *ListCapability
	Resources *ResourcesCapability
	// Completions has existed since 2025-03-26; before, nothing announced it
	// (R165).
	Completions bool
	// Logging is deprecated in 2026-07-28.
	Logging bool
	// Tasks is the raw tasks member of 2025-11-25, or nil.
	Tasks json.RawMessage
	// Extensions holds the raw settings of each extension by its id (R275).
	Extensions map[string]json.RawMessage
	// Experimental holds non-standard capabilities, raw.
	Experimental map[string]json.RawMessage
	// Raw is the whole object as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage
}

// ListCapability is what can be said of a list.
type ListCapability struct {
	// ListChanged: the server tells when the list changes.
	ListChanged bool `json:"listChanged,omitempty"`
}

// ResourcesCapability is what can be said of resources.
type ResourcesCapability struct {
	// ListChanged: the server tells when the list changes.
	ListChanged bool `json:"listChanged,omitempty"`
	// Subscribe: single resources can be watched (R156).
	Subscribe bool `json:"subscribe,omitempty"`
}

// HasExtension reports whether the server announced the extension.
func (s *ServerCapabilities) HasExtension(id string) bool {
	_, found := s.Extensions[id]
	return found
}

// ParseServerCapabilities decodes a capabilities object. raw must be valid JSON
// and is aliased; anything but an object gives no capabilities.
func ParseServerCapabilities(raw json.RawMessage) ServerCapabilities {
	var s ServerCapabilities
	c := jsonscan.TrustedCursor(raw)
	s.read(&c)
	return s
}

func (s *ServerCapabilities) read(c *jsonscan.Cursor) (problem string) {
	start := c.Pos()
	if !c.Object() {
		kind := kindOf(c.Value())
		return "must be an object, found " + kind
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "tools":
			s.Tools = readListCapability(c)
		case "prompts":
			s.Prompts = readListCapability(c)
		case "resources":
			s.Resources = readResourcesCapability(c)
		case "completions":
			s.Completions = readPresent(c)
		case "logging":
			s.Logging = readPresent(c)
		case "tasks":
			s.Tasks = readKept(c)
		case "extensions":
			s.Extensions = readObjects(c)
		case "experimental":
			s.Experimental = readObjects(c)
		default:
			c.Value()
		}
	}
	s.Raw = c.Slice(start)
	return ""
}

// readPresent reads a capability that has no settings: an object announces it,
// and so does true, which some servers send; null and false do not.
func readPresent(c *jsonscan.Cursor) bool {
	kind := c.Kind()
	c.Value()
	return kind == '{' || kind == 't'
}

func readListCapability(c *jsonscan.Cursor) *ListCapability {
	if c.Kind() != '{' {
		if readPresent(c) {
			return &ListCapability{}
		}
		return nil
	}
	value := c.Value()
	return &ListCapability{ListChanged: isTrue(value, "listChanged")}
}

func readResourcesCapability(c *jsonscan.Cursor) *ResourcesCapability {
	if c.Kind() != '{' {
		if readPresent(c) {
			return &ResourcesCapability{}
		}
		return nil
	}
	value := c.Value()
	return &ResourcesCapability{ListChanged: isTrue(value, "listChanged"), Subscribe: isTrue(value, "subscribe")}
}

func isTrue(object []byte, key string) bool {
	value, _ := jsonscan.Find(object, key)
	return string(value) == "true"
}

func (s *ServerCapabilities) decode(raw []byte) error { return decodeEntry(s, raw) }

// UnmarshalJSON decodes the object; Raw is a copy of data.
func (s *ServerCapabilities) UnmarshalJSON(data []byte) error {
	*s = ServerCapabilities{}
	return unmarshal(s, data)
}

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (s ServerCapabilities) MarshalJSON() ([]byte, error) {
	return marshal(s.Raw, struct {
		Tools        *ListCapability            `json:"tools,omitempty"`
		Prompts      *ListCapability            `json:"prompts,omitempty"`
		Resources    *ResourcesCapability       `json:"resources,omitempty"`
		Completions  *struct{}                  `json:"completions,omitempty"`
		Logging      *struct{}                  `json:"logging,omitempty"`
		Tasks        json.RawMessage            `json:"tasks,omitempty"`
		Extensions   map[string]json.RawMessage `json:"extensions,omitempty"`
		Experimental map[string]json.RawMessage `json:"experimental,omitempty"`
	}{s.Tools, s.Prompts, s.Resources, present(s.Completions), present(s.Logging), s.Tasks, s.Extensions, s.Experimental})
}

func present(announced bool) *struct{} {
	if announced {
		return &struct{}{}
	}
	return nil
}

// ClientCapabilities is what a client announces that it can do. The zero value
// announces nothing and encodes to {} (R022).
type ClientCapabilities struct {
	// Roots is deprecated in 2026-07-28; there it has no ListChanged.
	Roots *ListCapability `json:"roots,omitempty"`
	// Sampling is deprecated in 2026-07-28.
	Sampling    *SamplingCapability    `json:"sampling,omitempty"`
	Elicitation *ElicitationCapability `json:"elicitation,omitempty"`
	// Tasks is the raw tasks member of 2025-11-25, or nil.
	Tasks json.RawMessage `json:"tasks,omitempty"`
	// Extensions holds the raw settings of each extension by its id; without
	// settings they are {} (R041).
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
	// Experimental holds non-standard capabilities, raw.
	Experimental map[string]json.RawMessage `json:"experimental,omitempty"`
}

// SamplingCapability says what the client can do for sampling requests; the
// pointers are nil for what it cannot.
type SamplingCapability struct {
	Context *struct{} `json:"context,omitempty"`
	Tools   *struct{} `json:"tools,omitempty"`
}

// ElicitationCapability says which modes of elicitation the client can do. With
// neither set it means form only, the one mode of the older revisions.
type ElicitationCapability struct {
	Form *struct{} `json:"form,omitempty"`
	URL  *struct{} `json:"url,omitempty"`
}
