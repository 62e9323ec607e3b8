package mirror

// position says what the value of a schema keyword holds.
type position uint8

const (
	positionNone       position = iota // no schema: data, or an unknown keyword
	positionProperties                 // an object of schemas, through which arguments are reached
	positionMap                        // any other object of schemas
	positionOne                        // a schema or an array of schemas
)

// positionOf knows the keywords of 2020-12 and, where they differ, of draft-07.
func positionOf(keyword []byte) position {
	switch string(keyword) {
	case "properties":
		return positionProperties
	case "patternProperties", "dependentSchemas", "$defs",
		"definitions", "dependencies": // draft-07
		return positionMap
	case "allOf", "anyOf", "oneOf", "prefixItems", "items", "contains",
		"additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
		"not", "if", "then", "else", "contentSchema",
		"additionalItems": // draft-07
		return positionOne
	default:
		return positionNone
	}
}
