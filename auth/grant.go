package auth

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/auth/dpop"
	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
	"github.com/mcp-client-go/mcpclient/auth/jose"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Grant types and token types on the wire.
const (
	grantCode     = "authorization_code"
	grantRefresh  = "refresh_token"
	grantClient   = "client_credentials"
	grantJWT      = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	typeIDToken   = "urn:ietf:params:oauth:token-type:id_token"
	typeIDJAG     = "urn:ietf:params:oauth:token-type:id-jag"
	profileIDJAG  = "urn:ietf:params:oauth:grant-profile:id-jag"
)

// grantTerms are what a token is asked for with, whatever the grant.
type grantTerms struct {
	server   *discovery.Server
	resource string
	client   *client
	scopes   []string
	prover   *dpop.Prover
}

// request asks the token endpoint for a token (R262: with the resource, always).
func (a *Authorizer) request(ctx context.Context, terms grantTerms, form url.Values) (*token, error) {
	form.Set("resource", terms.resource)
	answer, err := a.send(ctx, tokenRequest{
		fetch: a.finder.Client(), endpoint: terms.server.TokenEndpoint, audience: terms.server.Issuer,
		client: terms.client, form: form, prover: terms.prover,
	})
	if err != nil {
		return nil, err
	}
	if err := answer.checkType(terms.prover != nil); err != nil {
		return nil, err
	}
	made := &token{
		Access: answer.Access, Refresh: answer.Refresh, Lifetime: answer.lifetime(),
		Issuer: terms.server.Issuer, Assumed: terms.server.Assumed, Resource: terms.resource, ClientID: terms.client.ClientID,
		Requested: terms.scopes, Granted: terms.scopes, prover: terms.prover, Born: a.now(),
	}
	if answer.Scope != nil {
		made.Granted = splitScopes(*answer.Scope) // what the server says counts
	}
	if made.Lifetime > 0 {
		made.Expires = a.now().Add(made.Lifetime)
	}
	if terms.prover != nil {
		if made.DPoPKey, err = terms.prover.Key().DER(); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// proverFor decides whether a token is to be bound to a key, and makes the key.
func (a *Authorizer) proverFor(f *findings) (*dpop.Prover, error) {
	able := slices.Contains(f.server.DPoPAlgorithms, jose.ES256)
	switch {
	case a.cfg.DPoP == DPoPNever:
		return nil, nil
	case !able && (a.cfg.DPoP == DPoPAlways || f.requiresDPoP):
		return nil, fmt.Errorf("%w: tokens are to be bound to a key, and the authorization server %q does not list %s in dpop_signing_alg_values_supported",
			errors.ErrAuthorizationDiscovery, errors.PeerText(f.server.Issuer, 200), jose.ES256)
	case !able, a.cfg.DPoP != DPoPAlways && !f.wantsDPoP:
		return nil, nil
	}
	key, err := jose.Generate()
	if err != nil {
		return nil, err
	}
	return dpop.New(key), nil
}

// grantUnattended gets a token without a user.
func (a *Authorizer) grantUnattended(ctx context.Context, principal string, f *findings, scopes []string) (*token, error) {
	c, err := a.identify(ctx, f.server, a.cfg.redirectURL())
	if err != nil {
		return nil, err
	}
	prover, err := a.proverFor(f)
	if err != nil {
		return nil, err
	}
	terms := grantTerms{server: f.server, resource: f.resource, client: c, scopes: scopes, prover: prover}
	form := url.Values{}
	if len(scopes) > 0 {
		form.Set("scope", joinScopes(scopes))
	}
	switch a.cfg.Kind() {
	case TypeClientCredentials:
		form.Set("grant_type", grantClient)
	case TypeJWTBearer:
		assertion, err := a.cfg.Assertion.Reveal()
		if err != nil {
			return nil, fmt.Errorf("auth.assertion: %w", err)
		}
		form.Set("grant_type", grantJWT)
		form.Set("assertion", assertion)
	case TypeEnterprise:
		assertion, err := a.exchange(ctx, principal, f, scopes)
		if err != nil {
			return nil, err
		}
		form.Set("grant_type", grantJWT) // R280
		form.Set("assertion", assertion)
	}
	return a.request(ctx, terms, form)
}

// exchange has the identity provider vouch for the principal to the server's
// authorization server (R279): it turns an identity token into an ID-JAG.
func (a *Authorizer) exchange(ctx context.Context, principal string, f *findings, scopes []string) (string, error) {
	if profiles := f.server.GrantProfiles; profiles != nil && !slices.Contains(profiles, profileIDJAG) { // R281
		return "", fmt.Errorf("%w: the authorization server %q does not list %s", errors.ErrAuthorizationDiscovery, errors.PeerText(f.server.Issuer, 200), profileIDJAG)
	}
	identity, err := a.identityTokenOf(ctx, principal)
	if err != nil {
		return "", fmt.Errorf("the identity token: %w", err)
	}
	provider := a.cfg.IdentityProvider
	secret, err := provider.ClientSecret.Reveal()
	if err != nil {
		return "", fmt.Errorf("auth.identity_provider.client_secret: %w", err)
	}
	us := &client{registration: registration{ClientID: provider.ClientID, Secret: secret, Method: MethodNone}}
	if secret != "" {
		us.Method = MethodBasic
	}
	form := url.Values{
		"grant_type": {grantExchange}, "requested_token_type": {typeIDJAG},
		"subject_token": {identity}, "subject_token_type": {typeIDToken},
		"audience": {f.server.Issuer}, "resource": {f.resource},
	}
	if len(scopes) > 0 {
		form.Set("scope", joinScopes(scopes))
	}
	place, err := url.Parse(provider.TokenEndpoint)
	if err != nil {
		return "", errors.New("auth.identity_provider.token_endpoint is not a URL")
	}
	answer, err := a.send(ctx, tokenRequest{
		// The operator names this endpoint, so it may be in a private network.
		fetch: fetch.New(a.http, a.rules(place)), endpoint: provider.TokenEndpoint, client: us, form: form,
	})
	if err != nil {
		return "", err
	}
	return answer.Access, nil
}

func (a *Authorizer) identityTokenOf(ctx context.Context, principal string) (string, error) {
	if a.identityToken != nil {
		return await(ctx, func() (string, error) { return a.identityToken(ctx, principal) })
	}
	text, err := a.cfg.IdentityProvider.IDToken.Reveal()
	if err == nil && text == "" {
		err = errors.New("neither the program nor auth.identity_provider.id_token gives one")
	}
	return text, err
}

// refresh trades the refresh token for a new token, and keeps the old refresh
// token where the server sends no other (R272).
func (a *Authorizer) refresh(ctx context.Context, server *discovery.Server, old *token, c *client) (*token, error) {
	terms := grantTerms{server: server, resource: old.Resource, client: c, scopes: old.Requested, prover: old.prover}
	made, err := a.request(ctx, terms, url.Values{"grant_type": {grantRefresh}, "refresh_token": {old.Refresh}})
	if err != nil {
		return nil, err
	}
	if made.Refresh == "" {
		made.Refresh = old.Refresh
	}
	if len(made.Granted) == 0 {
		made.Granted = old.Granted
	}
	made.renewed = true
	return made, nil
}

// margin is how long before its end a token is renewed: a tenth of its life, at
// most a minute.
func (t *token) margin() time.Duration { return min(t.Lifetime/10, time.Minute) }

// isFresh reports whether a grant made it a moment ago: what refuses it will
// refuse another one as well.
func (t *token) isFresh(now time.Time) bool { return t.issued && now.Sub(t.Born) < time.Minute }

func (t *token) isExpired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

func (t *token) isDue(now time.Time) bool {
	return !t.Expires.IsZero() && !now.Before(t.Expires.Add(-t.margin()))
}
