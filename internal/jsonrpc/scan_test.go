package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// envelopes are messages that Scan accepts, with what it makes of them.
func envelopes() map[string]mcp.Message {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	return map[string]mcp.Message{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                            {ID: mcp.ID("1"), Method: "ping"},
		`{"jsonrpc":"2.0","id":"a","method":"x/y","params":{"a":1}}`:          {ID: mcp.ID(`"a"`), Method: "x/y", Params: raw(`{"a":1}`)},
		`{"method":"a\u0062","jsonrpc":"2.0","params":[1]}`:                   {Method: "ab", Params: raw(`[1]`)},
		`{"jsonrpc":"2.0","method":"m","params":null,"id":null}`:              {ID: mcp.ID("null"), Method: "m", Params: raw("null")},
		`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`:                 {ID: mcp.ID("9007199254740993"), Result: raw("{}")}, // P12
		`{"jsonrpc":"2.0","id":1.0,"result":[]}`:                              {ID: mcp.ID("1.0"), Result: raw("[]")},
		`{"jsonrpc":"2.0","id":1,"result":null}`:                              {ID: mcp.ID("1"), Result: raw("null")}, // P17
		`{"jsonrpc":"2.0","id":1,"result":"text"}`:                            {ID: mcp.ID("1"), Result: raw(`"text"`)},
		`{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}`:                 {Error: raw(`{"code":-1,"message":"m"}`)}, // P20
		`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}`:       {ID: mcp.ID("null"), Error: raw(`{"code":-1,"message":"m"}`)},
		`{"jsonrpc":"2.0","id":1,"error":null}`:                               {ID: mcp.ID("1"), Error: raw("null")},
		`{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}`:              {ID: mcp.ID("1"), Result: raw(`{"a":1}`)},
		`{"jsonrpc":"2.0","id":1,"result":null,"error":{}}`:                   {ID: mcp.ID("1"), Error: raw(`{}`)},
		`{"jsonrpc":"2.0","id":1,"method":null,"result":1}`:                   {ID: mcp.ID("1"), Result: raw(`1`)},
		`{"jsonrpc":"2.0","id":1,"method":"m","result":null}`:                 {ID: mcp.ID("1"), Method: "m"},
		`{"jsonrpc":"2.0","ID":7,"Result":1,"id":1,"result":{},"x":[{}]}`:     {ID: mcp.ID("1"), Result: raw(`{}`)}, // P14
		`{"\u006asonrpc":"2.0","\u0069d":1,"res\u0075lt":{}}`:                 {ID: mcp.ID("1"), Result: raw(`{}`)},
		" \r\n\t{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"result\" : { } } \n": {ID: mcp.ID("1"), Result: raw("{ }")},
	}
}

func TestScan(t *testing.T) {
	for text, want := range envelopes() {
		t.Run(text, func(t *testing.T) {
			got, err := Scan([]byte(text))
			require.NoError(t, err)
			assert.Equal(t, strings.TrimSpace(text), string(got.Raw))
			got.Raw = nil
			assert.Equal(t, want, got)
		})
	}
}

func TestScanRefuses(t *testing.T) {
	for text, want := range map[string]error{
		``:                                       jsonscan.ErrSyntax,
		`hello`:                                  jsonscan.ErrSyntax,
		`Content-Length: 5`:                      jsonscan.ErrSyntax,
		`{"jsonrpc":"2.0","id":1,"result":{}`:    jsonscan.ErrSyntax,
		`{"jsonrpc":"2.0","id":1,"result":{}}x`:  jsonscan.ErrSyntax,
		`{"jsonrpc":"2.0","id":1,"result":{}}{}`: jsonscan.ErrSyntax,
		`{"id":2,"id":1,"result":{}`:             jsonscan.ErrSyntax, // syntax goes before meaning
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}":                 jsonscan.ErrUTF8,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 600) + "1": jsonscan.ErrDepth,
		`[]`:                                     ErrBatch,
		` [{"jsonrpc":"2.0","method":"m"}]`:      ErrBatch,
		`"text"`:                                 ErrEnvelope,
		`7`:                                      ErrEnvelope,
		`null`:                                   ErrEnvelope,
		`{}`:                                     ErrEnvelope,
		`{"level":"info","msg":"started"}`:       ErrEnvelope, // a log line on stdout
		`{"id":1,"result":{}}`:                   ErrEnvelope,
		`{"jsonrpc":"1.0","id":1,"result":{}}`:   ErrEnvelope,
		`{"jsonrpc":2.0,"id":1,"result":{}}`:     ErrEnvelope,
		`{"jsonrpc":"2.0","id":1}`:               ErrEnvelope,
		`{"jsonrpc":"2.0","id":true,"result":1}`: ErrEnvelope,
		`{"jsonrpc":"2.0","id":{},"result":1}`:   ErrEnvelope,
		`{"jsonrpc":"2.0","id":[1],"method":"m"}`:                ErrEnvelope,
		`{"jsonrpc":"2.0","method":""}`:                          ErrEnvelope,
		`{"jsonrpc":"2.0","method":5}`:                           ErrEnvelope,
		`{"jsonrpc":"2.0","method":"m","params":"p"}`:            ErrEnvelope,
		`{"jsonrpc":"2.0","method":"m","id":1,"result":{}}`:      ErrEnvelope,
		`{"jsonrpc":"2.0","method":"m","id":1,"error":{}}`:       ErrEnvelope,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`:        ErrEnvelope,
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`:            ErrEnvelope,
		`{"jsonrpc":"2.0","id":1,"result":{},"res\u0075lt":{}}`:  ErrEnvelope,
		`{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}`:   ErrEnvelope,
		`{"jsonrpc":"2.0","id":1,"result":null,"result":{}}`:     ErrEnvelope,
		`{"jsonrpc":"2.0","method":"m","params":{},"params":{}}`: ErrEnvelope,
	} {
		m, err := Scan([]byte(text))
		assert.ErrorIs(t, err, want, "%.60s", text)
		assert.True(t, m.IsZero(), "%.60s", text)
	}
}

