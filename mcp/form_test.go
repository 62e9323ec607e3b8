package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// everyDefault has a default of every type that a form can have.
const everyDefault = `{"type":"object","required":["name"],"properties":{
	"name":{"type":"string","default":"John Doe"},
	"age":{"type":"integer","default":30},
	"score":{"type":"number","default":95.5},
	"status":{"type":"string","enum":["active","inactive"],"default":"active"},
	"verified":{"type":"boolean","default":true},
	"titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}],"default":"b"},
	"legacy":{"type":"string","enum":["x","y"],"enumNames":["X","Y"],"default":"y"},
	"several":{"type":"array","items":{"type":"string","enum":["p","q","r"]},"default":["p","r"]},
	"titledSeveral":{"type":"array","items":{"anyOf":[{"const":"1","title":"One"},{"const":"2","title":"Two"}]},"default":[
		"2"]},
	"none":{"type":"string"}}}`

const everyDefaultFilledIn = `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true,"titled":"b","legacy":"y","several":["p","r"],"titledSeveral":["2"]}`

func TestApplyDefaults(t *testing.T) { // R196
	for _, empty := range []string{"", "null", "{}", " { } ", "{\n}"} {
		completed, err := ApplyDefaults(json.RawMessage(everyDefault), json.RawMessage(empty))
		require.NoError(t, err)
		assert.Equal(t, everyDefaultFilledIn, string(completed), "%q", empty)
		assert.NoError(t, ValidateContent(json.RawMessage(everyDefault), completed))
	}
	for name, c := range map[string]struct{ schema, content, want string }{
		"what is there stays": {`{"properties":{"a":{"default":1},"b":{"default":2},"c":{"default":3}}}`, "{\"b\":9007199254740993,\n \"\":\"<&>\"}", `{"b":9007199254740993,"":"<&>","a":1,"c":3}`},
		"null is there":       {`{"properties":{"a":{"type":"string","default":"x"}}}`, `{"a":null}`, `{"a":null}`},
		"false and zero":      {`{"properties":{"a":{"type":"boolean","default":false},"b":{"type":"integer","default":0},"c":{"type":"string","default":""}}}`, `{}`, `{"a":false,"b":0,"c":""}`},
		"defaults that do not fit": {`{"properties":{"a":{"type":"string","default":1},"b":{"type":"integer","default":1.5},"c":{"type":"string","enum":["x"],"default":"y"},
			"d":{"type":"array","items":{"enum":["x"]},"default":["x","y"]},"e":{"type":"string","default":null},"f":{"type":"number","maximum":1,"default":2}}}`, `{}`, `{}`},
		"whole numbers":      {`{"properties":{"a":{"type":"integer","default":42.0},"b":{"type":"integer","default":9007199254740993}}}`, `{}`, `{"a":42.0,"b":9007199254740993}`},
		"escaped names":      {`{"properties":{"\u0061\"":{"default":1}}}`, `{}`, `{"a\"":1}`},
		"named by an escape": {`{"properties":{"a":{"default":1}}}`, `{"\u0061":2}`, `{"\u0061":2}`},
		"twice in schema":    {`{"properties":{"a":{"default":1},"a":{"default":2}}}`, `{}`, `{"a":2}`},
		"no schema":          {``, `{"a":1}`, `{"a":1}`},
		"odd schemas":        {`{"properties":{"a":true,"b":[],"c":7}}`, `{}`, `{}`},
		"no object":          {`[]`, `{}`, `{}`},
	} {
		completed, err := ApplyDefaults(json.RawMessage(c.schema), json.RawMessage(c.content))
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(completed), name)
	}
	for _, bad := range []string{`[]`, `"x"`, `7`} {
		_, err := ApplyDefaults(json.RawMessage(everyDefault), json.RawMessage(bad))
		assert.ErrorContains(t, err, "must be an object")
	}
}

