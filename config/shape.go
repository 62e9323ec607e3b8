package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// shape is what the tags of a struct type say. It is read anew at each use:
// sections are decoded a few times in the life of a program.
type shape struct {
	fields []field
}

// field is one key of a shape.
type field struct {
	name     string
	aliases  []string
	index    []int // for reflect.Value.FieldByIndex; embedded structs are passed through
	typ      reflect.Type
	nested   *shape // a struct, or what a pointer points to, with keys of its own
	optional bool   // a pointer to a struct: nil when the key is absent
	required bool
	zero     bool     // a Duration may be 0
	path     bool     // a path: relative to the file, ~ is the home folder
	values   []string // the words it may be; nil if it is not one of a few
	fallback string
	hasDef   bool
	doc      string
}

// names returns the name and then the aliases.
func (f *field) names() []string { return append([]string{f.name}, f.aliases...) }

func (s *shape) find(key string) *field {
	for i := range s.fields {
		if f := &s.fields[i]; f.name == key || slices.Contains(f.aliases, key) {
			return f
		}
	}
	return nil
}

// deepestShape bounds a struct type that contains itself by way of a pointer.
const deepestShape = 16

func shapeOf(t reflect.Type) (*shape, error) { return readShape(t, 0) }

func readShape(t reflect.Type, depth int) (*shape, error) {
	if depth > deepestShape {
		return nil, fmt.Errorf("the Go type %s is nested more than %d levels deep", t, deepestShape)
	}
	result := &shape{}
	if err := result.addFields(t, nil, depth); err != nil {
		return nil, err
	}
	return result, nil
}

func (s *shape) addFields(t reflect.Type, index []int, depth int) error {
	for i := range t.NumField() {
		structField := t.Field(i)
		path := append(slices.Clone(index), i)
		tag, tagged := structField.Tag.Lookup("config")
		if !tagged && structField.Anonymous && structField.Type.Kind() == reflect.Struct {
			if err := s.addFields(structField.Type, path, depth); err != nil {
				return err
			}
			continue
		}
		if !tagged || tag == "-" {
			continue
		}
		added, err := readField(structField, tag, depth)
		if err != nil {
			return fmt.Errorf("the field %s of the Go type %s: %w", structField.Name, t, err)
		}
		added.index = path
		for _, name := range added.names() {
			if s.find(name) != nil {
				return fmt.Errorf("the Go type %s has the key %s twice", t, name)
			}
		}
		s.fields = append(s.fields, added)
	}
	return nil
}

func readField(structField reflect.StructField, tag string, depth int) (field, error) {
	result := field{typ: structField.Type, doc: structField.Tag.Get("doc")}
	result.fallback, result.hasDef = structField.Tag.Lookup("default")
	if words := structField.Tag.Get("values"); words != "" {
		result.values = strings.Split(words, ",")
	}
	if !structField.IsExported() {
		return field{}, fmt.Errorf("a field with a config tag must be exported")
	}
	options := strings.Split(tag, ",")
	if result.name = options[0]; result.name == "" {
		return field{}, fmt.Errorf("the config tag has no name")
	}
	for _, option := range options[1:] {
		alias, isAlias := strings.CutPrefix(option, "alias=")
		switch {
		case isAlias && alias != "":
			result.aliases = append(result.aliases, alias)
		case option == "required":
			result.required = true
		case option == "zero":
			result.zero = true
		case option == "path" && structField.Type.Kind() == reflect.String:
			result.path = true
		default:
			return field{}, fmt.Errorf("the config tag has the unknown option %q; allowed: required, zero, path (of a string), alias=name", option)
		}
	}
	return result, result.readType(depth)
}

// readType finds nested structs, and refuses types that nothing can decode.
func (f *field) readType(depth int) error {
	t := f.typ
	if t.Kind() == reflect.Pointer && isGroup(t.Elem()) {
		f.optional, t = true, t.Elem()
	}
	if isGroup(t) {
		nested, err := readShape(t, depth+1)
		f.nested = nested
		return err
	}
	return checkType(t, depth+1)
}

// isGroup reports whether t is a struct with keys of its own.
func isGroup(t reflect.Type) bool { return t.Kind() == reflect.Struct && !isScalarType(t) }

// isScalarType reports whether t, whatever its kind, decodes from one value.
func isScalarType(t reflect.Type) bool {
	return t == reflect.TypeFor[Duration]() || t == reflect.TypeFor[Secret]() || t == reflect.TypeFor[EnvFile]() ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[Unmarshaler]())
}

func checkType(t reflect.Type, depth int) error {
	if depth > deepestShape {
		return fmt.Errorf("the type is nested more than %d levels deep", deepestShape)
	}
	if isScalarType(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return nil
		}
	case reflect.Pointer, reflect.Slice:
		return checkType(t.Elem(), depth+1)
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return checkType(t.Elem(), depth+1)
		}
	case reflect.Struct:
		_, err := readShape(t, depth+1)
		return err
	}
	return fmt.Errorf("the type %s cannot be decoded", t)
}

// holdsSecret reports whether a value of type t is, or contains, secrets only:
// then no fault and no listing may show what stands there.
func holdsSecret(t reflect.Type) bool {
	switch {
	case t == reflect.TypeFor[Secret]():
		return true
	case isScalarType(t):
		return false
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return holdsSecret(t.Elem())
	}
	return false
}
