package arguments

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parseAll(t *testing.T, words ...string) []Word {
	t.Helper()
	parsed, err := Parse(words, &Source{Stdin: strings.NewReader("from stdin")})
	require.NoError(t, err)
	return parsed
}

func TestWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "value.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"a": 1}`), 0o600))
	for text, want := range map[string]Word{
		"a=b":            {Key: "a", Text: "b"},
		"a=b=c":          {Key: "a", Text: "b=c"},
		"a=":             {Key: "a"},
		"a:=1":           {Key: "a", Text: "1", IsJSON: true},
		"a.b=1":          {Key: "a.b", Text: "1"},
		"a[]=1":          {Key: "a", Text: "1", Appends: true},
		"a[]:=1":         {Key: "a", Text: "1", Appends: true, IsJSON: true},
		"a=@" + file:     {Key: "a", Text: `{"a": 1}`},
		"a:=@" + file:    {Key: "a", Text: `{"a": 1}`, IsJSON: true},
		"a=@-":           {Key: "a", Text: "from stdin"},
		"a=@@b":          {Key: "a", Text: "@b"},
		"a=user@example": {Key: "a", Text: "user@example"},
	} {
		assert.Equal(t, []Word{want}, parseAll(t, text), text)
	}
	for text, want := range map[string]string{
		"hello":            `argument "hello" is neither key=value nor key:=json`,
		"=x":               `argument "=x" has no key`,
		":=1":              `argument ":=1" has no key`,
		"[]=1":             `argument "[]=1" has no key`,
		"a:=b":             "argument a:= wants JSON; found b",
		"a:=" + longText(): "...",
		"a=@":              "argument a: a file is wanted after @",
		"a=@/no/such/file": "argument a: open /no/such/file",
		"a:=@-":            "argument a:= wants JSON; found from stdin",
	} {
		_, err := Parse([]string{text}, &Source{Stdin: strings.NewReader("from stdin")})
		require.ErrorContains(t, err, want)
	}
	_, err := Parse([]string{"a=@-", "b=@-"}, &Source{Stdin: strings.NewReader("")})
	require.ErrorContains(t, err, "stdin is asked for twice")
}

func longText() string { return strings.Repeat("é", 100) }

func TestObjects(t *testing.T) {
	object, err := Object([]byte(` {"a": 12345678901234567890} `), "--args")
	require.NoError(t, err)
	assert.Equal(t, "12345678901234567890", string(object["a"]), "numbers keep their digits")
	for text, want := range map[string]string{
		"[1]": "--args wants a JSON object; found an array", "null": "found null", "{": "this is not JSON: ", "": "this is not JSON: ",
	} {
		_, err := Object([]byte(text), "--args")
		require.ErrorContains(t, err, want)
	}
}

const properties = `{"properties": {
	"text": {"type": "string"}, "number": {"type": "number"}, "integer": {"type": "integer"},
	"flag": {"type": "boolean"}, "list": {"type": "array"}, "map": {"type": "object"}, "nothing": {"type": "null"},
	"maybe": {"type": ["integer", "null"]}, "either": {"type": ["number", "string"]},
	"any": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "vague": {"anyOf": [{"type": "boolean"}, {}]},
	"one": {"oneOf": [{"type": "integer"}, {"type": "string"}]}, "untyped": {}, "reference": {"$ref": "#/x"}, "true": true,
	"numbers": {"type": "array", "items": {"type": "number"}}, "texts": {"type": "array", "items": {"type": "string"}},
	"referred": {"$ref": "#/$defs/count"}, "optional": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]},
	"size": {"enum": [1, 2, "3"]}, "a.b": {"type": "integer"}, "endless": {"$ref": "#/properties/endless"},
	"deep": {"$ref": "#/$defs/deep"}
}, "$defs": {"count": {"type": "integer"}, "deep": {"properties": {"n": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}, "more": {"$ref": "#/$defs/deep"}}}}}`

