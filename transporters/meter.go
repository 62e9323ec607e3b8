package transporters

import (
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Meter counts requests. The zero value is ready for use; it is safe for
// concurrent use, takes no lock, and allocates only for a failure, and the first time.
type Meter struct {
	inFlight atomic.Int64
	requests atomic.Uint64
	buckets  [len(latencyBounds) + 1]atomic.Uint64
	sum      atomic.Int64
	longest  atomic.Int64
	kinds    [len(FailureCounts{})]atomic.Uint64
	last     atomic.Pointer[Failure]
	origin   atomic.Pointer[time.Time] // when it began to count
}

// Begin counts a request in, and returns the time for End.
func (m *Meter) Begin() time.Time {
	m.inFlight.Add(1)
	m.requests.Add(1)
	origin := m.origin.Load()
	if origin == nil {
		now := time.Now()
		if m.origin.CompareAndSwap(nil, &now) {
			return now
		}
		origin = m.origin.Load()
	}
	// time.Now reads two clocks, this only the one that measures: a noticeable
	// part of a short call.
	return origin.Add(time.Since(*origin))
}

// End counts it out, with what came of it.
func (m *Meter) End(began time.Time, action string, err error) {
	took := time.Since(began)
	m.inFlight.Add(-1)
	m.sum.Add(int64(took))
	for longest := m.longest.Load(); int64(took) > longest && !m.longest.CompareAndSwap(longest, int64(took)); {
		longest = m.longest.Load()
	}
	if err != nil {
		m.fail(action, err)
	}
	m.buckets[latencyBucket(took)].Add(1) // last: Stats counts what has ended by it
}

func (m *Meter) fail(action string, err error) {
	kind := KindOf(err)
	if int(kind) >= len(m.kinds) {
		kind = errors.KindUnknown
	}
	m.kinds[kind].Add(1)
	if kind != errors.KindCanceled {
		failure := FailureOf(action, err)
		m.last.Store(&failure)
	}
}

// Stats returns what was counted: InFlight, Requests, Failures, FailuresByKind,
// Latency and LastFailure.
func (m *Meter) Stats() Stats {
	s := Stats{InFlight: m.inFlight.Load(), Requests: m.requests.Load()}
	for i := range m.buckets {
		s.Latency.Buckets[i] = m.buckets[i].Load()
	}
	s.Latency.Sum, s.Latency.Longest = time.Duration(m.sum.Load()), time.Duration(m.longest.Load())
	for kind := range m.kinds {
		n := m.kinds[kind].Load()
		s.FailuresByKind[kind] = n
		s.Failures += n
	}
	if last := m.last.Load(); last != nil {
		s.LastFailure = *last
	}
	return s
}

// Measured returns the stats with what the meter counted in the place of their
// own: it stands in front of the base, and sees what the callers see.
func (m *Meter) Measured(s Stats) Stats {
	own := m.Stats()
	s.InFlight, s.Requests, s.Failures = own.InFlight, own.Requests, own.Failures
	s.FailuresByKind, s.Latency, s.LastFailure = own.FailuresByKind, own.Latency, own.LastFailure
	return s
}
