package mcpclient_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

type issue struct {
	Title  string `json:"title"`
	Number int    `json:"number"`
}

func toolResult(t *testing.T, text string) *mcp.CallToolResult {
	t.Helper()
	result, err := mcp.ParseCallToolResult(mcp.NewResult(json.RawMessage(text)))
	require.NoError(t, err)
	return result
}

func TestDecode(t *testing.T) {
	for name, test := range map[string]struct {
		result string
		want   issue
		fails  string
	}{
		"structured content":            {`{"content":[{"type":"text","text":"see below"}],"structuredContent":{"title":"a","number":1,"more":true}}`, issue{"a", 1}, ""},
		"JSON as text":                  {`{"content":[{"type":"text","text":"{\"title\":\"a\",\"number\":1}"}]}`, issue{"a", 1}, ""},
		"structured content goes first": {`{"content":[{"type":"text","text":"{\"number\":2}"}],"structuredContent":{"number":1}}`, issue{"", 1}, ""},
		"prose":                         {`{"content":[{"type":"text","text":"all\u001b[2J is well"}]}`, issue{}, `its text is not JSON; the text begins "all\x1b[2J is well"`},
		"two texts":                     {`{"content":[{"type":"text","text":"{}"},{"type":"text","text":"{}"}]}`, issue{}, "it has 2 blocks"},
		"an image":                      {`{"content":[{"type":"image","data":""}]}`, issue{}, "no structured content"},
		"nothing":                       {`{}`, issue{}, "it has 0 blocks"},
		"another shape":                 {`{"structuredContent":{"title":7}}`, issue{}, "does not decode into mcpclient_test.issue"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mcpclient.Decode[issue](toolResult(t, test.result))
			assert.Equal(t, test.want, got)
			if test.fails == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, errors.ErrProtocol)
			assert.ErrorContains(t, err, test.fails)
		})
	}
}

func TestDecodeKeepsEveryDigit(t *testing.T) { // P12
	got, err := mcpclient.Decode[any](toolResult(t, `{"structuredContent":[9007199254740993]}`))
	require.NoError(t, err)
	assert.Equal(t, []any{json.Number("9007199254740993")}, got)
}

func TestDecodeOfAFailure(t *testing.T) {
	_, err := mcpclient.Decode[issue](toolResult(t, `{"isError":true,"content":[{"type":"text","text":"disk full"}],"structuredContent":{"title":"a"}}`))
	require.ErrorIs(t, err, errors.ErrToolFailed)
	assert.EqualError(t, err, "the tool reported an error: disk full")
	_, err = mcpclient.Decode[issue](nil)
	require.ErrorIs(t, err, errors.ErrProtocol)
}
