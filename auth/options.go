package auth

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Option sets what a configuration file cannot hold.
type Option func(*Authorizer)

// WithHTTPClient sets what requests to authorization servers go through. Only its
// transport is used: limits of size and time, redirects and the URLs that may be
// asked are the authorizer's own. It is to refuse to connect to the addresses that
// the guard forbids, for only there can it be seen what a name resolves to; the
// factory's does. Without it nothing can be requested.
func WithHTTPClient(client *http.Client) Option { return func(a *Authorizer) { a.http = client } }

// WithGuard sets which hosts and addresses the server may lead to; the default is
// those of the public internet, and what the configuration names. URLs are held
// against it by their name or literal address; what names resolve to is the
// business of the client.
func WithGuard(guard dial.Guard) Option { return func(a *Authorizer) { a.guard = &guard } }

// WithStore sets where records are kept; the default is memory. Servers may
// share one.
func WithStore(store Store) Option {
	return func(a *Authorizer) {
		if store != nil {
			a.store = store
		}
	}
}

// WithFallbackStore is WithStore for where nothing else says where records are
// kept: neither another option nor the configuration.
func WithFallbackStore(store Store) Option { return func(a *Authorizer) { a.fallback = store } }

// WithLogger sets the logger; the default discards.
func WithLogger(logger hclog.Logger) Option {
	return func(a *Authorizer) {
		if logger != nil {
			a.log = logger
		}
	}
}

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(a *Authorizer) { a.now = now } }

// AuthorizationRequest is what a user is to be shown.
type AuthorizationRequest struct {
	// Server is the configured name, Principal who is to agree.
	Server, Principal string
	// URL is to be opened in a browser, never through a shell (R305). It is https,
	// or http on loopback (R304).
	URL string
	// Issuer and Scopes are what the user will be asked about.
	Issuer string
	Scopes []string
}

// InteractFunc has the user open the URL, and returns the query with which the
// browser came back to the redirect URL. It has the values of the context of the
// call that needs it, and ends with the authorizer or after auth.consent_timeout.
type InteractFunc func(ctx context.Context, request AuthorizationRequest) (url.Values, error)

// WithInteraction makes calls that need a user's consent wait for it, each within
// its own context. What the user takes counts against no time limit of a call
// nor of connecting, only against auth.consent_timeout. If a caller's context
// ends before, its call fails, and the next one finds the token.
func WithInteraction(interact InteractFunc) Option {
	return func(a *Authorizer) { a.interact = interact }
}

// IdentityTokenFunc returns a principal's identity token of the company's
// identity provider.
type IdentityTokenFunc func(ctx context.Context, principal string) (string, error)

// WithIdentityTokens sets where type enterprise_managed gets identity tokens; it
// goes before identity_provider.id_token.
func WithIdentityTokens(source IdentityTokenFunc) Option {
	return func(a *Authorizer) { a.identityToken = source }
}
