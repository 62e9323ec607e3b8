package policy

import (
	"fmt"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// FilterConfig says which tools, prompts and resources of a server may be used.
// The zero value allows everything.
type FilterConfig struct {
	Tools     ToolRules `config:"tools"`
	Prompts   Rules     `config:"prompts"`
	Resources Rules     `config:"resources"`
}

// ToolRules are the rules for tools, and whether they are pinned, which is the
// business of ToolPins.
type ToolRules struct {
	Rules
	PinConfig
}

// Rules decide by name (tools, prompts) or URI (resources; a template by its
// uriTemplate as the server writes it). Patterns are globs: * is any run of
// characters, / included, ? is one, [a-z] is one of a class, and \ takes the
// meaning from the next character. Case matters.
type Rules struct {
	// Allow lists what may be used. nil allows everything, an empty list
	// nothing.
	Allow []string `config:"allow" doc:"globs of what may be used; absent: all; an empty list: nothing"`
	// Deny lists what may not be used. It wins over Allow.
	Deny []string `config:"deny" doc:"globs of what may not be used; wins over allow"`
}

// Check returns a fault for every pattern that is malformed, and those of
// PinConfig. section gives them their place.
func (c FilterConfig) Check(section *config.Section) []errors.Fault {
	faults := c.Tools.PinConfig.Check(section)
	for _, list := range []struct {
		key      string
		patterns []string
	}{
		{"tools.allow", c.Tools.Allow}, {"tools.deny", c.Tools.Deny},
		{"prompts.allow", c.Prompts.Allow}, {"prompts.deny", c.Prompts.Deny},
		{"resources.allow", c.Resources.Allow}, {"resources.deny", c.Resources.Deny},
	} {
		for _, pattern := range list.patterns {
			if isPattern(pattern) {
				continue
			}
			fault := section.Fault(list.key, "not a glob")
			fault.Found = errors.PeerText(pattern, maxShown)
			fault.Allowed = globSyntax
			faults = append(faults, fault)
		}
	}
	return faults
}

// maxShown bounds, in bytes, what an error shows of a name.
const maxShown = 200

// isZero reports whether the rules allow everything.
func (r Rules) isZero() bool { return r.Allow == nil && len(r.Deny) == 0 }

// refusal says why name may not be used; it is empty if it may. group is the
// configuration key of the rules.
func (r Rules) refusal(group, name string) string {
	for _, pattern := range r.Deny {
		if matches(pattern, name, true) {
			return fmt.Sprintf("matches %q of %s.deny", pattern, group)
		}
	}
	if r.Allow == nil {
		return ""
	}
	for _, pattern := range r.Allow {
		if matches(pattern, name, false) {
			return ""
		}
	}
	return fmt.Sprintf("matches nothing of %s.allow", group)
}
