package transporters_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// TestMeter counts requests, failures by kind, and how long they took.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m transporters.Meter
		request := func(took time.Duration, err error) {
			began := m.Begin()
			time.Sleep(took)
			m.End(began, "tools/call", err)
		}
		require.Zero(t, m.Stats())
		request(time.Millisecond, nil)
		request(time.Second, &errors.TransporterRequestError{Server: "files", Kind: errors.KindTimeout, Err: errors.ErrRequestTimeout})
		failed := time.Now()
		request(2*time.Second, &errors.TransporterRequestError{Kind: errors.KindCanceled, Err: context.Canceled})
		request(0, errors.ErrPeerLost)
		m.Begin()
		s := m.Stats()
		require.EqualValues(t, 1, s.InFlight)
		require.EqualValues(t, 5, s.Requests)
		require.EqualValues(t, 3, s.Failures)
		kinds := map[errors.Kind]uint64{}
		for kind, n := range s.FailuresByKind.All() {
			kinds[kind] = n
		}
		require.Equal(t, map[errors.Kind]uint64{errors.KindTimeout: 1, errors.KindCanceled: 1, errors.KindUnknown: 1}, kinds)
		require.EqualValues(t, 1, s.FailuresByKind.Of(errors.KindTimeout))
		require.Zero(t, s.FailuresByKind.Of(200))
		require.EqualValues(t, 4, s.Latency.Count())
		require.Equal(t, 3001*time.Millisecond, s.Latency.Sum)
		require.Equal(t, 2*time.Second, s.Latency.Longest)
		require.Equal(t, transporters.Failure{At: failed.Add(2 * time.Second), Action: "tools/call", Kind: errors.KindUnknown, Text: "peer lost"}, s.LastFailure)
	})
}

// TestWhatIsKeptOfAFailureIsBounded, without control characters (P103); what a
// caller cancelled is not kept.
func TestWhatIsKeptOfAFailureIsBounded(t *testing.T) {
	var m transporters.Meter
	m.End(m.Begin(), "x", &errors.TransporterRequestError{Kind: errors.KindCanceled, Err: errors.ErrAborted})
	require.True(t, m.Stats().LastFailure.IsZero())
	m.End(m.Begin(), strings.Repeat("x", 1000), &errors.TransporterRequestError{Kind: errors.KindTransport, Stderr: "\x1b[31m" + strings.Repeat("y", 1000)})
	last := m.Stats().LastFailure
	require.LessOrEqual(t, len(last.Text), 503)
	require.LessOrEqual(t, len(last.Action), 103)
	require.NotContains(t, last.Text, "\x1b")
	require.Contains(t, last.Text, `\x1b`)
}

// TestAMeterAllocatesNothing for a request that succeeds.
func TestAMeterAllocatesNothing(t *testing.T) {
	var m transporters.Meter
	require.Zero(t, testing.AllocsPerRun(100, func() { m.End(m.Begin(), "tools/call", nil) }))
}

// TestEveryKindIsCounted: there is a place for each.
func TestEveryKindIsCounted(t *testing.T) {
	var counts transporters.FailureCounts
	kinds := 0
	for kind := errors.Kind(1); kind.String() != "unknown"; kind++ {
		kinds++
		require.Less(t, int(kind), len(counts), "FailureCounts is too short for %v", kind)
	}
	require.Greater(t, kinds, 10)
}

// TestLatencyBuckets: the bounds are included, and what is beyond the last is in
// the bucket without one.
func TestLatencyBuckets(t *testing.T) {
	bounds := transporters.LatencyBounds()
	require.Len(t, bounds, len(transporters.Latency{}.Buckets)-1)
	require.IsIncreasing(t, bounds)
	require.Equal(t, 10*time.Microsecond, bounds[0])
	require.Equal(t, 500*time.Second, bounds[len(bounds)-1])
	synctest.Test(t, func(t *testing.T) {
		for i, bound := range bounds {
			for took, want := range map[time.Duration]int{bound: i, bound + 1: i + 1} {
				var m transporters.Meter
				began := m.Begin()
				time.Sleep(took)
				m.End(began, "", nil)
				require.EqualValues(t, 1, m.Stats().Latency.Buckets[want], "%v", took)
			}
		}
	})
}

