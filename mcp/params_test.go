package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

func TestParamsOf(t *testing.T) {
	type typed struct {
		Name string         `json:"name"`
		Meta map[string]any `json:"_meta"`
		HTML string         `json:"html,omitempty"`
	}
	for _, c := range []struct {
		name   string
		params any
		want   string
	}{
		{"nil", nil, `{}`},
		{"nil params", (*Params)(nil), `{}`},
		{"nil map", map[string]any(nil), `{}`},
		{"nil pointer", (*typed)(nil), `{}`},
		{"empty raw", json.RawMessage{}, `{}`},
		{"raw null", json.RawMessage(`null`), `{}`},
		{"raw", json.RawMessage(`{"b":1,"a":2}`), `{"b":1,"a":2}`},
		{"bytes", []byte(` {"a" : 1} `), `{"a" : 1}`},
		{"newlines are removed", []byte("{\n\t\"a\": \"x\\ny\",\r\n \"b\": [ 1 ]\n}"), `{"a":"x\ny","b":[1]}`},
		{"result", NewResult(json.RawMessage(`{"a":1}`)), `{"a":1}`},
		{"map, keys sorted", map[string]any{"b": 1, "a": []any{"x", nil, true, 1.5}}, `{"a":["x",null,true,1.5],"b":1}`},
		{"struct", typed{Name: "x"}, `{"name":"x","_meta":null}`},
		{"P15: no HTML escaping", typed{Name: "x", HTML: "<a&b>"}, `{"name":"x","_meta":null,"html":"<a&b>"}`},
		{"P12: big integers", json.RawMessage(`{"n":9007199254740993,"f":1.0}`), `{"n":9007199254740993,"f":1.0}`},
		{"P12: big Go integers", map[string]any{"n": uint64(math.MaxUint64), "i": int64(math.MinInt64)}, `{"i":-9223372036854775808,"n":18446744073709551615}`},
		{"json.Number", map[string]any{"n": json.Number("9007199254740993")}, `{"n":9007199254740993}`},
		{"raw inside", map[string]any{"r": json.RawMessage("{\n\"a\" : \"<\"}")}, `{"r":{"a":"<"}}`},
		{"line separators", map[string]any{"s": "\u2028\n"}, `{"s":"\u2028\n"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ParamsOf(c.params)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(p.Raw()))
			again, err := ParamsOf(p)
			require.NoError(t, err)
			if c.name != "nil params" {
				assert.Same(t, p, again)
			}
			encoded, err := json.Marshal(p)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(encoded))
		})
	}
}

func TestParamsOfRefuses(t *testing.T) {
	for _, c := range []struct {
		params any
		want   string
	}{
		{[]any{1}, "must be a JSON object, found an array"},
		{"text", "must be a JSON object, found a string"},
		{7, "must be a JSON object, found a number"},
		{true, "must be a JSON object, found a boolean"},
		{json.RawMessage(`[]`), "must be a JSON object, found an array"},
		{json.RawMessage(`{"a":1`), "unexpected end at byte 6"},
		{[]byte("{\"a\":\"\xff\"}"), "not valid UTF-8"},
		{json.RawMessage(`{"a":1}{}`), "more text after the value"},
		{json.RawMessage(`{"name":"a","name":"b"}`), `params has the member "name" twice`},
		{json.RawMessage(`{"name":"a","n\u0061me":"b"}`), `params has the member "name" twice`},
		{json.RawMessage(`{"_meta":{"a":1,"a":2}}`), `params._meta has the member "a" twice`},
		{json.RawMessage(`{"arguments":{"a":1,"a":2}}`), `params.arguments has the member "a" twice`},
		{json.RawMessage(`{"_meta":[]}`), "params._meta must be a JSON object, found an array"},
		{json.RawMessage(`{"_meta":"x"}`), "params._meta must be a JSON object, found a string"},
		{map[string]any{"f": func() {}}, "unsupported type"},
		{map[string]any{"f": math.NaN()}, "unsupported value"},
		{map[string]any{"r": json.RawMessage("\"\xff\"")}, "not valid UTF-8"},
		{map[string]any{"r": json.RawMessage("{")}, "unexpected end"},
		{json.RawMessage(strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat(`}`, 600)), "nested too deeply"},
		{cyclic(), "cycle"},
		{json.RawMessage(`{"` + strings.Repeat("x", 500) + `":1,"` + strings.Repeat("x", 500) + `":1}`), strings.Repeat("x", 64) + `..." twice`},
	} {
		p, err := ParamsOf(c.params)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		assert.ErrorContains(t, err, c.want)
		assert.Nil(t, p)
	}
}

// TestNamesThatEncodingMakesTheSameAreRefused: two keys of a map may differ in bytes
// that are no UTF-8 only.
func TestNamesThatEncodingMakesTheSameAreRefused(t *testing.T) {
	for _, arguments := range []any{
		map[string]any{"a": 1, "\xfe": 2, "\xff": 3},
		map[string]string{"\xfe": "1", "\xff": "2"},
		json.RawMessage(`{"a":1,"a":2}`),
	} {
		_, err := CallToolParams("tool", arguments)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		require.ErrorContains(t, err, "twice")
	}
	for _, arguments := range []any{map[string]any{"a": 1, "é": 2}, map[string]string{"\xff": "1"}} {
		_, err := CallToolParams("tool", arguments)
		require.NoError(t, err)
	}
}

func cyclic() map[string]any {
	m := map[string]any{}
	m["self"] = m
	return m
}

func TestParamsOwnTheirBytes(t *testing.T) {
	raw := []byte(`{"name":"a"}`)
	p, err := ParamsOf(raw)
	require.NoError(t, err)
	raw[9] = 'b'
	assert.Equal(t, `{"name":"a"}`, string(p.Raw()))
}

func TestParamsTellWhatTheLayersAsk(t *testing.T) {
	p, err := ParamsOf(json.RawMessage(`{"n\u0061me":"a\"b","uri":"x:\/\/y","taskId":"t","arguments":{"a":1},"_meta":{"io.modelcontextprotocol/logLevel":"debug"}}`))
	require.NoError(t, err)
	assert.Equal(t, `a"b`, p.Name())
	assert.Equal(t, "x://y", p.URI())
	assert.Equal(t, "t", p.TaskID())
	assert.Equal(t, `{"a":1}`, string(p.Arguments()))
	assert.Equal(t, "debug", p.LogLevel())
	assert.False(t, p.IsContinuation())
	assert.False(t, p.IsZero())

	for _, text := range []string{`{"inputResponses":{}}`, `{"requestState":"s"}`} { // R212, R229
		p, err := ParamsOf(json.RawMessage(text))
		require.NoError(t, err)
		assert.True(t, p.IsContinuation())
	}
	p, err = ParamsOf(json.RawMessage(`{"name":7,"uri":null,"Name":"x"}`))
	require.NoError(t, err)
	assert.Empty(t, p.Name()+p.URI()+p.TaskID()+p.LogLevel())
	assert.Nil(t, p.Arguments())

	for _, zero := range []any{nil, json.RawMessage(` { } `), json.RawMessage(`{"_meta":null}`)} {
		p, err := ParamsOf(zero)
		require.NoError(t, err)
		assert.True(t, p.IsZero())
	}
	p, err = ParamsOf(json.RawMessage(`{"_meta":{"a":1}}`))
	require.NoError(t, err)
	assert.False(t, p.IsZero())

	var none *Params
	assert.True(t, none.IsZero())
	assert.False(t, none.IsContinuation())
	assert.Empty(t, none.Name()+none.URI()+none.TaskID()+none.LogLevel())
	assert.Equal(t, "{}", string(none.Raw()))
	assert.Equal(t, "{}", string(none.AppendObject(nil, nil)))
	assert.Equal(t, `{"_meta":{"a":1}}`, string(none.AppendObject(nil, []byte(`"a":1`))))
}

func TestParamsShowNoContents(t *testing.T) { // P104
	p, err := ParamsOf(map[string]any{"requestState": "hush"})
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		assert.NotContains(t, fmt.Sprintf(verb, p), "hush", verb)
	}
}

