package pool

import (
	"fmt"
	"log/slog"
)

// Format prints, for every verb, the server's name and the state. The fields,
// which other goroutines change meanwhile, are not read for it.
func (p *Pool) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, p.describe()) }

// LogValue makes log/slog print what fmt does.
func (p *Pool) LogValue() slog.Value { return slog.StringValue(p.describe()) }

func (p *Pool) describe() string {
	if p == nil {
		return "<nil>"
	}
	return fmt.Sprintf("pool of MCP server %q, %v", p.server, p.State())
}
