package config

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// mode is an enumeration that also takes a boolean, as inherit_env is.
type mode string

func (m *mode) UnmarshalConfig(v any) error {
	word, err := OneOf(v, "safe", "all", "none", "true", "false")
	*m = mode(word)
	return err
}

func (*mode) ConfigType() string { return "string or boolean" }

type group struct {
	Restarts int      `config:"max_restarts" default:"3" doc:"deaths in a window"`
	Window   Duration `config:"window,alias=restart_window" default:"60s"`
}

type common struct {
	Type    string   `config:"type,required" doc:"the transporter"`
	Timeout Duration `config:"request_timeout,alias=timeout" default:"60s" doc:"longest silence"`
}

type everything struct {
	common
	Text    string            `config:"text" default:"abc"`
	Flag    bool              `config:"flag" default:"true"`
	Int     int               `config:"int" default:"-7"`
	Small   int8              `config:"small"`
	Count   uint              `config:"count"`
	Ratio   float64           `config:"ratio" default:"0.5"`
	Words   []string          `config:"words" default:"a,b"`
	Numbers []int             `config:"numbers"`
	Headers map[string]string `config:"headers"`
	Tree    map[string]any    `config:"tree"`
	Any     any               `config:"any"`
	Token   Secret            `config:"token"`
	Env     map[string]Secret `config:"env"`
	MaybeB  *bool             `config:"maybe_bool"`
	MaybeI  *int              `config:"maybe_int"`
	Inherit mode              `config:"inherit_env" default:"safe"`
	Delay   Duration          `config:"delay,zero" default:"0s"`
	Nested  group             `config:"nested"`
	Group   *group            `config:"group"`
	Rules   []rule            `config:"rules"`
	Skipped string
}

type rule struct {
	Name string `config:"name,required"`
}

func TestDefaults(t *testing.T) {
	var got everything
	require.Empty(t, section(t, "type: x").Decode(&got))
	want := everything{
		common: common{Type: "x", Timeout: Seconds(60)},
		Text:   "abc", Flag: true, Int: -7, Ratio: 0.5, Words: []string{"a", "b"}, Inherit: "safe",
		Delay: Of(0), Nested: group{3, Seconds(60)},
	}
	assert.Equal(t, want, got, "an absent group of a pointer is nil")

	require.Empty(t, section(t, "type: x\ngroup: {}").Decode(&got))
	assert.Equal(t, &group{3, Seconds(60)}, got.Group, "a group that is there gets its defaults")
}

func TestEveryType(t *testing.T) {
	var got everything
	faults := section(t, strings.TrimSpace(`
type: x
timeout: 1.5
text: 1.10
flag: false
int: 0x10
small: -128
count: 18446744073709551615
ratio: 1
words: [a, 010, true, 1_000]
numbers: [1, "2"]
headers: {A: 8080, B: 1.10, C: true, D: 2025-11-25, E: ~, F: 010, G: 99999999999999999999999}
tree: {a: 1, b: [x, {c: 1.5}], d: 99999999999999999999999, e: 9223372036854775808}
any: [1, null]
token: abc
env: {A: 1, B: x}
maybe_bool: false
maybe_int: 0
inherit_env: true
delay: 0
nested: {max_restarts: 5, restart_window: off}
group: {window: 2m}
rules: [{name: a}, {name: b}]`)).Decode(&got)
	require.Empty(t, faults)

	no, zero := false, 0
	assert.Equal(t, common{"x", Seconds(1.5)}, got.common)
	assert.Equal(t, "1.10", got.Text)
	assert.False(t, got.Flag)
	assert.Equal(t, 16, got.Int)
	assert.Equal(t, int8(-128), got.Small)
	assert.Equal(t, uint(math.MaxUint64), got.Count)
	assert.InDelta(t, 1.0, got.Ratio, 0)
	assert.Equal(t, []string{"a", "010", "true", "1_000"}, got.Words)
	assert.Equal(t, []int{1, 2}, got.Numbers)
	assert.Equal(t, map[string]string{"A": "8080", "B": "1.10", "C": "true", "D": "2025-11-25", "F": "010", "G": "99999999999999999999999"}, got.Headers)
	assert.Equal(t, map[string]any{
		"a": int64(1), "b": []any{"x", map[string]any{"c": 1.5}},
		"d": json.Number("99999999999999999999999"), "e": uint64(1 << 63),
	}, got.Tree)
	assert.Equal(t, []any{int64(1), nil}, got.Any)
	assert.Equal(t, NewSecret("abc"), got.Token)
	assert.Equal(t, map[string]Secret{"A": LiteralSecret("1"), "B": NewSecret("x")}, got.Env)
	assert.Equal(t, &no, got.MaybeB)
	assert.Equal(t, &zero, got.MaybeI)
	assert.Equal(t, mode("true"), got.Inherit)
	assert.Equal(t, Of(0), got.Delay)
	assert.Equal(t, group{5, Off()}, got.Nested)
	assert.Equal(t, &group{3, Seconds(120)}, got.Group)
	assert.Equal(t, []rule{{"a"}, {"b"}}, got.Rules)
}

