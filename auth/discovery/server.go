package discovery

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Server finds the metadata of an authorization server by its issuer: in every
// form that RFC 8414 and OpenID Connect know for it, in the order of R240, never
// at the root of an issuer that has a path. Its issuer must be the same text
// (R242). ErrNotFound is returned if there is none.
func (f *Finder) Server(ctx context.Context, issuer string) (*Server, error) {
	return f.findServer(ctx, issuer, nil, func(found string) bool { return found == issuer })
}

// OwnServer finds what a server of 2025-03-26 has, which publishes no resource
// metadata: it is its own authorization server, with metadata at the root of its
// origin, or with none, and then with the endpoints that this revision fixes
// (R244, P100).
func (f *Finder) OwnServer(ctx context.Context) (*Server, error) {
	origin := Origin(f.server)
	if _, err := f.rules.Check(origin); err != nil {
		return nil, wrong("%w", err)
	}
	found, err := f.findServer(ctx, origin, versionHeader(), func(found string) bool { return strings.TrimSuffix(found, "/") == origin })
	if found != nil || !isNotFound(err) {
		return found, err
	}
	return &Server{
		Issuer:                origin,
		AuthorizationEndpoint: origin + "/authorize",
		TokenEndpoint:         origin + "/token",
		RegistrationEndpoint:  origin + "/register",
		Assumed:               true,
	}, nil
}

func (f *Finder) findServer(ctx context.Context, issuer string, header http.Header, same func(string) bool) (*Server, error) {
	u, err := f.rules.Check(issuer)
	if err != nil {
		return nil, wrong("the issuer %s: %w", quoted(issuer), err)
	}
	if u.RawQuery != "" || u.ForceQuery {
		return nil, wrong("the issuer %s has a query", quoted(issuer))
	}
	var reasons []string
	for _, place := range serverPlaces(u) {
		var found Server
		ok, reason, err := f.get(ctx, place, header, &found)
		if err != nil {
			return nil, err
		}
		if !ok {
			reasons = append(reasons, reason)
			continue
		}
		if !same(found.Issuer) {
			return nil, wrong("%s is of the issuer %s, not of %s", place, quoted(found.Issuer), quoted(issuer))
		}
		if err := f.checkEndpoints(&found); err != nil {
			return nil, err
		}
		return &found, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrNotFound, strings.Join(reasons, "; "))
}

// serverPlaces lists where the metadata of an issuer may be.
func serverPlaces(issuer *url.URL) []string {
	origin := issuer.Scheme + "://" + issuer.Host
	path := strings.TrimSuffix(issuer.EscapedPath(), "/")
	const oauth, oidc = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	places := []string{origin + oauth + path, origin + oidc + path}
	if path != "" {
		places = append(places, origin+path+oidc)
	}
	return places
}

// checkEndpoints refuses endpoints that must not be used (R257, R304). Those
// that are needed are missed when they are.
func (f *Finder) checkEndpoints(s *Server) error {
	for _, endpoint := range []struct{ name, url string }{
		{"authorization_endpoint", s.AuthorizationEndpoint},
		{"token_endpoint", s.TokenEndpoint},
		{"registration_endpoint", s.RegistrationEndpoint},
		{"revocation_endpoint", s.RevocationEndpoint},
	} {
		if endpoint.url == "" {
			continue
		}
		if _, err := f.rules.Check(endpoint.url); err != nil {
			return wrong("the %s of %s: %w", endpoint.name, quoted(s.Issuer), err)
		}
	}
	if s.TokenEndpoint == "" {
		return wrong("the authorization server %s names no token_endpoint", quoted(s.Issuer))
	}
	return nil
}
