package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcp-client-go/mcpclient/auth/challenge"
	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/auth/dpop"
	"github.com/mcp-client-go/mcpclient/errors"
)

// schemeBearer is that of tokens that are bound to no key.
const schemeBearer = "Bearer"

// findings are how the server wants to be authorized for.
type findings struct {
	resource        string // to be sent as it is (R262)
	scopesSupported []string
	server          *discovery.Server
	wantsDPoP       bool // it takes tokens that are bound to a key
	requiresDPoP    bool // ... and no others
}

// demanded is what a server's challenges come to.
type demanded struct {
	values  []string // as they came
	bearer  challenge.Challenge
	hasDPoP bool
}

// parseDemand picks the challenge that counts: of a server that takes bound
// tokens that one, since it is the stricter.
func parseDemand(values []string) demanded {
	all := challenge.Parse(values)
	_, hasDPoP := challenge.Find(all, dpop.Scheme)
	chosen, _ := challenge.Find(all, dpop.Scheme, schemeBearer)
	return demanded{values: values, bearer: chosen, hasDPoP: hasDPoP}
}

func (d demanded) scopes() []string { return splitScopes(d.bearer.Parameter("scope")) }

// find asks the server, and then its authorization server, how to authorize
// (R237-R244). Nothing of it is taken from memory: a server that refuses a token
// may have changed its authorization server (P93).
func (a *Authorizer) find(ctx context.Context, d demanded) (*findings, error) {
	resource, err := a.finder.Resource(ctx, d.bearer.Parameter("resource_metadata"), a.cfg.Resource)
	if errors.Is(err, discovery.ErrNotFound) {
		return a.findOwn(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	issuer, err := a.chooseIssuer(resource)
	if err != nil {
		return nil, err
	}
	server, err := a.finder.Server(ctx, issuer)
	if err != nil {
		if errors.Is(err, discovery.ErrNotFound) {
			err = fmt.Errorf("%w: the authorization server %q: %w", errors.ErrAuthorizationDiscovery, errors.PeerText(issuer, 200), err)
		}
		return nil, err
	}
	a.remember(server)
	return &findings{
		resource: resource.Resource, scopesSupported: cleanScopes(resource.ScopesSupported), server: server,
		wantsDPoP: d.hasDPoP || resource.RequiresDPoP, requiresDPoP: resource.RequiresDPoP,
	}, nil
}

// findOwn is for a server without resource metadata, of 2025-03-26 (P100).
func (a *Authorizer) findOwn(ctx context.Context, d demanded) (*findings, error) {
	server, err := a.finder.OwnServer(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.checkConfiguredIssuer(server.Issuer); err != nil {
		return nil, err
	}
	a.remember(server)
	resource := a.cfg.Resource
	if resource == "" {
		resource = a.key
	}
	return &findings{resource: resource, server: server, wantsDPoP: d.hasDPoP}, nil
}

// chooseIssuer takes the configured one, or else the first one named (R243).
func (a *Authorizer) chooseIssuer(resource *discovery.Resource) (string, error) {
	issuer := resource.AuthorizationServers[0]
	if a.cfg.Issuer != "" && slices.Contains(resource.AuthorizationServers, a.cfg.Issuer) {
		issuer = a.cfg.Issuer
	}
	return issuer, a.checkConfiguredIssuer(issuer)
}

// checkConfiguredIssuer keeps credentials that were registered at one server
// from being sent to another (R253).
func (a *Authorizer) checkConfiguredIssuer(issuer string) error {
	if a.cfg.Issuer == "" || a.cfg.Issuer == issuer {
		return nil
	}
	return fmt.Errorf("%w: the server names the authorization server %q; auth.issuer is %q, and what is configured for that one is not sent to another",
		errors.ErrAuthorizationDiscovery, errors.PeerText(issuer, 200), errors.PeerText(a.cfg.Issuer, 200))
}

func (a *Authorizer) remember(server *discovery.Server) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.servers) >= maxServers {
		clear(a.servers)
	}
	a.servers[server.Issuer] = knownServer{metadata: server, found: a.now()}
}

// issuerOf returns the metadata of the issuer of a token.
func (a *Authorizer) issuerOf(ctx context.Context, t *token) (*discovery.Server, error) {
	a.mu.Lock()
	known := a.servers[t.Issuer]
	a.mu.Unlock()
	if known.metadata != nil && a.now().Sub(known.found) < serverAge {
		return known.metadata, nil
	}
	var server *discovery.Server
	var err error
	if t.Assumed {
		server, err = a.finder.OwnServer(ctx)
	} else {
		server, err = a.finder.Server(ctx, t.Issuer)
	}
	if err != nil {
		return nil, err
	}
	a.remember(server)
	return server, nil
}
