package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Patterns of strings that stand for another type. A reference may stand for
// anything.
const (
	patternReference = `\$\{`
	patternBoolean   = `^(true|false)$|` + patternReference
	patternInteger   = `^[+-]?[0-9]+$|` + patternReference
	patternNumber    = `^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|` + patternReference
	patternDuration  = `^(off|[0-9]+(\.[0-9]*)?|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$|` + patternReference
	patternWord      = `^\S+$|` + patternReference
)

// group is the schema of a map of keys. canBeNull: null is the same as absent.
func groupSchema(shapes []*shape, canBeNull bool) object {
	kinds := []any{"object"}
	if canBeNull {
		kinds = append(kinds, "null")
	}
	return object{"type": kinds, "properties": propertySchemas(shapes), "additionalProperties": false}
}

// properties are the schemas of the keys of shapes. Of a group that several shapes
// have, the keys are joined.
func propertySchemas(shapes []*shape) object {
	properties := object{}
	for _, s := range shapes {
		for i := range s.fields {
			f := &s.fields[i]
			if properties[f.name] != nil {
				continue
			}
			schema := fieldSchema(f, shapes)
			properties[f.name] = schema
			for _, alias := range f.aliases {
				other := object{}
				for key, value := range schema {
					other[key] = value
				}
				other["description"] = "another name of " + f.name
				properties[alias] = other
			}
		}
	}
	return properties
}

// field is the schema of one key.
func fieldSchema(f *field, level []*shape) object {
	var schema object
	switch {
	case f.nested != nil:
		_, nested := lookUp(level, f.name)
		schema = groupSchema(nested, true)
	case len(f.values) > 0:
		schema = object{"anyOf": []any{object{"enum": enumeration(f.values)}, object{"type": "string", "pattern": patternReference}, object{"type": "null"}}}
	case f.path:
		schema = object{"type": []any{"string", "null"}}
	default:
		schema = schemaOf(f.typ, f.zero)
	}
	if f.doc != "" {
		schema["description"] = f.doc
	}
	if f.hasDef && f.nested == nil {
		schema["default"] = schemaDefault(f)
	}
	return schema
}

// enumeration is the allowed words; true and false may be written as booleans too.
func enumeration(words []string) []any {
	var values []any
	for _, word := range words {
		values = append(values, word)
		if word == "true" || word == "false" {
			values = append(values, word == "true")
		}
	}
	return values
}

// schemaOf is the schema of a Go type's values. A string takes any scalar, as it
// was written.
func schemaOf(t reflect.Type, zero bool) object {
	switch {
	case t == reflect.TypeFor[Duration]():
		schema := object{"type": []any{"string", "number", "null"}, "pattern": patternDuration, "minimum": 0}
		if !zero {
			delete(schema, "minimum")
			schema["exclusiveMinimum"] = 0
		}
		return schema
	case t == reflect.TypeFor[EnvFile]():
		return object{"type": []any{"string", "null"}}
	case t == reflect.TypeFor[Secret]():
		return object{"type": []any{"string", "number", "boolean", "null"}}
	case t == reflect.TypeFor[Words]():
		list := schemaOf(reflect.TypeFor[[]string](), false)
		return object{"anyOf": []any{list, object{"type": "string", "pattern": patternWord}}}
	case isScalarType(t):
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), zero)
	case reflect.String:
		return object{"type": []any{"string", "number", "boolean", "null"}}
	case reflect.Bool:
		return object{"type": []any{"boolean", "string", "null"}, "pattern": patternBoolean}
	case reflect.Float32, reflect.Float64:
		return object{"type": []any{"number", "string", "null"}, "pattern": patternNumber}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": []any{"integer", "string", "null"}, "pattern": patternInteger, "minimum": 0}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": []any{"integer", "string", "null"}, "pattern": patternInteger}
	case reflect.Slice:
		return object{"type": []any{"array", "null"}, "items": withoutNull(schemaOf(t.Elem(), zero))}
	case reflect.Map:
		return object{"type": []any{"object", "null"}, "additionalProperties": schemaOf(t.Elem(), zero)}
	case reflect.Struct:
		if known, err := shapeOf(t); err == nil {
			return groupSchema([]*shape{known}, false)
		}
	}
	return object{}
}

// withoutNull is the schema of an item of a list, which cannot be left out.
func withoutNull(schema object) object {
	if kinds, ok := schema["type"].([]any); ok {
		schema["type"] = slices.DeleteFunc(kinds, func(kind any) bool { return kind == "null" })
	}
	return schema
}

// schemaDefault is the default as JSON.
func schemaDefault(f *field) any {
	switch {
	case isScalarType(f.typ):
		return f.fallback
	case f.typ.Kind() == reflect.Slice:
		return strings.Split(f.fallback, ",")
	case f.typ.Kind() == reflect.Bool:
		return f.fallback == "true"
	}
	if number, err := strconv.ParseFloat(f.fallback, 64); err == nil && f.typ.Kind() != reflect.String {
		return number
	}
	return f.fallback
}