func TestWrongValues(t *testing.T) {
	tests := []struct{ keys, key, message, found, allowed, nearest string }{
		{"int: abc", "int", "not a whole number", `"abc"`, "a whole number", ""},
		{"int: 1.0", "int", "not a whole number", "1.0", "a whole number", ""},
		{"int: 1e3", "int", "not a whole number", "1e3", "a whole number", ""},
		{"int: true", "int", "not a whole number", "true", "a whole number", ""},
		{"int: 010", "int", "a number with a leading zero is ambiguous (YAML reads 010 as 8)", "010", "a whole number, without a leading zero", ""},
		{"int: -08", "int", "a number with a leading zero is ambiguous (YAML reads 010 as 8)", "-08", "a whole number, without a leading zero", ""},
		{`int: "010"`, "int", "a number with a leading zero is ambiguous (YAML reads 010 as 8)", `"010"`, "a whole number, without a leading zero", ""},
		{"int: [1]", "int", "the value has the wrong type", "a list", "a whole number", ""},
		{"int: 99999999999999999999", "int", "the number is out of range", "99999999999999999999", "a whole number", ""},
		{"small: 128", "small", "the number is out of range", "128", "a whole number", ""},
		{"count: -1", "count", "not a whole number of 0 or more", "-1", "a whole number of 0 or more", ""},
		{"ratio: .nan", "ratio", "not a number", ".nan", "a number", ""},
		{"ratio: .inf", "ratio", "not a number", ".inf", "a number", ""},
		{"ratio: 0x1p3", "ratio", "not a number", `"0x1p3"`, "a number", ""},
		{"flag: yes", "flag", "not a boolean", `"yes"`, "true, false", ""},
		{"flag: 1", "flag", "not a boolean", "1", "true, false", ""},
		{"flag: hunter2-hunter", "flag", "not a boolean", "a string of 14 bytes", "true, false", ""},
		{"timeout: hunter2-hunter", "timeout", "not a duration", "a string of 14 bytes", durationSyntax, ""},
		{"inherit_env: hunter2-hunter", "inherit_env", "unknown value", "a string of 14 bytes", "safe, all, none, true, false", ""},
		{`flag: ""`, "flag", "not a boolean", `""`, "true, false", ""},
		{"text: {a: b}", "text", "the value has the wrong type", "a map", "a string", ""},
		{"words: npx --token hunter2", "words", "a list of words is wanted, since no shell is used that would split a string", "a string", "a list, such as [first, second]", ""},
		{"words: {a: b}", "words", "the value has the wrong type", "a map", "a list, such as [first, second]", ""},
		{"words: [a, [b]]", "words[1]", "the value has the wrong type", "a list", "a string", ""},
		{"words: [~]", "words[0]", "the value has the wrong type", "null", "string", ""},
		{"numbers: [1, x]", "numbers[1]", "not a whole number", `"x"`, "a whole number", ""},
		{"headers: hunter2", "headers", "the value has the wrong type", "a string", "a map", ""},
		{"headers: {A: [hunter2]}", "headers.A", "the value has the wrong type", "a list", "a string", ""},
		{"token: [hunter2]", "token", "the value has the wrong type", "a list", "a string", ""},
		{"env: hunter2", "env", "the value has the wrong type", "a string", "a map", ""},
		{"group: true", "group", "a map of keys is wanted here", "a boolean", "a map", ""},
		{"nested: hunter2", "nested", "a map of keys is wanted here", "a string", "a map", ""},
		{"inherit_env: al", "inherit_env", "unknown value", `"al"`, "safe, all, none, true, false", "all"},
		{"inherit_env: 1", "inherit_env", "not a string", "1", "safe, all, none, true, false", ""},
		{"rules: [{nam: a}]", "rules[0].name", "the key is required", "", "string", ""},
		{"rules: [a]", "rules[0]", "the value has the wrong type", "a string", "a map", ""},
		{"timeout: 0", "timeout", "0 is not a duration here", "0", durationSyntax, ""},
		{"timeout: 0s", "timeout", "0 is not a duration here", `"0s"`, durationSyntax, ""},
		{"timeout: -1", "timeout", "a duration cannot be negative", "-1", durationSyntax, ""},
		{"timeout: -1s", "timeout", "a duration cannot be negative", `"-1s"`, durationSyntax, ""},
		{"timeout: 1d", "timeout", "not a duration", `"1d"`, durationSyntax, ""},
		{"timeout: soon", "timeout", "not a duration", `"soon"`, durationSyntax, ""},
		{"timeout: 1e300", "timeout", "longer than ten years", "1e300", durationSyntax, ""},
		{"timeout: 999999999999999999999999", "timeout", "longer than ten years", "999999999999999999999999", durationSyntax, ""},
		{"timeout: 9999999999", "timeout", "longer than ten years", "9999999999", durationSyntax, ""},
		{"timeout: 1e-12", "timeout", "shorter than a nanosecond", "1e-12", durationSyntax, ""},
		{"timeout: .inf", "timeout", "not a duration", ".inf", durationSyntax, ""},
		{"timeout: 010", "timeout", "a number with a leading zero is ambiguous (YAML reads 010 as 8)", "010", durationSyntax + ", without a leading zero", ""},
		{"timeout: true", "timeout", "the value has the wrong type", "a boolean", durationSyntax, ""},
		{"nested: {window: 0}", "nested.window", "0 is not a duration here", "0", durationSyntax, ""},
		{"timeout: 1s\nrequest_timeout: 2s", "timeout", "request_timeout and timeout are two names of one key, and both are given", "", "request_timeout", ""},
		{"text: " + strings.Repeat("x", 40) + "\nint: " + strings.Repeat("é", 100), "int", "not a whole number", "a string of 200 bytes", "a whole number", ""},
		{`int: "a\e[31m\0"`, "int", "not a whole number", `"a\x1b[31m\x00"`, "a whole number", ""},
		{"int: https://user:hunter2@example.com/x", "int", "not a whole number", "a string of 34 bytes", "a whole number", ""},
	}
	for _, test := range tests {
		t.Run(test.keys, func(t *testing.T) {
			got := everything{}
			faults := section(t, "type: x\n"+test.keys).Decode(&got)
			require.NotEmpty(t, faults)
			fault := faults[0]
			assert.Equal(t, errors.Fault{
				Server: "s", File: "mcp.yaml", Line: fault.Line, Column: fault.Column,
				Key: test.key, Message: test.message, Found: test.found, Allowed: test.allowed, Nearest: test.nearest,
			}, fault)
			assert.GreaterOrEqual(t, fault.Line, 4)
			assert.NotContains(t, fault.String(), "hunter2")
		})
	}
}

