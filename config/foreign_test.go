package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// written lists what a configuration holds, a line for each value, as it is
// written.
func written(c *Config) []string {
	var lines []string
	var add func(path string, n *node)
	add = func(path string, n *node) {
		switch {
		case n.kind == kindMap && len(n.keys) > 0:
			for _, key := range n.keys {
				add(joinKey(path, key), n.fields[key])
			}
		case n.kind == kindList && len(n.items) > 0:
			for i, item := range n.items {
				add(fmt.Sprintf("%s[%d]", path, i), item)
			}
		default:
			lines = append(lines, path+" = "+n.rendered())
		}
	}
	for _, name := range c.Names() {
		add(name, c.servers.fields[name])
	}
	if c.inputs != nil {
		add("inputs", c.inputs)
	}
	return lines
}

func (n *node) rendered() string {
	if n.kind == kindMap || n.kind == kindList {
		return n.describe()
	}
	return n.text
}

func told(faults []errors.Fault) []string {
	var lines []string
	for _, fault := range faults {
		lines = append(lines, fault.String())
	}
	return lines
}

// Each case is the shape that a program documents, and what it yields.
func TestFilesOfOtherPrograms(t *testing.T) {
	options := Options{LookupEnv: func(name string) (string, bool) {
		return "/home/me", name == "HOME" || name == "USERPROFILE"
	}}
	for _, test := range []struct {
		program, name, text string
		want, warnings      []string
	}{
		{
			"Claude Desktop", "/x/claude_desktop_config.json",
			`{"mcpServers": {
  "filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/My Files"]},
  "github": {"command": "docker", "args": [], "env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}", "PORT": 8080, "NONE": null}}
 }, "globalShortcut": "x"}`,
			[]string{
				"filesystem.type = stdio", "filesystem.command[0] = npx", "filesystem.args[0] = -y", "filesystem.args[1] = @modelcontextprotocol/server-filesystem",
				"filesystem.args[2] = /Users/me/My Files",
				"github.type = stdio", "github.command[0] = docker", "github.args = a list", "github.env.GITHUB_TOKEN = ${GITHUB_TOKEN}", "github.env.PORT = 8080",
				"github.env.NONE = null",
			}, nil,
		},
		{
			"Claude Code", "/x/.mcp.json",
			`{"mcpServers": {
  "api": {"type": "http", "url": "${API_URL:-https://api.example.com}/mcp", "headers": {"Authorization": "Bearer ${API_KEY}"}, "headersHelper": "/bin/x"},
  "old": {"type": "sse", "url": "https://x/sse", "timeout": 600000},
  "socket": {"type": "ws", "url": "wss://x"}
 }}`,
			[]string{
				"api.type = http", "api.headers.Authorization = Bearer ${API_KEY}", "api.base_url = ${API_URL:-https://api.example.com}/mcp",
				"old.type = sse", "old.request_timeout = 10m0s", "old.base_url = https://x/sse", "socket.type = ws", "socket.base_url = wss://x",
			},
			[]string{
				`/x/.mcp.json:2:128: server "api": headersHelper: how to sign in is not taken over; allowed: token, headers or auth in a file of this program's own`,
				`/x/.mcp.json:3:50: server "old": timeout: some programs count seconds here and some milliseconds: it is read as 10m0s`,
			},
		},
		{
			"Cursor", "/srv/app/.cursor/mcp.json",
			`{"mcpServers": {
  "local": {"type": "stdio", "command": "${workspaceFolder}/bin/server", "args": ["${userHome}", "${env:MODE}", "${workspaceFolderBasename}${/}x", "$${workspaceFolder}"],
    "envFile": "${workspaceFolder}/.env"},
  "remote": {"url": "https://x/mcp", "auth": {"CLIENT_ID": "x", "CLIENT_SECRET": "` + canary + `"}}
 }}`,
			[]string{
				"local.type = stdio", "local.command[0] = /srv/app/bin/server", "local.args[0] = /home/me", "local.args[1] = ${env:MODE}", "local.args[2] = app/x",
				"local.args[3] = $${workspaceFolder}", "local.env_file = /srv/app/.env", "remote.type = http", "remote.base_url = https://x/mcp",
			},
			[]string{`/srv/app/.cursor/mcp.json:4:38: server "remote": auth: how to sign in is not taken over; allowed: token, headers or auth in a file of this program's own`},
		},
		{
			"Windsurf", "/x/mcp_config.json",
			`{"mcpServers": {
  "figma": {"serverUrl": "https://x/mcp", "headers": {"API_KEY": "Bearer ${env:TOKEN}", "B": "${file:/run/b}"}, "disabledTools": ["delete"]},
  "off": {"command": "x", "disabled": true},
  "on": {"command": "x", "disabled": false}
 }}`,
			[]string{
				"figma.type = http", "figma.headers.API_KEY = Bearer ${env:TOKEN}", "figma.headers.B = ${file:/run/b}", "figma.tools.deny[0] = delete", "figma.base_url = https://x/mcp",
				"on.type = stdio", "on.command[0] = x",
			},
			[]string{`/x/mcp_config.json:3:3: server "off": the server is switched off in the file, and left out`},
		},
		{
			"Cline and Roo Code", "/x/cline_mcp_settings.json",
			`{"mcpServers": {
  "a": {"command": "node", "args": ["/x.js"], "env": {"K": "v"}, "disabled": false, "autoApprove": ["t"], "timeout": 60, "cwd": "sub"},
  "b": {"type": "streamableHttp", "url": "https://b", "timeout": 3600, "alwaysAllow": []},
  "c": {"type": "streamable-http", "url": "https://c", "watchPaths": ["x"]},
  "d": {"transportType": "sse", "url": "https://d"}
 }}`,
			[]string{
				"a.type = stdio", "a.command[0] = node", "a.args[0] = /x.js", "a.env.K = v", "a.request_timeout = 1m0s", "a.cwd = sub",
				"b.type = http", "b.request_timeout = 1h0m0s", "b.max_request_timeout = 1h0m0s", "b.base_url = https://b", "c.type = http", "c.base_url = https://c",
				"d.type = sse", "d.base_url = https://d",
			},
			[]string{
				`/x/cline_mcp_settings.json:2:107: server "a": timeout: some programs count seconds here and some milliseconds: it is read as 1m0s`,
				`/x/cline_mcp_settings.json:3:55: server "b": timeout: some programs count seconds here and some milliseconds: it is read as 1h0m0s`,
				`/x/cline_mcp_settings.json:4:56: server "c": watchPaths: this key has no meaning here, and is passed over`,
			},
		},
		{
			"Gemini", "/x/settings.json",
			`{"theme": "dark", "mcp": {"allowed": ["a"]}, "mcpServers": {
  "a": {"command": "python", "args": ["s.py"], "cwd": "./dir", "timeout": 30000, "trust": true, "includeTools": ["x", "y*"], "excludeTools": ["z"], "env": {"K": "$MY_TOKEN"}},
  "b": {"httpUrl": "https://b/mcp", "url": "https://b/sse", "oauth": {"enabled": true}},
  "c": {"url": "https://c/sse", "httpUrl": "https://c/mcp", "inclueTools": []}
 }}`,
			[]string{
				"a.type = stdio", "a.command[0] = python", "a.args[0] = s.py", "a.cwd = ./dir", "a.request_timeout = 30s", "a.tools.allow[0] = x", "a.tools.allow[1] = y*",
				"a.tools.deny[0] = z", "a.env.K = $MY_TOKEN", "b.type = http", "b.base_url = https://b/mcp", "c.type = http", "c.base_url = https://c/mcp",
			},
			[]string{
				`/x/settings.json:2:64: server "a": timeout: some programs count seconds here and some milliseconds: it is read as 30s`,
				`/x/settings.json:2:157: server "a": env.K: $MY_TOKEN is not replaced here; allowed: ${MY_TOKEN}`,
				`/x/settings.json:3:37: server "b": url: two addresses are given, and httpUrl is used`,
				`/x/settings.json:3:61: server "b": oauth: how to sign in is not taken over; allowed: token, headers or auth in a file of this program's own`,
				`/x/settings.json:4:9: server "c": url: two addresses are given, and httpUrl is used`,
				`/x/settings.json:4:61: server "c": inclueTools: this key has no meaning here, and is passed over; did you mean "includeTools"?`,
			},
		},
		{
			"Gemini, at the edges", "/x/settings.json",
			`{"mcpServers": {
  "none": {"command": "x", "excludeTools": ["*"], "includeTools": []},
  "some": {"command": "x", "excludeTools": ["*", "y"], "includeTools": ["*", "y"]}
 }}`,
			[]string{
				"none.type = stdio", "none.command[0] = x", "none.tools.deny[0] = *", "none.tools.allow = a list",
				"some.type = stdio", "some.command[0] = x", "some.tools.deny[0] = *", "some.tools.deny[1] = y", "some.tools.allow[0] = *", "some.tools.allow[1] = y",
			}, nil,
		},
		{
			"Codex, at the edges", "/x/config.toml",
			"[mcp_servers.longest]\ncommand = \"x\"\nstartup_timeout_sec = 315360000\n[mcp_servers.longer]\ncommand = \"x\"\nstartup_timeout_sec = 315360001\n",
			[]string{"longest.type = stdio", "longest.command[0] = x", "longest.connect_timeout = 87600h0m0s", "longer.type = stdio", "longer.command[0] = x"},
			[]string{`/x/config.toml:6:1: server "longer": startup_timeout_sec: not a length of time, and passed over; found a number`},
		},
		{
			"Copilot CLI", "/x/mcp-config.json",
			`{"mcpServers": {"a": {"type": "local", "command": "x", "tools": ["*"]}, "b": {"type": "http", "url": "https://b", "tools": ["one"]}}}`,
			[]string{"a.type = stdio", "a.command[0] = x", "b.type = http", "b.tools.allow[0] = one", "b.base_url = https://b"}, nil,
		},
		{
			"VS Code", "/srv/app/.vscode/mcp.json",
			`{
  // asked once
  "inputs": [
    {"type": "promptString"},
    {"type": "promptString", "id": "key", "description": "API key", "password": true},
    {"type": "command", "id": "cmd", "command": "x.y"},
    {"type": "pickString", "id": "env", "options": ["dev", {"label": "Production", "value": "prod"}], "default": "dev"},
  ],
  "servers": {
    "playwright": {"command": "npx", "args": ["-y", "@playwright/mcp@latest"], "dev": {"watch": "x"}, "sandboxEnabled": true},
    "remote": {"type": "http", "url": "https://x/${input:env}", "headers": {"Authorization": "Bearer ${input:key}"}},
    "file": {"type": "stdio", "command": "python", "args": ["${workspaceFolder}/s.py"], "envFile": "${workspaceFolder}/.env", "env": {"A": "${env:A}"}},
    "relative": {"command": "./bin/s", "cwd": "sub", "envFile": ".env"},
    "named": {"command": "npx", "cwd": "${workspaceFolder}/sub"},
  },
}`,
			[]string{
				"playwright.type = stdio", "playwright.command[0] = npx", "playwright.args[0] = -y", "playwright.args[1] = @playwright/mcp@latest",
				"remote.type = http", "remote.headers.Authorization = Bearer ${input:key}", "remote.base_url = https://x/${input:env}",
				"file.type = stdio", "file.command[0] = python", "file.args[0] = /srv/app/s.py", "file.env_file = /srv/app/.env", "file.env.A = ${env:A}",
				"relative.type = stdio", "relative.command[0] = ../bin/s", "relative.cwd = ../sub", "relative.env_file = ../.env",
				"named.type = stdio", "named.command[0] = npx", "named.cwd = /srv/app/sub",
				"inputs.key.description = API key", "inputs.key.password = true", "inputs.env.default = dev", "inputs.env.options[0] = dev", "inputs.env.options[1] = prod",
			},
			[]string{
				"/srv/app/.vscode/mcp.json:4:5: inputs[0]: an input without id, which is passed over",
				"/srv/app/.vscode/mcp.json:6:5: inputs[2]: an input that a command of the editor answers, which is passed over",
				`/srv/app/.vscode/mcp.json:10:103: server "playwright": sandboxEnabled: this key has no meaning here, and is passed over`,
			},
		},
		{
			"VS Code settings", "/x/settings.json",
			`{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"a": {"command": "x"}}}}`,
			[]string{"a.type = stdio", "a.command[0] = x", "inputs = a map"}, nil,
		},
		{
			"Zed", "/x/zed.json",
			`{"theme": "x", "context_servers": {
  "a": {"source": "custom", "enabled": true, "command": "uv", "args": ["run"], "env": {}},
  "b": {"command": {"timeout": 5, "path": "npx", "args": ["-y"], "env": {"K": "v"}}},
  "c": {"url": "https://c", "headers": {"A": "b"}, "enabled": false},
  "d": {"settings": {"x": 1}}
 }}`,
			[]string{
				"a.type = stdio", "a.command[0] = uv", "a.args[0] = run", "a.env = a map", "b.type = stdio", "b.command[0] = npx", "b.args[0] = -y", "b.env.K = v", "d = a map",
			},
			[]string{
				`/x/zed.json:3:21: server "b": command.timeout: this key has no meaning here, and is passed over`,
				`/x/zed.json:4:3: server "c": the server is switched off in the file, and left out`,
				`/x/zed.json:5:9: server "d": settings: this key has no meaning here, and is passed over`,
			},
		},
		{
			"Codex", "/x/config.toml",
			"model = \"x\"\n[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"-y\"]\nenv = {A = \"b\"}\nenv_vars = [\"HOME\"]\nstartup_timeout_sec = 10\ntool_timeout_sec = 1.5\nenabled_tools = [\"t\"]\n" +
				"[mcp_servers.b]\nurl = \"https://b\"\nbearer_token_env_var = \"TOKEN\"\nhttp_headers = {X = \"y\"}\nenv_http_headers = {Z = \"ZED\"}\nscopes = [\"x\"]\n",
			[]string{
				"a.type = stdio", "a.command[0] = npx", "a.args[0] = -y", "a.env.A = b", "a.env.HOME = ${HOME}", "a.connect_timeout = 10s", "a.request_timeout = 1.5s", "a.tools.allow[0] = t",
				"b.type = http", "b.token = ${TOKEN}", "b.headers.X = y", "b.headers.Z = ${ZED}", "b.base_url = https://b",
			},
			[]string{`/x/config.toml:15:1: server "b": scopes: this key has no meaning here, and is passed over`},
		},
		{
			"OpenCode", "/x/opencode.jsonc",
			`{"mcp": {
  "a": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "{env:KEY}", "F": "a{file:./b}c", "O": "{other} {env:1}"}, "enabled": true},
  "b": {"type": "remote", "url": "https://b", "headers": {"A": "Bearer {env:KEY}"}},
 }}`,
			[]string{
				"a.type = stdio", "a.command[0] = npx", "a.command[1] = -y", "a.command[2] = x", "a.env.K = ${KEY}", "a.env.F = a${file:./b}c", "a.env.O = {other} {env:1}",
				"b.type = http", "b.headers.A = Bearer ${KEY}", "b.base_url = https://b",
			}, nil,
		},
		{
			"in YAML", "/x/librechat.yaml",
			"version: 1.2\nmcpServers:\n  a:\n    type: streamable-http\n    url: https://a\n    initTimeout: 15000\n    chatMenu: false\n  b: {command: npx -y x}\n",
			[]string{"a.type = http", "a.connect_timeout = 15s", "a.base_url = https://a", "b.type = stdio", "b.command[0] = npx -y x"},
			[]string{`/x/librechat.yaml:8:7: server "b": command: the whole text is the program, since no shell is there that would split it; allowed: the program alone, and what follows it in args`},
		},
	} {
		t.Run(test.program, func(t *testing.T) {
			c, err := ParseWith(options, test.name, []byte(test.text))
			require.NoError(t, err)
			assert.Empty(t, c.Faults())
			assert.Equal(t, test.want, written(c))
			assert.Equal(t, test.warnings, told(c.Warnings()))
			assert.NotContains(t, fmt.Sprint(c.Warnings()), canary)
		})
	}
}

