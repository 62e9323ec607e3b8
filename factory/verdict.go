package factory

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// WithVerdictStore remembers of every server whether it is legacy or modern,
// which spares a round trip or a probe at the next start of the program. The
// keys are hashes of what the server is: its URL, or what its process is started
// with.
func WithVerdictStore(store session.VerdictStore) Option {
	return func(f *TransporterFactory) { f.verdicts = store }
}

// remembering returns the option of a session whose server is described by the
// parts, which may hold secrets: the key is their hash.
func (o *opening) remembering(parts ...string) session.Option {
	if o.verdicts == nil {
		return func(*session.Session) {}
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return session.WithVerdictStore(o.verdicts, hex.EncodeToString(sum[:]))
}

// names returns the names of the variables, sorted.
func names(environment map[string]config.Secret) []string {
	return slices.Sorted(maps.Keys(environment))
}
