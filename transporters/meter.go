package transporters

import (
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// latencyGroup is how many buckets of a Meter are made together.
const latencyGroup = 5

// Meter counts requests. The zero value is ready for use; it is safe for
// concurrent use, takes no lock, and allocates only for a failure, and the first
// time that a request takes about as long as it did. Most servers of a large
// configuration are never used, nearly all others answer in about the same time:
// a meter is small until there is more to count.
type Meter struct {
	inFlight atomic.Int64
	requests atomic.Uint64
	buckets  [(len(latencyBounds) + latencyGroup) / latencyGroup]atomic.Pointer[latencyCounts] // nil: all 0
	sum      atomic.Int64
	longest  atomic.Int64
	failures atomic.Pointer[failures]  // nil before the first
	origin   atomic.Pointer[time.Time] // when it began to count
}

// latencyCounts are some neighbouring buckets.
type latencyCounts [latencyGroup]atomic.Uint64

// failures counts those of a meter.
type failures struct {
	kinds [len(FailureCounts{})]atomic.Uint64
	last  atomic.Pointer[Failure]
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
	bucket := latencyBucket(took)
	made(&m.buckets[bucket/latencyGroup])[bucket%latencyGroup].Add(1) // last: Stats counts what has ended by it
}

func (m *Meter) fail(action string, err error) {
	f := made(&m.failures)
	kind := KindOf(err)
	if int(kind) >= len(f.kinds) {
		kind = errors.KindUnknown
	}
	f.kinds[kind].Add(1)
	if kind != errors.KindCanceled {
		failure := FailureOf(action, err)
		f.last.Store(&failure)
	}
}

// made returns what a pointer is to, which is made the first time.
func made[T any](pointer *atomic.Pointer[T]) *T {
	if p := pointer.Load(); p != nil {
		return p
	}
	pointer.CompareAndSwap(nil, new(T))
	return pointer.Load()
}

// Stats returns what was counted: InFlight, Requests, Failures, FailuresByKind,
// Latency and LastFailure.
func (m *Meter) Stats() Stats {
	var s Stats
	for bucket := range s.Latency.Buckets {
		if counts := m.buckets[bucket/latencyGroup].Load(); counts != nil {
			s.Latency.Buckets[bucket] = counts[bucket%latencyGroup].Load()
		}
	}
	// Behind the buckets: what has ended had begun.
	s.InFlight, s.Requests = m.inFlight.Load(), m.requests.Load()
	s.Latency.Sum, s.Latency.Longest = time.Duration(m.sum.Load()), time.Duration(m.longest.Load())
	f := m.failures.Load()
	if f == nil {
		return s
	}
	for kind := range f.kinds {
		n := f.kinds[kind].Load()
		s.FailuresByKind[kind] = n
		s.Failures += n
	}
	if last := f.last.Load(); last != nil {
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