func TestAppendObject(t *testing.T) {
	const ours = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","traceparent":"t"`
	for _, c := range []struct{ params, meta, want string }{
		{`{}`, ``, `{}`},
		{` { } `, ``, `{}`},
		{`{"a":1}`, ``, `{"a":1}`},
		{`{}`, ours, `{"_meta":{` + ours + `}}`},
		{`{"a":1}`, ours, `{"_meta":{` + ours + `},"a":1}`},
		{`{ "a":1}`, ours, `{"_meta":{` + ours + `}, "a":1}`},
		{`{"a":1,"_meta":{"x":[1]},"b":2}`, ours, `{"_meta":{` + ours + `,"x":[1]},"a":1,"b":2}`},
		{`{"a":1,"_meta":{"x":1}}`, ``, `{"_meta":{"x":1},"a":1}`},
		{`{"_meta":{"x":1}}`, ``, `{"_meta":{"x":1}}`},
		{`{"_meta":{}}`, ``, `{}`},
		{`{"_meta":{},"a":1}`, ``, `{"a":1}`},
		{`{"_meta":null,"a":1}`, ours, `{"_meta":{` + ours + `},"a":1}`},
		{`{"_meta":null,"a":1}`, ``, `{"a":1}`},
		{`{"\u005fmeta":{"x":1},"a":1}`, `"y":2`, `{"_meta":{"y":2,"x":1},"a":1}`},
		// What the session sends wins, and what is the session's is nobody else's.
		{`{"_meta":{"traceparent":"mine","x":1}}`, ours, `{"_meta":{` + ours + `,"x":1}}`},
		{`{"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"x","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{},"k":1}}`, ``, `{"_meta":{"k":1}}`},
		{`{"_meta":{"progr\u0065ssToken":1},"a":1}`, ``, `{"a":1}`},
		{`{"_meta":{"io.modelcontextprotocol/logLevel":"debug"}}`, `"a":1`, `{"_meta":{"a":1,"io.modelcontextprotocol/logLevel":"debug"}}`},
	} {
		p, err := ParamsOf(json.RawMessage(c.params))
		require.NoError(t, err)
		assert.Equal(t, c.want, string(p.AppendObject(nil, []byte(c.meta))), c.params)
		assert.True(t, json.Valid(p.AppendObject(nil, []byte(c.meta))))
	}
}

