package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

func TestAppendRequest(t *testing.T) {
	params := func(v any) *mcp.Params {
		p, err := mcp.ParamsOf(v)
		require.NoError(t, err)
		return p
	}
	for _, c := range []struct {
		name     string
		id       uint64
		stringID bool
		method   string
		params   *mcp.Params
		meta     string
		token    uint64
		want     string
	}{
		{"nothing", 1, false, "ping", nil, "", 0, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"empty params", 1, false, "tools/list", params(nil), "", 0, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{"string id", 18446744073709551615, true, "ping", nil, "", 0, `{"jsonrpc":"2.0","id":"18446744073709551615","method":"ping"}`},
		{"params", 2, false, "m", params(map[string]any{"a": 1}), "", 0, `{"jsonrpc":"2.0","id":2,"method":"m","params":{"a":1}}`},
		{"R021: meta makes params", 3, false, "m", nil, modernMeta, 0, `{"jsonrpc":"2.0","id":3,"method":"m","params":{"_meta":{` + modernMeta + `}}}`},
		{"token", 4, false, "m", nil, "", 9, `{"jsonrpc":"2.0","id":4,"method":"m","params":{"_meta":{"progressToken":9}}}`},
		{"all", 5, false, "m", params(map[string]any{"a": 1}), modernMeta, 9,
			`{"jsonrpc":"2.0","id":5,"method":"m","params":{"_meta":{"progressToken":9,` + modernMeta + `},"a":1}}`},
		{"own meta", 6, false, "m", params(json.RawMessage(`{"_meta":{"progressToken":"mine","x":1},"a":2}`)), modernMeta, 9,
			`{"jsonrpc":"2.0","id":6,"method":"m","params":{"_meta":{"progressToken":9,` + modernMeta + `,"x":1},"a":2}}`},
		{"own reserved meta only", 7, false, "m", params(json.RawMessage(`{"_meta":{"progressToken":"mine"}}`)), "", 0,
			`{"jsonrpc":"2.0","id":7,"method":"m","params":{}}`},
		{"quoted method", 8, false, "a\"b\n", nil, "", 0, `{"jsonrpc":"2.0","id":8,"method":"a\"b\n"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := AppendRequest([]byte("x"), c.id, c.stringID, c.method, c.params, []byte(c.meta), c.token)
			assert.Equal(t, "x"+c.want, string(got))
			m, err := Scan(got[1:])
			require.NoError(t, err)
			assert.Equal(t, mcp.KindRequest, m.Kind())
			id, ok := m.ID.Uint64()
			assert.True(t, ok)
			assert.Equal(t, c.id, id)
		})
	}
}

func TestAppendNotification(t *testing.T) {
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		string(AppendNotification(nil, mcp.NotificationInitialized, nil, nil)))
	params, err := mcp.ParamsOf(map[string]any{"requestId": 7})
	require.NoError(t, err)
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"_meta":{"a":1},"requestId":7}}`,
		string(AppendNotification(nil, mcp.NotificationCancelled, params, []byte(`"a":1`))))
}

func TestAppendAnswers(t *testing.T) { // R008
	for _, c := range []struct{ got, want string }{
		{string(AppendResult(nil, mcp.ID(`"a\u0062"`), []byte(`{"x":[1,2]}`))), `{"jsonrpc":"2.0","id":"a\u0062","result":{"x":[1,2]}}`},
		{string(AppendResult(nil, mcp.ID(`1.0`), nil)), `{"jsonrpc":"2.0","id":1.0,"result":{}}`},
		{string(AppendResult(nil, nil, []byte("{\n\t\"a\": \"b\\n\"\r\n}"))), `{"jsonrpc":"2.0","id":null,"result":{"a":"b\n"}}`},
		{string(AppendResult(nil, mcp.ID(`1`), []byte(`{"broken"`))), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"result could not be encoded"}}`},
		{string(AppendError(nil, mcp.ID(`1`), &mcp.Error{Code: -1, Message: "no\nno"})), `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no\nno"}}`},
		{string(AppendError(nil, mcp.ID(`1`), &mcp.Error{Code: -1, Data: json.RawMessage("{\n}")})), `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"","data":{}}}`},
		{string(AppendError(nil, mcp.ID(`1`), &mcp.Error{Code: -1, Data: json.RawMessage("}")})), `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}`},
		{string(AppendError(nil, nil, nil)), `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`},
	} {
		assert.Equal(t, c.want, c.got)
		_, err := Scan([]byte(c.got))
		assert.NoError(t, err)
	}
}

func TestAppendRequestAllocatesNothing(t *testing.T) {
	params, err := mcp.CallToolParams("echo", map[string]any{"text": "hello"})
	require.NoError(t, err)
	buffer := make([]byte, 0, 1024)
	meta := []byte(modernMeta)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		buffer = AppendRequest(buffer[:0], 7, false, mcp.MethodCallTool, params, meta, 7)
	}))
	assert.True(t, jsonscan.Valid(buffer))
}

// FuzzAppend: whatever goes in, what comes out is one line with one valid
// message that says the same.
func FuzzAppend(f *testing.F) {
	f.Add(uint64(1), true, "tools/call", []byte(`{"name":"a","_meta":{"x":1}}`), true, uint64(7))
	f.Add(uint64(0), false, "\x00\xff\u2028", []byte("{\n}"), false, uint64(0))
	f.Fuzz(func(t *testing.T, id uint64, stringID bool, method string, raw []byte, withMeta bool, token uint64) {
		result, err := Scan(AppendResult(nil, mcp.NumberID(id), raw))
		require.NoError(t, err)
		require.True(t, result.Result != nil || result.Failure().Code == mcp.CodeInternalError)
		failure, err := Scan(AppendError(nil, mcp.StringID(method), &mcp.Error{Code: -5, Message: method, Data: raw}))
		require.NoError(t, err)
		require.Equal(t, -5, failure.Failure().Code)

		params, err := mcp.ParamsOf(raw)
		if err != nil || method == "" {
			return
		}
		meta := ""
		if withMeta {
			meta = modernMeta
		}
		frame := AppendRequest(nil, id, stringID, method, params, []byte(meta), token)
		require.False(t, jsonscan.HasRawNewline(frame))
		m, err := Scan(frame)
		require.NoError(t, err)
		require.Equal(t, strings.ToValidUTF8(method, "\uFFFD") == method, method == m.Method)
		got, ok := m.ID.Uint64()
		require.True(t, ok)
		require.Equal(t, id, got)
		if _, twice := jsonscan.Duplicate(m.Params); twice {
			t.Fatalf("duplicate member: %s", frame)
		}
		sent, _ := jsonscan.Find(m.Params, "_meta")
		if _, twice := jsonscan.Duplicate(sent); twice {
			t.Fatalf("duplicate member in _meta: %s", frame)
		}
		found, _ := jsonscan.Find(sent, mcp.MetaProgressToken)
		sentToken, _ := mcp.ID(found).Uint64()
		require.Equal(t, token, sentToken)
		_, hasVersion := jsonscan.Find(sent, mcp.MetaProtocolVersion)
		require.Equal(t, withMeta, hasVersion)
	})
}

func BenchmarkAppendRequest(b *testing.B) {
	arguments := map[string]any{"text": "hello world", "count": 7, "deep": true}
	meta := []byte(modernMeta)
	buffer := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		params, err := mcp.CallToolParams("echo", arguments)
		if err != nil {
			b.Fatal(err)
		}
		buffer = AppendRequest(buffer[:0], 7, false, mcp.MethodCallTool, params, meta, 7)
	}
}
