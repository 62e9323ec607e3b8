package config

import (
	"fmt"
	"strings"

	tomldecoder "github.com/pelletier/go-toml/v2"
)

// The library's encoder sorts keys, and with them the servers, so the lines are
// written here.

func writeTOML(root, defaults *node) ([]byte, error) {
	w := &tomlWriter{defaults: defaults}
	if err := w.table(root, nil); err != nil {
		return nil, err
	}
	return []byte(strings.TrimPrefix(w.text.String(), "\n")), nil
}

type tomlWriter struct {
	defaults *node
	text     strings.Builder
}

// table writes the values of a table, and then the tables within it.
func (w *tomlWriter) table(n *node, path []string) error {
	var inner []string
	for _, key := range n.keys {
		value := n.fields[key]
		switch {
		case value.kind == kindMap:
			inner = append(inner, key)
		case value.kind == kindNull:
			if w.hides(append(path, key)) {
				return cannotWrite(value, strings.Join(append(path, key), "."), "TOML has no null, which removes a default here")
			}
		default:
			text, err := tomlValue(value, strings.Join(append(path, key), "."))
			if err != nil {
				return err
			}
			fmt.Fprintf(&w.text, "%s = %s\n", tomlKey(key), text)
		}
	}
	for _, key := range inner {
		table := n.fields[key]
		full := append(path[:len(path):len(path)], key)
		if needsHeader(table) {
			names := make([]string, len(full))
			for i, name := range full {
				names[i] = tomlKey(name)
			}
			fmt.Fprintf(&w.text, "\n[%s]\n", strings.Join(names, "."))
		}
		if err := w.table(table, full); err != nil {
			return err
		}
	}
	return nil
}

// needsHeader reports whether a table has values of its own: a header of one within
// it implies the table.
func needsHeader(n *node) bool {
	for _, key := range n.keys {
		if n.fields[key].kind == kindMap {
			return hasValues(n)
		}
	}
	return true
}

func hasValues(n *node) bool {
	for _, key := range n.keys {
		if kind := n.fields[key].kind; kind != kindMap && kind != kindNull {
			return true
		}
	}
	return false
}

// hides reports whether a null at the path of a server's key has a default beneath
// it.
func (w *tomlWriter) hides(path []string) bool {
	if len(path) < 3 || path[0] != keyServers {
		return false
	}
	at := w.defaults
	for _, key := range path[2:] {
		if at = fieldOf(at, key); at == nil {
			return false
		}
	}
	return true
}

// tomlValue is a value in one line.
func tomlValue(n *node, path string) (string, error) {
	switch n.kind {
	case kindText:
		return tomlText(n.text), nil
	case kindBool:
		return fmt.Sprint(n.value), nil
	case kindNumber:
		return tomlNumber(n), nil
	case kindList:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			text, err := tomlValue(item, fmt.Sprintf("%s[%d]", path, i))
			if err != nil {
				return "", err
			}
			items[i] = text
		}
		return "[" + strings.Join(items, ", ") + "]", nil
	case kindMap:
		var fields []string
		for _, key := range n.keys {
			if n.fields[key].kind == kindNull {
				continue
			}
			text, err := tomlValue(n.fields[key], joinKey(path, key))
			if err != nil {
				return "", err
			}
			fields = append(fields, tomlKey(key)+" = "+text)
		}
		return "{" + strings.Join(fields, ", ") + "}", nil
	case kindNull:
		return "", cannotWrite(n, path, "TOML has no null")
	default:
		return "", cannotWrite(n, path, goValue(n))
	}
}

func tomlKey(key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return key
	}
	return tomlText(key)
}

// tomlText is a basic string: JSON's, but for one character that TOML wants
// escaped.
func tomlText(text string) string { return strings.ReplaceAll(jsonText(text), "\x7f", `\u007f`) }

// tomlNumber is the number as written, if TOML reads it as a number, else another
// spelling of it, else a string, which passes for a number.
func tomlNumber(n *node) string {
	for _, text := range []string{n.text, formatNumber(n.value), strings.ToLower(formatNumber(n.value))} {
		if hasLeadingZero(n.text) {
			break
		}
		var read struct{ V any }
		if err := tomldecoder.Unmarshal([]byte("V = "+text), &read); err != nil {
			continue
		}
		switch read.V.(type) {
		case int64, float64:
			return text
		}
	}
	return tomlText(n.text)
}
