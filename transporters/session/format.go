package session

import (
	"fmt"
	"io"
)

// Format prints which server the session is with, for every verb: neither secrets
// nor anything that changes while calls are running.
func (s *Session) Format(state fmt.State, _ rune) {
	if s == nil {
		_, _ = io.WriteString(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "session with server %q", s.server)
}

// Format prints which subscription it is, for every verb.
func (sub *Subscription) Format(state fmt.State, _ rune) {
	if sub == nil {
		_, _ = io.WriteString(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "subscription %d at server %q", sub.id, sub.session.server)
}