func TestValuesBecomeWhatTheSchemaSays(t *testing.T) {
	for _, test := range []struct{ words, want string }{
		{"text=42", `{"text":"42"}`},
		{`text=say "hi"`, `{"text":"say \"hi\""}`},
		{"number=1.50", `{"number":1.50}`},
		{"number=12345678901234567890", `{"number":12345678901234567890}`},
		{"number=-1e3", `{"number":-1e3}`},
		{"number=1,5", "number: must be a number; found \"1,5\""},
		{`number="1"`, "number: must be a number"},
		{"number=NaN", "number: must be a number"},
		{"number=", "number: must be a number"},
		{"integer=7", `{"integer":7}`},
		{"integer=07", "integer: must be an integer"},
		{"flag=true", `{"flag":true}`},
		{"flag=yes", "flag: must be a boolean"},
		{`list=["a", 1]`, `{"list":["a",1]}`},
		{"list=a,b", `{"list":["a,b"]}`},
		{"list=a list=b", `{"list":["a","b"]}`},
		{"list:=1 list=b", `{"list":[1,"b"]}`},
		{"numbers=1", `{"numbers":[1]}`},
		{"numbers=1 numbers=2.5", `{"numbers":[1,2.5]}`},
		{"numbers=1 numbers=x", "numbers: element 2 must be a number; found \"x\""},
		{"numbers=x", "numbers: an element of it must be a number"},
		{"numbers=[1,2]", `{"numbers":[1,2]}`},
		{"texts=[1", `{"texts":["[1"]}`},
		{`map={"a":1}`, `{"map":{"a":1}}`},
		{"map=[]", "map: must be an object (as JSON); found \"[]\""},
		{"map.a=1 map.b:=2", `{"map":{"a":"1","b":2}}`},
		{"nothing=null", `{"nothing":null}`},
		{"maybe=null", `{"maybe":null}`},
		{"maybe=7", `{"maybe":7}`},
		{"maybe=x", "maybe: must be an integer or null"},
		{"either=7", `{"either":"7"}`},
		{"any=false", `{"any":false}`},
		{"any=x", "any: must be a boolean or null"},
		{"vague=false", `{"vague":"false"}`},
		{"one=7", `{"one":"7"}`},
		{"untyped=7", `{"untyped":"7"}`},
		{"reference=7", `{"reference":"7"}`},
		{"true=7", `{"true":"7"}`},
		{"unknown=7", `{"unknown":"7"}`},
		{"unknown=7 unknown=8", "unknown: is given 2 times, and is no array (unknown[]= makes one)"},
		{"unknown[]=7 unknown[]=8", `{"unknown":["7","8"]}`},
		{"unknown[]=7 unknown=8", "unknown: is given with [] and without"},
		{"unknown.a=1 unknown.b=2 unknown.c.d=3", `{"unknown":{"a":"1","b":"2","c":{"d":"3"}}}`},
		{`with\.dot=1`, `{"with.dot":"1"}`},
		{"a.b=1", `{"a.b":1}`},
		{"referred=7", `{"referred":7}`},
		{"optional=7", `{"optional":7}`},
		{"size=2", `{"size":2}`},
		{"size=3", `{"size":"3"}`},
		{"endless=7", `{"endless":"7"}`},
		{"deep.n=1 deep.more.more.n=2", `{"deep":{"more":{"more":{"n":2}},"n":1}}`},
		{"deep.n=x", "deep.n: must be an integer"},
		{"deep.tags=a deep.tags=b", `{"deep":{"tags":["a","b"]}}`},
		{"number=1 number.a=1", "number.a: cannot be put into number, which is a number"},
	} {
		built, problems := Build(Of(json.RawMessage(properties)), nil, parseAll(t, strings.Split(test.words, " ")[:1]...))
		if words := strings.Fields(test.words); len(words) > 1 && strings.Contains(words[1], "=") {
			built, problems = Build(Of(json.RawMessage(properties)), nil, parseAll(t, words...))
		} else if len(words) > 1 {
			built, problems = Build(Of(json.RawMessage(properties)), nil, parseAll(t, test.words))
		}
		if !strings.HasPrefix(test.want, "{") {
			require.Len(t, problems, 1, test.words)
			assert.Contains(t, problems[0].String(), test.want)
			continue
		}
		require.Empty(t, problems, test.words)
		encoded, err := json.Marshal(built)
		require.NoError(t, err)
		assert.Equal(t, test.want, string(encoded), test.words)
	}
}