func TestRequired(t *testing.T) {
	type required struct {
		Text   string            `config:"text,required"`
		List   []string          `config:"list,required"`
		Map    map[string]string `config:"map,required"`
		Secret Secret            `config:"secret,required"`
		Number int               `config:"number,required"`
		Group  struct {
			Inner string `config:"inner,required"`
		} `config:"group"`
		Pointer *struct {
			Inner string `config:"inner,required"`
		} `config:"pointer,required"`
		Optional *struct {
			Inner string `config:"inner,required"`
		} `config:"optional"`
	}
	keysOf := func(faults []errors.Fault) (keys []string) {
		for _, fault := range faults {
			assert.Contains(t, fault.Message, "required")
			keys = append(keys, fault.Key)
		}
		return keys
	}
	all := []string{"text", "list", "map", "secret", "number", "group.inner", "pointer"}
	for title, keys := range map[string]string{
		"absent": "optional: ~",
		"null":   "text: ~\nlist: ~\nmap: ~\nsecret: ~\nnumber: ~\ngroup: ~\npointer: ~",
	} {
		assert.ElementsMatch(t, all, keysOf(section(t, keys).Decode(&required{})), title)
	}
	empty := "text: ''\nlist: []\nmap: {}\nsecret: '${NO_SUCH_VARIABLE:-}'\nnumber: 0\ngroup: {inner: ''}\npointer: {}\noptional: {}"
	assert.ElementsMatch(t,
		[]string{"text", "list", "map", "secret", "group.inner", "pointer.inner", "optional.inner"},
		keysOf(section(t, empty).Decode(&required{})), "empty; a number may be 0")
}

