package factory

import (
	"time"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// DefaultDrainTimeout is how long calls that run when their server's
// configuration is replaced or removed may go on. It is max_request_timeout's
// default, so that no call ends earlier than it would have anyhow.
const DefaultDrainTimeout = 10 * time.Minute

// generation is one blueprint of a slot, with what was opened by it. What the
// bases share is ended after the last of them was closed.
type generation struct {
	Blueprint
	guard   transporters.Transporter // says which subscriptions are allowed, or nil
	limit   int                      // the most bases of the slot
	idle    time.Duration            // after which a principal's base is closed; 0 or less: never
	tenants int                      // that are not closed; guarded by the slot's mu

	life lifetime // ends when the blueprint is replaced
}

func newGeneration(blueprint Blueprint, guard transporters.Transporter) *generation {
	return &generation{Blueprint: blueprint, guard: guard, idle: DefaultPrincipalIdleTimeout}
}

// end ends what the bases shared.
func (g *generation) end() error {
	g.life.end()
	if g.Close == nil {
		return nil
	}
	return g.Close()
}

// Replace makes calls that begin from now on use another blueprint. Bases of the
// old one are closed when their last call has returned, or after the drain
// timeout; subscriptions do not keep them open. It returns false if the slot is
// closed: the blueprint is not taken then.
func (s *Slot) Replace(blueprint Blueprint) bool {
	s.mu.RLock()
	next := newGeneration(blueprint, s.current.guard)
	next.limit, next.idle = s.current.limit, s.current.idle
	s.mu.RUnlock()
	return s.replace(next)
}

func (s *Slot) replace(next *generation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	last := s.current
	s.current = next
	last.life.end()
	if s.earlier == nil {
		s.earlier = make(map[*generation]struct{})
	}
	s.earlier[last] = struct{}{}
	for t := range s.tenants.all() {
		s.tenants.remove(t)
		if t.retire() {
			s.closeLater(t)
			continue
		}
		s.noteRetired(t)
		t.overdue = time.AfterFunc(s.drain, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.closeLater(t)
		})
	}
	if s.isOver(last) {
		s.closing.Go(func() { _ = last.end() }) // nobody is left to tell
	}
	return true
}

// closeLater closes a retired tenant on a goroutine of its own, unless that has
// begun. s.mu is held. After Close there is nothing to do: Close took it along.
func (s *Slot) closeLater(t *tenant) {
	if s.closed || t.closing {
		return
	}
	s.noteRetired(t)
	t.closing = true
	t.stopTimer()
	s.closing.Go(func() {
		_ = t.end(transporters.Base.Close) // nobody is left to tell
		s.mu.Lock()
		delete(s.retired, t)
		s.addPast(t.stats())
		t.generation.tenants--
		isOver := s.isOver(t.generation)
		s.mu.Unlock()
		if isOver {
			_ = t.generation.end()
		}
	})
}

// noteRetired and addPast keep what most slots never have. s.mu is held.
func (s *Slot) noteRetired(t *tenant) {
	if s.retired == nil {
		s.retired = make(map[*tenant]struct{})
	}
	s.retired[t] = struct{}{}
}

func (s *Slot) addPast(stats transporters.Stats) {
	if s.past == nil {
		s.past = new(transporters.Stats)
	}
	*s.past = s.past.Add(stats)
}

// isOver reports, once, that a replaced generation has no bases left and is to be
// ended. s.mu is held. After Close there is nothing to end: Close took it along.
func (s *Slot) isOver(g *generation) bool {
	if _, isEarlier := s.earlier[g]; !isEarlier || g.tenants > 0 || s.closed {
		return false
	}
	delete(s.earlier, g)
	return true
}
