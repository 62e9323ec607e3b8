package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// payloads keeps what is large and asked for again and again. It is safe for
// concurrent use.
type payloads struct {
	blobs sync.Map // length of the text -> []byte: the escaped content of a JSON string
	lists sync.Map // span -> []byte: a JSON array
}

type span struct{ from, to int }

// BlobText is the text that the tool blob answers with: lines of prose and of
// JSON, so that about 4% of its characters need an escape, as in what real
// tools answer.
func BlobText(length int) string {
	const lines = `{"path": "src/main.go", "line": 42, "kind": "match"}` + "\n" +
		"The quick brown fox jumps over the lazy dog while the band plays on and on.\n" +
		"Pack my box with five dozen liquor jugs, then send it to the usual address.\n"
	return strings.Repeat(lines, length/len(lines)+1)[:length]
}

func (p *payloads) blob(length int) []byte {
	if blob, ok := p.blobs.Load(length); ok {
		return blob.([]byte)
	}
	quoted := marshal(BlobText(length))
	blob := quoted[1 : len(quoted)-1]
	p.blobs.Store(length, blob)
	return blob
}

// tools is the array of the tools from up to, not including, to.
func (p *payloads) tools(from, to int) []byte {
	if list, ok := p.lists.Load(span{from, to}); ok {
		return list.([]byte)
	}
	tools := make([]any, 0, to-from)
	for i := from; i < to; i++ {
		tools = append(tools, tool(i))
	}
	list := marshal(tools)
	p.lists.Store(span{from, to}, list)
	return list
}

func tool(number int) map[string]any {
	name := fmt.Sprintf("tool_%04d", number)
	if own := []string{"echo", "blob", "progress"}; number < len(own) {
		name = own[number]
	}
	return map[string]any{
		"name":        name,
		"title":       "Tool number " + strconv.Itoa(number),
		"description": "Searches the given repository for a pattern and returns the matching lines with their context. Use it when you know part of the text you are after.",
		"inputSchema": map[string]any{
			"type": "object",
			"properties": map[string]any{
				"text":           map[string]any{"type": "string", "description": "Text to search for"},
				"repository":     map[string]any{"type": "string", "description": "Owner and name of the repository"},
				"limit":          map[string]any{"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
				"case_sensitive": map[string]any{"type": "boolean", "default": false},
			},
			"required": []string{},
		},
		"annotations": map[string]any{"readOnlyHint": true, "openWorldHint": false},
	}
}

// marshal encodes without escaping what only HTML needs escaped.
func marshal(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // the values are this package's own
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
