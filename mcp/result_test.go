package mcp

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

func result(text string) Result { return NewResult(json.RawMessage(text)) }

func TestResultType(t *testing.T) { // R011, R012
	for text, want := range map[string]string{
		`{}`:                                   "complete",
		`{"resultType":"complete"}`:            "complete",
		`{"a":{"resultType":"x"}}`:             "complete",
		`{"a":1,"resultType":"task"}`:          "task",
		`{"a":1,"result\u0054ype":"task"}`:     "task",
		`{"resultType":"input_\u0072equired"}`: "input_required",
		`{"resultType":null}`:                  "null",
		`{"resultType":7}`:                     "7",
		`{"resultType":""}`:                    "",
		`[]`:                                   "complete",
	} {
		assert.Equal(t, want, result(text).Type(), text)
	}
	assert.Equal(t, "complete", EnvelopeResult(json.RawMessage(`{"resultType":"x","result":null}`)).Type())
	assert.Equal(t, "complete", Result{}.Type())
}

func TestResultOf(t *testing.T) {
	message := func(value string) *Message {
		return &Message{Raw: json.RawMessage(`{"jsonrpc":"2.0","id":1,"result":` + value + `}`), Result: json.RawMessage(value)}
	}
	for _, value := range []string{`{"a":1}`, `[1]`, `{}`} {
		r := ResultOf(message(value))
		assert.False(t, r.IsEnvelope())
		assert.Equal(t, value, string(r.Raw()))
	}
	for _, value := range []string{`null`, `"text"`, `7`, `true`} { // P17
		m := message(value)
		r := ResultOf(m)
		assert.True(t, r.IsEnvelope())
		assert.Equal(t, string(m.Raw), string(r.Raw()))
		fields, err := r.Map()
		require.NoError(t, err)
		assert.Contains(t, fields, "result")
	}
	assert.True(t, ResultOf(&Message{Raw: json.RawMessage(`{}`)}).IsZero())
}

func TestResultDecode(t *testing.T) {
	r := result(`{"n":9007199254740993,"f":1.0,"s":"x","deep":{"n":[9007199254740993]},"_meta":{"m":1}}`)
	var v struct {
		N    uint64
		S    string
		Deep any
	}
	require.NoError(t, r.Decode(&v))
	assert.Equal(t, uint64(9007199254740993), v.N)
	assert.Equal(t, map[string]any{"n": []any{json.Number("9007199254740993")}}, v.Deep) // P12

	m, err := r.Map()
	require.NoError(t, err)
	assert.Equal(t, json.Number("9007199254740993"), m["n"])
	assert.Equal(t, json.Number("1.0"), m["f"])
	assert.Equal(t, `{"m":1}`, string(r.Meta()))
	for _, none := range []Result{result(`{}`), result(`{"_meta":null}`), EnvelopeResult(json.RawMessage(`{"_meta":{}}`)), {}} {
		assert.Nil(t, none.Meta())
	}

	var wrong []int
	err = r.Decode(&wrong)
	require.ErrorIs(t, err, errors.ErrProtocol)
	require.ErrorContains(t, err, "result, an object, does not decode into *[]int")
	_, err = result(`[1]`).Map()
	require.ErrorIs(t, err, errors.ErrProtocol)
	require.ErrorContains(t, err, "found an array")
	require.ErrorIs(t, Result{}.Decode(&v), errors.ErrProtocol)
	_, err = ParseCallToolResult(EnvelopeResult(json.RawMessage(`{"jsonrpc":"2.0","id":1,"result":null}`)))
	require.ErrorIs(t, err, errors.ErrProtocol)

	encoded, err := json.Marshal(map[string]Result{"r": r, "none": {}})
	require.NoError(t, err)
	assert.Equal(t, `{"none":null,"r":`+string(r.Raw())+`}`, string(encoded))
	var back map[string]Result
	require.NoError(t, json.Unmarshal(encoded, &back))
	assert.Equal(t, r, back["r"])
}

