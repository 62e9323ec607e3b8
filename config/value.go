package config

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/redact"
)

// value decodes n into dst, a settable value of any type that checkType allows.
// It reports what is wrong and returns false, in which case dst is not to be used.
func (d *decoder) value(path string, n *node, zeroAllowed bool, dst reflect.Value) bool {
	if n.kind == kindOpaque && reflect.TypeOf(n.value) == dst.Type() {
		return d.same(path, n, zeroAllowed, dst)
	}
	switch target := dst.Addr().Interface().(type) {
	case *Duration:
		return d.duration(path, n, zeroAllowed, target)
	case *Secret:
		return d.secret(path, n, target)
	case *EnvFile:
		return d.envFile(path, n, target)
	case Unmarshaler:
		return d.unmarshal(path, n, target)
	}
	switch dst.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return d.value(path, n, zeroAllowed, dst.Elem())
	case reflect.Slice:
		return d.list(path, n, zeroAllowed, dst)
	case reflect.Map:
		return d.mapping(path, n, zeroAllowed, dst)
	case reflect.Struct:
		return d.element(path, n, dst)
	case reflect.Interface:
		plain, ok := d.plain(path, n)
		dst.Set(reflect.ValueOf(&plain).Elem())
		return ok
	default:
		return d.scalar(path, n, dst)
	}
}

// same takes a Go value that already has the type of the field.
func (d *decoder) same(path string, n *node, zeroAllowed bool, dst reflect.Value) bool {
	if duration, ok := n.value.(Duration); ok {
		if err := duration.check(zeroAllowed); err != nil {
			return d.refuse(path, n, err, n.text)
		}
	}
	if secret, ok := n.value.(Secret); ok {
		if _, err := secret.Reveal(); err != nil {
			d.report(n, path, err.Error())
			return false
		}
	}
	dst.Set(reflect.ValueOf(n.value))
	return true
}

// text returns the text of a scalar with references resolved.
func (d *decoder) text(path string, n *node, wanted string) (string, bool) {
	switch n.kind {
	case kindText:
		return d.expand(path, n)
	case kindBool, kindNumber:
		return n.text, true
	case kindOpaque:
		if duration, ok := n.value.(Duration); ok {
			return duration.String(), true
		}
	}
	return "", d.mismatch(path, n, wanted)
}

func (d *decoder) expand(path string, n *node) (string, bool) {
	text, problems := d.section.scopeOf(n).expand(n.text)
	return text, d.tell(path, n, problems)
}

// tell reports problems with references, and returns whether there were none.
func (d *decoder) tell(path string, n *node, problems []problem) bool {
	for _, problem := range problems {
		fault := d.report(n, path, problem.message)
		fault.Found, fault.Allowed = problem.reference, problem.allowed
	}
	return len(problems) == 0
}

// mismatch reports a value of the wrong kind, of which the text is not shown: a
// string in the wrong place may hold anything.
func (d *decoder) mismatch(path string, n *node, wanted string) bool {
	fault := d.report(n, path, "the value has the wrong type")
	fault.Found, fault.Allowed = n.describe(), wanted
	return false
}

// refuse reports what a type said about a value, which is shown as written if it
// can be a mistake for what is right there.
func (d *decoder) refuse(path string, n *node, err error, found string) bool {
	fault := d.report(n, path, "")
	fault.Found = found
	if n.kind == kindText && mayBeSecret(path, n.text) {
		fault.Found = fmt.Sprintf("a string of %d bytes", len(n.text))
	}
	if wrong, ok := errors.AsType[*ValueError](err); ok {
		fault.Message, fault.Allowed, fault.Nearest = wrong.Message, wrong.Allowed, wrong.Nearest
		return false
	}
	fault.Message = printable(err.Error())
	return false
}

// longestMistake is the longest text that is shown of a value of a wrong kind or
// spelling, in bytes: durations, numbers and words of enumerations are shorter.
const longestMistake = 12

// mayBeSecret reports whether a text that is wrong where it stands may have been
// meant for another key.
func mayBeSecret(path, text string) bool {
	key := path[strings.LastIndexByte(path, '.')+1:]
	return !isOneReference(text) &&
		(len(text) > longestMistake || redact.IsKnownToken(text) || redact.NameSuggestsSecret(key))
}

