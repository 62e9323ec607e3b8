package stdiolink

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/process"
)

// Format prints, for every verb, the program, how many arguments it has and the
// names of the variables. Arguments and values may be secrets.
func (c Config) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, c.describe()) }

func (c Config) describe() string {
	var b strings.Builder
	b.WriteString("stdio process")
	if len(c.Command) > 0 {
		fmt.Fprintf(&b, " %s with %d arguments", process.CommandLine(c.Command[:1]), len(c.Command)-1+len(c.Args))
	}
	if len(c.Env) > 0 {
		names := slices.Sorted(maps.Keys(c.Env))
		for i, name := range names {
			names[i], _, _ = strings.Cut(name, "=")
		}
		fmt.Fprintf(&b, ", variables %s", process.Sanitize(strings.Join(names, " "), 512))
	}
	return b.String()
}

// Format prints, for every verb, the server's name and the process id.
func (l *Link) Format(state fmt.State, _ rune) {
	if l == nil {
		_, _ = fmt.Fprint(state, "<nil>")
		return
	}
	_, _ = fmt.Fprintf(state, "stdio link to %q", l.server)
	if l.started.Load() {
		_, _ = fmt.Fprintf(state, ", process %d", l.child.PID())
	}
}
