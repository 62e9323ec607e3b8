package auth

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/dpop"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	errorScope = "insufficient_scope"
	// maxAttempts is how many answers of 401 or 403 one request may get before it
	// fails: a first token, two upgrades, or a nonce, a refresh and a new token.
	maxAttempts = 4
	// deniedTime is how long an upgrade that was in vain is not tried again.
	deniedTime = 10 * time.Minute
)

// demand is what an answer of the server asks for.
type demand struct {
	demanded
	status  int
	attempt int
	refused *token   // what was sent; nil if nothing was
	scopes  []string // what the challenge names
	stepUp  bool     // the token is good, and not good enough
}

// Challenged is told of an answer of 401 or 403, and of any answer with a DPoP
// nonce. attempt counts the answers to one request, from 1. It returns true if
// the request is to be sent again with another call of Authorize; it waits until
// there is something new to send. sent is the header that was sent.
//
// A 401 leads to a refresh, then to a new authorization; a 403 that names scopes
// to an authorization with these as well (R265-R267). An error says why neither
// is possible: it is a *errors.TransporterRequestError of KindAuth with the
// challenge, or the cause of ctx. False without an error leaves the answer as it
// is.
func (p *Principal) Challenged(ctx context.Context, attempt, status int, response, sent http.Header) (again bool, err error) {
	current := p.current.Load()
	if current != nil && current.prover != nil {
		current.prover.Learn(p.authorizer.base.String(), response)
	}
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		return false, nil
	}
	secret := secretsOf(nil, sent) // a server may repeat what it refuses
	var values []string
	for _, value := range response.Values("Www-Authenticate") {
		values = append(values, secret.Text(value))
	}
	d := demand{demanded: parseDemand(values), status: status, attempt: attempt}
	d.scopes = d.demanded.scopes()
	if status == http.StatusUnauthorized && d.bearer.Parameter("error") == dpop.ErrorNonce {
		return response.Get(dpop.HeaderNonce) != "" && attempt < maxAttempts, nil
	}
	access := sentToken(sent)
	if current != nil && current.Access == access {
		d.refused = current
	}
	if status == http.StatusForbidden {
		return p.stepUp(ctx, d, operation(sent))
	}
	return p.unauthorized(ctx, d)
}

// unauthorized handles a 401 (P95).
func (p *Principal) unauthorized(ctx context.Context, d demand) (bool, error) {
	if d.attempt >= maxAttempts || d.attempt > 1 && d.refused != nil && d.refused.isFresh(p.authorizer.now()) {
		return false, p.failure(d, fmt.Errorf("%w: the server refuses the token that it was just given", errors.ErrAuthRequired))
	}
	if err := p.obtain(ctx, d); err != nil {
		return false, err
	}
	return true, nil
}

// stepUp handles a 403 (R265-R267). The scopes that a token was asked for count,
// not those that were given: what was refused once is not asked for again.
func (p *Principal) stepUp(ctx context.Context, d demand, operation string) (bool, error) {
	if d.bearer.Parameter("error") != errorScope {
		return false, nil
	}
	d.stepUp = true
	if t := p.current.Load(); t != nil && t != d.refused && containsAll(t.Requested, d.scopes) && len(d.scopes) > 0 {
		return true, nil // somebody else has upgraded meanwhile
	}
	key := operation + " " + joinScopes(slices.Sorted(slices.Values(d.scopes)))
	switch {
	case len(d.scopes) == 0:
		return false, p.failure(d, fmt.Errorf("%w: the server does not say which scopes it wants", errors.ErrInsufficientScope))
	case d.refused != nil && containsAll(d.refused.Requested, d.scopes):
		return false, p.failure(d, fmt.Errorf("%w: %q was asked for already", errors.ErrInsufficientScope, joinScopes(d.scopes)))
	case p.wasDenied(key):
		return false, p.failure(d, fmt.Errorf("%w: %q was asked for in vain less than %s ago", errors.ErrInsufficientScope, joinScopes(d.scopes), deniedTime))
	case d.attempt >= maxAttempts:
		p.deny(key)
		return false, p.failure(d, fmt.Errorf("%w: the server wants more with every try, now %q", errors.ErrInsufficientScope, joinScopes(d.scopes)))
	}
	err := p.obtain(ctx, d)
	if errors.Is(err, errors.ErrAuthorizationDenied) {
		p.deny(key)
	}
	return err == nil, err
}

// obtain gets a token that meets the demand.
func (p *Principal) obtain(ctx context.Context, d demand) error {
	key := "obtain"
	if d.stepUp {
		key = "upgrade " + joinScopes(d.scopes)
	}
	met := func() bool {
		t := p.current.Load()
		return t != nil && t != d.refused && !t.isExpired(p.authorizer.now()) && (!d.stepUp || containsAll(t.Requested, d.scopes))
	}
	err := p.run(ctx, key, met, func(ctx context.Context) error { return p.obtainNow(ctx, d) })
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return p.failure(d, err)
}

// failure completes an error for the caller of a request.
func (p *Principal) failure(d demand, err error) error {
	if _, complete := errors.AsType[*errors.TransporterRequestError](err); complete {
		return err
	}
	failure := &errors.TransporterRequestError{
		Server: p.authorizer.server, Kind: errors.KindAuth, Delivery: errors.DeliveryNotSent,
		Status: d.status, Challenge: d.values, Err: err,
	}
	if d.status != 0 {
		failure.Delivery = errors.DeliveryRefused
		p.wanted.Store(&failure.Challenge)
	}
	return failure
}

func (p *Principal) wasDenied(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.authorizer.now().Before(p.denied[key])
}

// deny remembers what was in vain; no more than a few things at a time.
func (p *Principal) deny(key string) {
	const most = 64
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.denied == nil || len(p.denied) >= most {
		p.denied = make(map[string]time.Time)
	}
	p.denied[key] = p.authorizer.now().Add(deniedTime)
}

// sentToken returns the token of an Authorization header.
func sentToken(sent http.Header) string {
	_, credentials, _ := strings.Cut(sent.Get(authorizationHeader), " ")
	return strings.TrimSpace(credentials)
}

// operation names what was asked of the server, as far as headers tell.
func operation(sent http.Header) string {
	return sent.Get(mcp.HeaderMethod) + " " + sent.Get(mcp.HeaderName)
}
