package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// InitializeResult is the answer to the legacy handshake.
type InitializeResult struct {
	// ProtocolVersion is what the server chose; it may be one that this module
	// does not speak (R054).
	ProtocolVersion Version
	Capabilities    ServerCapabilities
	// ServerInfo is for display and logs only.
	ServerInfo Implementation
	// Instructions is text for the model; untrusted.
	Instructions string
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as the server sent it. It must not be changed.
	Raw json.RawMessage
}

// ParseInitializeResult decodes the handshake. The error wraps ErrProtocol: the
// result is no object or its protocolVersion is no string. Other members may be
// missing, since real servers leave them out.
func ParseInitializeResult(r Result) (*InitializeResult, error) {
	return decodeResult[InitializeResult](r)
}

func (r *InitializeResult) decode(raw []byte) error {
	*r = InitializeResult{Raw: raw}
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) error {
		switch string(name) {
		case "protocolVersion":
			r.ProtocolVersion = Version(readText(c))
		case "capabilities":
			r.Capabilities = ServerCapabilities{}
			r.Capabilities.read(c)
		case "serverInfo":
			r.ServerInfo = readImplementation(c.Value())
		case "instructions":
			r.Instructions = readText(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
		return nil
	})
	if err == nil && r.ProtocolVersion == "" {
		err = fmt.Errorf("%q must be a version", "protocolVersion")
	}
	return err
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *InitializeResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r InitializeResult) MarshalJSON() ([]byte, error) {
	return marshal(r.Raw, struct {
		ProtocolVersion Version            `json:"protocolVersion"`
		Capabilities    ServerCapabilities `json:"capabilities"`
		ServerInfo      Implementation     `json:"serverInfo"`
		Instructions    string             `json:"instructions,omitempty"`
		Meta            json.RawMessage    `json:"_meta,omitempty"`
	}{r.ProtocolVersion, r.Capabilities, r.ServerInfo, r.Instructions, r.Meta})
}

// readImplementation decodes what can be decoded: one odd member must not sink
// a handshake.
func readImplementation(raw []byte) Implementation {
	var i Implementation
	_ = json.Unmarshal(raw, &i) // goes on behind members of a wrong type
	return i
}

// DiscoverResult is the answer to server/discover.
type DiscoverResult struct {
	Caching
	// SupportedVersions are the versions the server speaks, legacy ones and
	// unknown ones among them.
	SupportedVersions []Version
	Capabilities      ServerCapabilities
	// ServerInfo is for display and logs only (R027). It comes from _meta, else
	// from the top level, where drafts had it (P45).
	ServerInfo Implementation
	// Instructions is text for the model; untrusted.
	Instructions string
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as the server sent it. It must not be changed.
	Raw json.RawMessage
}

// ParseDiscoverResult decodes the answer to server/discover. The error wraps
// ErrProtocol: the result is none, because it has no supportedVersions that is
// an array of strings; lax legacy servers answer {} (S10, H4).
func ParseDiscoverResult(r Result) (*DiscoverResult, error) { return decodeResult[DiscoverResult](r) }

func (r *DiscoverResult) decode(raw []byte) error {
	*r = DiscoverResult{Raw: raw}
	var draftInfo []byte
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		switch string(name) {
		case "supportedVersions":
			r.SupportedVersions, err = readVersions(c)
		case "capabilities":
			r.Capabilities = ServerCapabilities{}
			r.Capabilities.read(c)
		case "serverInfo":
			draftInfo = c.Value()
		case "instructions":
			r.Instructions = readText(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			if !r.readMember(name, c) {
				c.Value()
			}
		}
		return err
	})
	if err == nil && r.SupportedVersions == nil {
		err = fmt.Errorf("%q is missing", "supportedVersions")
	}
	info, found := jsonscan.Find(r.Meta, MetaServerInfo)
	if !found {
		info = draftInfo
	}
	if info != nil {
		r.ServerInfo = readImplementation(info)
	}
	return err
}

func readVersions(c *jsonscan.Cursor) ([]Version, error) {
	if !c.Array() {
		kind := kindOf(c.Value())
		return nil, fmt.Errorf("%q must be an array, found %s", "supportedVersions", kind)
	}
	versions := []Version{}
	for c.Element() {
		text, ok := c.SharedText()
		if !ok || len(versions) == maxEntries {
			return nil, fmt.Errorf("%q must be an array of strings", "supportedVersions")
		}
		versions = append(versions, Version(text))
	}
	return versions, nil
}

// UnmarshalJSON decodes the result; Raw is a copy of data.
func (r *DiscoverResult) UnmarshalJSON(data []byte) error { return unmarshal(r, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (r DiscoverResult) MarshalJSON() ([]byte, error) {
	if r.Raw != nil {
		return r.Raw, nil
	}
	if r.SupportedVersions == nil {
		r.SupportedVersions = []Version{}
	}
	meta := r.Meta
	if meta == nil && r.ServerInfo.Name != "" {
		info, err := json.Marshal(map[string]Implementation{MetaServerInfo: r.ServerInfo})
		if err != nil {
			return nil, err
		}
		meta = info
	}
	return json.Marshal(struct {
		ResultType        string             `json:"resultType"`
		SupportedVersions []Version          `json:"supportedVersions"`
		Capabilities      ServerCapabilities `json:"capabilities"`
		Instructions      string             `json:"instructions,omitempty"`
		TTL               int64              `json:"ttlMs"`
		CacheScope        string             `json:"cacheScope"`
		Meta              json.RawMessage    `json:"_meta,omitempty"`
	}{ResultComplete, r.SupportedVersions, r.Capabilities, r.Instructions, r.TTL.Milliseconds(), firstOf(r.CacheScope, CachePrivate), meta})
}