// A name that is none is told as such; null is as good as no name.
func TestScanOfMethods(t *testing.T) {
	for _, value := range []string{`""`, `5`, `12345`, `{}`, `[]`, `true`} {
		_, err := Scan([]byte(`{"jsonrpc":"2.0","method":` + value + `}`))
		require.ErrorContains(t, err, `"method" is not a name`, value)
	}
	m, err := Scan([]byte(`{"jsonrpc":"2.0","method":null,"id":1,"result":{}}`))
	require.NoError(t, err)
	assert.Empty(t, m.Method)
	assert.Equal(t, mcp.KindResponse, m.Kind())
	m, err = Scan([]byte(`{"jsonrpc":"2.0","method":"m"}`))
	require.NoError(t, err)
	assert.Equal(t, "m", m.Method, "one character is a name")
}

func TestScanAllocatesNothing(t *testing.T) {
	data := []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		m, err := Scan(data)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ProgressToken(m.Params); !ok {
			t.Fatal("no token")
		}
	}))
}

func TestMessagesOfServersHaveConstantNames(t *testing.T) {
	for _, method := range []string{
		mcp.NotificationProgress, mcp.NotificationMessage, mcp.NotificationCancelled, mcp.NotificationResourceUpdated,
		mcp.NotificationToolsListChanged, mcp.NotificationPromptsListChanged, mcp.NotificationResourcesListChanged,
		mcp.NotificationAcknowledged, mcp.MethodPing, mcp.MethodCreateMessage, mcp.MethodElicit, mcp.MethodListRoots,
	} {
		data := []byte(`{"jsonrpc":"2.0","method":"` + method + `"}`)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if m, err := Scan(data); err != nil || m.Method != method {
				t.Fatal(m.Method, err)
			}
		}), method)
	}
}

func TestScanBatch(t *testing.T) {
	one := `{"jsonrpc":"2.0","method":"a"}`
	two := `{"jsonrpc":"2.0","id":1,"result":{}}`
	methods := func(messages []mcp.Message) (raws []string) {
		for _, m := range messages {
			raws = append(raws, string(m.Raw))
		}
		return raws
	}

	messages, err := ScanBatch([]byte(" [ " + one + " , " + two + " ] "))
	require.NoError(t, err) // R018
	assert.Equal(t, []string{one, two}, methods(messages))

	messages, err = ScanBatch([]byte(one))
	require.NoError(t, err)
	assert.Equal(t, []string{one}, methods(messages))

	messages, err = ScanBatch([]byte("[" + one + `,{"x":1},5,` + two + "]"))
	require.ErrorIs(t, err, ErrEnvelope)
	require.ErrorContains(t, err, "batch element 1")
	assert.Equal(t, []string{one, two}, methods(messages))

	_, err = ScanBatch([]byte("[[" + one + "]]"))
	require.ErrorIs(t, err, ErrBatch)
	for _, text := range []string{"[", "[" + one, "[" + one + ",]", "[" + one + "]]", ""} {
		messages, err = ScanBatch([]byte(text))
		require.ErrorIs(t, err, jsonscan.ErrSyntax, text)
		assert.Empty(t, messages)
	}
	_, err = ScanBatch([]byte("[]"))
	require.ErrorIs(t, err, ErrEnvelope)
}

