package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestToolResults(t *testing.T) {
	tests := []struct {
		name   string
		result any
		err    error
		want   string
	}{
		{"text", "a<b", nil, `{"content":[{"type":"text","text":"a<b"}]}`},
		{"empty text", "", nil, `{"content":[{"type":"text","text":""}]}`},
		{"nothing", nil, nil, `{"content":[]}`},
		{"raw", json.RawMessage(`{"content":[],"x":9007199254740993}`), nil, `{"content":[],"x":9007199254740993}`},
		{"content", []mcp.Content{{Type: mcp.ContentImage, Data: "AA==", MIMEType: "image/png"}}, nil,
			`{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}`},
		{"structured", map[string]int{"n": 1}, nil, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		{"failure (R151)", nil, errors.New("no luck"), `{"content":[{"type":"text","text":"no luck"}],"isError":true}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := mcptest.NewServer()
			defer server.Close()
			server.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *mcptest.Call) (any, error) { return test.result, test.err })
			c := newLinkClient(t, server.Link())
			c.handshake()
			require.Equal(t, test.want, c.result(mcp.MethodCallTool, `{"name":"t"}`))
		})
	}
}

func TestToolErrors(t *testing.T) {
	server := mcptest.NewServer()
	defer server.Close()
	server.AddTool(mcp.Tool{Name: "url"}, func(context.Context, *mcptest.Call) (any, error) {
		return nil, &mcp.Error{Code: mcp.CodeURLElicitationRequired, Message: "sign in", Data: json.RawMessage(`{"a":1}`)}
	})
	server.AddTool(mcp.Tool{Name: "unencodable"}, func(context.Context, *mcptest.Call) (any, error) { return func() {}, nil })
	c := newLinkClient(t, server.Link())
	c.handshake()
	require.Equal(t, &mcp.Error{Code: -32042, Message: "sign in", Data: json.RawMessage(`{"a":1}`)},
		c.failure(mcp.MethodCallTool, `{"name":"url"}`))
	require.Equal(t, mcp.CodeInternalError, c.failure(mcp.MethodCallTool, `{"name":"unencodable"}`).Code)
	require.Equal(t, &mcp.Error{Code: mcp.CodeInvalidParams, Message: "Unknown tool: none"}, c.failure(mcp.MethodCallTool, `{"name":"none"}`))
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodCallTool, `{"name":"url","arguments":[]}`).Code)
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodCallTool, `{}`).Code)
}

func TestToolChanges(t *testing.T) {
	server := mcptest.NewServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())
	c.handshake()
	require.JSONEq(t, `{"tools":[]}`, c.result(mcp.MethodListTools, `{}`))
	handler := func(context.Context, *mcptest.Call) (any, error) { return nil, nil }
	server.AddTool(mcp.Tool{Name: "a"}, handler)
	require.Equal(t, mcp.NotificationToolsListChanged, c.next().Method)
	require.JSONEq(t, `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`, c.result(mcp.MethodListTools, `{}`))
	server.AddTool(mcp.Tool{Name: "a", Description: "new"}, handler)
	require.Equal(t, mcp.NotificationToolsListChanged, c.next().Method)
	require.JSONEq(t, `{"tools":[{"name":"a","description":"new","inputSchema":{"type":"object"}}]}`, c.result(mcp.MethodListTools, `{}`))
	require.True(t, server.RemoveTool("a"))
	require.False(t, server.RemoveTool("a"))
	require.Equal(t, mcp.NotificationToolsListChanged, c.next().Method)
	require.JSONEq(t, `{"tools":[]}`, c.result(mcp.MethodListTools, `{}`))
}

// walk follows cursors to the end and returns the names on each page.
func walk(t *testing.T, c *linkClient, method, meta string) []string {
	t.Helper()
	var pages []string
	params := `{` + meta + `}`
	for {
		var page struct {
			Tools      []struct{ Name string }
			NextCursor *string
		}
		require.NoError(t, json.Unmarshal([]byte(c.result(method, params)), &page))
		var names strings.Builder
		for _, tool := range page.Tools {
			names.WriteString(tool.Name)
		}
		pages = append(pages, names.String())
		if page.NextCursor == nil {
			return pages
		}
		params = `{"cursor":` + quoted(t, *page.NextCursor)
		if meta != "" {
			params += "," + meta
		}
		params += `}`
	}
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return string(raw)
}

func TestPages(t *testing.T) {
	tests := []struct {
		name    string
		options []mcptest.Option
		want    []string
	}{
		{"all at once", nil, []string{"abcde"}},
		{"two by two", []mcptest.Option{mcptest.WithPageSize(2)}, []string{"ab", "cd", "e"}},
		{"exact", []mcptest.Option{mcptest.WithPageSize(5)}, []string{"abcde"}},
		{"empty cursor (R141)", []mcptest.Option{mcptest.WithPageSize(2), mcptest.WithEmptyCursor()}, []string{"ab", "cd", "e"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := mcptest.NewServer(test.options...)
			defer server.Close()
			for _, name := range strings.Split("abcde", "") {
				server.AddTool(mcp.Tool{Name: name}, nil)
			}
			modern := newLinkClient(t, server.Link())
			require.Equal(t, test.want, walk(t, modern, mcp.MethodListTools, modernMeta))
			legacy := newLinkClient(t, server.Link())
			legacy.handshake()
			require.Equal(t, test.want, walk(t, legacy, mcp.MethodListTools, ""))
			require.Equal(t, mcp.CodeInvalidParams, legacy.failure(mcp.MethodListTools, `{"cursor":"x"}`).Code)
			require.Equal(t, mcp.CodeInvalidParams, legacy.failure(mcp.MethodListTools, `{"cursor":1}`).Code)
		})
	}
}

func TestDemoContent(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	c := newLinkClient(t, server.Link())
	c.handshake()

	call := func(params string) string { return c.result(mcp.MethodCallTool, params) }
	require.Contains(t, call(`{"name":"fail","arguments":{"message":"boom"}}`), `"text":"boom"}],"isError":true`)
	require.Contains(t, call(`{"name":"fail"}`), "failed as asked")
	require.Contains(t, call(`{"name":"echo"}`), `text is required"}],"isError":true`)
	require.Contains(t, call(`{"name":"add","arguments":{"a":1}}`), `a and b are required"}],"isError":true`)
	require.Contains(t, call(`{"name":"add","arguments":{"a":"x","b":1}}`), `invalid arguments for tool add: `)
	require.Contains(t, call(`{"name":"slow","arguments":{"ms":0}}`), "took 0 ms in 4 steps")
	require.Contains(t, call(`{"name":"slow","arguments":{"ms":-1}}`), `"isError":true`)
	require.Contains(t, call(`{"name":"log","arguments":{"level":"loud","message":"x"}}`), `"isError":true`)

	read := func(uri string) string { return c.result(mcp.MethodReadResource, `{"uri":"`+uri+`"}`) }
	require.JSONEq(t, `{"contents":[{"uri":"demo://greeting","mimeType":"text/plain","text":"Hello from the demo server.\n"}]}`, read("demo://greeting"))
	require.Contains(t, read("demo://data.json"), `Earth`)
	require.JSONEq(t, `{"contents":[{"uri":"demo://items/7","mimeType":"text/plain","text":"Item 7"}]}`, read("demo://items/7"))
	require.Equal(t, mcp.CodeResourceNotFound, c.failure(mcp.MethodReadResource, `{"uri":"demo://items/7/8"}`).Code)

	require.JSONEq(t, `{"messages":[{"role":"user","content":{"type":"text","text":"Please greet Ada in one sentence."}}]}`,
		c.result(mcp.MethodGetPrompt, `{"name":"greet","arguments":{"name":"Ada"}}`))
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodGetPrompt, `{"name":"greet"}`).Code)
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodGetPrompt, `{"name":"greet","arguments":{"name":1}}`).Code)
	require.JSONEq(t, `{"completion":{"values":["Ada","Alan"],"total":2,"hasMore":false}}`,
		c.result(mcp.MethodComplete, `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"a"}}`))
	require.JSONEq(t, `{"completion":{"values":[],"total":0,"hasMore":false}}`,
		c.result(mcp.MethodComplete, `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"other","value":"a"}}`))

	for method, want := range map[string]string{
		mcp.MethodListTools: `"outputSchema"`, mcp.MethodListResources: `demo://data.json`,
		mcp.MethodListResourceTemplates: `demo://items/{id}`, mcp.MethodListPrompts: `"required":true`,
	} {
		require.Contains(t, c.result(method, `{}`), want)
	}
}

