package config

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// sectionWith is a section whose references are resolved from variables.
func sectionWith(t *testing.T, variables map[string]string, keys string) *Section {
	t.Helper()
	lookup := func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
	text := "servers:\n  s:\n    " + strings.ReplaceAll(keys, "\n", "\n    ")
	c, err := ParseWith(Options{LookupEnv: lookup}, "mcp.yaml", []byte(text))
	require.NoError(t, err)
	s, ok := c.Server("s")
	require.True(t, ok)
	return s
}

func TestReferenced(t *testing.T) {
	s := sectionWith(t, map[string]string{"A": "first", "B": "second", "EMPTY": ""}, `command: [prog, '${A}', 'x${B}y', '$${A}', '${EMPTY}', '${UNSET:-fallback}', '${A}']
cwd: ${A}
env: {TOKEN: '${B}'}
dotted.key: {inner: '${B}'}`)
	assert.Equal(t, []string{"fallback", "first", "second"}, s.Referenced("command"))
	assert.Equal(t, []string{"first"}, s.Referenced("cwd", "args"))
	assert.Equal(t, []string{"second"}, s.Referenced("dotted.key.inner"))
	assert.Empty(t, s.Referenced("args", "env.OTHER"), "a key that is not there, whatever stands around it")
	rest, faults := s.Take(&struct {
		Cwd string `config:"cwd"`
	}{})
	require.Empty(t, faults)
	assert.Equal(t, []string{"first"}, rest.Referenced("cwd"), "a taken key")
}

// A checker that puts what it saw into a fault does not show what a reference
// stands for.
func TestFaultsShowReferencesAsWritten(t *testing.T) {
	variables := map[string]string{
		"LONG": strings.Repeat("a long s3cr3t ", 30), "SECRET": "sEcReT-value/1", "SHORT": "xy", "CONTROL": "s3cr3t\x1b[31m\nmore-of-it",
	}
	s := sectionWith(t, variables, `text: '${SECRET}'
part: 'before-${SECRET}-behind'
short: '${SHORT}'
long: '${LONG}'
control: '${CONTROL}'
list: [plain, '${SECRET}', 'x${SHORT}']
literal: hunter
fallback: '${UNSET:-other-value/1}'`)
	for name, test := range map[string]struct {
		key, found, message   string
		wantFound, wantHidden string
	}{
		"a whole value":         {key: "text", found: "sEcReT-value/1", wantFound: `"${SECRET}"`},
		"in quotes":             {key: "text", found: `"sEcReT-value/1"`, wantFound: `"${SECRET}"`},
		"a part":                {key: "part", found: "before-sEcReT-value/1-behind", wantFound: `"before-${SECRET}-behind"`},
		"a part of what is":     {key: "part", found: "sEcReT-value/1", wantFound: "${SECRET}"},
		"a short one":           {key: "short", found: "xy", wantFound: `"${SHORT}"`},
		"cut":                   {key: "long", found: errors.PeerText(variables["LONG"], 80), wantFound: `"${LONG}"`},
		"escaped":               {key: "control", found: errors.PeerText(variables["CONTROL"], 200), wantFound: `"${CONTROL}"`},
		"an item":               {key: "list", found: "sEcReT-value/1", wantFound: `"${SECRET}"`},
		"a short item":          {key: "list", found: "xxy", wantFound: `"x${SHORT}"`},
		"another item":          {key: "list", found: "plain", wantFound: "plain"},
		"a literal":             {key: "literal", found: "hunter", wantFound: "hunter"},
		"nothing":               {key: "text", found: "", wantFound: ""},
		"a default":             {key: "fallback", found: "other-value/1", wantFound: `"${UNSET:-...}"`},
		"another key's":         {key: "literal", found: "sEcReT-value/1", wantFound: "${SECRET}"},
		"a key that is missing": {key: "gone", found: "sEcReT-value/1", wantFound: `"${SECRET}"`},
		"percent":               {key: "text", found: "http://h/" + url.QueryEscape("sEcReT-value/1"), wantFound: "http://h/***"},
		"base64":                {key: "text", found: base64.StdEncoding.EncodeToString([]byte("sEcReT-value/1")), wantFound: "***="},
		"in the message":        {key: "text", message: "open /x/sEcReT-value/1: no such file", wantHidden: "open /x/${SECRET}: no such file"},
		"a word of the message": {key: "short", message: "xylophones are not allowed", wantHidden: "xylophones are not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			fault := s.Fault(test.key, test.message)
			fault.Found = test.found
			faults := s.AsWritten([]errors.Fault{fault})
			require.Len(t, faults, 1)
			assert.Equal(t, test.wantFound, faults[0].Found)
			assert.Equal(t, test.wantHidden, faults[0].Message)
			assert.Equal(t, test.key, faults[0].Key)
		})
	}
	assert.Nil(t, s.AsWritten(nil))
}