func TestValidateContent(t *testing.T) { // R197
	property := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	for _, c := range []struct{ schema, content, fault string }{
		{property(`{"type":"string"}`), `{"a":"x"}`, ""},
		{property(`{"type":"string"}`), `{}`, ""},
		{property(`{"type":"string"}`), `{"a":7}`, "must be of type string, found a number"},
		{property(`{"type":"string"}`), `{"a":null}`, "must be of type string, found null"},
		{property(`{"type":["string","null"]}`), `{"a":null}`, ""},
		{property(`{"type":["string","null"]}`), `{"a":true}`, "string or null, found a boolean"},
		{property(`{"type":"boolean"}`), `{"a":"true"}`, "boolean, found a string"},
		{property(`{"type":"boolean"}`), `{"a":false}`, ""},
		{property(`{"type":"number"}`), `{"a":1.5}`, ""},
		{property(`{"type":"number"}`), `{"a":"1"}`, "number, found a string"},
		{property(`{"type":"integer"}`), `{"a":9007199254740993}`, ""},
		{property(`{"type":"integer"}`), `{"a":4.2e1}`, ""},
		{property(`{"type":"integer"}`), `{"a":1.5}`, "integer, found a number"},
		{property(`{"type":"array"}`), `{"a":{}}`, "array, found an object"},
		{property(`{}`), `{"a":{"any":1}}`, ""},
		{property(`{"type":"integer","minimum":1,"maximum":3}`), `{"a":1}`, ""},
		{property(`{"type":"integer","minimum":1,"maximum":3}`), `{"a":3}`, ""},
		{property(`{"type":"integer","minimum":1,"maximum":3}`), `{"a":0}`, "must be at least 1"},
		{property(`{"type":"integer","minimum":1,"maximum":3}`), `{"a":4}`, "must be at most 3"},
		{property(`{"type":"string","minLength":2,"maxLength":3}`), `{"a":"日本語"}`, ""},
		{property(`{"type":"string","minLength":2,"maxLength":3}`), `{"a":"日"}`, "length must be at least 2"},
		{property(`{"type":"string","minLength":2,"maxLength":3}`), `{"a":"abcd"}`, "length must be at most 3"},
		{property(`{"type":"string","enum":["x","y"]}`), `{"a":"y"}`, ""},
		{property(`{"type":"string","enum":["x","y"]}`), `{"a":"Y"}`, "none of the options"},
		{property(`{"type":"string","oneOf":[{"const":"x","title":"X"}]}`), `{"a":"x"}`, ""},
		{property(`{"type":"string","oneOf":[{"const":"x","title":"X"}]}`), `{"a":"X"}`, "none of the options"},
		{property(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), `{"a":null}`, ""},
		{property(`{"type":"integer","enum":[1,2]}`), `{"a":3}`, ""}, // beyond the flat schemas
		{property(`{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}`), `{"a":["x","y"]}`, ""},
		{property(`{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}`), `{"a":["z"]}`, "element that is none of the options"},
		{property(`{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}`), `{"a":[]}`, "number of elements must be at least 1"},
		{property(`{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}`), `{"a":["x","x","x"]}`, "number of elements must be at most 2"},
		{property(`{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}`), `{"a":["X"]}`, "none of the options"},
		{property(`{"type":"array","items":{"type":"string"}}`), `{"a":["free",7]}`, "strings as elements"},
		{property(`{"type":"string","format":"email"}`), `{"a":"a@example.com"}`, ""},
		{property(`{"type":"string","format":"email"}`), `{"a":"A <a@example.com>"}`, "format email"},
		{property(`{"type":"string","format":"email"}`), `{"a":"example.com"}`, "format email"},
		{property(`{"type":"string","format":"uri"}`), `{"a":"https://example.com/x"}`, ""},
		{property(`{"type":"string","format":"uri"}`), `{"a":"/x"}`, "format uri"},
		{property(`{"type":"string","format":"date"}`), `{"a":"2026-02-28"}`, ""},
		{property(`{"type":"string","format":"date"}`), `{"a":"2026-02-30"}`, "format date"},
		{property(`{"type":"string","format":"date-time"}`), `{"a":"2026-02-28T10:00:00.5+01:00"}`, ""},
		{property(`{"type":"string","format":"date-time"}`), `{"a":"2026-02-28"}`, "format date-time"},
		{property(`{"type":"string","format":"hostname"}`), `{"a":"any thing"}`, ""},
		{`{"properties":{"a":{}},"required":["a","b"]}`, `{"a":1}`, `"b" is required and missing`},
		{`{"properties":{"a":{}},"required":["a"]}`, ``, `"a" is required and missing`},
		{`{"properties":{"a":{}}}`, `{"b":1}`, ""},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"b":1}`, `"b" was not asked for`},
		{``, `{"b":1}`, ""},
		{``, `[]`, "must be an object"},
	} {
		err := ValidateContent(json.RawMessage(c.schema), json.RawMessage(c.content))
		if c.fault == "" {
			assert.NoError(t, err, "%s %s", c.schema, c.content)
			continue
		}
		require.Error(t, err, "%s %s", c.schema, c.content)
		assert.Contains(t, err.Error(), c.fault)
	}
}

func TestValidateContentTellsAllFaultsAndNoValues(t *testing.T) {
	err := ValidateContent(json.RawMessage(`{"properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"integer"},"\u001b":{"type":"`+strings.Repeat("y", 999)+`"}},"required":["c"]}`),
		json.RawMessage(`{"a":"hunter2","b":"hunter2","\u001b":1}`))
	require.Error(t, err)
	for _, part := range []string{`"a" is none`, `"b" must be`, `"c" is required`} {
		assert.Contains(t, err.Error(), part)
	}
	assert.NotContains(t, err.Error(), "hunter2")
	assert.NotContains(t, err.Error(), "\x1b")
	assert.Less(t, len(err.Error()), 800)

	required, err := json.Marshal(map[string]any{"required": make([]string, 1000)})
	require.NoError(t, err)
	err = ValidateContent(required, nil)
	require.Error(t, err)
	assert.Equal(t, maxFaults, strings.Count(err.Error(), "is required"))
}

