package factory

import (
	"maps"
	"slices"

	"github.com/mcp-client-go/mcpclient/config"
)

// Schema returns a JSON Schema, draft-07, of configuration files with the types
// that the factory knows, for editors.
func (f *TransporterFactory) Schema() ([]byte, error) {
	f.mu.RLock()
	var types []config.SchemaType
	for _, name := range slices.Sorted(maps.Keys(f.types)) {
		types = append(types, config.SchemaType{Name: name, Keys: f.types[name].keys})
	}
	f.mu.RUnlock()
	return config.Schema([]any{commonKeys{}}, types...)
}
