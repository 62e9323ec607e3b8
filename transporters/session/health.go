package session

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// HealthCheck is the `health_check` group of a server: asking a process for a
// sign of life, so that one that hangs counts as dead. A process that is busy
// but answers is left alone.
type HealthCheck struct {
	// Interval is the pause between two checks; off makes none.
	Interval config.Duration `config:"interval" default:"off" doc:"pause between two checks; off makes none"`
	// Timeout is how long one check waits for its answer.
	Timeout config.Duration `config:"timeout" default:"5s" doc:"how long one check waits for its answer"`
	// Failures is how many checks in a row must fail before the process counts
	// as dead.
	Failures int `config:"failures" default:"3" doc:"failed checks in a row after which the process counts as dead"`
}

// Check returns the faults of values that decoding cannot judge.
func (h HealthCheck) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	if h.Failures < 1 {
		fault := section.Fault("health_check.failures", "must be at least 1")
		fault.Found, fault.Allowed = fmt.Sprint(h.Failures), "1 or more"
		faults = append(faults, fault)
	}
	if h.Timeout.IsOff() {
		fault := section.Fault("health_check.timeout", "a check without a limit finds nothing")
		fault.Found, fault.Allowed = "off", "a duration such as 5s"
		faults = append(faults, fault)
	}
	return faults
}

// WithHealthCheck makes the session check the peers of a reconnecting link: ping
// in the legacy era, server/discover in the modern one. A peer that fails is
// ended, which is for the link to mend as any other death.
func WithHealthCheck(check HealthCheck) Option {
	return func(s *Session) { s.healthCheck = &check }
}

// watchHealth checks a peer until it is gone.
func (s *Session) watchHealth(p *peer) {
	if s.healthCheck == nil {
		return
	}
	interval, ok := s.healthCheck.Interval.Value()
	if !ok || s.reconnecting == nil {
		return
	}
	s.tasks.start(func() {
		failures := 0
		for {
			if !s.pause(p, interval) {
				return
			}
			if s.isHealthy(p) {
				failures = 0
				continue
			}
			if failures++; failures >= max(s.healthCheck.Failures, 1) {
				s.log.Warn("the server does not answer any more: ending its process", "server", s.server, "failed checks", failures)
				s.end(p.link)
				return
			}
		}
	})
}

// pause waits, and reports whether the peer is still there afterwards.
func (s *Session) pause(p *peer, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return p.usable()
	case <-p.link.Done():
	case <-p.gone:
	case <-s.ctx.Done():
	}
	return false
}

// isHealthy asks once. Any answer is a sign of life, an error too.
func (s *Session) isHealthy(p *peer) bool {
	ctx, cancel := context.WithTimeout(s.ctx, s.healthCheck.Timeout.Or(5*time.Second))
	defer cancel()
	method, err := p.era.translate(mcp.MethodPing)
	if err != nil {
		return true
	}
	_, err = s.exchange(ctx, p.link, method, nil, p.era.meta(), p.era.header(method, ""))
	return err == nil || s.ctx.Err() != nil
}

func (s *Session) end(link transporters.Link) {
	ctx, cancel := context.WithTimeout(context.Background(), linkCloseTimeout)
	defer cancel()
	if err := link.Close(ctx); err != nil {
		s.log.Warn("ending a process", "server", s.server, "error", err)
	}
}

// WaitForState waits until the session is in the state, or ctx ends, whose cause
// it returns then. A state that was passed through while nobody looked is
// missed.
func (s *Session) WaitForState(ctx context.Context, state transporters.State) error {
	s.watchLink()
	for {
		changed := s.changes.wait()
		if s.State() == state {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
