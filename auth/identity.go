package auth

import (
	"context"
	"fmt"
	"net/url"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/auth/jose"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// identify returns who we are to the authorization server (R245, R246): the
// client that is configured, or else the one that our metadata document
// describes, or else, last, one that is registered for the occasion.
func (a *Authorizer) identify(ctx context.Context, server *discovery.Server, redirect string) (*client, error) {
	c, err := a.configuredClient(ctx, server)
	if c != nil || err != nil {
		return c, err
	}
	switch {
	case a.cfg.unattended() && a.cfg.Kind() != TypeEnterprise:
		return &client{}, nil // jwt_bearer: the assertion alone says it
	case !a.cfg.DynamicRegistration || server.RegistrationEndpoint == "" || a.cfg.unattended():
		return nil, fmt.Errorf("%w: the authorization server %q knows no client of ours%s; configure auth.client_id with a client that is registered there",
			errors.ErrClientRegistration, errors.PeerText(server.Issuer, 200), a.whyNotRegistered(server))
	}
	registered, err := a.registered(ctx, server, redirect)
	if err != nil {
		return nil, err
	}
	return &client{registration: *registered, dynamic: true}, nil
}

func (a *Authorizer) whyNotRegistered(server *discovery.Server) string {
	switch {
	case !a.cfg.DynamicRegistration:
		return ", and auth.dynamic_registration is off"
	case a.cfg.ClientMetadataURL != "":
		return ", takes no client_metadata_url, and registers nobody"
	case server.TakesMetadataDocuments:
		return ", but would take an auth.client_metadata_url"
	default:
		return ", and registers nobody"
	}
}

// configuredClient returns a client that needs no registration, nil if there is
// none.
func (a *Authorizer) configuredClient(ctx context.Context, server *discovery.Server) (*client, error) {
	c := &client{keyID: a.cfg.KeyID}
	var err error
	if c.key, err = a.privateKey(); err != nil {
		return nil, err
	}
	switch {
	case a.cfg.ClientID != "":
		if err := a.checkBoundIssuer(ctx, server.Issuer); err != nil {
			return nil, err
		}
		if c.Secret, err = a.cfg.ClientSecret.Reveal(); err != nil {
			return nil, fmt.Errorf("auth.client_secret: %w", err)
		}
		c.ClientID = a.cfg.ClientID
	case a.cfg.ClientMetadataURL != "" && server.TakesMetadataDocuments:
		c.ClientID = a.cfg.ClientMetadataURL // valid at every issuer (R253)
	default:
		return nil, nil
	}
	c.Method = a.cfg.AuthMethod
	if c.Method == "" {
		c.Method = chooseMethod(server.TokenEndpointAuthMethods, c.Secret != "", c.key != nil)
	}
	return c, nil
}

// checkBoundIssuer keeps the configured credentials from a second authorization
// server where auth.issuer does not say which one they are for (R253).
func (a *Authorizer) checkBoundIssuer(ctx context.Context, issuer string) error {
	if a.cfg.Issuer != "" {
		return nil // checked when the metadata was found
	}
	bound, _, err := read[binding](ctx, a.store, a.issuerKey())
	if err != nil || bound == nil || bound.Issuer == issuer {
		return err
	}
	return fmt.Errorf("%w: the server now names the authorization server %q, while auth.client_id was used at %q; credentials of one are not sent to another: "+
		"register a client at the new one and set auth.issuer",
		errors.ErrClientRegistration, errors.PeerText(issuer, 200), errors.PeerText(bound.Issuer, 200))
}

// privateKey reads the configured key, nil if there is none. It is read anew
// each time, since it may be a file that was rotated.
func (a *Authorizer) privateKey() (*jose.Key, error) {
	text, err := a.cfg.PrivateKey.Reveal()
	if err != nil {
		return nil, fmt.Errorf("auth.private_key: %w", err)
	}
	if text == "" {
		return nil, nil
	}
	key, err := jose.Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("auth.private_key: %w", err)
	}
	return key, nil
}

// clientOf returns the client that a token was issued to; nil if it is not ours
// any more, so that the token cannot be refreshed.
func (a *Authorizer) clientOf(ctx context.Context, server *discovery.Server, id string) (*client, error) {
	c, err := a.configuredClient(ctx, server)
	if err != nil {
		return nil, err
	}
	if c == nil {
		stored, err := a.storedRegistration(ctx, a.clientKey(server.Issuer, id))
		if err != nil || stored == nil {
			return nil, err
		}
		c = &client{registration: *stored, dynamic: true}
	}
	if c.ClientID != id {
		return nil, nil
	}
	return c, nil
}

// applicationType is native for programs whose user's browser is on the same
// machine, web for those that have a site (R251).
func applicationType(redirect string) string {
	if u, err := url.Parse(redirect); err == nil && u.Scheme == "https" && !dial.IsLoopbackHost(u.Hostname()) {
		return "web"
	}
	return "native"
}
