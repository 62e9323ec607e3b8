package config

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

const toConvert = `strict: true
store: memory
x-common: &c {cwd: /}
inputs: {key: {password: true}}
defaults: {request_timeout: 5s, headers: {A: b}}
servers:
  zebra:
    type: http
    base_url: https://example.com/${PATH_OF}?a=1#x
    token: ${TOKEN:-x y}
    headers: {X-Number: 1.10, X-Date: 2025-11-25, "X: odd": 'on', Y: "yes", "": empty, "ключ": "знач 😀"}
    max: 0x10
    octal: 010
    big: 123456789012345678901234567890
    float: 1e3
    inf: .inf
    nan: .nan
    negative: -5
    none: ~
    flag: True
    list: [a, 1, [b, {c: d}], {}, [], "", " x ", "#", "- a", "a: b", "\t\r\n\0\u007f", "line\nline\n", "\nx", "null", "~", "1", "1.5", "0x1", "true", "=", "<<", "$${A}"]
    empty: {}
    nested: {deep: {deeper: {a: 1}, b: 2}, c: 3}
  github.com:
    <<: *c
    type: stdio
    command: [npx, -y, "@x/y"]
`

func TestConvertAndLoadAgain(t *testing.T) {
	sources := map[string]string{"a.yaml": toConvert}
	for name, text := range formats() {
		sources[name] = text
	}
	sources["cursor.json"] = `{"mcpServers": {"a": {"command": "x", "args": ["-y"], "env": {"A": "${A}"}, "envFile": "e", "timeout": 60}}}`
	sources["vscode.json"] = `{"inputs": [{"id": "a", "password": true, "options": ["x"]}], "servers": {"a": {"url": "https://x/${input:a}", "headers": {"B": "${env:B}"}}}}`
	for name, text := range sources {
		original := parse(t, name, text)
		for _, to := range []Format{YAML, TOML, JSON} {
			t.Run(name+" to "+string(to), func(t *testing.T) {
				converted, err := Convert(original, to)
				require.NoError(t, err)
				again, err := ParseWith(Options{LookupEnv: func(string) (string, bool) { return "", false }}, "again."+string(to), converted)
				require.NoError(t, err, "%s", converted)
				require.Empty(t, again.Faults())
				require.Empty(t, again.Warnings(), "it is a file of our own")
				assert.Equal(t, original.Strict(), again.Strict())
				assert.Equal(t, original.Names(), again.Names(), "in their order")
				assert.ElementsMatch(t, comparable(original), comparable(again), "%s", converted)
				for _, server := range original.Names() {
					before, _ := original.Server(server)
					after, _ := again.Server(server)
					if to == YAML || !strings.Contains(text, "0x10") {
						assert.Equal(t, before.Fingerprint(), after.Fingerprint(), server)
					}
				}
				twice, err := Convert(again, to)
				require.NoError(t, err)
				assert.Equal(t, string(converted), string(twice), "converting again changes nothing")
			})
		}
	}
}