func TestWordsGoOnTopOfABase(t *testing.T) {
	base := map[string]json.RawMessage{"a": json.RawMessage(`{"x":1,"y":[1]}`), "b": json.RawMessage("2")}
	built, problems := Build(Schema{}, base, parseAll(t, "a.y[]:=2", "b=3", "a.z=4", "c[]=5"))
	require.Empty(t, problems)
	encoded, err := json.Marshal(built)
	require.NoError(t, err)
	assert.JSONEq(t, `{"a":{"x":1,"y":[1,2],"z":"4"},"b":"3","c":["5"]}`, string(encoded))
	assert.JSONEq(t, `{"x":1,"y":[1]}`, string(base["a"]), "the base is left as it is")
	_, problems = Build(Schema{}, base, parseAll(t, "b[]=3"))
	assert.Equal(t, []Problem{{Place: "b", Text: "cannot be added to a number"}}, problems)
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	schema := `{"type":"object","properties":{"text":{"type":"string"},"limit":{"type":"integer","minimum":1},"mode":{"enum":["fast","slow"]},
		"to":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],"additionalProperties":false}},
		"required":["text","to"]}`
	for name, test := range map[string]struct {
		schema, words string
		want          []string
	}{
		"all is well":          {schema, `text=a to:={"name":"x","age":1}`, nil},
		"everything at once":   {schema, "txt=a limit=0 mode=quick to.nmae=x to.age=y", []string{"to.age: must be an integer; found \"y\"", "txt: there is no such argument; did you mean \"text\"?", "text: is missing (a string)", "limit: must be 1 or more", "mode: must be one of \"fast\", \"slow\"", "to.name: is missing (a string)", "to.nmae: there is no such argument; did you mean \"name\"?"}},
		"a name like no other": {schema, `text=a to:={"name":"x","age":1} frobnicate=1`, []string{"(warning) frobnicate: there is no such argument"}},
		"what was not meant":   {schema, `text=a texts=b to:={"name":"x","age":1}`, []string{"(warning) texts: there is no such argument"}},
		"closed":               {`{"properties":{"text":{}},"additionalProperties":false}`, "zzz=1", []string{"zzz: there is no such argument"}},
		"open":                 {`{"properties":{"text":{}},"additionalProperties":{"type":"string"}}`, "txt=1", nil},
		"patterns":             {`{"properties":{"text":{}},"patternProperties":{"^t":{}}}`, "txt=1", nil},
		"no properties":        {`{"type":"object"}`, "txt=1", nil},
		"no schema":            {``, "txt=1", nil},
		"a schema of no use":   {`{"properties":{"a":{"pattern":"(?=x)"}}}`, "a=1", []string{"(warning) the tool's schema cannot be used to check arguments: at /properties/a: "}},
		"missing of a choice":  {`{"properties":{"mode":{"enum":["fast",2]}},"required":["mode"]}`, "", []string{`mode: is missing (one of "fast", 2)`}},
		"dependents":           {`{"properties":{"a":{},"b":{"type":"boolean"}},"dependentRequired":{"a":["b"]}}`, "a=1", []string{"b: is missing (a boolean): has no member"}},
		"within an array":      {`{"properties":{"list":{"type":"array","items":{"type":"object","required":["k"],"properties":{"k":{}}}}}}`, `list:=[{"k":1},{}]`, []string{"list.1.k: is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Prepare(Of(json.RawMessage(test.schema)), nil, parseAll(t, strings.Fields(test.words)...))
			var told []string
			for _, problem := range problems {
				text := problem.String()
				if problem.IsWarning {
					text = "(warning) " + text
				}
				told = append(told, text)
			}
			require.Len(t, told, len(test.want), told)
			for i, want := range test.want {
				assert.True(t, strings.HasPrefix(told[i], want), told[i])
			}
		})
	}
}

func TestProblemsAreBoundedAndFitForTerminals(t *testing.T) { // P103
	var names, required []string
	for i := range 100 {
		name, err := json.Marshal(strconv.Itoa(i) + strings.Repeat("\x1b[2J", 100))
		require.NoError(t, err)
		names, required = append(names, string(name)+":{}"), append(required, string(name))
	}
	_, problems := Prepare(Of(json.RawMessage(`{"properties":{`+strings.Join(names, ",")+`},"required":[`+strings.Join(required, ",")+`]}`)), nil, nil)
	assert.Len(t, problems, maxProblems)
	for _, problem := range problems {
		assert.NotContains(t, problem.String(), "\x1b")
		assert.Less(t, len(problem.String()), 500)
	}
}

func TestArgumentsOfASchema(t *testing.T) {
	schema := Of(json.RawMessage(`{"$ref":"#/$defs/all","properties":{"z":{},"a":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":5,"description":"An A."}},
		"required":["z"],"$defs":{"all":{"properties":{"m":{"enum":["x"]},"a":{}},"required":["m"]}}}`))
	assert.Equal(t, []Argument{
		{Name: "z", Required: true},
		{Name: "a", Types: []string{"integer", "null"}, Default: "5", Description: "An A."},
		{Name: "m", Required: true, Values: []string{`"x"`}},
	}, schema.Arguments(), "in the schema's order")
	for _, raw := range []string{`true`, ``, `{"properties":[1]}`, `{"properties":5,"required":"x"}`, `{`} {
		schema := Of(json.RawMessage(raw))
		assert.Empty(t, schema.Arguments(), raw)
		assert.True(t, schema.IsOpen(), raw)
	}
}
