package mcp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// FuzzResults: whatever a server answers, every type decodes it or says why
// not, encodes it back to the same bytes, and nothing panics, not even on bytes
// that no scanner has seen.
func FuzzResults(f *testing.F) {
	for _, text := range []string{
		`{"tools":[{"name":"a","annotations":{"readOnlyHint":true}}],"nextCursor":"","ttlMs":1e9}`,
		`{"resources":[{"uri":"u","size":1.5,"annotations":{"priority":1}}]}`, `{"resourceTemplates":[{"uriTemplate":"u"}]}`,
		`{"prompts":[{"name":"p","arguments":[{"name":"a"}]}]}`, `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`,
		`{"contents":[{"uri":"u","blob":"aGk="}]}`, `{"content":[{"type":"resource","resource":{"uri":"u","text":"\ud800"}}],"isError":true}`,
		`{"completion":{"values":["a"],"total":1}}`, `{"protocolVersion":"x","capabilities":{"tools":{}},"serverInfo":{"name":1}}`,
		`{"supportedVersions":["x"],"_meta":{"io.modelcontextprotocol/serverInfo":{}}}`, `[]`, `{"a"`, ``,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewResult(data)
		r.Type()
		r.Meta()
		for _, target := range []any{
			&ListToolsResult{}, &ListResourcesResult{}, &ListResourceTemplatesResult{}, &ListPromptsResult{}, &ReadResourceResult{},
			&GetPromptResult{}, &CompleteResult{}, &CallToolResult{}, &InitializeResult{}, &DiscoverResult{}, &ServerCapabilities{},
			&Tool{}, &Resource{}, &ResourceTemplate{}, &Prompt{}, &PromptMessage{}, &Content{}, &ResourceContents{},
		} {
			if err := r.Decode(target); err != nil {
				require.ErrorIs(t, err, errors.ErrProtocol)
				continue
			}
			encoded, err := target.(json.Marshaler).MarshalJSON()
			require.NoError(t, err)
			if jsonscan.Valid(data) {
				require.JSONEq(t, string(data), string(encoded))
			}
			if call, ok := target.(*CallToolResult); ok {
				call.Text()
				for block := range call.Content() {
					_, _ = block.Bytes()
				}
			}
		}
	})
}
