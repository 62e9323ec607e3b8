package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The specification's own examples decode, keep their bytes, and, for what
// lists and contents are made of, encode from the fields alone to the same
// value, which shows that no field is missing or misnamed.
func TestSpecificationExamples(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "schemas", "2026-07-28", "examples")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the specification's examples are not there: %v", err)
	}
	type codec struct {
		target  any
		forget  func(any) // clears Raw; nil where the fields are not everything
		entries func(any) int
	}
	for name, c := range map[string]codec{
		"Tool":                        {target: &Tool{}, forget: func(v any) { v.(*Tool).Raw = nil }},
		"Resource":                    {target: &Resource{}, forget: func(v any) { v.(*Resource).Raw = nil }},
		"TextContent":                 {target: &Content{}, forget: func(v any) { v.(*Content).Raw = nil }},
		"ImageContent":                {target: &Content{}, forget: func(v any) { v.(*Content).Raw = nil }},
		"AudioContent":                {target: &Content{}, forget: func(v any) { v.(*Content).Raw = nil }},
		"ResourceLink":                {target: &Content{}, forget: func(v any) { v.(*Content).Raw = nil }},
		"EmbeddedResource":            {target: &Content{}, forget: func(v any) { v.(*Content).Raw, v.(*Content).Resource.Raw = nil, nil }},
		"TextResourceContents":        {target: &ResourceContents{}, forget: func(v any) { v.(*ResourceContents).Raw = nil }},
		"BlobResourceContents":        {target: &ResourceContents{}, forget: func(v any) { v.(*ResourceContents).Raw = nil }},
		"ServerCapabilities":          {target: &ServerCapabilities{}, forget: func(v any) { v.(*ServerCapabilities).Raw = nil }},
		"ListToolsResult":             {target: &ListToolsResult{}, entries: func(v any) int { return len(v.(*ListToolsResult).Tools) }},
		"ListResourcesResult":         {target: &ListResourcesResult{}, entries: func(v any) int { return len(v.(*ListResourcesResult).Resources) }},
		"ListResourceTemplatesResult": {target: &ListResourceTemplatesResult{}, entries: func(v any) int { return len(v.(*ListResourceTemplatesResult).ResourceTemplates) }},
		"ListPromptsResult":           {target: &ListPromptsResult{}, entries: func(v any) int { return len(v.(*ListPromptsResult).Prompts) }},
		"ReadResourceResult":          {target: &ReadResourceResult{}, entries: func(v any) int { return len(v.(*ReadResourceResult).Contents) }},
		"GetPromptResult":             {target: &GetPromptResult{}, entries: func(v any) int { return len(v.(*GetPromptResult).Messages) }},
		"CompleteResult":              {target: &CompleteResult{}, entries: func(v any) int { return len(v.(*CompleteResult).Values) }},
		"CallToolResult":              {target: &CallToolResult{}, entries: func(v any) int { return v.(*CallToolResult).content.Len() }},
		"DiscoverResult":              {target: &DiscoverResult{}, entries: func(v any) int { return len(v.(*DiscoverResult).SupportedVersions) }},
	} {
		files, err := filepath.Glob(filepath.Join(folder, name, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, json.Unmarshal(text, c.target))
				encoded, err := c.target.(json.Marshaler).MarshalJSON()
				require.NoError(t, err)
				assert.JSONEq(t, string(text), string(encoded))
				if c.forget != nil {
					c.forget(c.target)
					encoded, err = json.Marshal(c.target)
					require.NoError(t, err)
					assert.JSONEq(t, string(text), string(encoded))
				}
				if c.entries != nil {
					assert.Positive(t, c.entries(c.target))
				}
			})
		}
	}
}

// The same for client capabilities, whose fields are everything.
func TestSpecificationClientCapabilities(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "schemas", "2026-07-28", "examples", "ClientCapabilities", "*.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the specification's examples are not there")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var c ClientCapabilities
		require.NoError(t, json.Unmarshal(text, &c))
		encoded, err := json.Marshal(c)
		require.NoError(t, err)
		assert.JSONEq(t, string(text), string(encoded), file)
	}
}
