package mcpclient

import (
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/factory"
)

// Authorizer returns what gets the server's tokens: for a web handler that has
// its users authorize (Begin and Finish, or the ready handlers), for logging
// in and out, and for the client's metadata document. It returns nil if the
// server has no section auth.
//
// A principal of the authorizer is the one that WithPrincipal names. A change of
// the server's configuration makes another authorizer, and ends this one once
// calls no longer need it: ask for it when it is needed.
func (c *Connection) Authorizer() *auth.Authorizer {
	if c.follower == nil {
		return nil
	}
	return c.follower.authorizer()
}

// WithInteraction makes calls that need a user's consent wait for it: interact
// has the user open a URL, and returns what the browser comes back with. Without
// it such calls fail with ErrAuthRequired, and Connection.Authorizer has the
// user authorize beside them.
func WithInteraction(interact auth.InteractFunc) Option {
	return WithAuthOptions(auth.WithInteraction(interact))
}

// WithTokenStore keeps tokens, registrations and authorizations under way in the
// store, for all servers with a section auth. It goes before auth.store of the
// configuration. Several processes may share one.
func WithTokenStore(store auth.Store) Option { return WithAuthOptions(auth.WithStore(store)) }

// WithAuthOptions adds options for the authorizers of all servers with a section
// auth.
func WithAuthOptions(options ...auth.Option) Option {
	return building(factory.WithAuthOptions(options...))
}
