package auth

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/auth/dpop"
	"github.com/mcp-client-go/mcpclient/auth/jose"
	"github.com/mcp-client-go/mcpclient/errors"
)

const authorizationHeader = "Authorization"

// Principal is the credentials of one principal for one server. All methods are
// safe for concurrent use; as long as the token is good, Authorize takes no lock
// and does no I/O.
type Principal struct {
	authorizer *Authorizer
	name       string
	current    atomic.Pointer[token]
	loaded     atomic.Bool              // the store was asked
	wanted     atomic.Pointer[[]string] // the challenge that a user has to answer

	mu      sync.Mutex
	running *work
	failed  failedWork
	denied  map[string]time.Time // what was asked for in vain, until when
}

// Authorize adds the token to the header of a request: Authorization, and with a
// bound token a proof (R268). It renews a token that is about to end. Without a
// token, or for another origin than the server's (R270, P99), it adds nothing:
// the server's answer will tell what is needed.
func (p *Principal) Authorize(ctx context.Context, method, target string, header http.Header) error {
	if !p.isOurs(target) {
		return nil
	}
	t, err := p.usable(ctx)
	if err != nil || t == nil {
		return err
	}
	if t.prover == nil {
		header.Set(authorizationHeader, schemeBearer+" "+t.Access)
		return nil
	}
	proof, err := t.prover.Proof(method, target, t.Access, p.authorizer.now())
	if err != nil {
		return err
	}
	header.Set(authorizationHeader, dpop.Scheme+" "+t.Access)
	header.Set(dpop.Header, proof)
	return nil
}

func (p *Principal) isOurs(target string) bool {
	if u, err := url.Parse(target); err == nil {
		return discovery.Origin(u) == discovery.Origin(p.authorizer.base)
	}
	return false
}

// usable returns the token to send, nil if there is none.
func (p *Principal) usable(ctx context.Context) (*token, error) {
	if !p.loaded.Load() {
		if err := p.load(ctx); err != nil {
			return nil, err
		}
	}
	t := p.current.Load()
	now := p.authorizer.now()
	if t == nil || !t.isDue(now) {
		return t, nil
	}
	if t.Refresh == "" {
		if t.isExpired(now) {
			return nil, nil
		}
		return t, nil
	}
	err := p.renew(ctx, t)
	switch {
	case err == nil:
		return p.current.Load(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !t.isExpired(now):
		p.authorizer.log.Warn("a token could not be renewed yet", "server", p.authorizer.server, "error", err)
		return t, nil // it is still good
	default:
		return nil, p.failure(demand{}, err)
	}
}

// load takes the token of an earlier run from the store.
func (p *Principal) load(ctx context.Context) error {
	return p.run(ctx, "load", p.loaded.Load, func(ctx context.Context) error {
		stored, err := p.stored(ctx)
		if err != nil {
			return p.failure(demand{}, err)
		}
		if stored != nil {
			p.current.CompareAndSwap(nil, stored)
		}
		p.loaded.Store(true)
		return nil
	})
}

// renew refreshes a token that is about to end.
func (p *Principal) renew(ctx context.Context, due *token) error {
	return p.run(ctx, "renew", func() bool { return p.current.Load() != due }, func(ctx context.Context) error {
		ctx, cancel := boundedWork(ctx)
		defer cancel()
		server, err := p.authorizer.issuerOf(ctx, due)
		if err != nil {
			return err
		}
		_, err = p.refresh(ctx, server, due)
		return err
	})
}

// stored reads the principal's token, nil if there is none.
func (p *Principal) stored(ctx context.Context) (*token, error) {
	a := p.authorizer
	bound, _, err := read[binding](ctx, a.store, a.issuerKey())
	if err != nil || bound == nil {
		return nil, err
	}
	t, _, err := a.storedToken(ctx, bound.Issuer, p.name)
	return t, err
}

// storedToken reads a token, nil if there is none. raw is what Swap compares.
func (a *Authorizer) storedToken(ctx context.Context, issuer, principal string) (t *token, raw []byte, err error) {
	t, raw, err = read[token](ctx, a.store, a.tokenKey(issuer, principal))
	if err != nil || t == nil {
		return nil, nil, err
	}
	t.kept = true
	if t.DPoPKey != nil {
		key, err := jose.ParseDER(t.DPoPKey)
		if err != nil {
			return nil, nil, errors.New("the key of the token in the store: " + err.Error())
		}
		t.prover = dpop.New(key)
	}
	return t, raw, nil
}

// adopt makes a token the current one, after a user has authorized.
func (p *Principal) adopt(t *token) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed, p.denied = failedWork{}, nil
	p.wanted.Store(nil)
	p.current.Store(t)
	p.loaded.Store(true)
}

// requested returns the scopes that were asked for so far.
func (p *Principal) requested(ctx context.Context) []string {
	if !p.loaded.Load() {
		_ = p.load(ctx)
	}
	if t := p.current.Load(); t != nil {
		return t.Requested
	}
	return nil
}
