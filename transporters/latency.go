package transporters

import (
	"encoding/json"
	"time"
)

// latencyBounds are the upper bounds of the buckets, each included: 10 µs, and
// three for each decade, up to 500 s.
var latencyBounds = [...]time.Duration{
	10 * time.Microsecond, 20 * time.Microsecond, 50 * time.Microsecond,
	100 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second,
	10 * time.Second, 20 * time.Second, 50 * time.Second,
	100 * time.Second, 200 * time.Second, 500 * time.Second,
}

// LatencyBounds returns the upper bounds of the buckets of a Latency, each
// included. The last bucket has none.
func LatencyBounds() []time.Duration { return append([]time.Duration(nil), latencyBounds[:]...) }

// Latency is a histogram of durations, with buckets that are the same everywhere,
// so that histograms can be added.
type Latency struct {
	// Buckets holds how many durations fell between the bounds; see
	// LatencyBounds.
	Buckets [len(latencyBounds) + 1]uint64
	// Sum is the sum of all durations, Longest the longest of them.
	Sum, Longest time.Duration
}

// latencyBucket returns the bucket that a duration falls into.
func latencyBucket(d time.Duration) int {
	for i := range latencyBounds {
		if d <= latencyBounds[i] {
			return i
		}
	}
	return len(latencyBounds)
}

// Count returns the number of durations.
func (l Latency) Count() uint64 {
	var n uint64
	for _, count := range l.Buckets {
		n += count
	}
	return n
}

// Mean returns the mean duration, 0 if there is none.
func (l Latency) Mean() time.Duration {
	n := l.Count()
	if n == 0 {
		return 0
	}
	return l.Sum / time.Duration(n)
}

// Quantile returns a duration that the given part of all, 0 to 1, does not
// exceed: the upper bound of the bucket in which the quantile lies, or the longest
// duration if that is less. It is 0 if there is none.
func (l Latency) Quantile(part float64) time.Duration {
	n := l.Count()
	if n == 0 {
		return 0
	}
	var below uint64
	for i, bound := range latencyBounds {
		if below += l.Buckets[i]; float64(below) >= part*float64(n) && below > 0 {
			return min(bound, l.Longest)
		}
	}
	return l.Longest
}

// Add returns the sum of both.
func (l Latency) Add(other Latency) Latency {
	for i, n := range other.Buckets {
		l.Buckets[i] += n
	}
	l.Sum += other.Sum
	l.Longest = max(l.Longest, other.Longest)
	return l
}

// MarshalJSON writes what people look at, in seconds: the number, the mean, some
// quantiles and the longest.
func (l Latency) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Count   uint64  `json:"count"`
		Mean    float64 `json:"mean"`
		P50     float64 `json:"p50"`
		P90     float64 `json:"p90"`
		P99     float64 `json:"p99"`
		Longest float64 `json:"longest"`
	}{
		l.Count(), l.Mean().Seconds(), l.Quantile(0.5).Seconds(), l.Quantile(0.9).Seconds(), l.Quantile(0.99).Seconds(), l.Longest.Seconds(),
	})
}
