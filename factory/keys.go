package factory

import "github.com/mcp-client-go/mcpclient/config"

// Keys describes configuration keys, for documentation: those that every type
// has if typeName is "", else those that the type has beside them. It is nil for
// a type that is not known or does not tell its keys.
func (f *TransporterFactory) Keys(typeName string) []config.Field {
	if typeName == "" {
		return config.Fields(commonKeys{})
	}
	registered, _ := f.lookUp(typeName)
	var fields []config.Field
	for _, keys := range registered.keys {
		fields = append(fields, config.Fields(keys)...)
	}
	return fields
}