// comparable is what a configuration holds, but for spellings of numbers that a
// format does not have, and nulls.
func comparable(c *Config) []string {
	var lines []string
	for _, line := range written(c) {
		line = strings.NewReplacer("max = 0x10", "max = 16", "flag = True", "flag = true").Replace(line)
		line = regexp.MustCompile(`(inf|nan) = .*$`).ReplaceAllString(line, "$1")
		if !strings.HasSuffix(line, " = null") {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestConvertedText(t *testing.T) {
	c := parse(t, "mcp.json", `{"mcpServers": {"github": {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "${TOKEN}"}}, "web": {"url": "https://x"}}}`)
	for format, want := range map[Format]string{
		YAML: "servers:\n  github:\n    type: stdio\n    command:\n      - npx\n    args:\n      - -y\n      - server\n    env:\n      TOKEN: ${TOKEN}\n  web:\n    type: http\n    base_url: https://x\n",
		TOML: "[servers.github]\ntype = \"stdio\"\ncommand = [\"npx\"]\nargs = [\"-y\", \"server\"]\n\n[servers.github.env]\nTOKEN = \"${TOKEN}\"\n\n[servers.web]\ntype = \"http\"\nbase_url = \"https://x\"\n",
		JSON: "{\n  \"servers\": {\n    \"github\": {\n      \"type\": \"stdio\",\n      \"command\": [\n        \"npx\"\n      ],\n      \"args\": [\n        \"-y\",\n        \"server\"\n      ],\n" +
			"      \"env\": {\n        \"TOKEN\": \"${TOKEN}\"\n      }\n    },\n    \"web\": {\n      \"type\": \"http\",\n      \"base_url\": \"https://x\"\n    }\n  }\n}\n",
	} {
		text, err := Convert(c, format)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}

func TestWhatCannotBeConverted(t *testing.T) {
	c := parse(t, "a.yaml", "defaults: {headers: {A: b}}\nservers: {s: {headers: {A: ~}, list: [~]}}")
	_, err := Convert(c, "xml")
	require.EqualError(t, err, "the format xml is not known; allowed: yaml, toml, json")
	_, err = Convert(c, TOML)
	require.ErrorContains(t, err, "a.yaml:2:")
	_, err = Convert(parse(t, "a.yaml", "defaults: {a: {b: c}}\nservers: {s: {a: {b: ~}}}"), TOML)
	require.EqualError(t, err, "a.yaml:2:19: servers.s.a.b: the value cannot be written: TOML has no null, which removes a default here")
	_, err = Convert(parse(t, "a.yaml", "servers: {s: {a: {b: ~}}}"), TOML)
	require.NoError(t, err)

	values, err := FromServers(map[string]any{"s": map[string]any{"token": LiteralSecret(canary)}})
	require.NoError(t, err)
	for _, format := range []Format{YAML, TOML, JSON} {
		_, err = Convert(values, format)
		require.EqualError(t, err, "servers.s.token: the value cannot be written: it is a Go value of type config.Secret")
	}
}

func TestLiteralSecretsArePointedOut(t *testing.T) {
	c := parse(t, "a.yaml", `defaults:
  token: `+canary+`
servers:
  a:
    token: ${TOKEN}
    headers: {Authorization: Bearer `+canary+`, X-Team: platform, X-Api-Key: '${KEY}'}
    env: {API_KEY: `+canary+`, MODE: dev, EMPTY_TOKEN: '', OTHER: ghp_0123456789abcdef0123}
    args: [--name=x, --token=ghp_0123456789abcdef0123, "Bearer ${X}"]
    proxy: http://user:`+canary+`@proxy
    tls: {key_file: /etc/key.pem}
    auth: {client_secret: `+canary+`, client_id: abc, store: {path: /x, key: `+canary+`}}
`)
	assert.Equal(t, []string{
		"a.yaml:2:3: defaults.token: a secret seems to stand in the file itself; allowed: a reference such as ${TOKEN} or ${file:path}",
		`a.yaml:6:15: server "a": headers.Authorization: a secret seems to stand in the file itself; allowed: a reference such as ${TOKEN} or ${file:path}`,
		`a.yaml:7:11: server "a": env.API_KEY: a secret seems to stand in the file itself; allowed: a reference such as ${API_KEY}`,
		`a.yaml:7:64: server "a": env.OTHER: a secret seems to stand in the file itself; allowed: a reference such as ${OTHER}`,
		`a.yaml:8:22: server "a": args[1]: a secret seems to stand in the file itself; allowed: a reference such as ${TOKEN} or ${file:path}`,
		`a.yaml:9:5: server "a": proxy: a secret seems to stand in the file itself; allowed: a reference such as ${TOKEN} or ${file:path}`,
		`a.yaml:11:12: server "a": auth.client_secret: a secret seems to stand in the file itself; allowed: a reference such as ${TOKEN} or ${file:path}`,
		`a.yaml:11:77: server "a": auth.store.key: a secret seems to stand in the file itself; allowed: a reference such as ${TOKEN} or ${file:path}`,
	}, told(c.LiteralSecrets()))
	assert.NotContains(t, fmt.Sprint(c.LiteralSecrets()), canary)
	assert.Empty(t, parse(t, "a.yaml", toConvert).LiteralSecrets())
}

// FuzzConvert holds that what is converted loads again, into servers that are the
// same.
func FuzzConvert(f *testing.F) {
	f.Add(0, toConvert)
	for format, name := range []string{"mcp.yaml", "mcp.toml", "mcp.json"} {
		f.Add(format, formats()[name])
	}
	f.Add(2, `{"mcpServers": {"a": {"command": "x", "timeout": 1.5, "tools": ["x"]}}}`)
	f.Add(0, "servers: {a: {b: \"\\x85\\u2028\", c: ' \n x'}}")
	f.Add(0, "servers: {a: {b: [1_0, 0b1, 1:30, 1.e5, -0, +1]}}")
	f.Add(1, "[servers.a]\nb = [inf, -nan, 1_000.5, 0xff]\nc = 1979-05-27T07:32:00Z")
	f.Fuzz(func(t *testing.T, format int, text string) {
		options := Options{LookupEnv: func(string) (string, bool) { return "", false }}
		name := []string{"a.yaml", "a.toml", "a.json", ".mcp"}[uint(format)%4]
		original, err := ParseWith(options, name, []byte(text))
		if err != nil {
			return
		}
		for _, to := range []Format{YAML, TOML, JSON} {
			converted, err := Convert(original, to)
			if err != nil {
				if _, ok := errors.AsType[*errors.ServerConfigurationError](err); !ok {
					t.Fatalf("%v (%T)", err, err)
				}
				continue
			}
			again, err := ParseWith(options, "again."+string(to), converted)
			if err != nil {
				t.Fatalf("%s of %q does not load: %v\n%s", to, text, err, converted)
			}
			if to == YAML && name == "a.yaml" { // others spell numbers that YAML cannot
				sameServers(t, original, again, converted)
			}
		}
	})
}

func sameServers(t *testing.T, original, again *Config, converted []byte) {
	t.Helper()
	if fmt.Sprintf("%q", original.Names()) != fmt.Sprintf("%q", again.Names()) {
		t.Fatalf("%q became %q: %s", original.Names(), again.Names(), converted)
	}
	for _, name := range original.Names() {
		before, _ := original.Server(name)
		after, _ := again.Server(name)
		if before.Fingerprint() != after.Fingerprint() {
			t.Fatalf("server %q differs:\n%q\n%q\n%s", name, written(original), written(again), converted)
		}
	}
}
