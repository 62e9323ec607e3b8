package mcpclient_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Schemas go through as they are; what providers would refuse a whole request for
// is replaced.
func TestToolsForModels(t *testing.T) {
	const schema = `{"type":"object","$defs":{"n":{"const":12345678901234567890}},"properties":{"n":{"$ref":"#/$defs/n"}},"x-own":[1.0]}`
	for name, test := range map[string]struct {
		tool        mcp.Tool
		description string
		schema      string
	}{
		"all there":      {mcp.Tool{Name: "t", Title: "T", Description: "does t", InputSchema: json.RawMessage(schema)}, "does t", schema},
		"a title":        {mcp.Tool{Name: "t", Title: "T", InputSchema: json.RawMessage(" {}")}, "T", "{}"},
		"no schema":      {mcp.Tool{Name: "t"}, "", `{"type":"object","properties":{}}`},
		"null":           {mcp.Tool{Name: "t", InputSchema: json.RawMessage("null")}, "", `{"type":"object","properties":{}}`},
		"anything":       {mcp.Tool{Name: "t", InputSchema: json.RawMessage("true")}, "", `{"type":"object","properties":{}}`},
		"title of hints": {mcp.Tool{Name: "t", Annotations: &mcp.ToolAnnotations{Title: "H"}}, "H", `{"type":"object","properties":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			tools := mcpclient.NewCollection([]mcpclient.GroupTool{{Name: "s__t", Server: "s", Entry: test.tool}},
				func(tool mcpclient.GroupTool) string { return tool.Name })
			description := ""
			if test.description != "" {
				description = `"description":"` + test.description + `",`
			}
			encoded, err := json.Marshal(mcpclient.OpenAITools(tools))
			require.NoError(t, err)
			assert.Equal(t, `[{"type":"function","function":{"name":"s__t",`+description+`"parameters":`+test.schema+`}}]`, string(encoded))
			encoded, err = json.Marshal(mcpclient.AnthropicTools(tools))
			require.NoError(t, err)
			assert.Equal(t, `[{"name":"s__t",`+description+`"input_schema":`+test.schema+`}]`, string(encoded))
		})
	}
	encoded, err := json.Marshal(mcpclient.OpenAITools(mcpclient.Collection[mcpclient.GroupTool]{}))
	require.NoError(t, err)
	assert.Equal(t, "[]", string(encoded), "providers want a list, not null")

	strict := mcpclient.NewOpenAITool("t", mcp.Tool{Name: "t"})
	yes := true
	strict.Function.Strict = &yes
	encoded, err = json.Marshal(strict)
	require.NoError(t, err)
	assert.Contains(t, string(encoded), `"strict":true`)
}

func TestGroupedEntriesEncode(t *testing.T) {
	encoded, err := json.Marshal(mcpclient.Grouped[mcp.Prompt]{Name: "s__p", Server: "s", Entry: mcp.Prompt{Name: "p"}})
	require.NoError(t, err)
	assert.Equal(t, `{"name":"s__p","server":"s","entry":{"name":"p"}}`, string(encoded))
}