func TestIdentifiers(t *testing.T) {
	for _, c := range []struct {
		find   func([]byte) (mcp.ID, bool)
		params string
		want   string
	}{
		{ProgressToken, `{"progress":1,"progressToken":7}`, "7"},
		{ProgressToken, `{"progressToken":"7"}`, `"7"`},
		{ProgressToken, `{"_meta":{"progressToken":7}}`, ""},
		{ProgressToken, `{"progressToken":null}`, ""},
		{ProgressToken, `{"progressToken":{}}`, ""},
		{ProgressToken, `[7]`, ""},
		{ProgressToken, ``, ""},
		{RequestID, `{"reason":"x","requestId":12}`, "12"},
		{RequestID, `{"requestId":true}`, ""},
		{SubscriptionID, `{"uri":"x","_meta":{"io.modelcontextprotocol/subscriptionId":3}}`, "3"},
		{SubscriptionID, `{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}`, `"a"`},
		{SubscriptionID, `{"io.modelcontextprotocol/subscriptionId":3}`, ""},
		{SubscriptionID, `{"_meta":null}`, ""},
		{SubscriptionID, `{}`, ""},
	} {
		id, ok := c.find([]byte(c.params))
		assert.Equal(t, c.want, string(id), c.params)
		assert.Equal(t, c.want != "", ok, c.params)
	}
}

// FuzzScan holds Scan to encoding/json: what it accepts is valid JSON with the
// same members, and it refuses nothing for its syntax that is valid.
func FuzzScan(f *testing.F) {
	for text := range envelopes() {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"id":1,"id":2}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"m"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Scan(data)
		switch {
		case errors.Is(err, jsonscan.ErrSyntax):
			require.False(t, json.Valid(data))
		case errors.Is(err, jsonscan.ErrUTF8), errors.Is(err, jsonscan.ErrDepth):
		case errors.Is(err, ErrBatch):
			messages, err := ScanBatch(data)
			if err == nil {
				require.True(t, json.Valid(data))
				require.NotEmpty(t, messages)
			}
		case errors.Is(err, ErrEnvelope):
			require.True(t, json.Valid(data))
		default:
			require.NoError(t, err)
			compareMembers(t, data, &m)
		}
	})
}

func compareMembers(t *testing.T, data []byte, m *mcp.Message) {
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &members))
	require.Equal(t, string(bytes.TrimSpace(data)), string(m.Raw))
	require.Equal(t, `"2.0"`, string(members["jsonrpc"]))
	require.Equal(t, string(members["id"]), string(m.ID))
	require.Equal(t, string(members["params"]), string(m.Params))
	if m.Result != nil {
		require.Equal(t, string(members["result"]), string(m.Result))
	}
	if m.Error != nil {
		require.Equal(t, string(members["error"]), string(m.Error))
	}
	if m.Method != "" {
		var method string
		require.NoError(t, json.Unmarshal(members["method"], &method))
		require.Equal(t, method, m.Method)
	}
	require.NotEqual(t, mcp.KindInvalid, m.Kind())
	require.False(t, m.Result != nil && m.Error != nil)
}

func BenchmarkScan(b *testing.B) {
	for name, text := range map[string]string{
		"echo":  `{"jsonrpc":"2.0","id":123,"result":{"content":[{"type":"text","text":"hello world, this is an echo"}],"isError":false}}`,
		"prose": `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(`twenty-four plain bytes,\n`, 40_000) + `"}]}}`,
	} {
		data := []byte(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Scan(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The scan notices of what a result mostly consists: a long string, or a member.
func TestScanNoticesALongValue(t *testing.T) {
	long := `"` + strings.Repeat(`x\"`, 2000) + `"`
	list := `[` + strings.Repeat(`{"name":"a tool","title":"t"},`, 200) + `{}]`
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + long + `}]}}`: long,
		`{"id":1,"result":{"tools":` + list + `,"nextCursor":"x"},"jsonrpc":"2.0"}`:           list,
		`{"id":1,"result":` + list + `,"jsonrpc":"2.0"}`:                                      "",
		`{"id":1,"result":` + long + `,"jsonrpc":"2.0"}`:                                      long,
		`{"jsonrpc":"2.0","id":1,"result":{"a":1},"more":` + long + `}`:                       "",
		`{"jsonrpc":"2.0","more":` + long + `,"id":1,"result":{"a":{}}}`:                      "",
		`{"jsonrpc":"2.0","method":"m","params":{"a":` + long + `}}`:                          "",
	} {
		m, err := Scan([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, string(m.Result[m.LongValue.From:m.LongValue.To]))
		if m.Result != nil && m.Result[0] == '{' {
			for _, key := range []string{"content", "tools", "nextCursor", "none", "a"} {
				value, found := jsonscan.Find(m.Result, key)
				known, foundToo := jsonscan.FindAround(m.Result, key, m.LongValue)
				require.Equal(t, found, foundToo)
				require.Equal(t, value, known)
			}
		}
	}
}