// Each example schema of the specification takes its own default.
func TestSpecificationDefaults(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "schemas", "2026-07-28", "examples")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the specification's examples are not there: %v", err)
	}
	filled := 0
	for _, name := range []string{"StringSchema", "NumberSchema", "BooleanSchema", "UntitledSingleSelectEnumSchema", "TitledSingleSelectEnumSchema", "UntitledMultiSelectEnumSchema", "TitledMultiSelectEnumSchema"} {
		files, err := filepath.Glob(filepath.Join(folder, name, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		for _, file := range files {
			schema, err := os.ReadFile(file)
			require.NoError(t, err)
			var plain struct{ Default any }
			require.NoError(t, json.Unmarshal(schema, &plain))
			completed, err := ApplyDefaults(json.RawMessage(`{"properties":{"a":`+string(schema)+`}}`), nil)
			require.NoError(t, err)
			var content map[string]any
			require.NoError(t, json.Unmarshal(completed, &content))
			assert.Equal(t, plain.Default, content["a"], file)
			if plain.Default != nil {
				filled++
			}
		}
	}
	assert.Positive(t, filled)
}

func FuzzForm(f *testing.F) {
	f.Add([]byte(everyDefault), []byte(`{"name":"x"}`))
	f.Add([]byte(`{"properties":{"a":{"default":1}}}`), []byte("{\n}"))
	f.Add([]byte(`{"properties":[],"required":{}}`), []byte(`{"a":[1]}`))
	f.Fuzz(func(t *testing.T, schema, content []byte) {
		if !jsonscan.Valid(schema) || !jsonscan.Valid(content) {
			return
		}
		_ = ValidateContent(schema, content)
		completed, err := ApplyDefaults(schema, content)
		if err != nil {
			return
		}
		require.True(t, json.Valid(completed))
		require.NotContains(t, string(completed), "\n")
		again, err := ApplyDefaults(schema, completed)
		require.NoError(t, err)
		require.Equal(t, string(completed), string(again), "nothing is missing any more")
	})
}
