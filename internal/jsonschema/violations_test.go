package jsonschema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestViolationsTellsAllOfThem(t *testing.T) {
	for name, test := range map[string]struct {
		schema, document string
		want             []string // place keyword
	}{
		"none": {`{"required":["a"]}`, `{"a":1}`, nil},
		"of several members": {
			`{"properties":{"a":{"type":"string"},"b":{"minimum":3},"c":{"enum":[1]},"d":{}},"required":["d","e"],"additionalProperties":false}`,
			`{"a":1,"b":2,"c":2,"x":1,"y":2}`,
			[]string{" required", " required", "/a type", "/b minimum", "/c enum", " additionalProperties", " additionalProperties"},
		},
		"within one another": {
			`{"properties":{"a":{"items":{"required":["k"],"properties":{"n":{"type":"integer"}}}},"b":{"$ref":"#/$defs/b"}},"$defs":{"b":{"type":"boolean"}}}`,
			`{"a":[{"n":"x"},{"k":1},{}],"b":1}`,
			[]string{"/a/0 required", "/a/0/n type", "/a/2 required", "/b type"},
		},
		"all of allOf":                         {`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, []string{" required", " required"}},
		"of alternatives the whole":            {`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":"string"}}}`, `{"a":1,"b":2}`, []string{"/a anyOf", "/b type"}},
		"an alternative that fits is no fault": {`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, nil},
		"nor is what not forbids":              {`{"not":{"required":["a"]}}`, `{"b":1}`, nil},
		"nor what if asks":                     {`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"c":1}`, nil},
		"then":                                 {`{"if":{"required":["a"]},"then":{"required":["b","c"]}}`, `{"a":1}`, []string{" required", " required"}},
		"names and patterns":                   {`{"propertyNames":{"maxLength":1},"patternProperties":{"^x":{"type":"string"}}}`, `{"xx":1,"yy":2}`, []string{" propertyNames", "/xx type", " propertyNames"}},
		"contains is about the whole":          {`{"contains":{"type":"string"}}`, `[1,2]`, []string{" contains"}},
		"unevaluated members":                  {`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":1,"c":1}`, []string{" unevaluatedProperties", " unevaluatedProperties"}},
		"dependents":                           {`{"dependentRequired":{"a":["b"],"c":["d"]}}`, `{"a":1,"c":1}`, []string{" dependentRequired", " dependentRequired"}},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := Compile([]byte(test.schema))
			require.NoError(t, err)
			violations, err := schema.Violations([]byte(test.document), 100)
			require.NoError(t, err)
			var found []string
			for _, violation := range violations {
				found = append(found, violation.Place+" "+violation.Keyword)
			}
			assert.Equal(t, test.want, found)
			assert.Equal(t, len(test.want) > 0, schema.Validate([]byte(test.document)) != nil, "both agree")
			if len(test.want) > 1 {
				violations, err = schema.Violations([]byte(test.document), len(test.want)-1)
				require.NoError(t, err)
				assert.Len(t, violations, len(test.want)-1, "never more than the limit")
			}
		})
	}
}

func TestViolationsNameMembers(t *testing.T) {
	schema, err := Compile([]byte(`{"required":["a"],"properties":{"b":{"type":"null"}},"additionalProperties":false}`))
	require.NoError(t, err)
	violations, err := schema.Violations([]byte(`{"b":1,"\u001b":2}`), 10)
	require.NoError(t, err)
	var members []string
	for _, violation := range violations {
		members = append(members, violation.Member)
	}
	assert.Equal(t, []string{"a", "", `\x1b`}, members)
}

func TestViolationsAreBounded(t *testing.T) { // R037
	schema, err := Compile([]byte(`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"items":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}},"$ref":"#/$defs/a"}`))
	require.NoError(t, err)
	_, err = schema.Violations([]byte(strings.Repeat("[", 100)+"1"+strings.Repeat("]", 100)), 10)
	require.NoError(t, err)
	endless, err := Compile([]byte(`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`))
	require.NoError(t, err)
	violations, err := endless.Violations([]byte(`1`), 10)
	require.ErrorIs(t, err, ErrTooCostly)
	assert.Empty(t, violations)
}
