package mcptest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// list answers a list request: the page that the cursor names, of items under
// the given member. Cursors are opaque to the client: they hold the kind of list
// and an offset.
func (r *request) list(kind, member string, items []json.RawMessage) (json.RawMessage, *mcp.Error) {
	start, bad := r.pageStart(kind, len(items))
	if bad != nil {
		return nil, bad
	}
	end := len(items)
	if size := r.server.settings.pageSize; size > 0 {
		end = min(start+size, end)
	}
	page := items[start:end]
	if page == nil {
		page = []json.RawMessage{}
	}
	result := withMember(json.RawMessage(`{}`), member, encode(page))
	if end < len(items) {
		result = withMember(result, "nextCursor", encode(r.cursor(kind, end)))
	}
	return result, nil
}

func (r *request) cursor(kind string, offset int) string {
	settings := &r.server.settings
	if settings.emptyCursor && offset == settings.pageSize {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d", kind, offset))
}

func (r *request) pageStart(kind string, length int) (int, *mcp.Error) {
	raw := memberOf(r.message.Params, "cursor")
	if raw == nil {
		return 0, nil
	}
	cursor, ok := textMember(r.message.Params, "cursor")
	if !ok {
		return 0, invalidParams("cursor is not a string")
	}
	if cursor == "" && r.server.settings.emptyCursor {
		return min(r.server.settings.pageSize, length), nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	name, digits, found := strings.Cut(string(decoded), ":")
	offset, notNumber := strconv.Atoi(digits)
	if err != nil || notNumber != nil || !found || name != kind || offset < 0 || offset > length {
		return 0, invalidParams("invalid cursor")
	}
	return offset, nil
}
