package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func shownEntries(entries []Entry) []string {
	var lines []string
	for _, entry := range entries {
		origin := entry.Origin.String()
		switch {
		case entry.Default:
			origin = "default"
		case entry.Origin.Defaults:
			origin += " (defaults)"
		}
		lines = append(lines, fmt.Sprintf("%s = %s | %s", entry.Key, entry.Value, origin))
	}
	return lines
}

func TestEffective(t *testing.T) {
	variables := map[string]string{
		"PORT": "8080", "WAIT": "1m", "ON": "false", "HOST": canary, "BAD": canary, "HOME": "/home/me", "USERPROFILE": "/home/me", "MODE": "all",
		"MCPCLIENT_SERVERS__S__RATIO": "2.5", "MCPCLIENT_SERVERS__S__TEXT": canary, "MCPCLIENT_SERVERS__S__NUMBERS": "1,2",
	}
	text := `defaults: {timeout: 5, headers: {A: b}, unused: 1}
servers:
  s:
    type: x
    int: ${PORT}
    small: ${BAD}
    flag: ${ON}
    delay: ${WAIT}
    token: ` + canary + `
    env: {A: '${HOST}', B: ` + canary + `, C: 'x${HOST}'}
    words: [--name, x y, --token, ` + canary + `, "--key=` + canary + `", "${HOST}", "http://u:` + canary + `@h"]
    cwd: sub/dir
    home: ~/x
    mixed: ${HOST}/x
    mode: ${MODE}
    url: https://u:` + canary + `@h/x
    tiemout: ` + canary + `
    nested: {max_restarts: 7, max_restart: ` + canary + `}
    tree: {a: {b: 1}, c: 2}
`
	type server struct {
		everything
		Cwd   string `config:"cwd,path"`
		Home  string `config:"home,path"`
		Mixed string `config:"mixed"`
		Mode  string `config:"mode" values:"all,none"`
		URL   string `config:"base_url,alias=url"`
		Other string `config:"other" doc:"absent, without a default"`
	}
	c, err := ParseWith(inEnvironment(variables), "/etc/mcp.yaml", []byte(text))
	require.NoError(t, err)
	s, _ := c.Server("s")
	lines := shownEntries(s.Effective(server{}))
	assert.Equal(t, []string{
		"type = x | /etc/mcp.yaml:4:5",
		"request_timeout = 5 | /etc/mcp.yaml:1:12 (defaults)",
		"text = ${MCPCLIENT_SERVERS__S__TEXT} | environment variable MCPCLIENT_SERVERS__S__TEXT",
		"flag = false | /etc/mcp.yaml:7:5",
		"int = 8080 | /etc/mcp.yaml:5:5",
		"small = ${BAD} | /etc/mcp.yaml:6:5",
		"ratio = 2.5 | environment variable MCPCLIENT_SERVERS__S__RATIO",
		`words = [--name, "x y", --token, ***, --key=***, ${HOST}, http://***@h] | /etc/mcp.yaml:11:5`,
		"numbers = ${MCPCLIENT_SERVERS__S__NUMBERS} | environment variable MCPCLIENT_SERVERS__S__NUMBERS",
		"headers.A = b | /etc/mcp.yaml:1:34 (defaults)",
		"tree.a = {...} | /etc/mcp.yaml:19:12", "tree.c = 2 | /etc/mcp.yaml:19:23",
		"token = *** | /etc/mcp.yaml:9:5",
		"env.A = ${HOST} | /etc/mcp.yaml:10:11", "env.B = *** | /etc/mcp.yaml:10:25", "env.C = *** | /etc/mcp.yaml:10:44",
		"inherit_env = safe | default",
		"delay = 1m0s | /etc/mcp.yaml:8:5",
		"nested.max_restarts = 7 | /etc/mcp.yaml:18:14", "nested.window = 60s | default",
		"cwd = /etc/sub/dir | /etc/mcp.yaml:12:5",
		"home = /home/me/x | /etc/mcp.yaml:13:5",
		"mixed = ${HOST}/x | /etc/mcp.yaml:14:5",
		"mode = all | /etc/mcp.yaml:15:5",
		"base_url = https://***@h/x | /etc/mcp.yaml:16:5",
		"tiemout = *** | /etc/mcp.yaml:17:5",
		"nested.max_restart = *** | /etc/mcp.yaml:18:31",
	}, lines)
	assert.NotContains(t, strings.Join(lines, "\n"), canary)

	assert.Equal(t, []string{" = a string | a.yaml:1:11"}, shownEntries(first(parse(t, "a.yaml", "servers: {s: x}")).Effective(server{})))
}

// What is empty is there, and is shown as it is by Explain.
func TestEffectiveShowsWhatIsEmpty(t *testing.T) {
	type one struct {
		Both string `config:"both" default:"x"`
	}
	type other struct {
		Both    string            `config:"both"`
		Headers map[string]string `config:"headers"`
		Tree    map[string]any    `config:"tree"`
		Any     any               `config:"any"`
		Words   []string          `config:"words"`
	}
	s := section(t, "headers: {}\ntree: {a: {}, b: {c: d}}\nany: [{a: b}, [1], 1, {}]\nwords: []")
	assert.Equal(t, []string{
		"both = x | default", "headers = {} | mcp.yaml:3:5", "tree.a = {} | mcp.yaml:4:12", "tree.b = {...} | mcp.yaml:4:19",
		`any = ["a map", "a list", 1, "a map"] | mcp.yaml:5:5`, "words = [] | mcp.yaml:6:5",
	}, shownEntries(s.Effective(one{}, other{})))
}

func first(c *Config) *Section {
	s, _ := c.Server(c.Names()[0])
	return s
}

func TestExplainTheTopLevel(t *testing.T) {
	assert.Equal(t, []string{"strict = false | default", "store.type = memory | default"}, shownEntries(parse(t, "a.yaml", "servers: {}").Explain()))
	c, err := ParseWith(inEnvironment(map[string]string{"MCPCLIENT_STRICT": "true"}), "a.yaml", []byte("store: memory\ninputs: {key: {password: true}}\nservers: {}"))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"strict = true | environment variable MCPCLIENT_STRICT", "store.type = memory | a.yaml:1:1", "inputs.key = {...} | a.yaml:2:10",
	}, shownEntries(c.Explain()))
}
