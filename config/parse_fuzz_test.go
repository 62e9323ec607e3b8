package config

import (
	"testing"

	"github.com/mcp-client-go/mcpclient/errors"
)

// FuzzParse holds, for every format, that reading, checking and explaining never
// panic, that a file error is a configuration error that names the file, and that
// the values of a file and the places beside them have the same shape.
func FuzzParse(f *testing.F) {
	names := []string{"a.yaml", "a.toml", "a.json", "a.mcp"}
	for format, name := range []string{"mcp.yaml", "mcp.toml", "mcp.json"} {
		f.Add(format, formats()[name])
	}
	for _, seed := range []string{
		"a: &a {b: c}\nservers: {x: {<<: *a}}", "servers: {a: {type: !!binary aGk=}}", "? a\n: b", "servers: {a: !!set {b}}", "--- |\n a", "&a : *a",
		"servers: {a: {type: 1:30, b: 0o7, c: 1_0, d: .inf, e: 2001-01-01 10:00:00}}", "{1: a, 1.5: b, true: c}", "a: !x y", "<<: {a: b}",
	} {
		f.Add(0, seed)
	}
	for _, seed := range []string{
		"[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 1", "a.b.c = 1\na.b.d = {e = [1, {f = 2}]}", "a = 1979-05-27T07:32:00Z\nb = 07:32:00\nc = nan", "[a]\n[a.b]\n[a]",
		"a = \"\"\"\nx\"\"\"\n'b c' = '''y'''", "a = [[1], [true]]", "a = -0\nb = 1_0", "[a]\nb.c = 1\n[a.b]",
	} {
		f.Add(1, seed)
	}
	for _, seed := range []string{`{"servers": {"a": {"b": [1, {"c": null}]}}}`, `{"a": "\u0000", "\u0000": 1e400}`, ` {"a":1} x`, `{"a":-0.0}`} {
		f.Add(2, seed)
	}
	for _, seed := range []string{
		`{"mcpServers": {"a": {"command": "x", "args": ["y"], "env": {"A": "$B"}, "timeout": 1e9, "url": "x", "httpUrl": "y", "disabled": null}}}`,
		`{"inputs": [{"id": "a", "options": [{"value": 1}]}, 1], "servers": {"a": {"command": {"path": "x", "args": 1}, "headers": [1]}, "b": null}}`,
		`{"context_servers": {"a": {"command": {"path": "x"}, "enabled": false}, "b": [1]}}`, `{"mcp": {"a": {"type": "local", "command": ["{env:A}{file:b}{"]}}}`,
		`{"mcp": {"servers": {"a": {"tools": ["*"], "includeTools": ["a"], "excludeTools": "b"}}}} // x`, `{"mcpServers": [], "servers": null, "defaults": 1,}`,
		"[mcp_servers.a]\nenv_vars = [1]\nenv_http_headers = {a = 1}\nbearer_token_env_var = [2]\nstartup_timeout_sec = nan", "mcpServers: {a: {<<: {command: b}}}",
	} {
		f.Add(3, seed)
	}
	f.Fuzz(func(t *testing.T, format int, text string) {
		name := names[uint(format)%4]
		c, err := Parse(name, []byte(text))
		if err != nil {
			configuration, ok := errors.AsType[*errors.ServerConfigurationError](err)
			if !ok || c != nil || configuration.Faults[0].File != name {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		values, places, err := parseFile(name, 0, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sameShape(t, "", values, places)
		for _, warning := range append(c.Warnings(), c.LiteralSecrets()...) {
			if warning.Message == "" || warning.File != name || warning.Line == 0 {
				t.Fatalf("a warning without its place: %+v", warning)
			}
		}
		_ = c.Faults()
		for _, server := range c.Names() {
			s, ok := c.Server(server)
			if !ok {
				t.Fatalf("%q has no section", server)
			}
			var got everything
			for _, fault := range s.Decode(&got) {
				if fault.Message == "" || fault.File != name || fault.Line == 0 {
					t.Fatalf("a fault without its place: %+v", fault)
				}
			}
			s.Explain()
			s.Effective(everything{})
			if first := s.Fingerprint(); s.Fingerprint() != first {
				t.Fatal("the fingerprint is not stable")
			}
		}
	})
}

func sameShape(t *testing.T, path string, value any, at *place) {
	t.Helper()
	if at == nil {
		t.Fatalf("%s has no place", path)
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) != len(at.keys) || len(v) != len(at.fields) {
			t.Fatalf("%s has %d keys and %d places", path, len(v), len(at.keys))
		}
		for key, field := range v {
			sameShape(t, path+"."+key, field, at.fields[key])
		}
	case []any:
		if len(v) != len(at.items) {
			t.Fatalf("%s has %d items and %d places", path, len(v), len(at.items))
		}
		for i, item := range v {
			sameShape(t, path+"[]", item, at.items[i])
		}
	}
}
