package factory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// DefaultMaxPrincipals is how many bases a slot holds at most.
const DefaultMaxPrincipals = 1024

// Slot is the end of a chain: it holds one base for each principal and picks it
// when a call is made. It opens bases when they are first needed, closes those of
// principals that were idle for a while and, when it is full, the one that has been
// idle for longest. The client's own base stays, or goes last. A base that serves a
// call is never closed by the slot. Slot is a transporters.Base, safe for concurrent
// use.
//
// Bases are opened and closed outside the slot's lock; those that make room for
// others are closed on goroutines of the slot, which Close waits for.
type Slot struct {
	server string
	drain  time.Duration
	tokens auth.Store                   // where authorizers without another store keep theirs; nil if there are none
	clock  atomic.Uint64                // counts calls, to tell who was idle for longest
	hears  atomic.Pointer[policy.Cache] // told what the server notifies; nil if nothing is cached
	pins   atomic.Pointer[policy.ToolPins]

	life lifetime // of the chain: ends with Close and Shutdown, for calls that wait in a policy

	expiry    expiry
	observing observing

	mu      sync.RWMutex
	current *generation
	tenants tenants
	retired map[*tenant]struct{}     // no longer given to calls, not closed yet; nil before the first
	past    *transporters.Stats      // of the bases that are closed; nil before the first
	earlier map[*generation]struct{} // replaced, and to be ended once their last base is closed; nil before the first
	closed  bool
	closing sync.WaitGroup // goroutines of the slot; none are added after closed
}

var _ transporters.Base = (*Slot)(nil)

// SlotOption sets how a slot is kept.
type SlotOption func(*generation)

// NewSlot returns a slot whose bases are opened by the blueprint. A limit of 0
// or less means DefaultMaxPrincipals.
func NewSlot(server string, blueprint Blueprint, limit int, options ...SlotOption) *Slot {
	first := newGeneration(blueprint, nil)
	first.limit = limit
	for _, option := range options {
		option(first)
	}
	return slotFrom(server, first)
}

func slotFrom(server string, first *generation) *Slot {
	if first.limit <= 0 {
		first.limit = DefaultMaxPrincipals
	}
	return &Slot{server: server, drain: DefaultDrainTimeout, current: first, expiry: newExpiry()}
}

// Request makes the call through the base of the principal that ctx names.
func (s *Slot) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	t, base, err := s.enter(ctx, action)
	if err != nil {
		return mcp.Result{}, err
	}
	defer s.leave(t)
	return base.Request(ctx, action, params, onEvent)
}

// ServerInfo asks the base of the principal that ctx names.
func (s *Slot) ServerInfo(ctx context.Context) (transporters.ServerInfo, error) {
	t, base, err := s.enter(ctx, "")
	if err != nil {
		return transporters.ServerInfo{}, err
	}
	defer s.leave(t)
	return base.ServerInfo(ctx)
}

// enter picks, and if need be opens, the base for a call. The caller must leave.
func (s *Slot) enter(ctx context.Context, action string) (*tenant, transporters.Base, error) {
	options := transporters.CallOptionsOf(ctx)
	for {
		t, identity, err := s.tenant(options)
		if err != nil {
			return nil, nil, s.refuse(action, err)
		}
		if !t.acquire() {
			continue // it was retired a moment ago; the next look finds another
		}
		t.lastUse.Store(s.clock.Add(1))
		t.credentials.keep(options, identity)
		base, err := t.open()
		if err != nil {
			s.forget(t)
			s.leave(t)
			return nil, nil, s.refuse(action, err)
		}
		if !t.observed.Load() {
			s.observe(t)
		}
		return t, base, nil
	}
}

// leave ends a call.
func (s *Slot) leave(t *tenant) {
	s.noteUse(t)
	if t.release() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closeLater(t)
		return
	}
	s.armAfter(t)
}

// drop ends a subscription.
func (s *Slot) drop(t *tenant) {
	s.noteUse(t)
	t.drop()
	s.armAfter(t)
}

// tenant returns the tenant for a call, a new one if there is none, and the
// names of the identity headers.
func (s *Slot) tenant(options *transporters.CallOptions) (*tenant, []string, error) {
	s.mu.RLock()
	identity := s.current.IdentityHeaders
	principal := principalOf(options, identity)
	t := s.tenants.of(principal)
	closed := s.closed
	s.mu.RUnlock()
	if closed {
		return nil, nil, errors.ErrTransportClosed
	}
	if t != nil {
		return t, identity, nil
	}
	t, err := s.add(principal)
	return t, identity, err
}

func (s *Slot) add(principal string) (*tenant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.ErrTransportClosed
	}
	if t := s.tenants.of(principal); t != nil {
		return t, nil
	}
	if s.tenants.count() >= s.current.limit && !s.evict() {
		return nil, fullError(s.current.limit)
	}
	t := newTenant(principal, s.current)
	t.idleSince.Store(s.expiry.now())
	s.current.tenants++
	t.serial = s.clock.Add(1)
	s.tenants.add(t)
	return t, nil
}

// evict makes room by retiring the tenant that has been idle for longest, the
// client's own only if there is no other. It returns false if all are busy. s.mu is
// held.
func (s *Slot) evict() bool {
	for {
		var oldest *tenant
		for t := range s.tenants.all() {
			if t.isIdle() && (oldest == nil || t.goesBefore(oldest)) {
				oldest = t
			}
		}
		if oldest == nil {
			return false
		}
		if oldest.retireIdle() {
			s.tenants.remove(oldest)
			s.closeLater(oldest)
			return true
		}
	}
}

// forget drops a tenant that could not be opened, so that the next call tries
// again.
func (s *Slot) forget(t *tenant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.retire()
	s.tenants.remove(t)
}

// fullError is why a call is refused: there is no room and nobody to evict. It is
// the number of principals.
type fullError int

func (e fullError) Error() string { return "too many principals" }

func (s *Slot) refuse(action string, err error) error {
	if _, isComplete := errors.AsType[*errors.TransporterRequestError](err); isComplete {
		return err
	}
	failure := &errors.TransporterRequestError{
		Server: s.server, Action: action, Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent, Err: err,
	}
	switch {
	case errors.Is(err, errors.ErrTransportClosed):
		failure.Kind = errors.KindClosed
	default:
		if limit, isFull := errors.AsType[fullError](err); isFull {
			failure.Kind = errors.KindUnavailable
			failure.Message = fmt.Sprintf("%d principals are connected, as many as may be, and all have calls running", int(limit))
		}
	}
	return failure
}