func TestRequiredAndGiven(t *testing.T) {
	var got struct {
		Secret Secret `config:"secret,required"`
		Any    any    `config:"any,required"`
		Number any    `config:"number,required"`
		List   any    `config:"list,required"`
	}
	require.Empty(t, section(t, "secret: x\nany: y\nnumber: 0\nlist: []").Decode(&got))
	assert.Equal(t, NewSecret("x"), got.Secret)
	assert.Equal(t, "y", got.Any)
	assert.Equal(t, int64(0), got.Number)
	assert.Equal(t, []any{}, got.List)

	c, err := ParseWith(Options{Input: func(Input) (string, error) { return "", errors.New("nobody is there") }}, "a.yaml",
		[]byte("inputs: {i: {}}\nservers: {s: {secret: '${input:i}', any: y, number: 0, list: []}}"))
	require.NoError(t, err)
	s, _ := c.Server("s")
	assert.Empty(t, s.Decode(&got), "what nobody answered yet is not known to be empty")
}

// A struct within another is part of it where it is embedded and has no tag of its
// own, a group where it has one, and nothing where it has neither.
func TestStructsWithinStructs(t *testing.T) {
	type Named struct {
		A int `config:"a"`
	}
	type Embedded struct {
		B int `config:"b"`
	}
	type Untagged struct {
		C int `config:"c"`
	}
	type whole struct {
		Named `config:"named"`
		Embedded
		Other Untagged
	}
	var keys []string
	for _, field := range Fields(whole{}) {
		keys = append(keys, field.Key)
	}
	assert.Equal(t, []string{"named.a", "b"}, keys)
}

func TestNullIsTheSameAsAbsent(t *testing.T) {
	var got everything
	require.Empty(t, section(t, "type: x\ntext: ~\nflag: null\nint:\nwords: ~\ngroup: ~\nnested: ~\ntimeout: ~\nrequest_timeout: 3\ntoken: ~").Decode(&got))
	assert.Equal(t, "abc", got.Text)
	assert.True(t, got.Flag)
	assert.Nil(t, got.Group)
	assert.Equal(t, Seconds(3), got.Timeout, "a null alias contradicts nothing")
	assert.True(t, got.Token.IsZero())

	c := parse(t, "a.yaml", "defaults: {text: d, headers: {A: d}}\nservers: {s: {type: x, text: ~, headers: {A: ~}}}")
	s, _ := c.Server("s")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, "abc", got.Text, "null removes the default of the file")
	assert.Empty(t, got.Headers)
}

