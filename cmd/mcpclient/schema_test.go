package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValuesBecomeWhatTheSchemaSays(t *testing.T) {
	properties := schemaOf(json.RawMessage(`{"properties": {
		"text": {"type": "string"}, "number": {"type": "number"}, "integer": {"type": "integer"},
		"flag": {"type": "boolean"}, "list": {"type": "array"}, "map": {"type": "object"}, "nothing": {"type": "null"},
		"maybe": {"type": ["integer", "null"]}, "either": {"type": ["number", "string"]},
		"any": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "vague": {"anyOf": [{"type": "boolean"}, {}]},
		"one": {"oneOf": [{"type": "integer"}, {"type": "string"}]}, "untyped": {}, "reference": {"$ref": "#/x"}, "true": true
	}}`))
	for _, test := range []struct{ key, text, want string }{
		{"text", "42", `"42"`},
		{"text", `say "hi"`, `"say \"hi\""`},
		{"number", "1.50", `1.50`},
		{"number", "12345678901234567890", `12345678901234567890`},
		{"number", "-1e3", `-1e3`},
		{"number", "1,5", ""},
		{"number", `"1"`, ""},
		{"number", "NaN", ""},
		{"number", "", ""},
		{"integer", "7", `7`},
		{"integer", "07", ""},
		{"flag", "true", `true`},
		{"flag", "yes", ""},
		{"list", `["a", 1]`, `["a", 1]`},
		{"list", "a,b", ""},
		{"map", `{"a": 1}`, `{"a": 1}`},
		{"map", "[]", ""},
		{"nothing", "null", `null`},
		{"maybe", "null", `null`},
		{"maybe", "7", `7`},
		{"maybe", "x", ""},
		{"either", "7", `"7"`},
		{"any", "false", `false`},
		{"any", "x", ""},
		{"vague", "false", `"false"`},
		{"one", "7", `"7"`},
		{"untyped", "7", `"7"`},
		{"reference", "7", `"7"`},
		{"true", "7", `"7"`},
		{"unknown", "7", `"7"`},
	} {
		got, err := properties.merge(nil, []assignment{{key: test.key, value: test.text}})
		if test.want == "" {
			var wrong usageError
			require.ErrorAs(t, err, &wrong, "%s=%s", test.key, test.text)
			assert.ErrorContains(t, err, "argument "+test.key)
			continue
		}
		require.NoError(t, err, "%s=%s", test.key, test.text)
		assert.Equal(t, test.want, string(got[test.key]), "%s=%s", test.key, test.text)
	}
}

func TestSummaryOfASchema(t *testing.T) {
	s := schemaOf(json.RawMessage(`{"properties": {"z": {}, "a": {}, "m": {}}, "required": ["z"]}`))
	assert.Equal(t, "z [a] [m]", s.summary(), "in the schema's order")
	assert.Empty(t, schemaOf(json.RawMessage(`true`)).summary())
	assert.Empty(t, schemaOf(nil).summary())
}

func TestArgumentsThatASchemaDoesNotHave(t *testing.T) {
	closed := `{"properties": {"text": {}, "limit": {}}`
	for name, test := range map[string]struct {
		schema string
		want   []string
	}{
		"closed":               {closed + `}`, []string{`the tool has no argument "lmit"; did you mean "limit"?`, `the tool has no argument "zzz"`}},
		"said to be closed":    {closed + `, "additionalProperties": false}`, []string{`the tool has no argument "lmit"; did you mean "limit"?`, `the tool has no argument "zzz"`}},
		"open":                 {closed + `, "additionalProperties": {"type": "string"}}`, nil},
		"patterns":             {closed + `, "patternProperties": {"^z": {}}}`, nil},
		"no properties":        {`{"type": "object"}`, nil},
		"no schema":            {``, nil},
		"properties of a kind": {`{"properties": [1]}`, nil},
	} {
		assert.Equal(t, test.want, schemaOf(json.RawMessage(test.schema)).unknown([]string{"text", "lmit", "zzz"}), name)
	}
}

func TestEscapingForJSONKeepsValues(t *testing.T) {
	for _, text := range []string{"plain", "a\x1bb", "\u202e", "\U000e0001 tag", "é 世界 😀", "tab\tline\n"} {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		escaped := escapeJSON(string(encoded))
		var back string
		require.NoError(t, json.Unmarshal([]byte(escaped), &back))
		assert.Equal(t, text, back)
		for _, r := range escaped {
			assert.False(t, isUnprintable(r), "%q", escaped)
		}
	}
}

func TestCellsAreOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"one": "one", " one \n": "one", "one\ntwo": "one ...", "one\r\ntwo": "one ...", "": "", "a\tb": `a\tb`,
	} {
		assert.Equal(t, want, cell(text))
	}
	assert.Len(t, cell(string(make([]byte, 500))), maxCell+len("..."))
}
