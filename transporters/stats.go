package transporters

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Stats counts what happened since the base was made. All are totals except
// InFlight and Queued, which are of now, and what describes the newest handshake
// and failures. It is a value without references: copy it freely.
type Stats struct {
	// InFlight is the number of requests that have not returned, those that are
	// queued included.
	InFlight int64 `json:"in_flight"`
	// Queued is the number of requests that wait for a place.
	Queued int64 `json:"queued"`
	// Requests is the number of requests begun.
	Requests uint64 `json:"requests"`
	// Failures is the number of requests that returned an error.
	Failures uint64 `json:"failures"`
	// FailuresByKind is the same by kind.
	FailuresByKind FailureCounts `json:"failures_by_kind"`
	// Latency is how long the requests took that have returned, whether well or
	// with an error; from the call to its return, connecting included.
	Latency Latency `json:"latency"`
	// Handshakes is the number of handshakes completed.
	Handshakes uint64 `json:"handshakes"`
	// Restarts is the number of peers that replaced one that had died.
	Restarts uint64 `json:"restarts"`
	// SessionsLost is the number of HTTP sessions the server forgot.
	SessionsLost uint64 `json:"sessions_lost"`
	// SessionsRecovered is the number of them that were initialized again.
	SessionsRecovered uint64 `json:"sessions_recovered"`
	// Orphans is the number of answers that nobody waited for any more.
	Orphans uint64 `json:"orphans"`
	// Era and Version are those of the newest handshake; zero before the first.
	Era     mcp.Era     `json:"-"`
	Version mcp.Version `json:"version,omitempty"`
	// ConnectedAt is when that was.
	ConnectedAt time.Time `json:"connected_at,omitzero"`
	// LastFailure is the newest failure of a request. Requests that their caller
	// cancelled do not count.
	LastFailure Failure `json:"last_failure,omitzero"`
	// ConnectFailure is why the newest attempt to connect failed; zero if it
	// succeeded, or none was made.
	ConnectFailure Failure `json:"connect_failure,omitzero"`
}

// Add returns the sum of both. Of the handshakes and the failures the newer one
// counts.
func (s Stats) Add(other Stats) Stats {
	s.InFlight += other.InFlight
	s.Queued += other.Queued
	s.Requests += other.Requests
	s.Failures += other.Failures
	s.FailuresByKind = s.FailuresByKind.Add(other.FailuresByKind)
	s.Latency = s.Latency.Add(other.Latency)
	s.Handshakes += other.Handshakes
	s.Restarts += other.Restarts
	s.SessionsLost += other.SessionsLost
	s.SessionsRecovered += other.SessionsRecovered
	s.Orphans += other.Orphans
	if other.ConnectedAt.After(s.ConnectedAt) || s.Era == mcp.EraUnknown {
		s.Era, s.Version, s.ConnectedAt = other.Era, other.Version, other.ConnectedAt
	}
	s.LastFailure = s.LastFailure.newer(other.LastFailure)
	if s.ConnectFailure = s.ConnectFailure.newer(other.ConnectFailure); s.ConnectedAt.After(s.ConnectFailure.At) {
		s.ConnectFailure = Failure{}
	}
	return s
}

// Failure is what is kept of an error for people to look at.
type Failure struct {
	// At is when it was returned.
	At time.Time `json:"at"`
	// Action is the method that was requested; empty if it was none.
	Action string `json:"action,omitempty"`
	// Kind is that of the error.
	Kind errors.Kind `json:"kind"`
	// Text is the beginning of the error's text: at most 500 bytes, without
	// control characters. Like every error it holds no secrets.
	Text string `json:"text"`
}

// maxFailureText bounds the text of a Failure.
const maxFailureText = 500

// FailureOf describes an error of an action that is returned now.
func FailureOf(action string, err error) Failure {
	return Failure{At: time.Now(), Action: errors.PeerText(action, 100), Kind: KindOf(err), Text: errors.PeerText(err.Error(), maxFailureText)}
}

// KindOf returns the kind of a request's error; KindUnknown for one that is, and
// wraps, no *errors.TransporterRequestError.
func KindOf(err error) errors.Kind {
	if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok {
		return failure.Kind
	}
	return errors.KindUnknown
}

// IsZero reports whether there was no failure.
func (f Failure) IsZero() bool { return f.At.IsZero() }

func (f Failure) newer(other Failure) Failure {
	if other.At.After(f.At) {
		return other
	}
	return f
}

// FailureCounts is how many failures there were of each errors.Kind, which is the
// index.
type FailureCounts [16]uint64

// Of returns the number of failures of one kind.
func (c FailureCounts) Of(kind errors.Kind) uint64 {
	if int(kind) < len(c) {
		return c[kind]
	}
	return 0
}

// All yields the kinds of which there were failures, with their numbers.
func (c FailureCounts) All() iter.Seq2[errors.Kind, uint64] {
	return func(yield func(errors.Kind, uint64) bool) {
		for kind, n := range c {
			if n > 0 && !yield(errors.Kind(kind), n) {
				return
			}
		}
	}
}

// Add returns the sum of both.
func (c FailureCounts) Add(other FailureCounts) FailureCounts {
	for kind, n := range other {
		c[kind] += n
	}
	return c
}

// MarshalJSON writes an object with the kinds' names, without those of which there
// were none.
func (c FailureCounts) MarshalJSON() ([]byte, error) {
	named := map[string]uint64{}
	for kind, n := range c.All() {
		named[kind.String()] = n
	}
	return json.Marshal(named)
}
