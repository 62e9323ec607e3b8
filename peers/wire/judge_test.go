package wire

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// openSchemas opens the specification's schemas beside a checkout. Where they
// are not there the test is skipped, by name; with REQUIRE_ALL it fails.
func openSchemas(t *testing.T) *Schemas {
	t.Helper()
	schemas, err := OpenSchemas("../../../shared/schemas")
	if err != nil && os.Getenv("REQUIRE_ALL") == "" {
		t.Skip(err)
	}
	require.NoError(t, err)
	return schemas
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func said(kind Kind, message string) Record {
	return Record{Kind: kind, Message: json.RawMessage(message)}
}

// TestJudgeValid: a conversation of each era that follows the specification.
func TestJudgeValid(t *testing.T) {
	schemas := openSchemas(t)
	for name, records := range map[string][]Record{
		"legacy": {
			said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`),
			said(FromServer, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`),
			said(FromClient, `{"jsonrpc":"2.0","method":"notifications/initialized"}`),
			said(FromServer, `{"jsonrpc":"2.0","id":"a","method":"roots/list"}`),
			said(FromClient, `{"jsonrpc":"2.0","id":"a","result":{"roots":[{"uri":"file:///a"}]}}`),
			said(FromServer, `{"jsonrpc":"2.0","id":"b","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`),
			said(FromClient, `{"jsonrpc":"2.0","id":"b","result":{"action":"accept","content":{"share":0.5}}}`),
			said(FromClient, `{"jsonrpc":"2.0","id":"c","error":{"code":-32601,"message":"no"}}`),
		},
		"modern": {
			said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",`+modernMeta+`}}`),
			said(FromServer, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"x"}}`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			verdict := Judge(schemas, records)
			require.Empty(t, verdict.Problems)
			require.Empty(t, verdict.ServerProblems)
			require.Positive(t, verdict.ClientMessages)
		})
	}
}

// TestJudgeInvalid: each way in which a client can break the specification is
// found.
func TestJudgeInvalid(t *testing.T) {
	schemas := openSchemas(t)
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",` + modernMeta + `}}`
	initialized := []Record{
		said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`),
		said(FromServer, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`),
	}
	for name, test := range map[string]struct {
		records []Record
		problem string
	}{
		"missing params":     {[]Record{said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)}, "missing property 'params'"},
		"missing meta":       {[]Record{said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`)}, "no such method"},
		"method of another":  {[]Record{said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{`+modernMeta+`}}`)}, "no such method"},
		"unknown revision":   {[]Record{said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`)}, "no schema"},
		"not 2.0":            {[]Record{said(FromClient, `{"id":1,"method":"ping"}`)}, "jsonrpc is"},
		"null id":            {[]Record{said(FromClient, `{"jsonrpc":"2.0","id":null,"method":"ping"}`)}, "id is null"},
		"nothing":            {[]Record{said(FromClient, `{"jsonrpc":"2.0"}`)}, "neither method"},
		"no JSON":            {[]Record{said(FromClient, `"oops"`)}, "no message"},
		"answer to nothing":  {[]Record{said(FromClient, `{"jsonrpc":"2.0","id":5,"result":{}}`)}, "did not use"},
		"wrong answer":       {append(initialized, said(FromServer, `{"jsonrpc":"2.0","id":9,"method":"roots/list"}`), said(FromClient, `{"jsonrpc":"2.0","id":9,"result":{}}`)), "roots"},
		"no version header":  {append(initialized, Record{Kind: FromClient, Header: header("Accept", "x"), Message: json.RawMessage(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)}), "Mcp-Protocol-Version"},
		"other method":       {[]Record{{Kind: FromClient, Message: json.RawMessage(call), Header: header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list", "Mcp-Name", "a")}}, "Mcp-Method"},
		"other name":         {[]Record{{Kind: FromClient, Message: json.RawMessage(call), Header: header("Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "=?base64?Yg==?=")}}, `"b" instead of "a"`},
		"accepts too little": {[]Record{{Kind: Request, Method: "POST", Header: header("Content-Type", "application/json", "Accept", "application/json")}}, "without text/event-stream"},
		"content type":       {[]Record{{Kind: Request, Method: "POST", Header: header("Accept", "application/json, text/event-stream")}}, "Content-Type"},
	} {
		t.Run(name, func(t *testing.T) {
			verdict := Judge(schemas, test.records)
			require.NotEmpty(t, verdict.Problems)
			require.Contains(t, verdict.Problems[0], test.problem)
		})
	}
}

// TestJudgeServer: what a server gets wrong is told, and is not the client's fault.
func TestJudgeServer(t *testing.T) {
	verdict := Judge(openSchemas(t), []Record{
		said(FromClient, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`),
		said(FromServer, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":5}]}}`),
		said(FromServer, `{"jsonrpc":"2.0","method":"notifications/nonsense"}`),
		said(FromServer, `"oops"`),
	})
	require.Empty(t, verdict.Problems)
	require.Len(t, verdict.ServerProblems, 3)
}