func TestCallToolResult(t *testing.T) {
	raw := `{"content":[{"type":"text","text":"a\u00e9"},{"type":"image","data":"aGk=","mimeType":"image/png"},7,
		{"type":"novel","x":{"y":9007199254740993}},{"text":"b","type":"text","annotations":{"audience":["user"],"priority":0.5}}],
		"structuredContent":{"n":9007199254740993},"isError":true,"_meta":{"k":1},"resultType":"complete"}`
	r, err := ParseCallToolResult(result(raw))
	require.NoError(t, err)
	assert.True(t, r.IsError) // R151
	assert.Equal(t, "aé\nb", r.Text())
	structured, ok := r.Structured()
	assert.True(t, ok)
	assert.Equal(t, `{"n":9007199254740993}`, string(structured))
	assert.Equal(t, `{"k":1}`, string(r.Meta()))
	assert.Equal(t, raw, string(r.Raw()))

	blocks := slices.Collect(r.Content())
	require.Len(t, blocks, 5)
	assert.Equal(t, "aé", blocks[0].Text)
	data, err := blocks[1].Bytes()
	require.NoError(t, err)
	assert.Equal(t, "hi", string(data))
	assert.Equal(t, Content{Raw: json.RawMessage("7")}, blocks[2])
	assert.Equal(t, `{"type":"novel","x":{"y":9007199254740993}}`, string(blocks[3].Raw))
	assert.Equal(t, []string{"user"}, blocks[4].Annotations.Audience)
	assert.Equal(t, 0.5, *blocks[4].Annotations.Priority)
	for range r.Content() {
		break // stopping early is allowed
	}

	var decoded CallToolResult
	require.NoError(t, json.Unmarshal([]byte(raw), &decoded))
	assert.Equal(t, "aé\nb", decoded.Text())
	encoded, err := decoded.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, raw, string(encoded))
}

func TestCallToolResultEdges(t *testing.T) {
	for text, want := range map[string]string{
		`{"structuredContent":null}`: "null", `{"structuredContent":0}`: "0", `{"structuredContent":[1]}`: "[1]", // P18, R149
	} {
		r, err := ParseCallToolResult(result(text))
		require.NoError(t, err)
		structured, ok := r.Structured()
		assert.True(t, ok)
		assert.Equal(t, want, string(structured))
	}
	for _, text := range []string{`{}`, `{"content":[]}`, `{"content":null,"isError":null,"_meta":null}`, `{"content":[],"isError":false}`} {
		r, err := ParseCallToolResult(result(text))
		require.NoError(t, err)
		_, ok := r.Structured()
		assert.False(t, ok)
		assert.False(t, r.IsError)
		assert.Empty(t, r.Text())
		assert.Nil(t, r.Meta())
		assert.Empty(t, slices.Collect(r.Content()))
	}
	for text, want := range map[string]string{
		`[]`:                 "must be an object, found an array",
		`{"content":"text"}`: `"content" must be an array, found a string`,
		`{"isError":"yes"}`:  `"isError" must be true or false, found a string`,
	} {
		_, err := ParseCallToolResult(result(text))
		require.ErrorIs(t, err, errors.ErrProtocol)
		assert.ErrorContains(t, err, want)
	}
	encoded, err := json.Marshal(&CallToolResult{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[]}`, string(encoded))
	for text, want := range map[string]string{
		`{"content":[{"type":"text"}]}`:                                           "",
		`{"content":[{"type":"text","text":7},{"type":"text","text":""}]}`:        "",
		`{"content":[{"type":"TEXT","text":"x"},{"text":"y"}]}`:                   "",
		`{"content":[{"type":"text","text":"x"},{"type":"text","text":"\n\"y"}]}`: "x\n\n\"y",
	} {
		r, err := ParseCallToolResult(result(text))
		require.NoError(t, err)
		assert.Equal(t, want, r.Text(), text)
	}
}

func BenchmarkCallToolResult(b *testing.B) {
	r := result(`{"content":[{"type":"text","text":"hello world, this is an echo"}],"isError":false}`)
	b.ReportAllocs()
	for b.Loop() {
		parsed, err := ParseCallToolResult(r)
		if err != nil || parsed.Text() == "" {
			b.Fatal(err)
		}
	}
}
