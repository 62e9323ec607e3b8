package factory

import "github.com/mcp-client-go/mcpclient/config"

// Explain returns the effective value of every key of a server, and where it comes
// from: a file, the defaults, an environment variable, or the key's own default.
// Secrets are shown as ***. Of a server whose type is not known only the common
// keys are told.
func (f *TransporterFactory) Explain(section *config.Section) []config.Entry {
	known := []any{commonKeys{}}
	if name, given := section.String("type"); given {
		registered, _ := f.lookUp(name)
		known = append(known, registered.keys...)
	}
	return section.Effective(known...)
}