func (d *decoder) unmarshal(path string, n *node, target Unmarshaler) bool {
	plain, ok := d.plain(path, n)
	if !ok {
		return false
	}
	if err := target.UnmarshalConfig(plain); err != nil {
		return d.refuse(path, n, err, n.show())
	}
	return true
}

// list decodes a list. A string is never one, except for Words if it is a single
// word: it would have to be split by a shell's rules, and there is no shell.
func (d *decoder) list(path string, n *node, zeroAllowed bool, dst reflect.Value) bool {
	if n.isOverride() {
		return d.overriddenList(path, n, zeroAllowed, dst)
	}
	if n.kind == kindText && dst.Type() == reflect.TypeFor[Words]() && n.text != "" && !strings.ContainsFunc(n.text, unicode.IsSpace) {
		return d.word(path, n, dst)
	}
	if n.kind != kindList {
		message := "the value has the wrong type"
		if n.kind == kindText && dst.Type().Elem().Kind() == reflect.String {
			message = "a list of words is wanted, since no shell is used that would split a string"
		}
		fault := d.report(n, path, message)
		fault.Found, fault.Allowed = n.describe(), "a list, such as [first, second]"
		return false
	}
	result, complete := reflect.MakeSlice(dst.Type(), len(n.items), len(n.items)), true
	for i, item := range n.items {
		itemPath := fmt.Sprintf("%s[%d]", path, i)
		if item.kind == kindNull {
			complete = d.mismatch(itemPath, item, typeName(dst.Type().Elem()))
			continue
		}
		if !d.value(itemPath, item, zeroAllowed, result.Index(i)) {
			complete = false
		}
	}
	dst.Set(result)
	return complete
}

// mapping decodes a map; an entry that is null is the same as absent.
func (d *decoder) mapping(path string, n *node, zeroAllowed bool, dst reflect.Value) bool {
	if n.isOverride() {
		return d.overriddenMap(path, n, zeroAllowed, dst)
	}
	if n.kind != kindMap {
		return d.mismatch(path, n, "a map")
	}
	result, complete := reflect.MakeMapWithSize(dst.Type(), len(n.keys)), true
	for _, key := range n.keys {
		if n.fields[key].kind == kindNull {
			continue
		}
		entry := reflect.New(dst.Type().Elem()).Elem()
		if !d.value(joinKey(path, key), n.fields[key], zeroAllowed, entry) {
			complete = false
			continue
		}
		result.SetMapIndex(reflect.ValueOf(key).Convert(dst.Type().Key()), entry)
	}
	dst.Set(result)
	return complete
}

// element decodes a struct inside a list or a map, strictly: no other owner can
// know more of its keys.
func (d *decoder) element(path string, n *node, dst reflect.Value) bool {
	if n.kind != kindMap {
		return d.mismatch(path, n, "a map")
	}
	known, err := shapeOf(dst.Type())
	if err != nil {
		d.report(n, path, err.Error())
		return false
	}
	before := len(d.faults)
	d.structure(path, n, known, dst)
	shapes := []*shape{known}
	d.faults = append(d.faults, d.section.unknownIn(n, path, shapes, nil, true)...)
	return len(d.faults) == before
}

// plain returns n as the plain Go values that Unmarshaler lists.
func (d *decoder) plain(path string, n *node) (any, bool) {
	switch n.kind {
	case kindNull:
		return nil, true
	case kindText:
		return d.expand(path, n)
	case kindList:
		list, complete := make([]any, len(n.items)), true
		for i, item := range n.items {
			plain, ok := d.plain(fmt.Sprintf("%s[%d]", path, i), item)
			list[i], complete = plain, complete && ok
		}
		return list, complete
	case kindMap:
		entries, complete := make(map[string]any, len(n.keys)), true
		for _, key := range n.keys {
			plain, ok := d.plain(joinKey(path, key), n.fields[key])
			entries[key], complete = plain, complete && ok
		}
		return entries, complete
	default:
		return n.value, true
	}
}
