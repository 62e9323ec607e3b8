package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inEnvironment are options for an environment of variables alone.
func inEnvironment(variables map[string]string) Options {
	return Options{
		LookupEnv: func(name string) (string, bool) { value, set := variables[name]; return value, set },
		Environ: func() []string {
			var environ []string
			for name, value := range variables {
				environ = append(environ, name+"="+value)
			}
			return environ
		},
	}
}

const overriddenFile = `defaults:
  timeout: 5s
  headers: {X-Team: base}
servers:
  my-server.io:
    type: x
    int: 1
    env: {Path: a}
    nested: {max_restarts: 1}
  other: {type: x}
`

func TestOverridesHaveTheTypeOfTheirKey(t *testing.T) {
	const prefix = "MCPCLIENT_SERVERS__MY_SERVER_IO__"
	variables := map[string]string{
		prefix + "TYPE": "y", prefix + "INT": "7", prefix + "FLAG": "false", prefix + "RATIO": "2.5", prefix + "TIMEOUT": "90s", prefix + "DELAY": "3",
		prefix + "WORDS": "a, b ,c", prefix + "NUMBERS": "[1, 2]", prefix + "TOKEN": canary + "${HOME}", prefix + "INHERIT_ENV": "all", prefix + "MAYBE_INT": "5",
		prefix + "ENV__PATH": "b", prefix + "ENV__API_KEY": "k", prefix + "HEADERS__X_TEAM": "over", prefix + "HEADERS__X_NEW_ONE": "1",
		prefix + "NESTED__MAX_RESTARTS": "9", prefix + "TREE": `{"a": {"b": [1, "${c}"]}}`, prefix + "TEXT": "$${HOME}", prefix + "ANY": "x",
		"MCPCLIENT_DEFAULTS__COUNT": "4", "MCPCLIENT_STRICT": "true", "MCPCLIENT_STORE": "memory", "HOME": "h", "MCPCLIENT_EXECUTABLE": "/x", "OTHER": "1",
		"MCPCLIENT_SERVERS": "1", "MCPCLIENT_SERVERS_PORT": "tcp://1",
	}
	c, err := ParseWith(inEnvironment(variables), "mcp.yaml", []byte(overriddenFile))
	require.NoError(t, err)
	require.Empty(t, c.Faults())
	require.Empty(t, c.Warnings())
	assert.True(t, c.Strict())
	store, ok := c.Store()
	require.True(t, ok)
	assert.True(t, store.Has("type"))

	s, _ := c.Server("my-server.io")
	var got everything
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, "y", got.Type)
	assert.Equal(t, 7, got.Int)
	assert.False(t, got.Flag)
	assert.InDelta(t, 2.5, got.Ratio, 0)
	assert.Equal(t, Seconds(90), got.Timeout)
	assert.Equal(t, Seconds(3), got.Delay)
	assert.Equal(t, []string{"a", "b", "c"}, got.Words)
	assert.Equal(t, []int{1, 2}, got.Numbers)
	assert.Equal(t, mode("all"), got.Inherit)
	assert.Equal(t, 5, *got.MaybeI)
	assert.Equal(t, map[string]string{"X-Team": "over", "X-NEW-ONE": "1"}, got.Headers)
	assert.Equal(t, 9, got.Nested.Restarts)
	assert.Equal(t, map[string]any{"a": map[string]any{"b": []any{int64(1), "${c}"}}}, got.Tree)
	assert.Equal(t, "$${HOME}", got.Text, "a value is taken as it is")
	assert.Equal(t, uint(4), got.Count)
	token, err := got.Token.Reveal()
	require.NoError(t, err)
	assert.Equal(t, canary+"${HOME}", token)
	require.Len(t, got.Env, 2)
	for name, want := range map[string]string{"Path": "b", "API_KEY": "k"} {
		value, err := got.Env[name].Reveal()
		require.NoError(t, err)
		assert.Equal(t, want, value)
	}

	other, _ := c.Server("other")
	got = everything{}
	require.Empty(t, other.Decode(&got))
	assert.Equal(t, Seconds(5), got.Timeout)
	assert.Equal(t, uint(4), got.Count, "one of the defaults is everybody's")
	assert.Equal(t, []string{"my-server.io", "other"}, c.Names())
}

