package jsonschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const draft07 = `"$schema":"http://json-schema.org/draft-07/schema#",`

// Each keyword with what fits it and what does not, and how the latter is told
// (R149, R033).
func TestKeywords(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		fits   []string
		breaks map[string]string // content: part of the error
	}{
		"true":  {`true`, []string{`1`, `null`}, nil},
		"false": {`false`, nil, map[string]string{`1`: "the whole: nothing is allowed here (/false of the schema)"}},
		"type": {`{"type":"integer"}`, []string{`1`, `-0`, `1.0`, `1e3`, `10e-1`, `123456789012345678901234567890`, `1e5000`},
			map[string]string{`1.5`: "must be integer, found a number", `"1"`: "found a string", `null`: "found null", `1e-5000`: "found a number"}},
		"types":  {`{"type":["string","null"]}`, []string{`""`, `null`}, map[string]string{`true`: "must be null or string, found a boolean"}},
		"number": {`{"type":"number"}`, []string{`1`, `1.5`}, map[string]string{`[]`: "found an array"}},
		"enum": {`{"enum":[1,"a",{"b":[null]}]}`, []string{`1.0`, `"a"`, `{"b":[null]}`},
			map[string]string{`2`: "one of the 3 allowed values", `{"b":[]}`: "enum", `true`: "enum", `[]`: "enum"}},
		"const":                    {`{"const":null}`, []string{`null`}, map[string]string{`0`: "enum"}},
		"const and enum":           {`{"enum":[1,2],"const":2}`, []string{`2`}, map[string]string{`1`: "enum"}},
		"const beyond the enum":    {`{"enum":[1],"const":2}`, nil, map[string]string{`1`: "enum", `2`: "enum"}},
		"big integers are exact":   {`{"const":9007199254740993}`, []string{`9007199254740993`}, map[string]string{`9007199254740992`: "enum"}},
		"limits":                   {`{"minimum":-9007199254740993,"maximum":0.1}`, []string{`0.1`, `-9007199254740993`, `"x"`}, map[string]string{`0.11`: "must be 0.1 or less", `-9007199254740994`: "must be -9007199254740993 or more", `1e9999`: "or less"}},
		"exclusive limits":         {`{"exclusiveMinimum":0,"exclusiveMaximum":10}`, []string{`0.001`, `9.99`}, map[string]string{`0`: "must be more than 0", `10`: "must be less than 10"}},
		"multipleOf":               {`{"multipleOf":0.01}`, []string{`0.07`, `19.99`, `1e1001`}, map[string]string{`0.075`: "must be a multiple of 0.01"}},
		"length in characters":     {`{"minLength":2,"maxLength":3}`, []string{`"äö"`, `"😀😀😀"`}, map[string]string{`"a"`: "must have 2 to 3 characters, found 1", `"abcd"`: "found 4"}},
		"pattern":                  {`{"pattern":"^a+$"}`, []string{`"aa"`, `7`}, map[string]string{`"b"`: `must match the pattern "^a+$"`}},
		"format is an annotation":  {`{"format":"email"}`, []string{`"nobody"`}, nil},
		"items":                    {`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, []string{`["a",1,2]`, `[]`, `{}`}, map[string]string{`["a",1,"b"]`: "/2: must be integer", `[1]`: "/0: must be string"}},
		"contains":                 {`{"contains":{"const":1},"minContains":2,"maxContains":2}`, []string{`[1,0,1]`}, map[string]string{`[1]`: "must have 2 to 2 elements that fit contains, found 1", `[1,1,1]`: "found 3"}},
		"minContains 0":            {`{"contains":{"const":1},"minContains":0}`, []string{`[]`}, nil},
		"length of arrays":         {`{"minItems":1,"maxItems":2}`, []string{`[1]`}, map[string]string{`[]`: "must have 1 to 2 elements, found 0", `[1,2,3]`: "found 3"}},
		"uniqueItems":              {`{"uniqueItems":true}`, []string{`[1,"1",true,[1],{"a":1,"b":2}]`, `[["a","b"],["a,b"]]`}, map[string]string{`[1,2,1.0]`: "/2: is there twice", `[{"a":1,"b":2},{"b":2,"a":1}]`: "/1: is there twice"}},
		"required":                 {`{"required":["a","b"]}`, []string{`{"a":1,"b":null}`, `[]`}, map[string]string{`{"a":1}`: `the whole: has no member "b" (/required of the schema)`}},
		"properties":               {`{"properties":{"a/b":{"properties":{"c~":{"type":"string"}}}}}`, []string{`{"a/b":{"c~":""},"x":1}`}, map[string]string{`{"a/b":{"c~":1}}`: "/a~1b/c~0: must be string, found a number (/properties/a~1b/properties/c~0/type of the schema)"}},
		"additionalProperties":     {`{"properties":{"a":true},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}`, []string{`{"a":1,"x-b":2}`}, map[string]string{`{"b":1}`: `the member "b" is not allowed (/additionalProperties of the schema)`, `{"x-b":""}`: "/x-b: must be integer"}},
		"additional as a schema":   {`{"additionalProperties":{"type":"integer"}}`, []string{`{"b":1}`}, map[string]string{`{"b":""}`: "/b: must be integer"}},
		"propertyNames":            {`{"propertyNames":{"maxLength":2}}`, []string{`{"ab":1}`}, map[string]string{`{"abc":1}`: `the name "abc" is not allowed`}},
		"number of members":        {`{"minProperties":1,"maxProperties":1}`, []string{`{"a":1}`}, map[string]string{`{}`: "must have 1 to 1 members, found 0", `{"a":1,"b":1}`: "found 2"}},
		"dependentRequired":        {`{"dependentRequired":{"a":["b"]}}`, []string{`{}`, `{"a":1,"b":1}`}, map[string]string{`{"a":1}`: `has no member "b", which the member "a" requires`}},
		"dependentSchemas":         {`{"dependentSchemas":{"a":{"required":["b"]}}}`, []string{`{}`, `{"a":1,"b":1}`}, map[string]string{`{"a":1}`: `has no member "b"`}},
		"allOf":                    {`{"allOf":[{"minimum":1},{"maximum":2}]}`, []string{`1`}, map[string]string{`3`: "(/allOf/1/maximum of the schema)"}},
		"anyOf":                    {`{"anyOf":[{"type":"string"},{"type":"null"}]}`, []string{`""`, `null`}, map[string]string{`1`: "must fit one of the 2 alternatives"}},
		"oneOf":                    {`{"oneOf":[{"minimum":1},{"maximum":2}]}`, []string{`0`, `3`}, map[string]string{`1`: "must fit exactly one of the 2 alternatives, fits 2"}},
		"not":                      {`{"not":{"type":"string"}}`, []string{`1`}, map[string]string{`""`: "fits what it must not"}},
		"if":                       {`{"if":{"const":1},"then":false,"else":{"minimum":5}}`, []string{`5`}, map[string]string{`1`: "nothing is allowed", `2`: "must be 5 or more"}},
		"unevaluatedProperties":    {`{"allOf":[{"properties":{"a":true}}],"anyOf":[{"properties":{"b":{"const":1}},"required":["b"]},true],"unevaluatedProperties":false}`, []string{`{"a":1,"b":1}`}, map[string]string{`{"a":1,"b":2}`: `the member "b" is not allowed`}},
		"unevaluatedItems":         {`{"prefixItems":[true],"contains":{"const":7},"unevaluatedItems":false}`, []string{`[1,7]`}, map[string]string{`[1,7,2]`: "/2: nothing is allowed"}},
		"a recursion":              {`{"$id":"tree","properties":{"next":{"$ref":"#"}},"required":["v"]}`, []string{`{"v":1,"next":{"v":2}}`}, map[string]string{`{"v":1,"next":{"v":1,"next":{}}}`: `/next/next: has no member "v"`}},
		"references":               {`{"$id":"https://h/s","$defs":{"a b":{"$anchor":"x","type":"string"},"c":{"$id":"c","$defs":{"d":{"const":1}}}},"prefixItems":[{"$ref":"#x"},{"$ref":"#/$defs/a%20b"},{"$ref":"https://h/c#/$defs/d"},{"$ref":"c#/$defs/d"}]}`, []string{`["","",1,1]`}, map[string]string{`["","",2]`: "/2: ", `["","",1,2]`: "/3: ", `[1]`: "/0: ", `["",1]`: "/1: "}},
		"a reference to no schema": {`{"components":{"x":{"type":"string"}},"$ref":"#/components/x"}`, []string{`""`}, map[string]string{`1`: "(/components/x/type of the schema)"}},
		"siblings of $ref count":   {`{"$defs":{"a":true},"$ref":"#/$defs/a","type":"string"}`, []string{`""`}, map[string]string{`1`: "must be string"}},
		"$dynamicRef":              {`{"$id":"https://h/strict","$ref":"tree","$dynamicAnchor":"node","unevaluatedProperties":false,"$defs":{"t":{"$id":"tree","$dynamicAnchor":"node","type":"object","properties":{"kids":{"type":"array","items":{"$dynamicRef":"#node"}}}}}}`, []string{`{"kids":[{}]}`}, map[string]string{`{"kids":[{"kisd":[]}]}`: `/kids/0: the member "kisd" is not allowed`}},

		"07: siblings of $ref do not count": {`{` + draft07 + `"definitions":{"a":true},"$ref":"#/definitions/a","type":"string"}`, []string{`1`}, nil},
		"07: items as a list":               {`{` + draft07 + `"items":[{"type":"string"}],"additionalItems":{"type":"integer"}}`, []string{`["",1]`}, map[string]string{`["",""]`: "/1: must be integer"}},
		"07: dependencies":                  {`{` + draft07 + `"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, []string{`{"a":1,"b":1}`, `{"c":1,"d":1}`}, map[string]string{`{"a":1}`: `"b"`, `{"c":1}`: `"d"`}},
		"07: an anchor by $id":              {`{` + draft07 + `"definitions":{"a":{"$id":"#x","type":"string"}},"properties":{"p":{"$ref":"#x"}}}`, []string{`{"p":""}`}, map[string]string{`{"p":1}`: "/p: must be string"}},
		"07: contains is at least one":      {`{` + draft07 + `"contains":{"const":1},"minContains":0}`, []string{`[1,1]`}, map[string]string{`[]`: "at least 1 elements"}},
		"07: later keywords do not count":   {`{` + draft07 + `"prefixItems":[false],"dependentRequired":{"a":["b"]},"unevaluatedProperties":false}`, []string{`[1]`, `{"a":1}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := Compile([]byte(test.schema))
			require.NoError(t, err)
			for _, content := range test.fits {
				require.NoError(t, schema.Validate([]byte(content)), content)
			}
			for content, want := range test.breaks {
				err := schema.Validate([]byte(content))
				require.IsType(t, &Violation{}, err, content)
				require.ErrorContains(t, err, want, content)
			}
		})
	}
}

// What cannot be checked is an error that says why, and nothing is fetched
// (R034, R035, R036, R037).
func TestUnusableSchemas(t *testing.T) {
	for name, test := range map[string]struct{ schema, want string }{
		"no JSON":                     {`{`, "JSON"},
		"no schema":                   {`[]`, "at the top: a schema must be an object, true or false, found an array"},
		"a schema within":             {`{"properties":{"a":5}}`, "at /properties/a: a schema must be"},
		"another dialect":             {`{"$schema":"http://json-schema.org/draft-04/schema#"}`, "the dialect http://json-schema.org/draft-04/schema# is not supported; supported: 2020-12, draft-07"},
		"a dialect of 5":              {`{"$schema":5}`, "the dialect 5 is not supported"},
		"a reference to elsewhere":    {`{"properties":{"a":{"$ref":"https://example.com/s.json"}}}`, `at /properties/a: the reference "https://example.com/s.json" leads out of the schema; nothing is fetched`},
		"a relative one":              {`{"$ref":"other.json#/x"}`, "leads out of the schema"},
		"a file":                      {`{"$ref":"file:///etc/passwd"}`, "leads out of the schema"},
		"a reference to nothing":      {`{"$ref":"#/$defs/a"}`, "leads to nothing"},
		"an index beyond the end":     {`{"allOf":[{"$ref":"#/allOf/7"}]}`, "leads to nothing"},
		"an anchor that is missing":   {`{"$ref":"#a"}`, "names an anchor that is not there"},
		"a reference to a value":      {`{"const":5,"$ref":"#/const"}`, "at /const: a schema must be"},
		"no URI":                      {`{"$ref":"%zz"}`, "is no URI reference"},
		"an unknown type":             {`{"type":"strnig"}`, `the type "strnig" is not known; allowed: null, boolean`},
		"a type of no kind":           {`{"type":null}`, "type must be a string or an array of strings, found null"},
		"a pattern of another kind":   {`{"pattern":"(?=a)"}`, `the pattern "(?=a)": invalid or unsupported Perl syntax`},
		"a pattern that explodes":     {`{"pattern":"` + strings.Repeat(`.{1000}`, 20) + `"}`, "too large"},
		"required: true":              {`{"required":true}`, "required must be an array of strings, found a boolean"},
		"multipleOf 0":                {`{"multipleOf":0}`, "multipleOf must be more than 0"},
		"a limit that is none":        {`{"minimum":"5"}`, "minimum must be a number, found a string"},
		"a limit of a million digits": {`{"minimum":1e1000000}`, "minimum must be a number"},
		"too long":                    {`{"title":"` + strings.Repeat("x", MaxBytes) + `"}`, "are too many; allowed: 262144"},
		"too deep":                    {strings.Repeat(`{"not":`, 129) + `{}` + strings.Repeat(`}`, 129), "more than 128 objects and arrays are nested"},
		"too many":                    {`{"allOf":[` + strings.Repeat(`true,`, 5000) + `true]}`, "more than 5000 schemas"},
		"a hostile name":              {`{"properties":{"\u001b[2J":5}}`, `at /properties/\x1b[2J`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile([]byte(test.schema))
			require.ErrorContains(t, err, test.want)
			assert.Less(t, len(err.Error()), 1000)
		})
	}
}

// A schema and a document of the same bad will end in bounded time (R037).
func TestCheckingIsBounded(t *testing.T) {
	doubling := `{"$defs":{"a0":true`
	for i := range 60 {
		doubling += fmt.Sprintf(`,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	doubling += `},"$ref":"#/$defs/a60"}`
	alternatives := `{"anyOf":[{"properties":{"n":{"$ref":"#"}},"dependentRequired":{"n":["x"]}},{"properties":{"n":{"$ref":"#"}},"dependentRequired":{"n":["y"]}},{"type":"array"}]}`
	costly := strings.Repeat(`.{0,900}x`, 5)
	for name, test := range map[string]struct{ schema, content string }{
		"a reference to itself":             {`{"$ref":"#"}`, `1`},
		"a circle":                          {`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`, `1`},
		"a dynamic circle":                  {`{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, `1`},
		"doubling by reference":             {doubling, `1`},
		"alternatives at each level":        {alternatives, strings.Repeat(`{"n":`, 100) + `[]` + strings.Repeat(`}`, 100)},
		"a costly pattern and a long text":  {`{"type":"array","items":{"pattern":"` + costly + `"}}`, `["` + strings.Repeat("y", 50_000) + `"]`},
		"a costly pattern and a long name":  {`{"patternProperties":{"` + costly + `":true}}`, `{"` + strings.Repeat("y", 50_000) + `":1}`},
		"many names and many small objects": {`{"items":{"properties":{` + many(4000, `"p%d":true`) + `}}}`, `[` + strings.Repeat(`{},`, 20_000) + `{}]`},
		"many values to compare with":       {`{"items":{"not":{"enum":[` + many(20_000, `"a%d"`) + `]}}}`, `[` + strings.Repeat(`1,`, 5_000) + `1]`},
		"unique within unique":              {uniqueWithin(40), strings.Repeat("[", 40) + many(50_000, "%d") + strings.Repeat("]", 40)},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := Compile([]byte(test.schema))
			require.NoError(t, err)
			require.ErrorIs(t, schema.Validate([]byte(test.content)), ErrTooCostly)
		})
	}
}

// many joins n texts, each with its number.
func many(n int, format string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(texts, ",")
}

func uniqueWithin(depth int) string {
	return strings.Repeat(`{"uniqueItems":true,"items":`, depth) + `{}` + strings.Repeat(`}`, depth)
}

// A large document of a plain schema is not refused, and a deep one neither.
func TestLargeDocumentsAreChecked(t *testing.T) {
	schema, err := Compile([]byte(`{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["id"],"additionalProperties":false}}`))
	require.NoError(t, err)
	rows := strings.Repeat(`{"id":1,"name":null},`, 50_000)
	require.NoError(t, schema.Validate([]byte(`[`+rows+`{"id":2}]`)))
	require.ErrorContains(t, schema.Validate([]byte(`[`+rows+`{"name":""}]`)), `/50000: has no member "id"`)

	deep, err := Compile([]byte(`{"properties":{"n":{"$ref":"#"}},"type":"object"}`))
	require.NoError(t, err)
	require.NoError(t, deep.Validate([]byte(strings.Repeat(`{"n":`, 500)+`{}`+strings.Repeat(`}`, 500))))
}

// What a violation shows of the document is bounded and escaped (P103).
func TestAViolationIsFitForALog(t *testing.T) {
	schema, err := Compile([]byte(`{"additionalProperties":{"additionalProperties":false}}`))
	require.NoError(t, err)
	long := strings.Repeat("x", 10_000)
	err = schema.Validate([]byte(`{"\u001b[2J` + long + `":{"secret\n` + long + `":1}}`))
	require.ErrorContains(t, err, `/\x1b[2Jxxx`)
	require.ErrorContains(t, err, `"secret\nxxx`)
	assert.Less(t, len(err.Error()), 1000)
}

func FuzzCompileAndValidate(f *testing.F) {
	f.Add(`{"$ref":"#","properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":1}`)
	f.Add(`{"$id":"x","$dynamicRef":"#a","$dynamicAnchor":"a"}`, `[]`)
	f.Add(`{`+draft07+`"dependencies":{"a":["b"],"c":{}},"items":[true]}`, `{"a":1e9}`)
	f.Add(`{"unevaluatedItems":false,"unevaluatedProperties":{"type":["null"]},"contains":{},"uniqueItems":true}`, `[{},{}]`)
	f.Fuzz(func(t *testing.T, schema, content string) {
		compiled, err := Compile([]byte(schema))
		if err != nil {
			return
		}
		if err := compiled.Validate([]byte(content)); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	schema, err := Compile([]byte(`{"type":"object","properties":{"id":{"type":"integer","minimum":1},"title":{"type":"string","maxLength":80},"tags":{"type":"array","items":{"type":"string"}}},"required":["id","title"]}`))
	require.NoError(b, err)
	content := []byte(`{"id":17,"title":"a title","tags":["a","b","c"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := schema.Validate(content); err != nil {
			b.Fatal(err)
		}
	}
}
