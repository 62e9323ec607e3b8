package mcp

import (
	"encoding/json"
	"strconv"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Progress is one progress report of a running request (R132-R135).
type Progress struct {
	// Progress grows with every report; it may be fractional.
	Progress float64 `json:"progress"`
	// Total is what Progress grows to, or 0 if the server did not say.
	Total float64 `json:"total,omitempty"`
	// Message is the server's text for people: untrusted, may be empty.
	Message string `json:"message,omitempty"`
}

// ProgressOf reads the params of a notifications/progress message, in one pass.
// The message shares their bytes, which must not change afterwards.
// It returns false if they are not an object with a numeric progress; an
// optional member of a wrong type counts as absent.
func ProgressOf(params json.RawMessage) (Progress, bool) {
	var p Progress
	found := false
	c := jsonscan.NewCursor(params)
	if !c.Object() {
		return p, false
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		p.readMember(name, &c, &found)
	}
	return p, found && c.End() == nil
}

// readMember reads one member of the params; found tells of a usable progress.
func (p *Progress) readMember(name []byte, c *jsonscan.Cursor, found *bool) {
	switch string(name) {
	case "progress":
		p.Progress, *found = numberOf(c.Value())
	case "total":
		p.Total, _ = numberOf(c.Value())
	case "message":
		p.Message, _ = c.SharedText()
	default:
		c.Value()
	}
}

// Progress reads a notifications/progress: whose it is, and what it reports, in one
// pass. The message must have been validated, as those of links are; the report's
// text shares its bytes. It returns false for any other message, and for one
// without a token or a numeric progress.
func (m *Message) Progress() (token ID, p Progress, ok bool) {
	if m.Method != NotificationProgress {
		return nil, p, false
	}
	c := jsonscan.TrustedCursor(m.Params)
	if !c.Object() {
		return nil, p, false
	}
	found := false
	for name, more := c.Member(); more; name, more = c.Member() {
		if string(name) != MetaProgressToken {
			p.readMember(name, &c, &found)
			continue
		}
		if kind := c.Kind(); kind != '"' && kind != '0' {
			return nil, p, false
		}
		token = ID(c.Value())
	}
	return token, p, found && token != nil
}

// numberOf reads a JSON number; other values are 0, false. Number syntax was
// checked by the cursor, so strconv sees no spelling that JSON does not have.
func numberOf(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	if n, ok := smallInteger(raw); ok {
		return n, true
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}

// smallInteger reads what most reports count in, exactly.
func smallInteger(digits []byte) (float64, bool) {
	const exact = 15 // digits always fit into a float64
	if len(digits) > exact {
		return 0, false
	}
	var n uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return float64(n), true
}