func TestCaseMatters(t *testing.T) {
	var got everything
	faults := section(t, "Type: y\ntype: x\nTEXT: z").Decode(&got)
	require.Len(t, faults, 2)
	assert.Equal(t, "Type", faults[0].Key)
	assert.Equal(t, "type", faults[0].Nearest)
	assert.Equal(t, "text", faults[1].Nearest)
	assert.Equal(t, "x", got.Type)
}

func TestProgramMistakesAreFaultsNotPanics(t *testing.T) {
	s := section(t, "type: x")
	var text string
	type badDefault struct {
		Int int `config:"int" default:"many"`
	}
	type badType struct {
		C chan int `config:"c"`
	}
	type badOption struct {
		A string `config:"a,requird"`
	}
	type hidden struct {
		a string `config:"a"`
	}
	_ = hidden{}.a
	type twice struct {
		A string `config:"a"`
		B string `config:"b,alias=a"`
	}
	type noName struct {
		A string `config:",required"`
	}
	type recursive struct {
		Next *recursive `config:"next"`
	}
	for message, dst := range map[string]any{
		"decodes into a <nil>":          nil,
		"decodes into a *string":        &text,
		"decodes into a config.common":  common{},
		"decodes into a *config.common": (*common)(nil),
		"default for this key is wrong": &badDefault{},
		"the type chan int cannot":      &badType{},
		`unknown option "requird"`:      &badOption{},
		"must be exported":              &hidden{},
		"has the key a twice":           &twice{},
		"has no name":                   &noName{},
		"nested more than 16 levels":    &recursive{},
		"the type map[int]string cannot be": &struct {
			M map[int]string `config:"m"`
		}{},
	} {
		rest, faults := s.Take(dst)
		require.NotNil(t, rest)
		require.NotEmpty(t, faults, message)
		assert.Contains(t, faults[0].Message, message)
	}
}

// endpoint reads any value and finds fault with all but one.
type endpoint struct{ got any }

func (e *endpoint) UnmarshalConfig(v any) error {
	e.got = v
	if v == "bad" {
		return errors.New("no such endpoint\x1b[31m")
	}
	return nil
}

func TestUnmarshalConfigSeesPlainValues(t *testing.T) {
	for written, want := range map[string]any{
		"x": "x", "1": int64(1), "1.5": 1.5, "true": true, "2025-11-25": "2025-11-25", "18446744073709551615": uint64(math.MaxUint64),
		"99999999999999999999": json.Number("99999999999999999999"), "[a, 1, ~]": []any{"a", int64(1), nil}, "{a: {b: c}}": map[string]any{"a": map[string]any{"b": "c"}},
	} {
		var got struct {
			E  endpoint  `config:"e"`
			P  *endpoint `config:"p"`
			No *endpoint `config:"no"`
		}
		require.Empty(t, section(t, "e: "+written+"\np: "+written+"\nno: ~").Decode(&got))
		assert.Equal(t, want, got.E.got)
		assert.Equal(t, want, got.P.got)
		assert.Nil(t, got.No)
	}
	var got struct {
		E endpoint `config:"e"`
	}
	faults := section(t, "e: bad").Decode(&got)
	require.Len(t, faults, 1)
	assert.Equal(t, `"no such endpoint\x1b[31m"`, faults[0].Message, "control characters are escaped")
	assert.Equal(t, `"bad"`, faults[0].Found)
	assert.Nil(t, got.E.got)
	require.Len(t, section(t, "e: ['${CONFIG_TEST_UNSET}']").Decode(&got), 1, "a type never sees an unresolved reference")
}

func TestValueError(t *testing.T) {
	_, err := OneOf("al", "all", "none")
	require.EqualError(t, err, `unknown value; allowed: all, none; did you mean "all"?`)
	_, err = OneOf(true, "all")
	require.EqualError(t, err, "unknown value; allowed: all")
	got, err := OneOf(true, "all", "true")
	require.NoError(t, err)
	assert.Equal(t, "true", got)
	assert.EqualError(t, &ValueError{Message: "wrong"}, "wrong")
}
