package factory

import (
	"fmt"
	"log/slog"
)

// Format prints, for every verb, the server's name and the state. The fields,
// which other goroutines change meanwhile, are not read for it.
func (s *Slot) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, s.describe()) }

// LogValue makes log/slog print what fmt does.
func (s *Slot) LogValue() slog.Value { return slog.StringValue(s.describe()) }

func (s *Slot) describe() string {
	if s == nil {
		return "<nil>"
	}
	return fmt.Sprintf("slot of MCP server %q, %v", s.server, s.State())
}
