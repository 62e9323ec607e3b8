package session

import (
	"fmt"
	"log/slog"
)

// Sessions and subscriptions are in use by other goroutines while somebody prints
// them: their fields are not read for it.

// Format prints, for every verb, the server's name and the state.
func (s *Session) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, s.describe()) }

// LogValue makes log/slog print what fmt does.
func (s *Session) LogValue() slog.Value { return slog.StringValue(s.describe()) }

func (s *Session) describe() string {
	if s == nil {
		return "<nil>"
	}
	return fmt.Sprintf("session with MCP server %q, %v", s.server, s.State())
}

// Format prints, for every verb, the server's name.
func (s *Subscription) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, s.describe()) }

// LogValue makes log/slog print what fmt does.
func (s *Subscription) LogValue() slog.Value { return slog.StringValue(s.describe()) }

func (s *Subscription) describe() string {
	if s == nil {
		return "<nil>"
	}
	return fmt.Sprintf("subscription to MCP server %q", s.session.server)
}
