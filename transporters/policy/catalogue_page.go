package policy

import (
	"encoding/json"
	"slices"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// toolPage is what matters of one page of tools/list. It aliases the result.
type toolPage struct {
	tools   []listedTool
	hasNext bool
}

type listedTool struct {
	name         string
	schema       []byte // nil if the tool has no outputSchema
	isIdempotent bool
}

// isPlain reports whether there is nothing to remember of the tool.
func (t listedTool) isPlain() bool { return t.schema == nil && !t.isIdempotent }

// isPlain reports whether there is nothing to remember of any tool.
func (p toolPage) isPlain() bool {
	return !slices.ContainsFunc(p.tools, func(t listedTool) bool { return !t.isPlain() })
}

// isFirstPage reports whether the params of a list ask for its beginning.
func isFirstPage(params *mcp.Params) bool {
	cursor, found := jsonscan.Find(params.Raw(), "cursor")
	return !found || string(cursor) == "null"
}

// readPage reads names, output schemas and annotations; the rest of a tool is
// passed over.
func readPage(result json.RawMessage) (page toolPage) {
	c := jsonscan.TrustedCursor(result)
	if !c.Object() {
		return page
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "tools":
			page.tools = readTools(&c)
		case "nextCursor":
			page.hasNext = c.Kind() == '"' // an empty one is a page too
			c.Value()
		default:
			c.Value()
		}
	}
	return page
}

func readTools(c *jsonscan.Cursor) (tools []listedTool) {
	if !c.Array() {
		c.Value()
		return nil
	}
	for c.Element() {
		if tool := readTool(c); tool.name != "" && len(tool.name) <= maxToolName && len(tools) < maxCatalogueTools {
			tools = append(tools, tool)
		}
	}
	return tools
}

func readTool(c *jsonscan.Cursor) (tool listedTool) {
	if !c.Object() {
		c.Value()
		return tool
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		switch string(name) {
		case "name":
			tool.name, _ = c.Text()
		case "outputSchema":
			if tool.schema = c.Value(); string(tool.schema) == "null" {
				tool.schema = nil
			}
		case "annotations":
			tool.isIdempotent = readIdempotent(c)
		default:
			c.Value()
		}
	}
	return tool
}

// readIdempotent reports whether annotations say that a second call with the same
// arguments has no further effect, which holds for what only reads as well.
func readIdempotent(c *jsonscan.Cursor) (isIdempotent bool) {
	if !c.Object() {
		c.Value()
		return false
	}
	for name, ok := c.Member(); ok; name, ok = c.Member() {
		isHint := string(name) == "idempotentHint" || string(name) == "readOnlyHint"
		if value := c.Value(); isHint && string(value) == "true" {
			isIdempotent = true
		}
	}
	return isIdempotent
}
