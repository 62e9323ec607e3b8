package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/dpop"
	"github.com/mcp-client-go/mcpclient/auth/internal/fetch"
	"github.com/mcp-client-go/mcpclient/auth/jose"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Flow is an authorization that waits for its user.
type Flow struct {
	// URL is where to send the user's browser: https, or http on loopback (R304).
	URL string
	// State comes back with the browser. It is bound to the principal; whoever
	// knows it and is taken for the principal can finish the flow.
	State string
	// Issuer and Scopes are what the user will be asked about.
	Issuer string
	Scopes []string
	// ClientID is who we are there. Registered says that it was registered for this
	// server and redirect URL by us, and not beforehand by somebody else.
	ClientID   string
	Registered bool
	// Expires is when the flow can no longer be finished.
	Expires time.Time
}

// BeginOption says more about an authorization that is to begin.
type BeginOption func(*beginning)

type beginning struct {
	challenges []string
	redirect   string
	err        error
}

// Because names the error that made the authorization necessary: what the
// server's challenge asks for is asked for. Without it the challenge counts that
// the principal's calls got last, in this process.
func Because(err error) BeginOption {
	return func(b *beginning) {
		if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
			b.challenges = failure.Challenge
		}
	}
}

// RedirectTo has the browser come back to another URL than auth.redirect_url, for
// a program that finds out only now which port it can listen on. A client that
// was registered beforehand must have been so with this URL.
func RedirectTo(redirect string) BeginOption {
	return func(b *beginning) {
		if u, err := url.Parse(redirect); err != nil || !isRedirect(u) {
			b.err = errors.New("RedirectTo: https is wanted, or http on loopback; found " + fetch.DisplayText(redirect))
		}
		b.redirect = redirect
	}
}

// Begin prepares the authorization of a principal: it finds out how the server
// wants it, registers a client if need be, and returns where to send the user.
// Finish takes the answer. Any number of flows may be under way.
func (a *Authorizer) Begin(ctx context.Context, principal string, options ...BeginOption) (*Flow, error) {
	if a.cfg.unattended() {
		return nil, a.flowError(fmt.Errorf("no user takes part where auth.type is %q", a.cfg.Kind()))
	}
	b := beginning{redirect: a.cfg.redirectURL()}
	p := a.Principal(principal)
	if wanted := p.wanted.Load(); wanted != nil {
		b.challenges = *wanted
	}
	for _, option := range options {
		option(&b)
	}
	if b.err != nil {
		return nil, a.flowError(b.err)
	}
	d := parseDemand(b.challenges)
	var before []string
	if d.bearer.Parameter("error") == errorScope {
		before = p.requested(ctx)
	}
	f, err := a.find(ctx, d)
	if err != nil {
		return nil, a.flowError(err)
	}
	flow, err := a.beginFlow(ctx, principal, f, a.cfg.chooseScopes(f, d.scopes(), before), b.redirect)
	if err != nil {
		return nil, a.flowError(err)
	}
	return flow, nil
}

// beginFlow writes down what the answer will be checked against (R258).
func (a *Authorizer) beginFlow(ctx context.Context, principal string, f *findings, scopes []string, redirect string) (*Flow, error) {
	if f.server.AuthorizationEndpoint == "" {
		return nil, fmt.Errorf("%w: the authorization server %q names no authorization_endpoint", errors.ErrAuthorizationDiscovery, errors.PeerText(f.server.Issuer, 200))
	}
	if err := f.server.CheckPKCE(); err != nil {
		return nil, err
	}
	c, err := a.identify(ctx, f.server, redirect)
	if err != nil {
		return nil, err
	}
	prover, err := a.proverFor(f)
	if err != nil {
		return nil, err
	}
	state := jose.RandomID()
	record := &pending{
		Principal: principal, Verifier: newVerifier(), Redirect: redirect, Client: c.registration,
		Scopes: scopes, Resource: f.resource, Server: f.server, Assumed: f.server.Assumed, Expires: a.now().Add(a.cfg.consentTimeout()),
	}
	if prover != nil {
		if record.DPoPKey, err = prover.Key().DER(); err != nil {
			return nil, err
		}
	}
	target, err := authorizationURL(record, state, prover)
	if err != nil {
		return nil, err
	}
	if err := write(ctx, a.store, a.flowKey(state), record, record.Expires); err != nil {
		return nil, err
	}
	return &Flow{
		URL: target, State: state, Issuer: f.server.Issuer, Scopes: scopes,
		ClientID: c.ClientID, Registered: c.dynamic, Expires: record.Expires,
	}, nil
}