func TestLatencyQuantiles(t *testing.T) {
	var l transporters.Latency
	require.Zero(t, l.Quantile(0.5))
	require.Zero(t, l.Mean())
	synctest.Test(t, func(t *testing.T) {
		var m transporters.Meter
		for i := range 100 { // 1 to 100 ms
			began := m.Begin()
			time.Sleep(time.Duration(i+1) * time.Millisecond)
			m.End(began, "", nil)
		}
		l = m.Stats().Latency
	})
	assert.Equal(t, 50500*time.Microsecond, l.Mean())
	assert.Equal(t, time.Millisecond, l.Quantile(0))
	assert.Equal(t, 50*time.Millisecond, l.Quantile(0.5))
	assert.Equal(t, 100*time.Millisecond, l.Quantile(0.51))
	assert.Equal(t, 100*time.Millisecond, l.Quantile(1))
	l.Longest = 93 * time.Millisecond
	assert.Equal(t, 93*time.Millisecond, l.Quantile(0.99), "no more than the longest")
	beyond := transporters.Latency{Longest: time.Hour}
	beyond.Buckets[len(beyond.Buckets)-1] = 1
	assert.Equal(t, time.Hour, beyond.Quantile(0.5))
}

// TestStatsAdd: totals are summed, and the newer of the handshakes and failures
// counts. A failure to connect is over once somebody has connected.
func TestStatsAdd(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	one := transporters.Stats{
		InFlight: 1, Queued: 2, Requests: 3, Failures: 4, FailuresByKind: transporters.FailureCounts{errors.KindPeer: 4},
		Handshakes: 5, Restarts: 6, SessionsLost: 7, SessionsRecovered: 8, Orphans: 9,
		Latency: transporters.Latency{Buckets: [25]uint64{1, 2}, Sum: 10, Longest: 7},
		Era:     mcp.EraLegacy, Version: mcp.Version20251125, ConnectedAt: early,
		LastFailure: transporters.Failure{At: late, Text: "late"}, ConnectFailure: transporters.Failure{At: early.Add(1)},
	}
	other := one
	other.Era, other.Version, other.ConnectedAt = mcp.EraModern, mcp.Version20260728, late
	other.LastFailure = transporters.Failure{At: early, Text: "early"}
	other.ConnectFailure = transporters.Failure{}
	want := transporters.Stats{
		InFlight: 2, Queued: 4, Requests: 6, Failures: 8, FailuresByKind: transporters.FailureCounts{errors.KindPeer: 8},
		Handshakes: 10, Restarts: 12, SessionsLost: 14, SessionsRecovered: 16, Orphans: 18,
		Latency: transporters.Latency{Buckets: [25]uint64{2, 4}, Sum: 20, Longest: 7},
		Era:     mcp.EraModern, Version: mcp.Version20260728, ConnectedAt: late,
		LastFailure: transporters.Failure{At: late, Text: "late"},
	}
	require.Equal(t, want, one.Add(other))
	require.Equal(t, want, other.Add(one))
	require.Equal(t, one, one.Add(transporters.Stats{}))
	require.Equal(t, one, transporters.Stats{}.Add(one))
}

// TestStatsAsJSON is what people and programs look at.
func TestStatsAsJSON(t *testing.T) {
	s := transporters.Stats{
		Requests: 3, Failures: 1, FailuresByKind: transporters.FailureCounts{errors.KindTimeout: 1}, Version: mcp.Version20260728,
		Latency:     transporters.Latency{Buckets: [25]uint64{15: 3}, Sum: 3 * time.Second, Longest: time.Second},
		LastFailure: transporters.Failure{At: time.Unix(0, 0).UTC(), Action: "tools/call", Kind: errors.KindTimeout, Text: "timeout"},
	}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, `{"in_flight":0,"queued":0,"requests":3,"failures":1,"failures_by_kind":{"timeout":1},
		"latency":{"count":3,"mean":1,"p50":1,"p90":1,"p99":1,"longest":1},
		"handshakes":0,"restarts":0,"sessions_lost":0,"sessions_recovered":0,"orphans":0,"version":"2026-07-28",
		"last_failure":{"at":"1970-01-01T00:00:00Z","action":"tools/call","kind":"timeout","text":"timeout"}}`, string(text))
}

// TestAMeterIsUsedByMany: nothing is lost, and what is read meanwhile makes sense.
func TestAMeterIsUsedByMany(t *testing.T) {
	var m transporters.Meter
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for range 1000 {
				m.End(m.Begin(), "x", &errors.TransporterRequestError{Kind: errors.KindPeer})
				s := m.Stats()
				if s.Latency.Count() > s.Requests || s.InFlight > 8 {
					t.Error("more ended than began")
				}
			}
		})
	}
	users.Wait()
	s := m.Stats()
	require.EqualValues(t, 8000, s.Requests)
	require.EqualValues(t, 8000, s.Failures)
	require.EqualValues(t, 8000, s.Latency.Count())
	require.Zero(t, s.InFlight)
}
