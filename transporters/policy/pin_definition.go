package policy

import (
	"encoding/json"
	"slices"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// pinnedMembers are those of a tool that people and models go by. What only
// decorates it (icons, _meta), and what a later revision may add, may change.
func pinnedMembers() []string {
	return []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
}

// definitionOf returns the digest of a tool's definition. It begins with how it
// was made.
func definitionOf(tool json.RawMessage) string {
	var members []digestedMember
	pinned := pinnedMembers()
	cursor := jsonscan.TrustedCursor(tool)
	if !cursor.Object() {
		return "sha256:" + digestOf(tool).String()
	}
	for name, ok := cursor.Member(); ok; name, ok = cursor.Member() {
		if slices.Contains(pinned, string(name)) {
			members = append(members, digestedMember{string(name), digestNext(&cursor)})
			continue
		}
		cursor.Value()
	}
	return "sha256:" + digestMembers(members).String()
}

// eachTool calls visit for each entry of a tools/list result, with its name.
func eachTool(result json.RawMessage, visit func(name string, tool json.RawMessage)) {
	cursor := jsonscan.TrustedCursor(result)
	if !cursor.Object() {
		return
	}
	for member, ok := cursor.Member(); ok; member, ok = cursor.Member() {
		if string(member) != "tools" || !cursor.Array() {
			cursor.Value()
			continue
		}
		for cursor.Element() {
			tool := cursor.Value()
			visit(nameOf(tool), tool)
		}
	}
}

// nameOf returns the name by which a tool is called: the last one that it gives.
func nameOf(tool json.RawMessage) (name string) {
	cursor := jsonscan.TrustedCursor(tool)
	if !cursor.Object() {
		return ""
	}
	for member, ok := cursor.Member(); ok; member, ok = cursor.Member() {
		if string(member) == "name" {
			name, _ = cursor.Text()
			continue
		}
		cursor.Value()
	}
	return name
}