func TestResourceKinds(t *testing.T) {
	server := mcptest.NewServer()
	defer server.Close()
	values := map[string]any{
		"x://blob": []byte{1, 2}, "x://raw": json.RawMessage(`{"contents":[{"uri":"x://sub","text":""}]}`), "x://value": []int{1},
	}
	for uri, value := range values {
		server.AddResource(mcp.Resource{URI: uri, Name: uri}, func(context.Context, string) (any, error) { return value, nil })
	}
	server.AddResource(mcp.Resource{URI: "x://bad"}, func(context.Context, string) (any, error) { return nil, errors.New("disk full") })
	c := newLinkClient(t, server.Link())
	require.Contains(t, c.result(mcp.MethodReadResource, `{"uri":"x://blob",`+modernMeta+`}`), `"contents":[{"uri":"x://blob","blob":"AQI="}],"resultType":"complete","ttlMs":0`)
	require.Contains(t, c.result(mcp.MethodReadResource, `{"uri":"x://raw",`+modernMeta+`}`), `"contents":[{"uri":"x://sub","text":""}],"resultType":"complete"`)
	require.Contains(t, c.result(mcp.MethodReadResource, `{"uri":"x://value",`+modernMeta+`}`), `"text":"[1]"`)
	require.Equal(t, &mcp.Error{Code: mcp.CodeInternalError, Message: "disk full"}, c.failure(mcp.MethodReadResource, `{"uri":"x://bad",`+modernMeta+`}`))
	require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodReadResource, `{"uri":"x://none",`+modernMeta+`}`).Code, "the modern code for not found")
}

