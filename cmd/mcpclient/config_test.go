package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
)

const configSecret = "sEcReT-canary/1"

// configured writes a file into a new folder.
func configured(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Six servers with a fault each do not keep the seventh from work, and each is told
// with its line and with what would be right.
func TestSixFaultsInSixServers(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for name, text := range map[string]string{
		"mcp.yaml": `servers:
  one: {type: htpp, base_url: "https://h"}
  two: {type: http}
  three: {type: stdio, command: npx -y server}
  four: {type: stdio, command: [x], request_timeout: fast}
  five: {type: stdio, command: [x], restart_delay: 1s}
  six: {type: http, base_url: "https://h", token: "${MCPCLIENT_TEST_UNSET}"}
  seven: {type: stdio, command: ["` + self + `", demo-server]}
`,
		"mcp.json": `{"servers": {
  "one": {"type": "htpp", "base_url": "https://h"},
  "two": {"type": "http"},
  "three": {"type": "stdio", "command": "npx -y server"},
  "four": {"type": "stdio", "command": ["x"], "request_timeout": "fast"},
  "five": {"type": "stdio", "command": ["x"], "restart_delay": "1s"},
  "six": {"type": "http", "base_url": "https://h", "token": "${MCPCLIENT_TEST_UNSET}"},
  "seven": {"type": "stdio", "command": ["` + self + `", "demo-server"]}
}}
`,
		"mcp.toml": `[servers]
one = {type = "htpp", base_url = "https://h"}
two = {type = "http"}
three = {type = "stdio", command = "npx -y server"}
four = {type = "stdio", command = ["x"], request_timeout = "fast"}
five = {type = "stdio", command = ["x"], restart_delay = "1s"}
six = {type = "http", base_url = "https://h", token = "${MCPCLIENT_TEST_UNSET}"}
seven = {type = "stdio", command = ["` + self + `", "demo-server"]}
`,
	} {
		t.Run(name, func(t *testing.T) {
			path := configured(t, name, text)
			result := run(t, "--config", path, "servers")
			assert.NotEqual(t, exitOK, result.code)
			for line, want := range map[int]string{
				2: `server "one": type: unknown type; found htpp; allowed: http, sse, stdio; did you mean "http"?`,
				3: `server "two": base_url: the key is required; allowed: string`,
				4: `server "three": command: a list of words is wanted, since no shell is used that would split a string; found a string; allowed: a list, such as [first, second]`,
				5: `server "four": request_timeout: not a duration; found "fast"; allowed: a duration such as 30s or 1m30s, a number of seconds, or off`,
				6: `server "five": restart_delay: unknown key; did you mean "supervision.restart_delay"?`,
				7: `server "six": token: the environment variable is not set and has no default; found ${MCPCLIENT_TEST_UNSET}`,
			} {
				assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(path)+fmt.Sprintf(`:%d:\d+: `, line)+regexp.QuoteMeta(want)+`$`, result.stderr)
			}
			assert.Contains(t, result.stderr, "6 faults")
			assert.Regexp(t, `(?m)^seven\s+stdio\s+ok$`, result.stdout)

			result = run(t, "--config", path, "tools", "seven")
			assert.Equal(t, exitOK, result.code, result.stderr)
			assert.Contains(t, result.stdout, "echo")
			result = run(t, "--config", path, "tools", "four")
			assert.NotEqual(t, exitOK, result.code)
			assert.Contains(t, result.stderr, `:5:`)
		})
	}
}

