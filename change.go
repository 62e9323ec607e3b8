package mcpclient

import (
	"fmt"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Change says what Apply did. Each name of the configuration is in exactly one of
// the lists, unless the configuration was refused as a whole, or a transporter of
// WithTransporter stands for the server.
type Change struct {
	// Source names where the configuration came from.
	Source string
	// Added holds servers that were not there before, or had faults until now.
	Added []string
	// Changed holds servers whose section differs. Calls that ran finish on the
	// process or session in which they began.
	Changed []string
	// Unchanged holds servers that keep everything: process, session, the state
	// of policies.
	Unchanged []string
	// Removed holds servers that are gone. Calls that ran may finish.
	Removed []string
	// Refused holds a problem for each server whose section has faults: one that
	// was there before goes on as it was, a new one cannot be connected to. If the
	// configuration was refused as a whole, and nothing changed, the first entry has
	// an empty Server and tells why.
	Refused []*errors.ServerConfigurationError
}

// IsEmpty reports whether nothing was added, changed or removed.
func (c Change) IsEmpty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// isRefused reports whether the configuration was refused as a whole.
func (c Change) isRefused() bool { return len(c.Refused) > 0 && c.Refused[0].Server == "" }

// String lists the names, such as "added a, b; removed c; 3 unchanged".
func (c Change) String() string {
	var parts []string
	list := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, ", "))
		}
	}
	list("added", c.Added)
	list("changed", c.Changed)
	list("removed", c.Removed)
	if c.isRefused() {
		return "refused as a whole"
	}
	var refused []string
	for _, problem := range c.Refused {
		refused = append(refused, problem.Server)
	}
	list("refused", refused)
	if len(c.Unchanged) > 0 {
		parts = append(parts, fmt.Sprintf("%d unchanged", len(c.Unchanged)))
	}
	if len(parts) == 0 {
		return "no servers"
	}
	return strings.Join(parts, "; ")
}
