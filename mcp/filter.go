package mcp

import (
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// FilterEntries returns a list result without the entries of the named member,
// an array, that keep refuses. All other bytes stay as they are, and so does a
// result that is no such list. If the member is there twice, both are filtered,
// so that nothing is carried past. result must be valid JSON.
func FilterEntries(result json.RawMessage, member string, keep func(entry json.RawMessage) bool) json.RawMessage {
	kept := make([]byte, 0, len(result))
	copied := 0
	cursor := jsonscan.TrustedCursor(result)
	if !cursor.Object() {
		return result
	}
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		if string(name) != member || cursor.Kind() != '[' {
			cursor.Value()
			continue
		}
		start := cursor.Pos()
		entries := cursor.Value()
		kept = append(kept, result[copied:start]...)
		kept = appendKept(kept, entries, keep)
		copied = start + len(entries)
	}
	return append(kept, result[copied:]...)
}

func appendKept(dst, entries []byte, keep func(entry json.RawMessage) bool) []byte {
	dst = append(dst, '[')
	first := true
	cursor := jsonscan.TrustedCursor(entries)
	cursor.Array()
	for cursor.Element() {
		entry := cursor.Value()
		if !keep(entry) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, entry...)
	}
	return append(dst, ']')
}