func TestWithoutCapability(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithoutCapability("prompts", "completions", "logging"))
	defer server.Close()
	c := newLinkClient(t, server.Link())
	reply := c.result(mcp.MethodInitialize, initializeParams)
	require.Contains(t, reply, `"capabilities":{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`)
	c.notify(mcp.NotificationInitialized, `{}`)
	for _, method := range []string{mcp.MethodListPrompts, mcp.MethodGetPrompt, mcp.MethodComplete, mcp.MethodSetLevel} {
		require.Equal(t, mcp.CodeMethodNotFound, c.failure(method, `{}`).Code)
	}
	c.result(mcp.MethodCallTool, `{"name":"log","arguments":{"level":"alert","message":"x"}}`)
	require.Empty(t, c.came)
}

func TestLogLevels(t *testing.T) {
	server := mcptest.NewDemoServer()
	defer server.Close()
	call := func(level, meta string) string {
		return `{"name":"log","arguments":{"level":"` + level + `","message":"` + level + `"}` + meta + `}`
	}
	t.Run("legacy (R170)", func(t *testing.T) {
		c := newLinkClient(t, server.Link())
		c.handshake()
		c.result(mcp.MethodCallTool, call("debug", ""))
		require.JSONEq(t, `{"level":"debug","logger":"log","data":"debug"}`, string(c.next().Params))
		c.result(mcp.MethodSetLevel, `{"level":"error"}`)
		require.Equal(t, mcp.CodeInvalidParams, c.failure(mcp.MethodSetLevel, `{"level":"loud"}`).Code)
		c.result(mcp.MethodCallTool, call("warning", ""))
		c.result(mcp.MethodCallTool, call("alert", ""))
		require.Contains(t, string(c.next().Params), "alert", "the warning was below the level")
	})
	t.Run("modern (R169)", func(t *testing.T) {
		c := newLinkClient(t, server.Link())
		withLevel := strings.Replace(modernMeta, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"error",`, 1)
		c.result(mcp.MethodCallTool, call("emergency", ","+modernMeta))
		c.result(mcp.MethodCallTool, call("warning", ","+withLevel))
		c.result(mcp.MethodCallTool, call("error", ","+withLevel))
		require.Contains(t, string(c.next().Params), `"level":"error"`)
		require.Empty(t, c.came)
	})
}
