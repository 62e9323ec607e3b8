package config

import (
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/redact"
)

// Format is a way to write a configuration.
type Format string

// The formats.
const (
	YAML Format = "yaml"
	TOML Format = "toml"
	JSON Format = "json"
)

// Convert writes a configuration in this program's own keys, whatever it was read
// from: loading what it returns gives the same servers. References stay
// references, and nothing is resolved. Comments are lost, and so are, in TOML, keys
// that are null, where nothing is beneath them. Paths keep their text: the file
// belongs into the folder of the one that it was made of. It fails for a format
// that is not known, for a Go value that only its own type can take, and for what
// the format cannot say.
func Convert(c *Config, to Format) ([]byte, error) {
	switch to {
	case YAML:
		return writeYAML(c.root)
	case TOML:
		return writeTOML(c.root, c.defaults)
	case JSON:
		return writeJSON(c.root)
	}
	return nil, failureAllowing(Origin{}, "the format "+printable(string(to))+" is not known", "yaml, toml, json")
}

// cannotWrite is the error for a value that a format cannot say.
func cannotWrite(n *node, path, reason string) error {
	fault := faultAt(n.origin, "the value cannot be written: "+reason)
	fault.Key = shownKey(path)
	return &errors.ServerConfigurationError{Faults: []errors.Fault{fault}}
}

func goValue(n *node) string { return fmt.Sprintf("it is a Go value of type %T", n.value) }

// LiteralSecrets returns a warning for each value that is likely to be a secret and
// stands in the file itself, in the order of the file. It never shows the value.
func (c *Config) LiteralSecrets() []errors.Fault {
	search := &secretSearch{}
	for _, name := range c.servers.keys {
		search.server = name
		search.look(c.servers.fields[name], "", "", false)
	}
	search.server = ""
	search.look(c.defaults, keyDefaults, "", false)
	sortFaults(search.found)
	return search.found
}

type secretSearch struct {
	server string
	found  []errors.Fault
}

// look walks n, which has the key; named reports that the keys of n are names that
// the user chose: of variables or headers.
func (s *secretSearch) look(n *node, path, key string, named bool) {
	switch n.kind {
	case kindMap:
		for _, inner := range n.keys {
			s.look(n.fields[inner], joinKey(path, inner), inner, key == "env" || key == "headers")
		}
	case kindList:
		for i, item := range n.items {
			s.look(item, fmt.Sprintf("%s[%d]", path, i), "", false)
		}
	case kindText:
		if n.text == "" || strings.Contains(n.text, "${") || !isLiteralSecret(key, n.text, named) {
			return
		}
		fault := faultAt(n.origin, "a secret seems to stand in the file itself")
		fault.Server, fault.Key, fault.Allowed = s.server, shownKey(path), "a reference such as "+suggestedReference(key, named)
		s.found = append(s.found, fault)
	}
}

func isLiteralSecret(key, text string, named bool) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" =:,;\"'&?/", r) }) {
		if redact.IsKnownToken(word) {
			return true
		}
	}
	if named {
		return redact.NameSuggestsSecret(key)
	}
	switch key {
	case "token", "client_secret", "private_key", "assertion", "id_token", "key", "password", "secret", "api_key":
		return true
	}
	return withoutUserinfo(text) != text
}

// suggestedReference is the variable that a secret could be taken from.
func suggestedReference(key string, named bool) string {
	if named && isVariableName(key) && key == strings.ToUpper(key) {
		return "${" + key + "}"
	}
	return "${TOKEN} or ${file:path}"
}
