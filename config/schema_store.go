package config

// The schema of the key store. Types that are not known here may be a program's own,
// and have any keys.

// storeDefinition is its name.
const storeDefinition = "storeKeys"

// storeDefinitions adds the store, and each of its types.
func (w *schemaWriter) storeDefinitions(definitions object) error {
	names, byType := []any{}, []any{}
	for _, t := range w.stores {
		names = append(names, t.Name)
		if len(t.Keys) == 0 {
			continue
		}
		shapes, err := shapesOf(t.Keys)
		if err != nil {
			return err
		}
		definition := groupSchema(shapes, false)
		if needed := requirements(shapes); len(needed) > 0 {
			definition["allOf"] = needed
		}
		definition["properties"].(object)["type"] = object{"description": "where shared state lives", "const": t.Name}
		name := storeDefinition + "." + t.Name
		definitions[name] = definition
		chosen := whenType(t.Name, object{"$ref": "#/definitions/" + name})
		chosen["if"].(object)["type"] = "object"
		byType = append(byType, chosen)
	}
	byType = append(byType, object{"if": object{"type": "object"}, "then": object{"required": []any{"type"}}})
	definitions[storeDefinition] = object{
		"type": []any{"string", "object", "null"}, "default": storeMemory,
		"description": "where shared state lives; which keys it has depends on its type",
		"properties":  object{"type": object{"type": "string", "examples": names}},
		"allOf":       byType,
	}
	return nil
}
