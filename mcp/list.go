package mcp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Scopes of a cacheable result.
const (
	CachePublic  = "public"
	CachePrivate = "private"
)

// Caching is what a result of the modern era says on how long it may be kept.
type Caching struct {
	// TTL is how long the result stays fresh from its arrival; 0 means that it
	// is stale at once, also where the server said nothing (R230).
	TTL time.Duration
	// CacheScope is CachePublic, CachePrivate or empty. Anything but public must
	// be kept from other callers (R233).
	CacheScope string
}

func (c *Caching) readMember(name []byte, cursor *jsonscan.Cursor) bool {
	switch string(name) {
	case "ttlMs":
		c.TTL = readMilliseconds(cursor)
	case "cacheScope":
		c.CacheScope = readText(cursor)
	default:
		return false
	}
	return true
}

// Page is what all list results have besides their entries.
type Page struct {
	Caching
	// NextCursor asks for the next page. Nil means that this is the last one;
	// the empty string is a cursor (R141, P13).
	NextCursor *string
	// CursorUnreadable reports that there is a next page which cannot be asked
	// for: nextCursor is neither a string nor null. It is in Faults as well.
	CursorUnreadable bool
	// Faults describes entries, at most 16, that could not be read and were left
	// out: those that are no objects or lack their name or URI; also a cursor
	// that is no string. Each wraps ErrProtocol.
	Faults []error
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
	// Raw is the whole result as the server sent it; nil if it was built here.
	// It must not be changed.
	Raw json.RawMessage
}

func (p *Page) readMember(name []byte, c *jsonscan.Cursor) {
	switch string(name) {
	case "nextCursor":
		kind := c.Kind()
		if cursor, ok := c.SharedText(); ok {
			p.NextCursor = &cursor
		} else if kind != 'n' {
			p.CursorUnreadable = true
			p.Faults = append(p.Faults, fmt.Errorf("%w: nextCursor is not a string: the list ends early", errors.ErrProtocol))
		}
	case "_meta":
		p.Meta = readKept(c)
	default:
		if !p.Caching.readMember(name, c) {
			c.Value()
		}
	}
}

// decodeList decodes a list result whose entries are the member called what.
func decodeList[T any, P interface {
	*T
	entry
}](raw []byte, what string, page *Page) (entries []T, err error) {
	found := false
	err = decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		if string(name) != what {
			page.readMember(name, c)
			return nil
		}
		found = true
		entries, err = readEntries[T, P](c, what, &page.Faults)
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("%q is missing", what)
	}
	page.Raw = raw
	return entries, err
}

// marshalList is MarshalJSON of list results.
func marshalList[T any](page *Page, what string, entries []T) ([]byte, error) {
	if page.Raw != nil {
		return page.Raw, nil
	}
	if entries == nil {
		entries = []T{}
	}
	fields := map[string]any{what: entries}
	if page.NextCursor != nil {
		fields["nextCursor"] = *page.NextCursor
	}
	if page.CacheScope != "" {
		fields["cacheScope"] = page.CacheScope
		fields["ttlMs"] = page.TTL.Milliseconds()
	}
	if page.Meta != nil {
		fields["_meta"] = page.Meta
	}
	return json.Marshal(fields)
}

// ListToolsResult is the result of tools/list.
type ListToolsResult struct {
	Page
	Tools []Tool
}

// ParseListToolsResult decodes one page of tools. The error wraps ErrProtocol:
// the result is no object or has no tools array.
func ParseListToolsResult(r Result) (*ListToolsResult, error) {
	return decodeResult[ListToolsResult](r)
}

func (l *ListToolsResult) decode(raw []byte) (err error) {
	*l = ListToolsResult{}
	l.Tools, err = decodeList[Tool](raw, "tools", &l.Page)
	return err
}

// UnmarshalJSON decodes a page; Raw is a copy of data.
func (l *ListToolsResult) UnmarshalJSON(data []byte) error { return unmarshal(l, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (l ListToolsResult) MarshalJSON() ([]byte, error) {
	return marshalList(&l.Page, "tools", l.Tools)
}

// ListResourcesResult is the result of resources/list.
type ListResourcesResult struct {
	Page
	Resources []Resource
}

// ParseListResourcesResult decodes one page of resources. The error wraps
// ErrProtocol: the result is no object or has no resources array.
func ParseListResourcesResult(r Result) (*ListResourcesResult, error) {
	return decodeResult[ListResourcesResult](r)
}

func (l *ListResourcesResult) decode(raw []byte) (err error) {
	*l = ListResourcesResult{}
	l.Resources, err = decodeList[Resource](raw, "resources", &l.Page)
	return err
}

// UnmarshalJSON decodes a page; Raw is a copy of data.
func (l *ListResourcesResult) UnmarshalJSON(data []byte) error { return unmarshal(l, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (l ListResourcesResult) MarshalJSON() ([]byte, error) {
	return marshalList(&l.Page, "resources", l.Resources)
}

// ListResourceTemplatesResult is the result of resources/templates/list.
type ListResourceTemplatesResult struct {
	Page
	ResourceTemplates []ResourceTemplate
}

// ParseListResourceTemplatesResult decodes one page of resource templates. The
// error wraps ErrProtocol: the result is no object or has no resourceTemplates
// array.
func ParseListResourceTemplatesResult(r Result) (*ListResourceTemplatesResult, error) {
	return decodeResult[ListResourceTemplatesResult](r)
}

func (l *ListResourceTemplatesResult) decode(raw []byte) (err error) {
	*l = ListResourceTemplatesResult{}
	l.ResourceTemplates, err = decodeList[ResourceTemplate](raw, "resourceTemplates", &l.Page)
	return err
}

// UnmarshalJSON decodes a page; Raw is a copy of data.
func (l *ListResourceTemplatesResult) UnmarshalJSON(data []byte) error { return unmarshal(l, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (l ListResourceTemplatesResult) MarshalJSON() ([]byte, error) {
	return marshalList(&l.Page, "resourceTemplates", l.ResourceTemplates)
}

// ListPromptsResult is the result of prompts/list.
type ListPromptsResult struct {
	Page
	Prompts []Prompt
}

// ParseListPromptsResult decodes one page of prompts. The error wraps
// ErrProtocol: the result is no object or has no prompts array.
func ParseListPromptsResult(r Result) (*ListPromptsResult, error) {
	return decodeResult[ListPromptsResult](r)
}

func (l *ListPromptsResult) decode(raw []byte) (err error) {
	*l = ListPromptsResult{}
	l.Prompts, err = decodeList[Prompt](raw, "prompts", &l.Page)
	return err
}

// UnmarshalJSON decodes a page; Raw is a copy of data.
func (l *ListPromptsResult) UnmarshalJSON(data []byte) error { return unmarshal(l, data) }

// MarshalJSON returns Raw if there is one, else encodes the fields.
func (l ListPromptsResult) MarshalJSON() ([]byte, error) {
	return marshalList(&l.Page, "prompts", l.Prompts)
}
