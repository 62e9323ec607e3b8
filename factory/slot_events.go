package factory

import (
	"context"
	"slices"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// observing is who listens to the bases of a slot.
type observing struct {
	mu        sync.Mutex // taken before the slot's
	listeners []*transporters.Listeners
	alone     transporters.Observers // what no base can tell, where there is none

	logger hclog.Logger // nil discards
	once   sync.Once    // makes the next
	own    *transporters.Listeners
}

var (
	_ transporters.Observable     = (*Slot)(nil)
	_ transporters.Drainer        = (*Slot)(nil)
	_ transporters.RequestAborter = (*Slot)(nil)
)

// Observe tells the listeners what happens on every base, present and future; what
// it is, is told of each by itself, with the principal that it serves. If the slot
// is closed while it has no base, it tells the drain and the close itself.
func (s *Slot) Observe(listeners *transporters.Listeners) {
	s.observing.mu.Lock()
	defer s.observing.mu.Unlock()
	if slices.Contains(s.observing.listeners, listeners) {
		return
	}
	s.observing.listeners = append(s.observing.listeners, listeners)
	s.observing.alone.Observe(listeners)
	for _, t := range s.open() {
		if observed, ok := t.base.(transporters.Observable); ok && t.observed.Load() {
			observed.Observe(listeners)
		}
	}
}

// Listeners returns the slot's own listeners.
func (s *Slot) Listeners() *transporters.Listeners {
	s.observing.once.Do(func() {
		s.observing.own = transporters.NewListeners(s.observing.logger)
		s.Observe(s.observing.own)
	})
	return s.observing.own
}

// observe has a base that was just opened tell the listeners.
func (s *Slot) observe(t *tenant) {
	s.observing.mu.Lock()
	defer s.observing.mu.Unlock()
	if !t.observed.CompareAndSwap(false, true) {
		return
	}
	if observed, ok := t.base.(transporters.Observable); ok {
		for _, listeners := range s.observing.listeners {
			observed.Observe(listeners)
		}
	}
}

// open returns the tenants that have a base.
func (s *Slot) open() []*tenant {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var open []*tenant
	for t := range s.tenants.all() {
		if t.opened.Load() {
			open = append(open, t)
		}
	}
	for t := range s.retired {
		if t.opened.Load() {
			open = append(open, t)
		}
	}
	return open
}

// Drain tells the listeners of OnDrain that the bases are about to end; see
// transporters.Drainer.
func (s *Slot) Drain(ctx context.Context) {
	var draining sync.WaitGroup
	for _, t := range s.open() {
		if drained, ok := t.base.(transporters.Drainer); ok {
			draining.Go(func() { drained.Drain(ctx) })
		}
	}
	draining.Wait()
}

// ending tells the drain of a slot that is about to be closed, and returns what
// tells the close.
func (s *Slot) ending(ctx context.Context) (closed func()) {
	isObservable := func(t *tenant) bool { _, ok := t.base.(transporters.Observable); return ok }
	if slices.ContainsFunc(s.open(), isObservable) {
		s.Drain(ctx)
		return func() {}
	}
	source := transporters.Source{Server: s.server}
	s.observing.alone.TellDrain(ctx, source)
	return func() { s.observing.alone.TellClose(source, s.refuse("", errors.ErrTransportClosed)) }
}

// Start has the base of the principal that ctx names connect, and returns at once;
// see session.Session.Start.
func (s *Slot) Start(ctx context.Context) error {
	t, base, err := s.enter(ctx, "")
	if err != nil {
		return err
	}
	defer s.leave(t)
	if starting, ok := base.(transporters.Starter); ok {
		return starting.Start()
	}
	return nil
}

// Abort ends the running request that has the id, on whichever base; see
// session.Session.Abort. The sessions of one server share their ids.
func (s *Slot) Abort(id mcp.ID) {
	for _, t := range s.open() {
		if aborting, ok := t.base.(transporters.RequestAborter); ok {
			aborting.Abort(id)
		}
	}
}

// Ping asks the liveliest base for a sign of life, or where there is none, that of
// the principal that ctx names.
func (s *Slot) Ping(ctx context.Context) error {
	t, base, err := s.liveliest(), transporters.Base(nil), error(nil)
	if t == nil {
		t, base, err = s.enter(ctx, mcp.MethodPing)
	} else {
		base = t.base
	}
	if err != nil {
		return err
	}
	defer s.leave(t)
	if pinging, ok := base.(interface{ Ping(context.Context) error }); ok {
		return pinging.Ping(ctx)
	}
	_, err = base.Request(ctx, mcp.MethodPing, nil, nil)
	return err
}

// liveliest returns the tenant whose base is closest to serving, acquired, or nil.
func (s *Slot) liveliest() *tenant {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var best *tenant
	for t := range s.tenants.all() {
		if t.opened.Load() && (best == nil || liveliness(t.state()) > liveliness(best.state())) {
			best = t
		}
	}
	if s.closed || best == nil || !best.acquire() {
		return nil
	}
	return best
}
