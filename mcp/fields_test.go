package mcp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every field is read, and written under the same name; odd members count as
// absent.
func TestEveryFieldSurvives(t *testing.T) {
	const annotations = `"annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-01-01T00:00:00Z"}`
	const rest = `"icons":[{"src":"https://a"}],"_meta":{"k":9007199254740993}`
	for _, c := range []struct {
		target interface {
			json.Marshaler
			json.Unmarshaler
		}
		forget func(any)
		text   string
	}{
		{&Tool{}, func(v any) { v.(*Tool).Raw = nil }, `{"name":"n","title":"t","description":"d","inputSchema":{"a":1},"outputSchema":{"b":1},
			"annotations":{"title":"t","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"execution":{"taskSupport":"optional"},` + rest + `}`},
		{&Resource{}, func(v any) { v.(*Resource).Raw = nil }, `{"uri":"u","name":"n","title":"t","description":"d","mimeType":"m","size":7,` + annotations + `,` + rest + `}`},
		{&ResourceTemplate{}, func(v any) { v.(*ResourceTemplate).Raw = nil }, `{"uriTemplate":"u","name":"n","title":"t","description":"d","mimeType":"m",` + annotations + `,` + rest + `}`},
		{&Prompt{}, func(v any) { v.(*Prompt).Raw = nil }, `{"name":"n","title":"t","description":"d","arguments":[{"name":"a","title":"t","description":"d","required":true}],` + rest + `}`},
		{&Content{}, func(v any) { v.(*Content).Raw = nil }, `{"type":"resource_link","uri":"u","name":"n","title":"t","description":"d","mimeType":"m","size":7,` + annotations + `,` + rest + `}`},
		{&Content{}, func(v any) { v.(*Content).Raw, v.(*Content).Resource.Raw = nil, nil }, `{"type":"resource","resource":{"uri":"u","mimeType":"m","blob":"aGk=","_meta":{}}}`},
		{&PromptMessage{}, func(v any) { v.(*PromptMessage).Raw, v.(*PromptMessage).Content.Raw = nil, nil }, `{"role":"user","content":{"type":"text","text":""}}`},
		{&InitializeResult{}, func(v any) { v.(*InitializeResult).Raw, v.(*InitializeResult).Capabilities.Raw = nil, nil },
			`{"protocolVersion":"v","capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{},"tasks":{"list":{}},"extensions":{"a":{}},"experimental":{"b":{}}},"serverInfo":{"name":"n","version":"1"},"instructions":"i","_meta":{}}`},
		{&DiscoverResult{}, func(v any) { v.(*DiscoverResult).Raw, v.(*DiscoverResult).Capabilities.Raw = nil, nil },
			`{"resultType":"complete","supportedVersions":["v"],"capabilities":{},"instructions":"i","ttlMs":7,"cacheScope":"public","_meta":{}}`},
		{&CompleteResult{}, func(v any) { v.(*CompleteResult).Raw = nil }, `{"completion":{"values":["a"],"total":7,"hasMore":true},"_meta":{}}`},
	} {
		require.NoError(t, json.Unmarshal([]byte(c.text), c.target))
		encoded, err := c.target.MarshalJSON()
		require.NoError(t, err)
		assert.Equal(t, c.text, string(encoded), "the same bytes")
		c.forget(c.target)
		encoded, err = json.Marshal(c.target)
		require.NoError(t, err)
		assert.JSONEq(t, c.text, string(encoded), "from the fields")
		require.Error(t, json.Unmarshal([]byte(`[]`), c.target))
	}

	var odd Content
	require.NoError(t, json.Unmarshal([]byte(`{"type":7,"text":{},"size":"x","resource":[],"annotations":{"audience":"user","priority":"x","lastModified":1,"x":[]},"icons":null}`), &odd))
	assert.Equal(t, &Annotations{}, odd.Annotations)
	odd.Raw, odd.Annotations = nil, nil
	assert.Equal(t, Content{}, odd)
}

func TestDecodedValuesDoNotAliasWhatJSONLends(t *testing.T) {
	data := []byte(`{"name":"n","inputSchema":{"a":1}}`)
	var tool Tool
	require.NoError(t, tool.UnmarshalJSON(data))
	clear(data)
	assert.Equal(t, `{"a":1}`, string(tool.InputSchema))
}
