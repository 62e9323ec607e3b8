package factory

import (
	"maps"
	"slices"

	"github.com/mcp-client-go/mcpclient/config"
)

// Schema returns a JSON Schema, draft-07, of configuration files with the types
// that the factory knows, for editors. The keys of the store redis are part of it in
// any case.
func (f *TransporterFactory) Schema() ([]byte, error) {
	f.mu.RLock()
	var types []config.SchemaType
	for _, name := range slices.Sorted(maps.Keys(f.types)) {
		types = append(types, config.SchemaType{Name: name, Keys: f.types[name].keys})
	}
	stores := maps.Clone(f.storeTypes)
	f.mu.RUnlock()
	if _, known := stores[storeRedis]; !known {
		stores[storeRedis] = storeRegistration{keys: []any{RedisKeys{}}}
	}
	for _, name := range slices.Sorted(maps.Keys(stores)) {
		types = append(types, config.SchemaType{Name: name, Keys: stores[name].keys, IsStore: true})
	}
	return config.Schema([]any{commonKeys{}}, types...)
}