func TestWith(t *testing.T) {
	base, err := ParamsOf(json.RawMessage(`{"name":"a","arguments":{"n":9007199254740993},"_meta":{"x":1}}`))
	require.NoError(t, err)
	round, err := base.With("requestState", "opaque <&>")
	require.NoError(t, err)
	round, err = round.With("inputResponses", json.RawMessage(`{"k":{"action":"accept"}}`))
	require.NoError(t, err)
	assert.Equal(t, `{"name":"a","arguments":{"n":9007199254740993},"_meta":{"x":1},"requestState":"opaque <&>","inputResponses":{"k":{"action":"accept"}}}`, string(round.Raw()))
	assert.True(t, round.IsContinuation())
	assert.Equal(t, "a", round.Name())
	assert.False(t, base.IsContinuation(), "the original stays as it was")

	replaced, err := round.With("requestState", "next")
	require.NoError(t, err)
	assert.Contains(t, string(replaced.Raw()), `"requestState":"next"`)
	assert.NotContains(t, string(replaced.Raw()), `opaque`)

	page, err := (*Params)(nil).With("cursor", "")
	require.NoError(t, err)
	assert.Equal(t, `{"cursor":""}`, string(page.Raw()))

	_, err = base.With("x", make(chan int))
	require.ErrorIs(t, err, errors.ErrInvalidParams)
	require.ErrorContains(t, err, "params.x")
	_, err = base.With("_meta", 5)
	require.ErrorIs(t, err, errors.ErrInvalidParams)
}

