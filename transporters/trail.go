package transporters

import "sync"

// Trail notes what becomes of a call on its way through policies and session. It
// travels in the call's options, only where somebody looks at it. It is safe for
// concurrent use.
type Trail struct {
	mu      sync.Mutex
	outcome RequestOutcome
	action  string // of the newest request
	begun   bool
}

// Begin notes that a session begins a request, and returns whether it is the same
// one once more.
func (t *Trail) Begin(action string) (retry bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	retry = t.begun && t.action == action
	t.begun, t.action = true, action
	if retry {
		t.outcome.Retries++
	}
	return retry
}

// Attempt notes an attempt, and gives it its number.
func (t *Trail) Attempt(attempt *AttemptInfo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.outcome.Attempts++
	attempt.Number = t.outcome.Attempts
	switch attempt.Reason {
	case AttemptSessionRecovered:
		t.outcome.SessionRecoveries++
	case AttemptResent, AttemptReplayed:
		t.outcome.Resends++
	case AttemptInput:
		t.outcome.Rounds++
	}
	t.outcome.Last = *attempt
}

// Outcome returns what was noted so far; the other fields are zero.
func (t *Trail) Outcome() RequestOutcome {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.outcome
}