// authorizationURL keeps the query that the endpoint has of its own.
func authorizationURL(p *pending, state string, prover *dpop.Prover) (string, error) {
	u, err := url.Parse(p.Server.AuthorizationEndpoint)
	if err != nil {
		return "", fmt.Errorf("%w: the authorization_endpoint is not a URL", errors.ErrAuthorizationDiscovery)
	}
	sum := sha256.Sum256([]byte(p.Verifier))
	query := u.Query()
	query.Set("response_type", "code")
	query.Set("client_id", p.Client.ClientID)
	query.Set("redirect_uri", p.Redirect)
	query.Set("state", state)
	query.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
	query.Set("code_challenge_method", "S256")
	query.Set("resource", p.Resource)
	if len(p.Scopes) > 0 {
		query.Set("scope", joinScopes(p.Scopes))
	}
	if slices.Contains(p.Scopes, offlineAccess) {
		query.Set("prompt", "consent") // OpenID Connect gives refresh tokens only with it
	}
	if prover != nil {
		query.Set("dpop_jkt", prover.Key().Thumbprint())
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// Finish takes the query with which the user's browser came back, and stores the
// token. principal is whom the browser's own session belongs to: a flow that
// somebody else began is refused, since a user could otherwise be led into
// authorizing a stranger. A flow can be finished once, within
// auth.consent_timeout; on any error the user has to begin anew. Any process
// that shares the store can do it.
func (a *Authorizer) Finish(ctx context.Context, principal string, query url.Values) error {
	made, err := a.finishFlow(ctx, principal, query)
	if err != nil {
		return a.flowError(err)
	}
	a.Principal(principal).adopt(made)
	return nil
}

func (a *Authorizer) finishFlow(ctx context.Context, principal string, query url.Values) (*token, error) {
	record, err := a.takeFlow(ctx, principal, query)
	if err != nil {
		return nil, err
	}
	code, err := record.code(query)
	if err != nil {
		return nil, err
	}
	terms := grantTerms{server: record.Server, resource: record.Resource, scopes: record.Scopes}
	if terms.client, err = a.flowClient(record); err != nil {
		return nil, err
	}
	if record.DPoPKey != nil {
		key, err := jose.ParseDER(record.DPoPKey)
		if err != nil {
			return nil, err
		}
		terms.prover = dpop.New(key)
	}
	made, err := a.request(ctx, terms, url.Values{
		"grant_type": {grantCode}, "code": {code}, "redirect_uri": {record.Redirect}, "code_verifier": {record.Verifier},
	})
	if err != nil {
		a.reconsider(ctx, terms.client, record.Server.Issuer, err)
		return nil, err
	}
	made.issued = true
	a.keep(ctx, principal, made)
	return made, nil
}

// takeFlow finds the flow of an answer and removes it, so that nobody can use
// the answer again (R256).
func (a *Authorizer) takeFlow(ctx context.Context, principal string, query url.Values) (*pending, error) {
	state, ok := single(query, "state")
	if !ok || state == "" {
		return nil, fmt.Errorf("%w: it has no state", errors.ErrAuthorizationResponse)
	}
	record, raw, err := read[pending](ctx, a.store, a.flowKey(state))
	if err != nil {
		return nil, err
	}
	if record == nil || record.Server == nil || !a.now().Before(record.Expires) {
		return nil, fmt.Errorf("%w: its state belongs to no authorization that is under way; it was used before, or took longer than %s", errors.ErrAuthorizationResponse, a.cfg.consentTimeout())
	}
	if record.Principal != principal {
		return nil, fmt.Errorf("%w: another principal began this authorization", errors.ErrAuthorizationResponse)
	}
	removed, err := a.store.Delete(ctx, a.flowKey(state), raw)
	if err != nil {
		return nil, fmt.Errorf("removing the flow from the store: %w", err)
	}
	if !removed {
		return nil, fmt.Errorf("%w: it was used before", errors.ErrAuthorizationResponse)
	}
	record.Server.Assumed = record.Assumed
	return record, nil
}

// code checks where the answer is from before it looks at what it says (R259-
// R261), and returns the code.
func (p *pending) code(query url.Values) (string, error) {
	issuer, ok := single(query, "iss")
	present := query.Has("iss")
	switch {
	case !ok, present && issuer != p.Server.Issuer:
		return "", fmt.Errorf("%w: it is not from the authorization server %q, which was asked", errors.ErrAuthorizationResponse, errors.PeerText(p.Server.Issuer, 200))
	case !present && p.Server.SendsIssuer:
		return "", fmt.Errorf("%w: it does not say that it is from the authorization server %q, which always says so", errors.ErrAuthorizationResponse, errors.PeerText(p.Server.Issuer, 200))
	}
	if query.Has("error") {
		sent := secretsOf(query, nil)
		text := errors.PeerText(sent.Text(query.Get("error")), 80)
		if description := query.Get("error_description"); description != "" {
			text += " (" + errors.PeerText(sent.Text(description), 300) + ")"
		}
		return "", fmt.Errorf("%w: %s", errors.ErrAuthorizationDenied, text)
	}
	code, ok := single(query, "code")
	if !ok || code == "" {
		return "", fmt.Errorf("%w: it has neither a code nor an error", errors.ErrAuthorizationResponse)
	}
	return code, nil
}

// single returns the value of a parameter; ok is false if it occurs more than
// once.
func single(query url.Values, name string) (value string, ok bool) {
	return query.Get(name), len(query[name]) <= 1
}

// flowClient is the client that began the flow; its key is not in the record.
func (a *Authorizer) flowClient(record *pending) (*client, error) {
	key, err := a.privateKey()
	dynamic := record.Client.ClientID != a.cfg.ClientID && record.Client.ClientID != a.cfg.ClientMetadataURL
	return &client{registration: record.Client, key: key, keyID: a.cfg.KeyID, dynamic: dynamic}, err
}

func (a *Authorizer) flowKey(state string) Key {
	return Key{Kind: KindFlow, Server: a.key, ID: state}
}

// flowError is what Begin and Finish fail with.
func (a *Authorizer) flowError(err error) error {
	return &errors.TransporterRequestError{Server: a.server, Kind: errors.KindAuth, Delivery: errors.DeliveryNotSent, Message: "authorization", Err: err}
}

// newVerifier returns a PKCE verifier of 256 random bits (RFC 7636).
func newVerifier() string {
	var bytes [32]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(bytes[:])
}
