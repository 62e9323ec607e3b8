package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Root is a folder or file that the client lets a server know of. Roots are
// deprecated in 2026-07-28.
type Root struct {
	// URI is a file:// URI (R175).
	URI string `json:"uri"`
	// Name is a name for people.
	Name string `json:"name,omitempty"`
	// Meta is the root's _meta, raw, or nil.
	Meta json.RawMessage `json:"_meta,omitempty"`
}

// Validate returns an error if the URI is of another scheme than file (R175).
func (r Root) Validate() error {
	const scheme = "file://"
	if len(r.URI) < len(scheme) || !strings.EqualFold(r.URI[:len(scheme)], scheme) {
		return fmt.Errorf("root %q: the URI must begin with %s", shortened(r.URI), scheme)
	}
	return nil
}

func (r *Root) read(c *jsonscan.Cursor) (problem string) {
	if !c.Object() {
		return "must be an object, found " + kindOf(c.Value())
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "uri":
			r.URI = readText(c)
		case "name":
			r.Name = readText(c)
		case "_meta":
			r.Meta = readKept(c)
		default:
			c.Value()
		}
	}
	if r.URI == "" {
		return "has no uri"
	}
	return ""
}

// ListRootsResult is the client's answer to roots/list.
type ListRootsResult struct {
	Roots []Root
	// Meta is the result's _meta, raw, or nil.
	Meta json.RawMessage
}

func (l *ListRootsResult) decode(raw []byte) error {
	*l = ListRootsResult{}
	var faults []error
	err := decodeObject(raw, func(name []byte, c *jsonscan.Cursor) (err error) {
		switch string(name) {
		case "roots":
			l.Roots, err = readEntries[Root](c, "roots", &faults)
		case "_meta":
			l.Meta = readKept(c)
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
	case l.Roots == nil:
		return fmt.Errorf("%q is missing", "roots")
	}
	return nil
}

// UnmarshalJSON decodes the result from a copy of data.
func (l *ListRootsResult) UnmarshalJSON(data []byte) error { return unmarshal(l, data) }

// MarshalJSON encodes the result; no roots are an empty array.
func (l ListRootsResult) MarshalJSON() ([]byte, error) {
	if l.Roots == nil {
		l.Roots = []Root{}
	}
	return encode(struct {
		Roots []Root          `json:"roots"`
		Meta  json.RawMessage `json:"_meta,omitempty"`
	}{l.Roots, l.Meta})
}
