package auth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Status is what is known of a principal's authorization, without its secrets.
type Status struct {
	// Authorized reports whether there is a token that is good, or can be renewed.
	Authorized bool
	// Issuer is the authorization server, Resource what the token is for.
	Issuer, Resource string
	// ClientID is who we are there.
	ClientID string
	// Scopes are those that were given.
	Scopes []string
	// Expires is when the token ends; zero if the server did not say.
	Expires time.Time
	// Renewable reports whether it is renewed then.
	Renewable bool
	// Bound reports whether the token is bound to a key (DPoP).
	Bound bool
}

// Status tells of the principal's token, which may be in the store of an earlier
// run. It asks no server.
func (a *Authorizer) Status(ctx context.Context, principal string) (Status, error) {
	p := a.Principal(principal)
	if !p.loaded.Load() {
		if err := p.load(ctx); err != nil {
			return Status{}, err
		}
	}
	t := p.current.Load()
	if t == nil {
		return Status{}, nil
	}
	return Status{
		Authorized: t.Refresh != "" || !t.isExpired(a.now()),
		Issuer:     t.Issuer, Resource: t.Resource, ClientID: t.ClientID,
		Scopes: slices.Clone(t.Granted), Expires: t.Expires,
		Renewable: t.Refresh != "", Bound: t.prover != nil,
	}, nil
}

// Revoke ends a principal's authorization: it forgets the token, and tells the
// authorization server to, where that offers it (RFC 7009). The token is
// forgotten even if an error says that the server could not be told.
func (a *Authorizer) Revoke(ctx context.Context, principal string) error {
	p := a.Principal(principal)
	if !p.loaded.Load() {
		if err := p.load(ctx); err != nil {
			return err
		}
	}
	t := p.current.Load()
	if t == nil {
		return nil
	}
	p.drop(ctx, t)
	if err := a.revoke(ctx, t); err != nil {
		return a.flowError(err)
	}
	return nil
}

func (a *Authorizer) revoke(ctx context.Context, t *token) error {
	server, err := a.issuerOf(ctx, t)
	if err != nil || server.RevocationEndpoint == "" {
		return err
	}
	c, err := a.clientOf(ctx, server, t.ClientID)
	if err != nil || c == nil {
		return err
	}
	form, header := url.Values{"token": {t.Access}, "token_type_hint": {"access_token"}}, make(http.Header)
	if t.Refresh != "" { // ends the access tokens that it brought as well
		form = url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	}
	if err := c.authenticate(form, header, server.Issuer, a.now()); err != nil {
		return err
	}
	response, err := a.finder.Client().Post(ctx, server.RevocationEndpoint, formType, header, []byte(form.Encode()))
	if err != nil {
		return err
	}
	if response.Status != http.StatusOK {
		return parseRefusal(response.Status, response.Body, secretsOf(form, header))
	}
	return nil
}
