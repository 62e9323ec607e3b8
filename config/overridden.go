package config

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"reflect"
	"strings"
)

// overriddenSyntax is what a list in an environment variable may be.
const overriddenSyntax = `a JSON list such as ["first", "second"], or words separated by commas`

// isOverride reports whether n is the text of an environment variable that
// overrides a key.
func (n *node) isOverride() bool { return n.kind == kindText && n.origin.Variable != "" }

// overriddenList reads a list from an environment variable: JSON if it begins with
// a bracket, else words separated by commas, without blanks at their ends. A command
// line is not split at commas, which may be part of a program's name.
func (d *decoder) overriddenList(path string, n *node, zeroAllowed bool, dst reflect.Value) bool {
	text, ok := d.expand(path, n)
	if !ok {
		return false
	}
	text = strings.TrimSpace(text)
	list := &node{kind: kindList, origin: n.origin}
	switch {
	case strings.HasPrefix(text, "["):
		if list, ok = overriddenJSON(text, kindList, n.origin); !ok {
			return d.overriddenFault(path, n, overriddenSyntax)
		}
	case dst.Type() == reflect.TypeFor[Words]() && strings.ContainsAny(text, " \t"):
		return d.overriddenFault(path, n, `the program alone, or a JSON list such as ["npx", "-y", "server"]`)
	case dst.Type() == reflect.TypeFor[Words]():
		list.items = []*node{literalText(text, n.origin)}
	case text != "":
		for word := range strings.SplitSeq(text, ",") {
			list.items = append(list.items, literalText(strings.TrimSpace(word), n.origin))
		}
	}
	return d.list(path, list, zeroAllowed, dst)
}

// overriddenMap reads a map from an environment variable, which is JSON.
func (d *decoder) overriddenMap(path string, n *node, zeroAllowed bool, dst reflect.Value) bool {
	text, ok := d.expand(path, n)
	if !ok {
		return false
	}
	tree, ok := overriddenJSON(text, kindMap, n.origin)
	if !ok {
		return d.overriddenFault(path, n, `a JSON object such as {"NAME": "value"}, or a variable `+n.origin.Variable+"__NAME")
	}
	return d.mapping(path, tree, zeroAllowed, dst)
}

func (d *decoder) overriddenFault(path string, n *node, allowed string) bool {
	fault := d.report(n, path, "the value has the wrong form")
	fault.Found, fault.Allowed = n.show(), allowed
	return false
}

// literalText is a text in which ${ has no meaning.
func literalText(text string, origin Origin) *node {
	return newText(strings.ReplaceAll(text, "${", "$${"), origin)
}

// overriddenJSON reads JSON of one kind. No node shows what stands there.
func overriddenJSON(text string, wanted kind, origin Origin) (*node, bool) {
	decoder := stdjson.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, false
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, false
	}
	tree, err := newNode(value, nil, origin)
	if err != nil || tree.kind != wanted {
		return nil, false
	}
	return tree.literal(), true
}

// literal returns n with ${ having no meaning in its texts.
func (n *node) literal() *node {
	switch n.kind {
	case kindText:
		return literalText(n.text, n.origin)
	case kindList:
		list := &node{kind: kindList, origin: n.origin}
		for _, item := range n.items {
			list.items = append(list.items, item.literal())
		}
		return list
	case kindMap:
		result := newMap(n.origin)
		for _, key := range n.keys {
			result.set(key, n.fields[key].literal())
		}
		return result
	}
	return n
}
