package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTOMLTables(t *testing.T) {
	c := parse(t, "a.toml", `
servers.a.type = "x"
[servers.b]
type = "x"
nested.max_restarts = 1
[servers.b.group]
max_restarts = 2
[[servers.b.rules]]
name = "one"
[[servers.b.rules]]
name = "two"
[servers.'c.d']
type = """
x"""
flag = true
words = ["a", 1979-05-27T07:32:00Z, 1979-05-27 07:32:00, 1.50, true]
rules = [{name = "three"}, {name = "four", wrong = 1}]
`)
	require.Equal(t, []string{"a", "b", "c.d"}, c.Names())
	var got everything
	b, _ := c.Server("b")
	require.Empty(t, b.Decode(&got))
	assert.Equal(t, []rule{{"one"}, {"two"}}, got.Rules)
	assert.Equal(t, 1, got.Nested.Restarts)
	assert.Equal(t, 2, got.Group.Restarts)

	d, _ := c.Server("c.d")
	faults := d.Decode(&got)
	require.Len(t, faults, 1)
	assert.Equal(t, `a.toml:17:44: server "c.d": rules[1].wrong: unknown key`, faults[0].String())
	assert.Equal(t, []string{"a", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "1.50", "true"}, got.Words)
	assert.Equal(t, "x", got.Type)
	assert.True(t, got.Flag)

	for text, place := range map[string]string{
		"a = 1\n[[a]]":               "a.toml:2:3: ",
		"[a]\n[[a]]":                 "a.toml:2:3: ",
		"[[a]]\n[a]":                 "a.toml",
		"a.b = 1\na.b.c = 2":         "a.toml:2:3: ",
		"[[a]]\nb = 1\nb = 2":        "a.toml:3:1: ",
		"a = [{b = 1, b = 2}]":       "a.toml:1:14: ",
		"a = 99999999999999999999":   "a.toml",
		"[a.b]\n[a.b.c]\n[a]\nb = 1": "a.toml:4:1: ",
		"a = \"x\ny\"":               "a.toml:1",
		"x = 1\ny = @":               "a.toml:2:5: ",
	} {
		_, err := Parse("a.toml", []byte(text))
		require.Error(t, err, text)
		assert.True(t, strings.HasPrefix(err.Error(), place), "%q: %v", text, err)
	}
}
