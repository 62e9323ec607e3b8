package peer

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWalkerAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":"x\"y\\","b":{"c":[1,{"d":"}"}]},"e":null , "f" : true}`, `{"a":-1.5e3,"b":[],"c":"\\\""}`,
	} {
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		found := map[string]json.RawMessage{}
		w := walk([]byte(text))
		for key, value, ok := w.next(); ok; key, value, ok = w.next() {
			found[string(key)] = value
		}
		require.NoError(t, w.err, text)
		require.Equal(t, want, found, text)
	}
	for _, text := range []string{``, `[]`, `{"a"`, `{"a":`, `{"a":"`, `{"a":{`, `{a:1}`} {
		w := walk([]byte(text))
		for _, _, ok := w.next(); ok; _, _, ok = w.next() {
		}
		require.ErrorIs(t, w.err, errSyntax, text)
	}
}

func TestPayloads(t *testing.T) {
	var p payloads
	var text string
	require.NoError(t, json.Unmarshal([]byte(`"`+string(p.blob(3*1024+1))+`"`), &text))
	require.Equal(t, BlobText(3*1024+1), text)
	require.Len(t, text, 3*1024+1)

	var tools []struct{ Name string }
	require.NoError(t, json.Unmarshal(p.tools(1, 5), &tools))
	require.Equal(t, []struct{ Name string }{{"blob"}, {"progress"}, {"tool_0003"}, {"tool_0004"}}, tools)
}

func post(t *testing.T, address string, header http.Header, body string) (*http.Response, string) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	require.NoError(t, err)
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

func TestHTTP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() { _ = ServeHTTP(listener) }()
	address := "http://" + listener.Addr().String()

	response, _ := post(t, address+"/mcp", nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`)
	require.Len(t, response.Header.Get("Mcp-Session-Id"), 32)

	response, _ = post(t, address+"/mcp", nil, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.Equal(t, http.StatusAccepted, response.StatusCode)

	echo := `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"text":"a\"b"}}}`
	_, text := post(t, address+"/mcp", nil, echo)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"a\"b"}]}}`, text)

	_, text = post(t, address+"/mcp?mode=sse", nil, echo)
	require.True(t, strings.HasPrefix(text, "event: message\ndata: {") && strings.HasSuffix(text, "}\n\n"), text)

	modern := http.Header{"Mcp-Protocol-Version": {modernVersion}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
	_, text = post(t, address+"/mcp", modern, echo)
	require.Contains(t, text, `"resultType":"complete"`)
	modern.Set("Mcp-Name", "blob")
	response, text = post(t, address+"/mcp", modern, echo)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, text, "-32020")

	response, err = http.Get(address + "/mcp")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)

	response, err = http.Get(address + PathConnections)
	require.NoError(t, err)
	defer response.Body.Close()
	count, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "1", string(count), "all went over one connection")
}

func TestStdio(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":7},"name":"progress","arguments":{"n":2}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", 200_000) + `"}}}`,
		`not JSON`,
		`{"jsonrpc":"2.0","id":3,"method":"nonsense"}`,
	}, "\n") + "\n")
	require.NoError(t, ServeStdio(in, &out, ParseOptions("")))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 6)
	require.Contains(t, lines[1], `"progressToken":7,"progress":2,"total":2`)
	require.Contains(t, lines[2], `"done"`)
	require.Contains(t, lines[3], strings.Repeat("x", 200_000))
	require.Contains(t, lines[4], "-32700")
	require.Contains(t, lines[5], "-32601")
}
