package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/jose"
	"github.com/mcp-client-go/mcpclient/errors"
)

// A refresh token that is rotated can be spent once; a server that sees it twice
// takes it for stolen, and ends the whole authorization. Processes that share a
// store therefore take turns: who holds the lease refreshes, and the others find
// the new token in the store.
const (
	// leaseTime is how long a lease lasts, and how long its owner may work: two
	// requests to a token endpoint. If the owner dies the others wait as long.
	leaseTime = 25 * time.Second
	// leaseGrace is how much earlier than the lease its work ends, so that clocks
	// may differ a little.
	leaseGrace = 3 * time.Second
	// Between two looks at a lease that somebody else has.
	firstLeasePoll, longestLeasePoll = 10 * time.Millisecond, 200 * time.Millisecond
	// leaseStoreTimeout bounds giving a lease back.
	leaseStoreTimeout = 5 * time.Second
)

func (a *Authorizer) tokenLease(issuer, principal string) Key {
	return Key{Kind: KindLease, Server: a.key, Issuer: issuer, Principal: principal}
}

// alone runs do while no other process that shares the store does so for the
// key. If the store cannot keep leases do runs all the same: better two
// refreshes than none.
func (a *Authorizer) alone(ctx context.Context, key Key, do func(context.Context) error) error {
	owner, err := a.lease(ctx, key)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		a.log.Warn("the store keeps no leases: another process may renew the same token", "server", a.server, "error", err)
		return do(ctx)
	}
	defer a.release(ctx, key, owner)
	ctx, cancel := context.WithTimeoutCause(ctx, leaseTime-leaseGrace, fmt.Errorf("renewing the token took longer than %s", leaseTime-leaseGrace))
	defer cancel()
	return do(ctx)
}

// lease waits until nobody has the lease, and takes it.
func (a *Authorizer) lease(ctx context.Context, key Key) (owner []byte, err error) {
	owner = []byte(jose.RandomID())
	for wait := firstLeasePoll; ; wait = min(2*wait, longestLeasePoll) {
		taken, err := a.store.Swap(ctx, key, nil, owner, a.now().Add(leaseTime))
		if taken || err != nil {
			return owner, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// release gives the lease back, unless it ran out and is somebody else's by now.
func (a *Authorizer) release(ctx context.Context, key Key, owner []byte) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), leaseStoreTimeout, errors.New("the store is slow"))
	defer cancel()
	if _, err := a.store.Delete(ctx, key, owner); err != nil {
		a.log.Warn("a lease could not be given back", "server", a.server, "error", err)
	}
}