// What is wrong in them is a fault in its place, as it is in our own files.
func TestFaultsInFilesOfOtherPrograms(t *testing.T) {
	type server struct {
		Type    string            `config:"type,required"`
		Command Words             `config:"command"`
		Args    []string          `config:"args"`
		BaseURL string            `config:"base_url"`
		Env     map[string]Secret `config:"env"`
		Token   Secret            `config:"token"`
		Timeout Duration          `config:"request_timeout"`
		EnvFile EnvFile           `config:"env_file"`
	}
	for text, want := range map[string][]string{
		`{"mcpServers": []}`:              {"mcp.json:1:2: servers: not a map; found a list; allowed: a map"},
		`{"mcpServers": {"a": 1}}`:        {`mcp.json:1:17: server "a": the section is not a map of keys; found a number; allowed: a map with the key type`},
		"{\"mcpServers\": {\n\"a\": {}}}": {`mcp.json:2:1: server "a": type: the key is required; allowed: string`},
		"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"args\": \"y\"}}}": {
			`mcp.json:2:1: server "a": args: a list of words is wanted, since no shell is used that would split a string; found a string; allowed: a list, such as [first, second]`,
		},
		"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\n\"A\": \"${GONE}\", \"B\": [\"" + canary + "\"]}}}}": {
			`mcp.json:2:1: server "a": env.A: the environment variable is not set and has no default; found ${GONE}`,
			`mcp.json:2:17: server "a": env.B: the value has the wrong type; found a list; allowed: a string`,
		},
		"{\"servers\": {\"a\": {\"command\": [\"x\", 1],\n\"url\": {}, \"env\": \"" + canary + "\", \"envFile\": \"missing\"}}}": {
			`mcp.json:2:1: server "a": base_url: the value has the wrong type; found a map; allowed: a string`,
			`mcp.json:2:12: server "a": env: the value has the wrong type; found a string; allowed: a map`,
			`mcp.json:2:37: server "a": env_file: MISSING: the file cannot be read: no such file or directory; allowed: a file of lines NAME=value`,
		},
		"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"timeout\": \"x\"}, \"b\": {\"command\": \"x\", \"timeout\": 0}}}": nil,
	} {
		c, err := ParseWith(Options{LookupEnv: func(string) (string, bool) { return "", false }}, "mcp.json", []byte(text))
		require.NoError(t, err, text)
		faults := told(c.Faults())
		for _, name := range c.Names() {
			s, _ := c.Server(name)
			faults = append(faults, told(s.Decode(&server{}))...)
		}
		for i := range faults {
			faults[i] = strings.ReplaceAll(faults[i], folderOf("mcp.json")+"/missing", "MISSING")
			assert.NotContains(t, faults[i], canary)
		}
		assert.Equal(t, want, faults, text)
	}
	c := parse(t, "mcp.json", `{"mcpServers": {"a": {"command": "x", "timeout": "`+canary+`", "tools": 1}}, "defaults": {}}`)
	assert.Equal(t, []string{
		`mcp.json:1:39: server "a": timeout: not a length of time, and passed over; found a string`,
		`mcp.json:1:68: server "a": tools: this key has no meaning here, and is passed over`,
		`mcp.json:1:82: defaults: this key has no meaning beside mcpServers, which belongs to another program; put it into a file of its own, loaded as well`,
	}, told(c.Warnings()))
}