func TestConfigConvert(t *testing.T) {
	path := configured(t, "claude_desktop_config.json", `{"mcpServers": {
  "web": {"url": "https://h", "headers": {"Authorization": "Bearer ${TOKEN}"}, "autoApprove": ["x"], "bogus": 1},
  "local": {"command": "npx", "args": ["-y", "x"], "env": {"API_KEY": "`+configSecret+`"}},
  "off": {"command": "x", "disabled": true}
}}`)
	t.Setenv("TOKEN", "t")
	for _, format := range []string{"yaml", "toml", "json"} {
		result := run(t, "config", "convert", path, "--to", format)
		require.Equal(t, exitOK, result.code, result.stderr)
		assert.Contains(t, result.stderr, path+`:2:102: server "web": bogus: this key has no meaning here, and is passed over`)
		assert.Contains(t, result.stderr, path+`:3:60: server "local": env.API_KEY: a secret seems to stand in the file itself; allowed: a reference such as ${API_KEY}`)
		assert.Contains(t, result.stderr, path+`:4:3: server "off": the server is switched off in the file, and left out`)
		assert.NotContains(t, result.stderr, configSecret)
		assert.NotContains(t, result.stderr, "autoApprove")
		assert.Contains(t, result.stdout, "Bearer ${TOKEN}", "a reference stays one")

		cfg, err := config.Parse("mcp."+format, []byte(result.stdout))
		require.NoError(t, err)
		assert.Equal(t, []string{"web", "local"}, cfg.Names())
		assert.Empty(t, cfg.Faults())
		result = run(t, "--config", configured(t, "mcp."+format, result.stdout), "servers")
		assert.Equal(t, exitOK, result.code, result.stderr)
		assert.Empty(t, result.stderr)
	}
	result := run(t, "--config", path, "servers")
	assert.Equal(t, exitOK, result.code, "warnings are no faults")
	assert.Contains(t, result.stderr, "bogus")
	assert.Regexp(t, `(?m)^web\s+http\s+ok$`, result.stdout)
}

func TestConfigConvertWithoutSuccess(t *testing.T) {
	result := run(t, "config", "convert", "--to", "xml", "mcp.yaml")
	assert.Equal(t, exitUsage, result.code)
	assert.Contains(t, result.stderr, `--to takes yaml, toml or json; found "xml"`)
	result = run(t, "config", "convert", "missing.yaml")
	assert.NotEqual(t, exitOK, result.code)
	assert.Contains(t, result.stderr, "missing.yaml: the configuration file cannot be read")
	t.Chdir(t.TempDir())
	assert.Equal(t, exitUsage, run(t, "config", "convert").code, "there is no file")
	require.NoError(t, os.WriteFile("mcp.json", []byte(`{"servers": {"a": {"command": "x"}}}`), 0o600))
	assert.Equal(t, "servers:\n  a:\n    type: stdio\n    command:\n      - x\n", run(t, "config", "convert").stdout)

	path := configured(t, "mcp.yaml", "servers: {a: {type: http}}\n")
	t.Setenv("MCPCLIENT_SERVERS__A__BASE_URL", "https://h")
	result = run(t, "config", "convert", path, "--to", "json")
	assert.NotEqual(t, exitOK, result.code, "faults are told, and the file is written all the same")
	assert.Contains(t, result.stderr, `server "a": base_url: the key is required`)
	assert.Contains(t, result.stdout, `"type": "http"`)
	assert.NotContains(t, result.stdout, "base_url", "a variable overrides nothing here")
}

