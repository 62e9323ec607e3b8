package session

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// maxVerdictAge is how long a remembered legacy verdict is believed: a server
// that was upgraded still accepts the old handshake, so nothing else would tell.
const maxVerdictAge = 24 * time.Hour

// Verdict is what was found out of a server, to spare the question next time.
type Verdict struct {
	Era     mcp.Era     `json:"era"`
	Version mcp.Version `json:"version"`
	// DecidedAt is when it was found.
	DecidedAt time.Time `json:"decidedAt"`
}

// VerdictStore keeps verdicts longer than a process lives. Both methods are
// called while connecting, within its time, never at the same time for one key
// of one session; they must be safe for concurrent use by several sessions. A
// verdict is only a hint: one that proves wrong is replaced (R043).
type VerdictStore interface {
	// LoadVerdict returns the verdict for the key; false if there is none, or it
	// cannot be had.
	LoadVerdict(ctx context.Context, key string) (Verdict, bool)
	// SaveVerdict keeps the verdict. Failures are the store's own to report.
	SaveVerdict(ctx context.Context, key string, verdict Verdict)
}

// WithVerdictStore remembers in the store whether the server is legacy or
// modern. key names the server: over HTTP the whole URL of its endpoint, since
// one origin may host several; for a process what it is started with. It must
// hold no secrets.
func WithVerdictStore(store VerdictStore, key string) Option {
	if store == nil {
		return func(s *Session) { s.verdicts = nil }
	}
	return func(s *Session) { s.verdicts = &verdictPlace{store, key} }
}

// verdictPlace is where the verdict on one server is kept.
type verdictPlace struct {
	store VerdictStore
	key   string
}

// loadVerdict fills in what is not known yet from the store.
func (s *Session) loadVerdict(ctx context.Context) {
	if s.verdicts == nil || s.recall().era != mcp.EraUnknown {
		return
	}
	stored, ok := s.verdicts.store.LoadVerdict(ctx, s.verdicts.key)
	if !ok || stored.Version.Era() != stored.Era {
		return
	}
	if stored.Era == mcp.EraLegacy && time.Since(stored.DecidedAt) > maxVerdictAge {
		return
	}
	s.remember(func(v *verdict) { v.era, v.version = stored.Era, stored.Version })
}

// saveVerdict keeps what was found, if it is news.
func (s *Session) saveVerdict(ctx context.Context, before verdict, p *peer) {
	if s.verdicts == nil || before.era == p.info.Era && before.version == p.info.Version {
		return
	}
	s.verdicts.store.SaveVerdict(ctx, s.verdicts.key, Verdict{Era: p.info.Era, Version: p.info.Version, DecidedAt: time.Now()})
}
