package config

import "reflect"

// Field describes one key of a struct with config tags, for documentation.
type Field struct {
	// Key is the name, with dots for groups: "supervision.max_restarts".
	Key string
	// Aliases are other names, dotted like Key.
	Aliases []string
	// Type is one of string, boolean, integer, number, duration, secret, path, any,
	// list of T, map of T, or what the type's method ConfigType() string says, or
	// string for a type with UnmarshalConfig and no such method.
	Type string
	// Default is the default as it would be written, or "".
	Default string
	// Required reports that the key must be present and not empty; inside a group
	// that may be absent, only if the group is present.
	Required bool
	// Zero reports that the duration may be 0.
	Zero bool
	// Values are the words that the value may be, where it is one of a few.
	Values []string
	// Doc is the line of documentation.
	Doc string
}

// Fields returns the keys of v, a struct or a pointer to one, in the order of
// its fields, groups flattened. It returns nil if v has no usable tags.
func Fields(v any) []Field {
	known, err := shapeOfValue(v)
	if err != nil {
		return nil
	}
	var fields []Field
	for _, key := range known.list("") {
		f := key.field
		described := Field{
			Key: key.path, Type: f.typeName(), Default: f.fallback,
			Required: f.required, Zero: f.zero, Values: f.values, Doc: f.doc,
		}
		for _, alias := range f.aliases {
			described.Aliases = append(described.Aliases, joinKey(key.prefix, alias))
		}
		fields = append(fields, described)
	}
	return fields
}

// keyPath is a leaf of a shape with its path.
type keyPath struct {
	path, prefix, name string
	field              *field
}

// list returns the leaves of the shape in order.
func (s *shape) list(prefix string) []keyPath {
	var paths []keyPath
	for i := range s.fields {
		f := &s.fields[i]
		path := joinKey(prefix, f.name)
		if f.nested != nil {
			paths = append(paths, f.nested.list(path)...)
			continue
		}
		paths = append(paths, keyPath{path, prefix, f.name, f})
	}
	return paths
}

func (f *field) typeName() string {
	if f.path {
		return "path"
	}
	return typeName(f.typ)
}

func typeName(t reflect.Type) string {
	if described, ok := reflect.New(t).Interface().(interface{ ConfigType() string }); ok {
		return described.ConfigType()
	}
	switch {
	case t == reflect.TypeFor[Duration]():
		return "duration"
	case t == reflect.TypeFor[Secret]():
		return "secret"
	case isScalarType(t):
		return "string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Interface:
		return "any"
	case reflect.Slice:
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "map of " + typeName(t.Elem())
	case reflect.Struct:
		return "map"
	default:
		return "integer"
	}
}
