package config

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"regexp"
)

// A schema of the language that editors know best, draft-07. It is made of the
// same tags as the tables of the documentation.

// schemaDialect is the language of the schema.
const schemaDialect = "http://json-schema.org/draft-07/schema#"

// SchemaType is a type of servers, or of stores, for Schema.
type SchemaType struct {
	// Name is the value of the key type.
	Name string
	// Keys are structs with config tags: the keys that the type has beside the
	// common ones. Without any, every key is allowed.
	Keys []any
	// IsStore: the type is one of the top-level key store, which has no common keys.
	IsStore bool
}

// object is a JSON object; its keys are written sorted.
type object = map[string]any

// Schema returns a JSON Schema, draft-07, of files in this program's own format,
// for editors. common are structs with config tags: the keys of every type. It
// fails if a struct has tags that cannot be read.
func Schema(common []any, types ...SchemaType) ([]byte, error) {
	w := &schemaWriter{}
	for _, t := range types {
		if t.IsStore {
			w.stores = append(w.stores, t)
			continue
		}
		w.types = append(w.types, t)
	}
	for _, keys := range common {
		shape, err := shapeOfValue(keys)
		if err != nil {
			return nil, err
		}
		w.common = append(w.common, shape)
	}
	schema, err := w.file()
	if err != nil {
		return nil, err
	}
	var written bytes.Buffer
	encoder := stdjson.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("cannot write the schema: %w", err)
	}
	return shortLists(written.Bytes()), nil
}

// shortLists puts lists of words and numbers into one line.
func shortLists(indented []byte) []byte {
	list := regexp.MustCompile(`\[\n\s+(?:"[^"\n]*"|[a-z0-9.]+)(?:,\n\s+(?:"[^"\n]*"|[a-z0-9.]+))*\n\s+\]`)
	breaks := regexp.MustCompile(`\n\s+`)
	return list.ReplaceAllFunc(indented, func(found []byte) []byte {
		line := breaks.ReplaceAll(found, []byte(" "))
		return bytes.ReplaceAll(bytes.ReplaceAll(line, []byte("[ "), []byte("[")), []byte(" ]"), []byte("]"))
	})
}

type schemaWriter struct {
	common []*shape
	types  []SchemaType
	stores []SchemaType
	all    []*shape // of every type
}

// file is the schema of a whole file.
func (w *schemaWriter) file() (object, error) {
	definitions := object{}
	var byType, required []any
	names := make([]any, 0, len(w.types))
	for _, t := range w.types {
		own, err := shapesOf(t.Keys)
		if err != nil {
			return nil, err
		}
		names = append(names, t.Name)
		w.all = append(w.all, own...)
		keys := append(w.common[:len(w.common):len(w.common)], own...)
		if len(t.Keys) > 0 {
			definitions[t.Name] = object{"properties": propertySchemas(keys), "additionalProperties": false}
			byType = append(byType, whenType(t.Name, object{"$ref": "#/definitions/" + t.Name}))
		}
		if needed := requirements(own); len(needed) > 0 {
			required = append(required, whenType(t.Name, object{"allOf": needed}))
		}
	}
	for _, t := range w.types { // now that all names are known
		if definition, found := definitions[t.Name].(object); found {
			definition["properties"].(object)["type"] = w.typeKey(names)
		}
	}
	everyKey := append(w.common[:len(w.common):len(w.common)], w.all...)
	definitions["server"] = object{
		"type": []any{"object"}, "description": "a server; which keys it has depends on its type",
		"properties": object{"type": w.typeKey(names)}, "allOf": orNothing(byType),
	}
	definitions["completeServer"] = object{
		"allOf": append([]any{object{"$ref": "#/definitions/server"}, object{"required": []any{"type"}}}, required...),
	}
	definitions["defaults"] = object{
		"type": []any{"object", "null"}, "description": "keys for every server that has none of its own",
		"properties": propertySchemas(everyKey), "additionalProperties": w.isOpen(),
	}
	definitions["defaults"].(object)["properties"].(object)["type"] = w.typeKey(names)
	if err := w.storeDefinitions(definitions); err != nil {
		return nil, err
	}
	return w.topLevel(definitions)
}

func (w *schemaWriter) topLevel(definitions object) (object, error) {
	input, err := shapeOfValue(Input{})
	if err != nil {
		return nil, err
	}
	servers := func(name string) object {
		return object{
			"type": []any{"object", "null"}, "description": "the servers by their names",
			"additionalProperties": object{"$ref": "#/definitions/" + name},
		}
	}
	return object{
		"$schema": schemaDialect, "title": "mcpclient configuration", "type": "object", "definitions": definitions,
		"properties": object{
			keySchema:   object{"type": "string"},
			keyServers:  servers("server"),
			keyDefaults: object{"$ref": "#/definitions/defaults"},
			keyStrict: object{
				"type": []any{"boolean", "string", "null"}, "pattern": patternBoolean, "default": false,
				"description": "one fault anywhere refuses the whole configuration",
			},
			keyStore: object{"$ref": "#/definitions/" + storeDefinition},
			keyInputs: object{
				"type": []any{"object", "null"}, "description": "what ${input:id} asks the user for, by id",
				"additionalProperties": groupSchema([]*shape{input}, true),
			},
		},
		"patternProperties":    object{"^" + extensionPrefix: object{}},
		"additionalProperties": false,
		// With defaults, what a server must have may stand there.
		"if":   object{"not": object{"required": []any{keyDefaults}}},
		"then": object{"properties": object{keyServers: servers("completeServer")}},
	}, nil
}

func shapesOf(keys []any) ([]*shape, error) {
	var shapes []*shape
	for _, value := range keys {
		shape, err := shapeOfValue(value)
		if err != nil {
			return nil, err
		}
		shapes = append(shapes, shape)
	}
	return shapes, nil
}

// isOpen reports whether there is a type whose keys are not known.
func (w *schemaWriter) isOpen() bool {
	for _, t := range w.types {
		if len(t.Keys) == 0 {
			return true
		}
	}
	return false
}

func whenType(name string, then object) object {
	return object{
		"if":   object{"properties": object{"type": object{"const": name}}, "required": []any{"type"}},
		"then": then,
	}
}

func orNothing(list []any) []any {
	if len(list) == 0 {
		return []any{object{}}
	}
	return list
}

func (w *schemaWriter) typeKey(names []any) object {
	return object{
		"description": "how the server is reached",
		"anyOf":       []any{object{"enum": names}, object{"type": "string", "pattern": patternReference}, object{"type": "null"}},
	}
}

// requirements are what a complete server must have.
func requirements(shapes []*shape) []any {
	var needed []any
	for _, shape := range shapes {
		for i := range shape.fields {
			f := &shape.fields[i]
			if !f.required {
				continue
			}
			var either []any
			for _, name := range f.names() {
				either = append(either, object{"required": []any{name}})
			}
			if len(either) == 1 {
				needed = append(needed, either[0])
				continue
			}
			needed = append(needed, object{"anyOf": either})
		}
	}
	return needed
}
