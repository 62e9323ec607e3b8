package mcpclient

import (
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// WithVerdictStore remembers in the store of every server whether it speaks the
// handshake or the sessionless era, across restarts of the program. See
// session.VerdictStore.
func WithVerdictStore(store session.VerdictStore) Option {
	return building(factory.WithVerdictStore(store))
}