func TestTheOriginOfAnOverrideIsShown(t *testing.T) {
	const name = "MCPCLIENT_SERVERS__OTHER__TOKEN"
	c, err := ParseWith(inEnvironment(map[string]string{name: canary, "MCPCLIENT_SERVERS__OTHER__INT": canary}), "mcp.yaml", []byte(overriddenFile))
	require.NoError(t, err)
	s, _ := c.Server("other")
	entries := s.Explain(everything{})
	at := slices.IndexFunc(entries, func(entry Entry) bool { return entry.Key == "token" })
	require.Positive(t, at)
	assert.Equal(t, "${"+name+"}", entries[at].Value)
	assert.Equal(t, name, entries[at].Origin.Variable)
	assert.Equal(t, "environment variable "+name, entries[at].Origin.String())
	assert.NotContains(t, fmt.Sprint(entries), canary)

	faults := s.Decode(&everything{})
	require.Len(t, faults, 1)
	assert.Equal(t, `environment variable MCPCLIENT_SERVERS__OTHER__INT: server "other": int: not a whole number; `+
		`found ${MCPCLIENT_SERVERS__OTHER__INT}; allowed: a whole number`, faults[0].String())
	assert.Equal(t, 10, s.Fault("", "").Line, "the server stays where it is")

	first := s.Fingerprint()
	c, err = ParseWith(inEnvironment(map[string]string{name: "else"}), "mcp.yaml", []byte(overriddenFile))
	require.NoError(t, err)
	s, _ = c.Server("other")
	assert.NotEqual(t, first, s.Fingerprint())
}

func TestOverridesThatAreWrong(t *testing.T) {
	for variable, want := range map[string]string{
		"MCPCLIENT_SERVERS__GITHUB__TOKEN=x":     "w environment variable MCPCLIENT_SERVERS__GITHUB__TOKEN: there is no such server; it overrides nothing",
		"MCPCLIENT_SERVERS__OTHR__TOKEN=x":       `w environment variable MCPCLIENT_SERVERS__OTHR__TOKEN: there is no such server; it overrides nothing; did you mean "OTHER"?`,
		"MCPCLIENT_SERVERS__OTHER=x":             "w environment variable MCPCLIENT_SERVERS__OTHER: it names a server, but no key of it; it overrides nothing; allowed: MCPCLIENT_SERVERS__OTHER__KEY",
		"MCPCLIENT_SERVER__OTHER__TOKEN=x":       `w environment variable MCPCLIENT_SERVER__OTHER__TOKEN: no key that can be overridden has this name; it overrides nothing; allowed: MCPCLIENT_SERVERS__..., DEFAULTS__..., STORE__..., STRICT; did you mean "SERVERS"?`,
		"MCPCLIENT_STRICT__X=x":                  `w environment variable MCPCLIENT_STRICT__X: no key that can be overridden has this name; it overrides nothing; allowed: MCPCLIENT_SERVERS__..., DEFAULTS__..., STORE__..., STRICT; did you mean "STRICT"?`,
		"MCPCLIENT_INPUTS__X__DEFAULT=x":         "w environment variable MCPCLIENT_INPUTS__X__DEFAULT: no key that can be overridden has this name; it overrides nothing; allowed: MCPCLIENT_SERVERS__..., DEFAULTS__..., STORE__..., STRICT",
		"MCPCLIENT_SERVERS__OTHER____TOKEN=x":    "w environment variable MCPCLIENT_SERVERS__OTHER____TOKEN: a part of the name is empty, or it is no name that can be referred to; it overrides nothing",
		"MCPCLIENT_SERVERS__OTHER__A.B=x":        "w environment variable MCPCLIENT_SERVERS__OTHER__A.B: a part of the name is empty, or it is no name that can be referred to; it overrides nothing",
		"MCPCLIENT_SERVERS__A_B__TOKEN=x":        "f environment variable MCPCLIENT_SERVERS__A_B__TOKEN: the name fits two servers, a-b and a.b",
		"MCPCLIENT_SERVERS__OTHER__ENV__X=x":     "f environment variable MCPCLIENT_SERVERS__OTHER__ENV__X: the name fits two keys, x and X",
		"MCPCLIENT_SERVERS__OTHER__TOKN=x":       `s environment variable MCPCLIENT_SERVERS__OTHER__TOKN: server "other": tokn: unknown key; did you mean "token"?`,
		"MCPCLIENT_SERVERS__OTHER__NUMBERS=[1":   `s environment variable MCPCLIENT_SERVERS__OTHER__NUMBERS: server "other": numbers: the value has the wrong form; found ${MCPCLIENT_SERVERS__OTHER__NUMBERS}; allowed: a JSON list such as ["first", "second"], or words separated by commas`,
		"MCPCLIENT_SERVERS__OTHER__NUMBERS=1,x":  `s environment variable MCPCLIENT_SERVERS__OTHER__NUMBERS: server "other": numbers[1]: not a whole number; found ${MCPCLIENT_SERVERS__OTHER__NUMBERS}; allowed: a whole number`,
		"MCPCLIENT_SERVERS__OTHER__HEADERS=[]":   `s environment variable MCPCLIENT_SERVERS__OTHER__HEADERS: server "other": headers: the value has the wrong form; found ${MCPCLIENT_SERVERS__OTHER__HEADERS}; allowed: a JSON object such as {"NAME": "value"}, or a variable MCPCLIENT_SERVERS__OTHER__HEADERS__NAME`,
		"MCPCLIENT_SERVERS__OTHER__HEADERS={} 1": `s environment variable MCPCLIENT_SERVERS__OTHER__HEADERS: server "other": headers: the value has the wrong form; found ${MCPCLIENT_SERVERS__OTHER__HEADERS}; allowed: a JSON object such as {"NAME": "value"}, or a variable MCPCLIENT_SERVERS__OTHER__HEADERS__NAME`,
		"MCPCLIENT_SERVERS__OTHER__NESTED={}":    `s environment variable MCPCLIENT_SERVERS__OTHER__NESTED: server "other": nested: a map of keys is wanted here; found a string; allowed: a map`,
		"MCPCLIENT_STRICT=perhaps":               `f environment variable MCPCLIENT_STRICT: strict: not a boolean; found ${MCPCLIENT_STRICT}; allowed: true, false`,
	} {
		name, value, _ := strings.Cut(variable, "=")
		text := "servers:\n  other: {type: x, env: {x: 1, X: 2}}\n  a-b: {type: x}\n  a.b: {type: x}\n"
		c, err := ParseWith(inEnvironment(map[string]string{name: value}), "mcp.yaml", []byte(text))
		require.NoError(t, err)
		var lines []string
		for _, line := range told(c.Faults()) {
			lines = append(lines, "f "+line)
		}
		for _, line := range told(c.Warnings()) {
			lines = append(lines, "w "+line)
		}
		for _, server := range c.Names() {
			s, _ := c.Server(server)
			for _, line := range told(s.Decode(&everything{})) {
				lines = append(lines, "s "+line)
			}
		}
		assert.Equal(t, []string{want}, lines, variable)
	}

	both := map[string]string{"MCPCLIENT_SERVERS__S__ENV": "{}", "MCPCLIENT_SERVERS__S__ENV__A": "1"}
	c, err := ParseWith(inEnvironment(both), "mcp.yaml", []byte("servers: {s: {type: x}}"))
	require.NoError(t, err)
	assert.Equal(t, []string{"environment variable MCPCLIENT_SERVERS__S__ENV__A: another variable, MCPCLIENT_SERVERS__S__ENV, sets the whole of what this one sets a part of"}, told(c.Faults()))
}

