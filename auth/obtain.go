package auth

import (
	"context"
	"fmt"
	"net/url"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/errors"
)

// errCannotRefresh: the refresh token is of no use any more.
var errCannotRefresh = errors.New("the token cannot be refreshed")

// obtainNow is the work behind obtain, alone for its principal: the store, then a
// refresh, then the grant.
func (p *Principal) obtainNow(ctx context.Context, d demand) error {
	a := p.authorizer
	old := p.current.Load()
	stored, err := p.stored(ctx)
	if err != nil {
		return err
	}
	if stored.isNewer(old) {
		if !stored.isExpired(a.now()) && (!d.stepUp || containsAll(stored.Requested, d.scopes)) {
			p.adopt(stored) // another process was quicker
			return nil
		}
		old = stored
	}
	if d.stepUp && old == nil {
		old = d.refused
	}
	refreshable := old != nil && old.Refresh != "" && !d.stepUp && (d.attempt <= 1 || !old.renewed)
	if !a.cfg.unattended() && a.interact == nil && !refreshable {
		return a.authRequired(p.name)
	}
	work, cancel := boundedWork(ctx)
	defer cancel()
	f, err := a.find(work, d.demanded)
	if err != nil {
		return err
	}
	if old != nil && old.Issuer != f.server.Issuer {
		p.drop(work, old) // P93
		old, refreshable = nil, false
	}
	if refreshable {
		renewed, err := p.refresh(work, f.server, old)
		if err != nil || renewed {
			return err
		}
	}
	var before []string
	if d.stepUp && old != nil {
		before = old.Requested
	}
	return p.grant(ctx, work, f, a.cfg.chooseScopes(f, d.scopes, before), d)
}

// grant runs the configured grant. ctx is not bounded, since users take their
// time; work is.
func (p *Principal) grant(ctx, work context.Context, f *findings, scopes []string, d demand) error {
	a := p.authorizer
	var made *token
	var err error
	switch {
	case a.cfg.unattended():
		return a.alone(work, a.tokenLease(f.server.Issuer, p.name), func(work context.Context) error {
			return p.grantAlone(work, f, scopes, d)
		})
	case a.interact == nil:
		return a.authRequired(p.name)
	default:
		made, err = p.askUser(ctx, work, f, scopes)
	}
	if err != nil {
		return err
	}
	p.adopt(made)
	return nil
}

// grantAlone gets a token without a user, unless another process has just stored
// one.
func (p *Principal) grantAlone(ctx context.Context, f *findings, scopes []string, d demand) error {
	a := p.authorizer
	stored, _, err := a.storedToken(ctx, f.server.Issuer, p.name)
	if err != nil {
		return err
	}
	if stored != nil && (d.refused == nil || stored.Access != d.refused.Access) && !stored.isExpired(a.now()) && containsAll(stored.Requested, scopes) {
		p.adopt(stored)
		return nil
	}
	made, err := a.grantUnattended(ctx, p.name, f, scopes)
	if err != nil {
		return err
	}
	made.issued = true
	a.keep(ctx, p.name, made)
	p.adopt(made)
	return nil
}

// askUser begins a flow, has the user follow it, and finishes it.
func (p *Principal) askUser(ctx, work context.Context, f *findings, scopes []string) (*token, error) {
	a := p.authorizer
	flow, err := a.beginFlow(work, p.name, f, scopes, a.cfg.redirectURL())
	if err != nil {
		return nil, err
	}
	limit := a.cfg.consentTimeout()
	asking, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: nobody answered for %s (auth.consent_timeout)", errors.ErrAuthorizationDenied, limit))
	defer cancel()
	callers := p.currentWork()
	close(callers.asking)
	query, err := await(asking, func() (url.Values, error) {
		return a.interact(asking, AuthorizationRequest{Server: a.server, Principal: p.name, URL: flow.URL, Issuer: flow.Issuer, Scopes: scopes})
	})
	close(callers.answered)
	if err != nil {
		return nil, err
	}
	ctx, cancelWork := boundedWork(ctx)
	defer cancelWork()
	return a.finishFlow(ctx, p.name, query)
}

func (a *Authorizer) authRequired(principal string) error {
	who := "the client itself"
	if principal != "" {
		who = fmt.Sprintf("principal %q", errors.PeerText(principal, 80))
	}
	return fmt.Errorf("%w: %s has no token that the server takes", errors.ErrAuthRequired, who)
}

// refreshed makes the request. Refusals that repeating would not change come as
// errCannotRefresh.
func (p *Principal) refreshed(ctx context.Context, server *discovery.Server, old *token) (*token, error) {
	a := p.authorizer
	if old.Refresh == "" {
		return nil, fmt.Errorf("%w: none was issued with it", errCannotRefresh)
	}
	c, err := a.clientOf(ctx, server, old.ClientID)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, fmt.Errorf("%w: it was issued to another client of ours", errCannotRefresh)
	}
	made, err := a.refresh(ctx, server, old, c)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.status >= 400 && refused.status < 500 && refused.status != 429 && refused.status != 408 {
		a.reconsider(ctx, c, server.Issuer, err)
		return nil, fmt.Errorf("%w: %w", errCannotRefresh, err)
	}
	return made, err
}

// drop forgets a token, in the store only if it still is this one.
func (p *Principal) drop(ctx context.Context, old *token) {
	a := p.authorizer
	key := a.tokenKey(old.Issuer, p.name)
	stored, raw, err := read[token](ctx, a.store, key)
	if err == nil && stored != nil && stored.Access == old.Access && stored.Refresh == old.Refresh {
		_, err = a.store.Delete(ctx, key, raw)
	}
	if err != nil {
		a.log.Error("a token could not be removed from the store", "server", a.server, "error", err)
	}
	p.current.CompareAndSwap(old, nil)
}

// reconsider forgets a registration that the authorization server has forgotten,
// so that the next authorization begins with a new one.
func (a *Authorizer) reconsider(ctx context.Context, c *client, issuer string, err error) {
	refused, ok := errors.AsType[*refusal](err)
	if !ok || !c.dynamic || refused.code != "invalid_client" {
		return
	}
	keys := []Key{a.clientKey(issuer, c.ClientID)}
	if c.Redirect != "" {
		keys = append(keys, a.registrationKey(issuer, c.Redirect))
	}
	for _, key := range keys {
		if err := a.forgetClient(ctx, key, c.ClientID); err != nil {
			a.log.Error("a registration could not be removed from the store", "server", a.server, "error", err)
		}
	}
}

// forgetClient removes a registration unless another one has taken its place.
func (a *Authorizer) forgetClient(ctx context.Context, key Key, id string) error {
	stored, raw, err := read[registration](ctx, a.store, key)
	if err != nil || stored == nil || stored.ClientID != id {
		return err
	}
	_, err = a.store.Delete(ctx, key, raw)
	return err
}
