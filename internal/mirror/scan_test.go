package mirror

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// object wraps properties into an input schema.
func object(properties string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `}}`)
}

// names lists where the bindings read, and the headers they write.
func names(b Bindings) map[string]string {
	found := map[string]string{}
	var walk func(b Bindings, place string)
	walk = func(b Bindings, place string) {
		for name, p := range b {
			if p.header != "" {
				found[place+name] = p.header
			}
			walk(p.below, place+name+".")
		}
	}
	walk(b, "")
	return found
}

func TestScanFindsAnnotations(t *testing.T) { // R079, R080
	for name, c := range map[string]struct {
		schema json.RawMessage
		want   map[string]string
	}{
		"no schema":                              {nil, nil},
		"no object":                              {json.RawMessage(`true`), nil},
		"no annotation":                          {object(`"a":{"type":"string"}`), nil},
		"one of each type":                       {object(`"a":{"type":"string","x-mcp-header":"A"},"b":{"x-mcp-header":"b","type":"integer"},"c":{"type":"boolean","x-mcp-header":"C-c"}`), map[string]string{"a": "Mcp-Param-A", "b": "Mcp-Param-b", "c": "Mcp-Param-C-c"}},
		"P3: spelling kept":                      {object(`"a":{"type":"string","x-mcp-header":"TenantName"}`), map[string]string{"a": "Mcp-Param-TenantName"}},
		"nested":                                 {object(`"t":{"type":"object","properties":{"n":{"type":"string","x-mcp-header":"N"},"m":{"type":"string"}}}`), map[string]string{"t.n": "Mcp-Param-N"}},
		"P74: or null":                           {object(`"a":{"type":["string","null"],"x-mcp-header":"A"},"b":{"type":["null","integer"],"x-mcp-header":"B"},"c":{"type":["boolean"],"x-mcp-header":"C"}`), map[string]string{"a": "Mcp-Param-A", "b": "Mcp-Param-B", "c": "Mcp-Param-C"}},
		"every token letter":                     {object(`"a":{"type":"string","x-mcp-header":"!#$%&'*+-.^_` + "`" + `|~09azAZ"}`), map[string]string{"a": "Mcp-Param-!#$%&'*+-.^_`|~09azAZ"}},
		"hidden by an escape":                    {object(`"a":{"type":"\u0073tring","x\u002dmcp-header":"A"}`), map[string]string{"a": "Mcp-Param-A"}},
		"P70: property named so, at every depth": {object(`"x-mcp-header":{"type":"number","properties":{"x-mcp-header":{"type":"array"}}}`), nil},
		"P70: property named so, and annotated":  {object(`"x-mcp-header":{"type":"string","x-mcp-header":"X"}`), map[string]string{"x-mcp-header": "Mcp-Param-X"}},
		"P70: property named like a keyword":     {object(`"items":{"type":"string","x-mcp-header":"I"},"type":{"type":"string"},"properties":{"type":"object","properties":{"not":{"type":"string","x-mcp-header":"N"}}}`), map[string]string{"items": "Mcp-Param-I", "properties.not": "Mcp-Param-N"}},
		"P70: data is not looked into": {object(`"a":{"type":"object","default":{"x-mcp-header":""},"const":{"x-mcp-header":""},"enum":[{"x-mcp-header":""}],
			"examples":[{"properties":{"b":{"x-mcp-header":""}}}]}`), nil},
		"unknown keywords are not looked into": {object(`"a":{"type":"object","x-vendor":{"x-mcp-header":""}}`), nil},
		"sub-schemas without annotation":       {object(`"a":{"type":"string","x-mcp-header":"A","anyOf":[true,{"minLength":1}],"not":false,"items":[{}]}`), map[string]string{"a": "Mcp-Param-A"}},
		"odd places":                           {json.RawMessage(`{"properties":[{"x-mcp-header":""}],"$defs":7,"allOf":{"type":"x"},"description":"x-mcp-header"}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, c.schema == nil || json.Valid(c.schema))
			b, err := Scan(c.schema)
			require.NoError(t, err)
			if c.want == nil {
				assert.Nil(t, b)
				return
			}
			assert.Equal(t, c.want, names(b))
		})
	}
}

func TestScanRefusesTools(t *testing.T) { // R081
	for name, c := range map[string]struct {
		schema json.RawMessage
		want   []string // in the error
	}{
		"empty":                 {object(`"a":{"type":"string","x-mcp-header":""}`), []string{"properties.a", "is empty"}},
		"space":                 {object(`"a":{"type":"string","x-mcp-header":"My Region"}`), []string{`"My Region"`, "token"}},
		"colon":                 {object(`"a":{"type":"string","x-mcp-header":"Region:Primary"}`), []string{"token"}},
		"not ASCII":             {object(`"a":{"type":"string","x-mcp-header":"Région"}`), []string{"token"}},
		"control character":     {object(`"a":{"type":"string","x-mcp-header":"Re\r\ngion"}`), []string{"token"}},
		"number as annotation":  {object(`"a":{"type":"string","x-mcp-header":7}`), []string{"not a string"}},
		"null as annotation":    {object(`"a":{"type":"string","x-mcp-header":null}`), []string{"not a string"}},
		"twice":                 {object(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"A"}`), []string{"properties.b", "twice"}},
		"twice, ignoring case":  {object(`"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"object","properties":{"c":{"type":"string","x-mcp-header":"REGION"}}}`), []string{"properties.b.properties.c", "twice"}},
		"on an object":          {object(`"a":{"type":"object","x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on an array":           {object(`"a":{"type":"array","x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on null":               {object(`"a":{"type":"null","x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on null in a list":     {object(`"a":{"type":["null"],"x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on number":             {object(`"a":{"type":"number","x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on number or null":     {object(`"a":{"type":["null","number"],"x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on two types":          {object(`"a":{"type":["string","integer"],"x-mcp-header":"A"}`), []string{"string, integer or boolean"}},
		"on no type":            {object(`"a":{"x-mcp-header":"A","enum":["a"]}`), []string{"string, integer or boolean"}},
		"at the root":           {json.RawMessage(`{"type":"string","x-mcp-header":"A"}`), []string{"the root", "alone"}},
		"hidden by an escape":   {object(`"a":{"type":"number","x-mcp-\u0068eader":"A"}`), []string{"string, integer or boolean"}},
		"fault beside a good":   {object(`"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"number","x-mcp-header":"B"}`), []string{"properties.b"}},
		"the first of two":      {object(`"a":{"type":"number","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":""}`), []string{"properties.a"}},
		"hostile text, bounded": {object(`"` + strings.Repeat("n", 9999) + `":{"type":"string","x-mcp-header":"\u001b` + strings.Repeat("x", 9999) + `"}`), []string{"..."}},
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, json.Valid(c.schema))
			b, err := Scan(c.schema)
			require.ErrorIs(t, err, errors.ErrProtocol)
			assert.Nil(t, b)
			for _, part := range c.want {
				assert.Contains(t, err.Error(), part)
			}
			assert.Less(t, len(err.Error()), 500)
			assert.NotContains(t, err.Error(), "\x1b")
		})
	}
}

func TestScanLooksIntoEverySubSchema(t *testing.T) { // R081, P70
	const annotated = `{"type":"string","x-mcp-header":"A"}`
	positions := map[string]string{}
	for _, keyword := range []string{"items", "additionalItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "not", "if", "then", "else", "contentSchema"} {
		positions[keyword] = fmt.Sprintf(`{%q:%s}`, keyword, annotated)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"} {
		positions[keyword+" array"] = fmt.Sprintf(`{%q:[true,%s]}`, keyword, annotated)
	}
	for _, keyword := range []string{"patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies"} {
		positions[keyword+" map"] = fmt.Sprintf(`{%q:{"other":["names"],"k":%s}}`, keyword, annotated)
	}
	for name, schema := range positions {
		for place, whole := range map[string]string{
			"at the root":           schema,
			"below a property":      `{"properties":{"p":` + schema + `}}`,
			"with properties below": strings.Replace(schema, annotated, `{"properties":{"q":`+annotated+`}}`, 1),
			"two levels":            `{"allOf":[` + schema + `]}`,
		} {
			t.Run(name+" "+place, func(t *testing.T) {
				require.True(t, json.Valid([]byte(whole)))
				_, err := Scan(json.RawMessage(whole))
				require.ErrorIs(t, err, errors.ErrProtocol)
				assert.ErrorContains(t, err, "alone")
			})
		}
	}
}

func TestScanOfDeepSchemasEnds(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 5000) + `{"type":"string","x-mcp-header":"A"}` + strings.Repeat(`}}`, 5000)
	b, err := Scan(json.RawMessage(deep)) // beyond what a link lets in
	assert.Nil(t, b)
	assert.NoError(t, err)
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":["integer","null"],"x-mcp-header":"B"}}}`,
		`{"items":{"x-mcp-header":"A"}}`, `{"x-mcp-header":`, `x-mcp-header`, `{"properties":{"x-mcp-header":{"x-mcp-header":""}}}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":"ü","b":4.2e1}`))
	}
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		b, err := Scan(schema)
		if err != nil {
			require.ErrorIs(t, err, errors.ErrProtocol)
			require.Nil(t, b)
			return
		}
		seen := map[string]bool{}
		for _, header := range names(b) {
			require.True(t, isToken(header))
			require.False(t, seen[strings.ToLower(header)])
			seen[strings.ToLower(header)] = true
		}
		headers, err := b.Headers(arguments)
		if err != nil {
			require.ErrorIs(t, err, errors.ErrInvalidParams)
			return
		}
		for _, h := range headers {
			require.True(t, seen[strings.ToLower(h.Name)])
			delete(seen, strings.ToLower(h.Name)) // each once
			require.Negative(t, strings.IndexFunc(h.Value, func(r rune) bool { return r < ' ' || r > '~' }))
		}
	})
}
