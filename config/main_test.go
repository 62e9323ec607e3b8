package config

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parse is Parse for tests that are about something else than failing.
func parse(t *testing.T, name, text string) *Config {
	t.Helper()
	c, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

// section returns the section of server s in a YAML file with only the keys given.
func section(t *testing.T, keys string) *Section {
	t.Helper()
	c := parse(t, "mcp.yaml", "servers:\n  s:\n"+indent(keys))
	s, ok := c.Server("s")
	if !ok {
		t.Fatal("no server s")
	}
	return s
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}
