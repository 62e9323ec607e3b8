package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// decoder decodes keys of one section into structs and collects the faults.
type decoder struct {
	section *Section
	faults  []errors.Fault
}

func (d *decoder) result() []errors.Fault {
	sortFaults(d.faults)
	return d.faults
}

func (d *decoder) report(at *node, path, message string) *errors.Fault {
	d.faults = append(d.faults, d.section.faultAt(at, path, message))
	return &d.faults[len(d.faults)-1]
}

// structure decodes the map n into dst. prefix is the path of n.
func (d *decoder) structure(prefix string, n *node, known *shape, dst reflect.Value) {
	for i := range known.fields {
		f := &known.fields[i]
		value, name := d.pick(prefix, n, f)
		target, path := dst.FieldByIndex(f.index), joinKey(prefix, name)
		switch {
		case f.nested != nil:
			d.group(path, n, value, f, target)
		case value != nil:
			d.given(path, value, f, target)
		case f.required:
			d.report(n, path, "the key is required").Allowed = typeName(f.typ)
		case f.hasDef:
			d.fallback(path, n, f, target)
		}
	}
}

// pick returns the value of a field under the name or the alias that was
// written; nil if it is absent or null. Where several were, that of the higher
// layer is meant; at the same layer they contradict each other.
func (d *decoder) pick(prefix string, n *node, f *field) (value *node, name string) {
	name = f.name
	for _, candidate := range f.names() {
		other := n.fields[candidate]
		switch {
		case other == nil:
		case value == nil || other.origin.outranks(value.origin):
			value, name = other, candidate
		case value.origin.outranks(other.origin) || other.kind == kindNull:
		case value.kind == kindNull:
			value, name = other, candidate
		default:
			message := fmt.Sprintf("%s and %s are two names of one key, and both are given", name, candidate)
			d.report(other, joinKey(prefix, candidate), message).Allowed = f.name
		}
	}
	if value != nil && value.kind == kindNull {
		return nil, f.name
	}
	return value, name
}

// group decodes a nested struct; around is the map that it stands in.
func (d *decoder) group(path string, around, value *node, f *field, target reflect.Value) {
	switch {
	case value == nil && f.required:
		d.report(around, path, "the key is required").Allowed = "a map"
		return
	case value == nil && f.optional:
		return
	case value == nil:
		value = newMap(around.origin)
	case value.kind != kindMap:
		fault := d.report(value, path, "a map of keys is wanted here")
		fault.Found, fault.Allowed = value.describe(), "a map"
		return
	}
	if f.optional {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	d.structure(path, value, f.nested, target)
}

// given decodes a value that is present. A required one must not be empty.
func (d *decoder) given(path string, value *node, f *field, target reflect.Value) {
	decoded := reflect.New(target.Type()).Elem()
	if !d.value(path, value, f.zero, decoded) || f.path && !d.resolvePath(path, value, decoded) {
		return
	}
	if f.required && d.isEmpty(value, decoded) {
		d.report(value, path, "the key is required and must not be empty").Allowed = typeName(f.typ)
		return
	}
	target.Set(decoded)
}

// resolvePath makes the path in decoded what it means where it was written.
func (d *decoder) resolvePath(path string, value *node, decoded reflect.Value) bool {
	resolved, wrong := d.section.scopeOf(value).path(decoded.String())
	if wrong != nil {
		return d.tell(path, value, []problem{*wrong})
	}
	decoded.SetString(resolved)
	return true
}

func (d *decoder) isEmpty(value *node, decoded reflect.Value) bool {
	if secret, ok := decoded.Interface().(Secret); ok {
		text, err := secret.Reveal()
		return err == nil && text == ""
	}
	switch decoded.Kind() {
	case reflect.String, reflect.Slice, reflect.Map:
		return decoded.Len() == 0
	case reflect.Interface:
		return value.kind == kindText && value.text == ""
	}
	return false
}

// fallback decodes the default tag. A default that does not decode is a mistake
// of the program, and is reported as one.
func (d *decoder) fallback(path string, around *node, f *field, target reflect.Value) {
	trial := &decoder{section: &Section{}}
	value := defaultNode(f, around.origin)
	decoded := reflect.New(target.Type()).Elem()
	if !trial.value(path, value, true, decoded) {
		fault := d.report(around, path, "the program's default for this key is wrong: "+trial.faults[0].Message)
		fault.Found = value.show()
		return
	}
	target.Set(decoded)
}

// defaultNode is the default tag as it would stand in a file; in the tag, the
// items of a list are separated by commas.
func defaultNode(f *field, origin Origin) *node {
	if f.typ.Kind() != reflect.Slice || isScalarType(f.typ) {
		return newText(f.fallback, origin)
	}
	list := &node{kind: kindList, origin: origin}
	for word := range strings.SplitSeq(f.fallback, ",") {
		if word != "" {
			list.items = append(list.items, newText(word, origin))
		}
	}
	return list
}