func TestBuiltParams(t *testing.T) {
	call := func(arguments any) string {
		p, err := CallToolParams(`a"b`, arguments)
		require.NoError(t, err)
		assert.Equal(t, `a"b`, p.Name())
		again, err := ParamsOf(p.Raw())
		require.NoError(t, err)
		assert.Equal(t, again, p, "as if scanned")
		return string(p.Raw())
	}
	for _, none := range []any{nil, map[string]any(nil), json.RawMessage(nil), []byte("null"), (*struct{})(nil)} {
		assert.Equal(t, `{"name":"a\"b","arguments":{}}`, call(none))
	}
	assert.Equal(t, `{"name":"a\"b","arguments":{"n":9007199254740993}}`, call(json.RawMessage(`{"n":9007199254740993}`)))
	assert.Equal(t, `{"name":"a\"b","arguments":{"x":{"y":[1,"<"]}}}`, call(map[string]any{"x": map[string]any{"y": []any{1, "<"}}}))
	assert.Equal(t, `{"name":"a\"b","arguments":{"X":1}}`, call(struct{ X int }{1}))

	for _, c := range []struct {
		arguments any
		want      string
	}{
		{"text", "found a string"}, {5, "found a number"}, {true, "found a boolean"}, {[]any{}, "found an array"},
		{struct{ F func() }{}, "do not encode"},
	} {
		_, err := CallToolParams("tool", c.arguments)
		require.ErrorIs(t, err, errors.ErrInvalidParams)
		assert.ErrorContains(t, err, c.want)
		assert.ErrorContains(t, err, `tool "tool"`)
	}
	_, err := CallToolParams("t", []byte(`{"a":1,"a":2}`))
	require.ErrorIs(t, err, errors.ErrInvalidParams)
	_, err = CallToolParams("t", []byte(`[1]`))
	require.ErrorIs(t, err, errors.ErrInvalidParams)

	assert.Equal(t, `{"name":"p"}`, string(NameParams("p", nil).Raw()))
	assert.Equal(t, `{"name":"p","arguments":{"a":"1","b":"\n"}}`, string(NameParams("p", map[string]string{"b": "\n", "a": "1"}).Raw()))
	assert.Equal(t, `{"uri":"file:///a"}`, string(URIParams("file:///a").Raw()))
	assert.Equal(t, "file:///a", URIParams("file:///a").URI())
	assert.True(t, CursorParams(nil).IsZero())
	empty := ""
	assert.Equal(t, `{"cursor":""}`, string(CursorParams(&empty).Raw())) // R141
	assert.Equal(t, "t", TaskParams("t").TaskID())
	assert.True(t, json.Valid(URIParams("\xff\x00\u2028").Raw()))
}

// What appendPlain encodes is what encoding/json encodes, < > & apart.
func TestPlainEncodingIsTheStandardOne(t *testing.T) {
	for _, value := range []any{
		map[string]any{}, map[string]string{}, []any{}, []string{"a", "\x00\u2028é\xff"}, "", "\b\f\n\r\t\"\\/\x7f",
		0.0, math.Copysign(0, -1), 1.0, -1.5, 1e20, 123456789012345680000.0, 1e21, 1e-6, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 100.0,
		math.MaxInt64, int64(-1), uint64(0), true, nil, []any(nil), map[string]any{"b": map[string]string{"z": "", "a": ""}, "a": []string(nil), "": 1},
		map[string]any{"\xff": 1, "k": []any{[]any{map[string]any{"x": []any{}}}}},
	} {
		want, err := json.Marshal(value)
		require.NoError(t, err)
		got, err := encode(value)
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(string(want), `\ufffd`, "\uFFFD"), string(got), "%#v", value)
	}
}

func FuzzParamsOf(f *testing.F) {
	f.Add([]byte(`{"name":"a","arguments":{"x":1},"_meta":{"y":[]}}`), []byte(`"k"`))
	f.Add([]byte("{\n}"), []byte(`1`))
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		p, err := ParamsOf(raw)
		if err != nil {
			require.ErrorIs(t, err, errors.ErrInvalidParams)
			return
		}
		var want, got any
		if len(raw) > 0 && string(raw) != "null" {
			require.NoError(t, json.Unmarshal(raw, &want))
			require.NoError(t, json.Unmarshal(p.Raw(), &got))
			if want != nil {
				require.Equal(t, want, got)
			}
		}
		require.False(t, jsonscan.HasRawNewline(p.Raw()))
		object := p.AppendObject(nil, []byte(`"progressToken":1`))
		require.NoError(t, jsonscan.Check(object))
		_, twice := jsonscan.Duplicate(object)
		require.False(t, twice)
		with, err := p.With("requestState", value)
		if err == nil {
			require.True(t, with.IsContinuation())
			require.Equal(t, p.Name(), with.Name())
			found, _ := jsonscan.Find(with.Raw(), "requestState")
			require.Equal(t, json.Valid(value), json.Valid(found) && len(value) > 0)
		}
	})
}

func BenchmarkCallToolParams(b *testing.B) {
	arguments := map[string]any{"text": "hello world", "count": 7, "deep": true}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CallToolParams("echo", arguments); err != nil {
			b.Fatal(err)
		}
	}
}
