package errors

import (
	"fmt"
	"strings"
)

// ServerConfigurationError holds every fault found in one server's
// configuration, or, with an empty Server, in the file as a whole.
type ServerConfigurationError struct {
	// Server is the configured name; empty for faults outside any server.
	Server string
	// Faults is never empty, in the order of the file.
	Faults []Fault
}

// Fault is one thing that is wrong with a configuration.
type Fault struct {
	// Server is the configured name, or empty.
	Server string
	// Key is the path within the server's section, for example
	// "supervision.max_restarts"; empty if the fault is about the whole section.
	Key string
	// File is the name as it was given to Load; empty for Go values.
	File string
	// Line and Column count from 1; 0 if not known.
	Line, Column int
	// Message says what is wrong.
	Message string
	// Found is the offending value or key as it was written; empty if that
	// would show a secret.
	Found string
	// Allowed says what would be right, for example "http, sse, stdio".
	Allowed string
	// Nearest is the known key or value closest to the one found, or empty.
	Nearest string
}

// Error renders every fault on its own line.
func (e *ServerConfigurationError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// String renders the fault as "file:line:column: server "x": key: message ...".
func (f Fault) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
			if f.Column > 0 {
				fmt.Fprintf(&b, ":%d", f.Column)
			}
		}
		b.WriteString(": ")
	}
	if f.Server != "" {
		fmt.Fprintf(&b, "server %q: ", f.Server)
	}
	if f.Key != "" {
		fmt.Fprintf(&b, "%s: ", f.Key)
	}
	b.WriteString(f.Message)
	if f.Found != "" {
		fmt.Fprintf(&b, "; found %s", f.Found)
	}
	if f.Allowed != "" {
		fmt.Fprintf(&b, "; allowed: %s", f.Allowed)
	}
	if f.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", f.Nearest)
	}
	return b.String()
}
