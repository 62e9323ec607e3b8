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
	if stored != nil && (old == nil || stored.Access != old.Access) {
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
	work, cancel := context.WithTimeoutCause(ctx, workTimeout, fmt.Errorf("authorization took longer than %s", workTimeout))
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
	return p.grant(ctx, work, f, a.cfg.chooseScopes(f, d.scopes, before))
}

// grant runs the configured grant. ctx is not bounded, since users take their
// time; work is.
func (p *Principal) grant(ctx, work context.Context, f *findings, scopes []string) error {
	a := p.authorizer
	var made *token
	var err error
	switch {
	case a.cfg.unattended():
		if made, err = a.grantUnattended(work, p.name, f, scopes); err == nil {
			made.issued = true
			a.keep(work, p.name, made)
		}
	case a.interact == nil:
		return a.authRequired(p.name)
	default:
		made, err = a.askUser(ctx, work, p.name, f, scopes)
	}
	if err != nil {
		return err
	}
	p.adopt(made)
	return nil
}

// askUser begins a flow, has the user follow it, and completes it.
func (a *Authorizer) askUser(ctx, work context.Context, principal string, f *findings, scopes []string) (*token, error) {
	flow, err := a.beginFlow(work, principal, f, scopes)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, flowLifetime, fmt.Errorf("%w: nobody answered for %s", errors.ErrAuthorizationDenied, flowLifetime))
	defer cancel()
	query, err := await(ctx, func() (url.Values, error) {
		return a.interact(ctx, AuthorizationRequest{Server: a.server, Principal: principal, URL: flow.URL, Issuer: flow.Issuer, Scopes: scopes})
	})
	if err != nil {
		return nil, err
	}
	return a.completeFlow(ctx, principal, query)
}

func (a *Authorizer) authRequired(principal string) error {
	who := "the client itself"
	if principal != "" {
		who = fmt.Sprintf("principal %q", errors.PeerText(principal, 80))
	}
	return fmt.Errorf("%w: %s has no token that the server takes", errors.ErrAuthRequired, who)
}

// refresh trades the refresh token of old, and makes the result current. It
// returns false without an error if the refresh token is of no use, which is
// then forgotten (compare and delete: another process may have a newer one).
func (p *Principal) refresh(ctx context.Context, server *discovery.Server, old *token) (bool, error) {
	a := p.authorizer
	made, err := p.refreshed(ctx, server, old)
	if !errors.Is(err, errCannotRefresh) {
		if err != nil {
			return false, err
		}
		a.keep(ctx, p.name, made)
		p.current.Store(made)
		return true, nil
	}
	if newer, err := p.stored(ctx); err == nil && newer != nil && newer.Refresh != old.Refresh && !newer.isExpired(a.now()) {
		p.current.Store(newer)
		return true, nil
	}
	a.log.Info("a token cannot be refreshed", "server", a.server, "reason", err)
	p.drop(ctx, old)
	return false, nil
}

// refreshed makes the request. Refusals that repeating would not change come as
// errCannotRefresh.
func (p *Principal) refreshed(ctx context.Context, server *discovery.Server, old *token) (*token, error) {
	a := p.authorizer
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
	if _, err := a.store.Delete(ctx, a.registrationKey(issuer), nil); err != nil {
		a.log.Error("a registration could not be removed from the store", "server", a.server, "error", err)
	}
}