// The part of a key behind : or = is likely to be a value.
func TestKeysShowNoValue(t *testing.T) {
	for _, keys := range []string{
		"'token:" + canary + "': 1", "'TOKEN=" + canary + "': 1", "nested: {'a=" + canary + "': 1}", "env: {'A=" + canary + "': [1]}",
		"headers: {'X-Key: " + canary + "': {}}", "{token:" + canary + "}",
	} {
		s := section(t, keys)
		faults := s.Decode(&everything{})
		require.NotEmpty(t, faults, keys)
		for _, fault := range faults {
			assert.NotContains(t, fault.String(), canary, keys)
		}
		for _, entry := range s.Explain() {
			assert.NotContains(t, entry.Key, canary, keys)
		}
	}
	for _, text := range []string{"token=" + canary + ": 1", "'x:" + canary + "': 1\n'x:" + canary + "': 2"} {
		c, err := Parse("a.yaml", []byte("servers: {}\n"+text))
		if err != nil {
			assert.NotContains(t, err.Error(), canary)
			continue
		}
		assert.NotContains(t, fmt.Sprint(c.Faults()), canary)
	}
}

// The parsers' messages quote the file.
func TestSyntaxErrorsShowNoText(t *testing.T) {
	for name, texts := range map[string][]string{
		"a.yaml": {
			"token: *" + canary, "token: !!int " + canary, "token: !!float " + canary, "token: !!bool '" + canary + "'", "token: !!timestamp " + canary,
			"token: !!binary " + canary, "token: !!null " + canary, "? {" + canary + ": 1}\n: 2", "? [" + canary + "]\n: 2", "a: &" + canary + " {b: *" + canary + "}",
			"<<: " + canary, "<<: [" + canary + "]", "token: \"" + canary, "token: '" + canary, "token: @" + canary, "token: `" + canary, "token: %" + canary,
			"token: " + canary + ": x", "token: [" + canary, "token: {" + canary, "%" + canary + "\n---\na: 1", "token: !" + canary + "! x",
			"\"\\q" + canary + "\": 1", "a: !!int \"`" + canary + "`\"", "a: !!int \"x\\\"" + canary + "\"", "- " + canary, "!!" + canary + ": 1",
		},
		"a.toml": {
			"token = " + canary, "token = \"" + canary, "token = '" + canary, "token = \"\\q" + canary + "\"", canary, canary + " = ", "token = 12" + canary,
			"token = 2020-01-01T" + canary, "[" + canary, "token = tru" + canary, "token = 0x" + canary, "a = {" + canary, "token = \"x\" " + canary,
		},
		"a.json": {
			`{"token": ` + canary + `}`, `{"token": "` + canary, `{"token": "\q` + canary + `"}`, `{` + canary + `}`, `{"token": 1` + canary + `}`, `{"a": 1} ` + canary,
		},
	} {
		for _, text := range texts {
			c, err := Parse(name, []byte(text+"\n"))
			if err == nil {
				err = &errors.ServerConfigurationError{Faults: c.Faults()}
			}
			assert.NotContains(t, err.Error(), canary, text)
			assert.NotContains(t, err.Error(), canary[:6], text)
			assert.Contains(t, err.Error(), name)
		}
	}
	_, err := Parse("a.yaml", []byte("servers: {}\nx: !!int word\n"))
	assert.EqualError(t, err, "a.yaml:2:4: a value is not of the type that its tag names; allowed: the value without the tag")
}

func TestExtensionKeys(t *testing.T) {
	c := parse(t, "a.yaml", "x-common: &common {type: stdio, command: [server]}\nx-: 1\nservers:\n  a: *common\n  b: {<<: *common, cwd: /}\n")
	require.Empty(t, c.Faults())
	require.Equal(t, []string{"a", "b"}, c.Names())
	b, _ := c.Server("b")
	require.Equal(t, []string{"cwd", "type", "command"}, b.Keys())
	require.Len(t, parse(t, "a.yaml", "X-common: 1\nservers: {x-own: {type: stdio}}").Faults(), 1, "nothing else is passed over")
}