func TestConfigExplain(t *testing.T) {
	path := configured(t, "mcp.yaml", `defaults: {request_timeout: 90s}
servers:
  web:
    type: http
    url: https://h/${MCPCLIENT_TEST_PATH:-x}
    token: `+configSecret+`
    headers: {X-Key: `+configSecret+`}
  local: {type: stdio, command: [npx, --token, `+configSecret+`], cwd: sub}
`)
	const variable = "MCPCLIENT_SERVERS__WEB__MAX_RESPONSE_BYTES"
	t.Setenv(variable, "65536")
	result := run(t, "--config", path, "config", "explain", "web")
	require.Equal(t, exitOK, result.code, result.stderr)
	for key, want := range map[string]string{
		"base_url":           "https://h/${MCPCLIENT_TEST_PATH:-x}|" + path + ":5:5",
		"request_timeout":    "90s|" + path + ":1:12 (defaults)",
		"token":              "***|" + path + ":6:5",
		"headers.X-Key":      "***|" + path + ":7:15",
		"max_response_bytes": "65536|environment variable " + variable,
		"read_timeout":       "30s|default",
	} {
		value, origin, _ := strings.Cut(want, "|")
		assert.Regexp(t, `(?m)^web\s+`+regexp.QuoteMeta(key)+`\s+`+regexp.QuoteMeta(value)+`\s+`+regexp.QuoteMeta(origin)+`$`, result.stdout)
	}
	assert.NotContains(t, result.stdout+result.stderr, configSecret)
	assert.NotContains(t, result.stdout, "npx")

	result = run(t, "--config", path, "config", "explain", "--json")
	require.Equal(t, exitOK, result.code, result.stderr)
	assert.NotContains(t, result.stdout, configSecret)
	var explained explanation
	require.NoError(t, json.Unmarshal([]byte(result.stdout), &explained))
	require.Len(t, explained.Servers, 2)
	assert.Contains(t, explained.Keys, explainedKey{Key: "strict", Value: "false", Source: "default"})
	assert.Contains(t, explained.Servers[0].Keys, explainedKey{Key: "max_response_bytes", Value: "65536", Source: "environment", Variable: variable})
	assert.Contains(t, explained.Servers[1].Keys, explainedKey{Key: "command", Value: "[npx, --token, ***]", Source: "file", File: path, Line: 8, Column: 24})
	assert.Contains(t, explained.Servers[1].Keys, explainedKey{Key: "cwd", Value: filepath.Join(filepath.Dir(path), "sub"), Source: "file", File: path, Line: 8, Column: 24 + len("command: [npx, --token, "+configSecret+"], ")})
	assert.Contains(t, explained.Servers[1].Keys, explainedKey{Key: "request_timeout", Value: "90s", Source: "defaults", File: path, Line: 1, Column: 12})

	result = run(t, "--config", path, "config", "explain", "wbe")
	assert.NotEqual(t, exitOK, result.code)
	assert.Contains(t, result.stderr, `did you mean "web"?`)
	t.Setenv(variable, "many")
	result = run(t, "--config", path, "config", "explain", "web")
	assert.NotEqual(t, exitOK, result.code)
	assert.Contains(t, result.stderr, "environment variable "+variable+`: server "web": max_response_bytes: not a whole number; found ${`+variable+`}`)
}

func TestConfigSchema(t *testing.T) {
	result := run(t, "config", "schema")
	require.Equal(t, exitOK, result.code)
	kept, err := os.ReadFile(filepath.Join("..", "..", "docs", "mcp.schema.json"))
	require.NoError(t, err)
	assert.Equal(t, string(kept), result.stdout)
	assert.Equal(t, exitUsage, run(t, "config", "schema", "x").code)
	assert.Equal(t, exitUsage, run(t, "config", "shcema").code)
	assert.Contains(t, run(t, "config").stdout, "explain")
}

// A command that connects to nothing asks nobody, and without a terminal nobody can
// be asked.
func TestInputsWithoutATerminal(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	path := configured(t, ".vscode/mcp.json", `{"inputs": [{"id": "word", "type": "promptString"}], "servers": {
  "asks": {"command": "`+self+`", "args": ["demo-server"], "env": {"WORD": "${input:word}"}},
  "needs": {"command": "`+self+`", "args": ["demo-server", "${input:word}"]}
}}`)
	result := run(t, "--config", path, "servers")
	assert.Equal(t, exitOK, result.code, result.stderr)
	result = run(t, "--config", path, "config", "explain", "asks")
	assert.Equal(t, exitOK, result.code, result.stderr)
	assert.Contains(t, result.stdout, "${input:word}")
	for _, server := range []string{"asks", "needs"} {
		result = run(t, "--config", path, "tools", server)
		assert.NotEqual(t, exitOK, result.code)
		assert.Contains(t, result.stderr, "there is no terminal to ask for it")
	}
}
