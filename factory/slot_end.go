package factory

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/dispatch"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// State returns the state of the liveliest base: ready before reconnecting,
// starting, exhausted and idle. A slot without bases is idle.
func (s *Slot) State() transporters.State {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return transporters.StateClosed
	}
	state := transporters.StateIdle
	for t := range s.tenants.all() {
		if candidate := t.state(); liveliness(candidate) > liveliness(state) {
			state = candidate
		}
	}
	return state
}

func liveliness(state transporters.State) int {
	switch state {
	case transporters.StateReady:
		return 4
	case transporters.StateReconnecting:
		return 3
	case transporters.StateStarting:
		return 2
	case transporters.StateExhausted:
		return 1
	default:
		return 0
	}
}

// Stats returns the sum over all bases, those that were closed included.
func (s *Slot) Stats() transporters.Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var total transporters.Stats
	if s.past != nil {
		total = *s.past
	}
	for t := range s.tenants.all() {
		total = total.Add(t.stats())
	}
	for t := range s.retired {
		total = total.Add(t.stats())
	}
	return total
}

// Close closes every base at once and waits for them; see transporters.Base.
// Called from a listener it only begins, and returns at once.
func (s *Slot) Close() error {
	end := func() error {
		defer s.ending(context.Background())()
		return s.end(transporters.Base.Close)
	}
	if dispatch.IsListener() {
		go func() { _ = end() }() // bounded, as Close is
		return nil
	}
	return end()
}

// Shutdown lets the running calls of every base finish, then closes; see
// transporters.Base.
func (s *Slot) Shutdown(ctx context.Context) error {
	defer s.ending(ctx)()
	return s.end(func(base transporters.Base) error { return base.Shutdown(ctx) })
}

func (s *Slot) end(end func(transporters.Base) error) error {
	s.life.end()
	s.mu.Lock()
	s.closed = true
	s.expiry.stop()
	var all []*tenant
	for t := range s.tenants.all() {
		all = append(all, t)
	}
	for t := range s.retired {
		if !t.closing {
			t.stopTimer()
			all = append(all, t)
		}
	}
	generations := append(slices.Collect(maps.Keys(s.earlier)), s.current)
	s.mu.Unlock()

	failures := make([]error, len(all))
	var ending sync.WaitGroup
	for i, t := range all {
		ending.Go(func() { failures[i] = t.end(end) })
	}
	ending.Wait()
	s.closing.Wait()
	for _, g := range generations {
		failures = append(failures, g.end())
	}
	return errors.Join(failures...)
}