// A number in a variable's JSON is text as written where text is wanted, however
// large it is.
func TestNumbersInOverrides(t *testing.T) {
	c, err := ParseWith(inEnvironment(map[string]string{"MCPCLIENT_SERVERS__S__WORDS": "[1.50, 1e999]"}), "mcp.yaml", []byte("servers: {s: {type: x}}"))
	require.NoError(t, err)
	var got everything
	s, _ := c.Server("s")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, []string{"1.50", "1e999"}, got.Words)
}

func TestServersWithUnderscoresInARow(t *testing.T) {
	variables := map[string]string{"MCPCLIENT_SERVERS__A__B__TEXT": "deep", "MCPCLIENT_SERVERS__A__NESTED__MAX_RESTARTS": "2"}
	c, err := ParseWith(inEnvironment(variables), "mcp.yaml", []byte("servers: {a: {type: x}, a__b: {type: x}}"))
	require.NoError(t, err)
	require.Empty(t, append(c.Faults(), c.Warnings()...))
	var got everything
	s, _ := c.Server("a__b")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, "deep", got.Text)
	s, _ = c.Server("a")
	require.Empty(t, s.Decode(&got))
	assert.Equal(t, 2, got.Nested.Restarts)
}

func TestWhenOverridesAreLookedFor(t *testing.T) {
	const name = "MCPCLIENT_SERVERS__S__TEXT"
	t.Setenv(name, "over")
	text := func(c *Config, err error) string {
		require.NoError(t, err)
		s, _ := c.Server("s")
		value, _ := s.String("text")
		return value
	}
	const file = "servers: {s: {text: file}}"
	assert.Equal(t, "over", text(Parse("mcp.yaml", []byte(file))))
	assert.Equal(t, "file", text(ParseWith(Options{NoOverrides: true}, "mcp.yaml", []byte(file))))
	lookup := func(string) (string, bool) { return "", false }
	assert.Equal(t, "file", text(ParseWith(Options{LookupEnv: lookup}, "mcp.yaml", []byte(file))), "another environment")
	assert.Equal(t, "go", text(FromServers(map[string]any{"s": map[string]any{"text": "go"}})), "a program's own values are its own")

	read := func(path string) ([]byte, error) { return []byte("servers: {s: {text: " + path + "}}"), nil }
	assert.Equal(t, "over", text(LoadWith(Options{ReadFile: read}, "a.yaml", "b.yaml")), "above every file")
	assert.Equal(t, "over", text(Parse("mcp.json", []byte(`{"mcpServers": {"s": {"command": "x"}}}`))), "and over other programs' files")
}
