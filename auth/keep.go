package auth

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/discovery"
	"github.com/mcp-client-go/mcpclient/errors"
)

// keep writes the token of a new authorization to the store, in the place of any
// other. That it cannot be kept for the next run is no reason not to use it in
// this one. It is called before anybody else sees the token.
func (a *Authorizer) keep(ctx context.Context, principal string, t *token) {
	err := write(ctx, a.store, a.tokenKey(t.Issuer, principal), t, time.Time{})
	if err == nil {
		err = write(ctx, a.store, a.issuerKey(), binding{Issuer: t.Issuer}, time.Time{})
	}
	t.kept = err == nil
	if err != nil {
		a.log.Error("a token could not be stored", "server", a.server, "error", err)
	}
}

// keepRenewed writes a token that came of a refresh in the place of the one that
// was refreshed, raw, and of no other. It returns the token to use: what somebody
// else wrote meanwhile, or nil if it was removed, which is how others log out.
func (a *Authorizer) keepRenewed(ctx context.Context, principal string, raw []byte, made *token) *token {
	swapped, err := swap(ctx, a.store, a.tokenKey(made.Issuer, principal), raw, made)
	if err != nil {
		a.log.Error("a token could not be stored", "server", a.server, "error", err)
		return made
	}
	if swapped {
		made.kept = true
		return made
	}
	newer, _, err := a.storedToken(ctx, made.Issuer, principal)
	if err != nil {
		a.log.Error("a token could not be stored", "server", a.server, "error", err)
		return made
	}
	return newer
}

// refresh makes a token current that is newer than old: what another process has
// stored meanwhile, or what the refresh token is traded for, which one process
// does at a time. It returns false without an error if there is none to be had,
// and then old is forgotten.
func (p *Principal) refresh(ctx context.Context, server *discovery.Server, old *token) (renewed bool, err error) {
	a := p.authorizer
	err = a.alone(ctx, a.tokenLease(old.Issuer, p.name), func(ctx context.Context) error {
		renewed, err = p.refreshAlone(ctx, server, old)
		return err
	})
	return renewed, err
}

func (p *Principal) refreshAlone(ctx context.Context, server *discovery.Server, due *token) (bool, error) {
	a := p.authorizer
	before := p.current.Load()
	use := func(t *token) { p.current.CompareAndSwap(before, t) } // unless a user has logged in meanwhile
	stored, raw, err := a.storedToken(ctx, due.Issuer, p.name)
	old := due
	switch {
	case err != nil:
		return false, err
	case stored == nil && due.kept: // somebody logged out
		use(nil)
		return false, nil
	case !stored.isNewer(due):
	case !stored.isDue(a.now()):
		use(stored)
		return true, nil
	default:
		old = stored // its refresh token is the one that is still good
	}
	made, err := p.refreshed(ctx, server, old)
	if err == nil {
		made = a.keepRenewed(ctx, p.name, raw, made)
		use(made)
		return made != nil, nil
	}
	if !errors.Is(err, errCannotRefresh) {
		return false, err
	}
	if newer, _, err := a.storedToken(ctx, old.Issuer, p.name); err == nil && newer != nil && newer.Refresh != old.Refresh && !newer.isExpired(a.now()) {
		use(newer) // of a process whose lease ran out
		return true, nil
	}
	a.log.Info("a token cannot be refreshed", "server", a.server, "reason", err)
	p.drop(ctx, old)
	use(nil)
	return false, nil
}

// isNewer reports whether what the store has, nil if that is nothing, is to be
// used in the place of what is in memory: it is another token, unless that in
// memory is a later one that could not be written.
func (t *token) isNewer(known *token) bool {
	switch {
	case t == nil:
		return false
	case known == nil:
		return true
	default:
		return t.Access != known.Access && (known.kept || t.Born.After(known.Born))
	}
}
