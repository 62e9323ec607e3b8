package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/process"
)

// Effective returns the value of every key that one of known has, structs with
// config tags, under the key's own name, whatever alias was written, in the order of
// their fields: what was written, or the default; a key with neither, and a group
// that is absent altogether, is left out. Keys that no struct has come last, as ***:
// each may be a token under a misspelled name. Those
// from defaults are left out, for another type may have them.
//
// Values are shown as Explain does. What a reference stands for is shown where the
// key is a duration, a number, a boolean or one of a few words, and so cannot be a
// secret; otherwise the reference is. A path that needs no reference is shown as
// what it means. Nobody is asked for input.
func (s *Section) Effective(known ...any) []Entry {
	e := &effective{section: s}
	var shapes []*shape
	for _, value := range known {
		if shape, err := shapeOfValue(value); err == nil {
			shapes = append(shapes, shape)
		}
	}
	if s.full.kind != kindMap {
		return []Entry{{Value: s.full.describe(), Origin: s.full.origin}}
	}
	e.level(s.full, "", shapes)
	e.unknown(s.full, "", shapes)
	return e.entries
}

// effective collects the entries of a section.
type effective struct {
	section *Section
	entries []Entry
}

// level lists the keys that shapes have, of the group n.
func (e *effective) level(n *node, path string, shapes []*shape) {
	seen := map[string]bool{}
	for _, s := range shapes {
		for i := range s.fields {
			f := &s.fields[i]
			if seen[f.name] {
				continue
			}
			seen[f.name] = true
			value, _ := (&decoder{section: e.section}).pick("", n, f)
			e.field(n, value, joinKey(path, f.name), f, shapes)
		}
	}
}

func (e *effective) field(around, value *node, path string, f *field, level []*shape) {
	switch {
	case f.nested != nil:
		_, nested := lookUp(level, f.name)
		switch {
		case value == nil && f.optional:
		case value == nil:
			e.level(newMap(around.origin), path, nested)
		case value.kind == kindMap:
			e.level(value, path, nested)
		default:
			e.add(path, value.describe(), value.origin)
		}
	case value == nil:
		if f.hasDef {
			e.entries = append(e.entries, Entry{Key: path, Value: f.fallback, Default: true})
		}
	case value.kind == kindMap && len(value.keys) > 0:
		for _, key := range value.keys {
			entry := value.fields[key]
			e.add(joinKey(path, key), e.show(entry, f, holdsSecret(f.typ)), entry.origin)
		}
	default:
		e.add(path, e.show(value, f, holdsSecret(f.typ)), value.origin)
	}
}

func (e *effective) add(key, value string, origin Origin) {
	e.entries = append(e.entries, Entry{Key: shownKey(key), Value: value, Origin: origin})
}

// show is a value as it may be shown.
func (e *effective) show(n *node, f *field, secret bool) string {
	switch n.kind {
	case kindList:
		return e.list(n, secret)
	case kindMap:
		if len(n.keys) > 0 {
			return "{...}"
		}
	case kindOpaque:
		return printable(n.text)
	}
	if secret || n.kind != kindText {
		return n.explainValue(secret)
	}
	if strings.Contains(n.text, "${") {
		if plain, ok := e.resolved(n, f); ok {
			return plain
		}
		return n.explainValue(false)
	}
	if f.path || f.typ == reflect.TypeFor[EnvFile]() {
		if path, wrong := e.section.scopeOf(n).path(n.text); wrong == nil {
			return printable(path)
		}
	}
	return n.explainValue(false)
}

// list shows the items of a list, which may be a command line with secrets in it.
func (e *effective) list(n *node, secret bool) string {
	words := []string{""}
	for _, item := range n.items {
		text := item.explainValue(secret)
		if item.kind == kindMap || item.kind == kindList {
			text = item.describe()
		}
		words = append(words, text)
	}
	shown := process.RedactArgs(words)[1:]
	for i, word := range shown {
		if isOneReference(words[i+1]) {
			word = words[i+1]
		}
		if word == "" || strings.ContainsAny(word, ", []\"'") {
			word = strconv.Quote(word)
		}
		shown[i] = word
	}
	return shortened("[" + strings.Join(shown, ", ") + "]")
}

// resolved is what a text with references stands for, where that cannot be a
// secret.
func (e *effective) resolved(n *node, f *field) (string, bool) {
	if len(f.values) == 0 && !cannotBeSecret(f.typ) {
		return "", false
	}
	c := e.section.scopeOf(n)
	text, problems := c.expandEach(n.text, c.recall, func(string, string) {})
	if len(problems) > 0 {
		return "", false
	}
	trial := &decoder{section: &Section{}}
	decoded := reflect.New(f.typ).Elem()
	if !trial.value("", literalText(text, Origin{}), f.zero, decoded) {
		return "", false // what is not of its type may be anything
	}
	if len(f.values) > 0 && !slices.Contains(f.values, text) {
		return "", false
	}
	return fmt.Sprint(reflect.Indirect(decoded).Interface()), true
}

// cannotBeSecret reports whether a value of type t is a duration, a number or a
// boolean.
func cannotBeSecret(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Duration]():
		return true
	case isScalarType(t):
		return false
	}
	return t.Kind() != reflect.String && t.Kind() < reflect.Complex64 && t.Kind() != reflect.Invalid
}

// unknown lists the keys of n that no shape has.
func (e *effective) unknown(n *node, path string, shapes []*shape) {
	for _, key := range n.keys {
		value, full := n.fields[key], joinKey(path, key)
		known, nested := lookUp(shapes, key)
		switch {
		case known && nested != nil && value.kind == kindMap:
			e.unknown(value, full, nested)
		case !known && !value.origin.Defaults: // those may be for another type
			e.add(full, maskedSecret, value.origin)
		}
	}
}

// Explain returns the values of the keys beside servers and defaults, as Effective
// does those of a section.
func (c *Config) Explain() []Entry {
	top := newMap(c.root.origin)
	for _, key := range []string{keyStrict, keyInputs} {
		if value := c.root.fields[key]; value != nil {
			top.set(key, value)
		}
	}
	if c.store != nil {
		top.set(keyStore, c.store)
	}
	section := &Section{root: top, full: top, source: c.source}
	entries := section.Effective(struct {
		Strict bool `config:"strict" default:"false"`
		Store  struct {
			Type string `config:"type" default:"memory"`
		} `config:"store"`
		Inputs map[string]any `config:"inputs"`
	}{})
	return entries
}