// A JSON file of our own is not taken for VS Code's, which has the same key.
func TestOurOwnFilesAreOurOwn(t *testing.T) {
	for text, own := range map[string]bool{
		`{"servers": {"a": {"type": "stdio", "command": "x"}}}`:                                     true,
		`{"servers": {"a": {"type": "http", "url": "https://a", "base_ulr": 1}}}`:                   true,
		`{"servers": {"a": {"base_url": "https://a"}}}`:                                             true,
		`{"servers": {"a": {"command": "x"}}, "defaults": {"type": "stdio"}}`:                       true,
		`{"servers": {"a": {"command": "x"}}, "strict": true}`:                                      true,
		`{"servers": {"a": {"command": "x"}}, "inputs": {"i": {}}}`:                                 true,
		`{"servers": {"a": {"command": "x"}}}`:                                                      false,
		`{"servers": {"a": {"url": "https://a"}}}`:                                                  false,
		`{"servers": {"a": {"type": "stdio", "command": "x", "envFile": "e"}}}`:                     false,
		`{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}`:                       false,
		`{"servers": {"a": {"type": "stdio", "command": "x", "typo": 1}}, "$schema": "https://x/"}`: true,
	} {
		c := parse(t, "mcp.json", text)
		require.Empty(t, c.Faults(), text)
		s, _ := c.Server("a")
		_, found := c.servers.fields["a"].fields["type"]
		isForeign := s.full.fields["command"] != nil && s.full.fields["command"].kind == kindList || found && s.full.fields["base_url"] != nil && !strings.Contains(text, "base_url")
		assert.Equal(t, own, !isForeign, text)
	}
	assert.Equal(t, []string{"a"}, parse(t, "mcp.yaml", "servers: {a: {command: x}}").Names())
	c := parse(t, "mcp.yaml", "servers: {a: {command: x}}")
	assert.Equal(t, kindText, c.servers.fields["a"].fields["command"].kind, "only JSON is VS Code's")
}

// Their servers can be given keys of ours in a file that is laid over theirs.
func TestAFileOfOurOwnOverAnotherPrograms(t *testing.T) {
	files := map[string]string{
		"theirs.json": `{"mcpServers": {"a": {"command": "npx", "args": ["x"], "env": {"A": "1"}}}}`,
		"ours.yaml":   "defaults: {request_timeout: 5s}\nservers: {a: {env: {B: '2'}, instances: 2}, b: {type: http, url: 'https://b'}}",
	}
	c, err := LoadWith(Options{ReadFile: func(path string) ([]byte, error) { return []byte(files[path]), nil }}, "theirs.json", "ours.yaml")
	require.NoError(t, err)
	require.Empty(t, c.Faults())
	assert.Equal(t, []string{
		"a.type = stdio", "a.command[0] = npx", "a.args[0] = x", "a.env.A = 1", "a.env.B = 2", "a.instances = 2", "b.type = http", "b.url = https://b",
	}, written(c))
	s, _ := c.Server("a")
	assert.Equal(t, "theirs.json", s.Fault("env.A", "").File)
	assert.Equal(t, "ours.yaml", s.Fault("env.B", "").File)
}
