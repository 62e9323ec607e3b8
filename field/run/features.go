package main

import "github.com/mcp-client-go/mcpclient/field"

// features says of what cases may need whether the product has it. A case that
// needs something the product does not have does not apply. A need that is not
// listed here is no reason to leave a case out: it is played.
func features() map[string]bool {
	return map[string]bool{
		"stdio restart":             true,
		"reset-timeout-on-progress": true,
		"subscriptions":             true,
		"skills":                    false, // deliberately not: see ROADMAP.md
	}
}

// missing returns the first need of the case that the product does not meet, or
// "".
func missing(c *field.Case) string {
	for _, need := range c.Needs {
		if has, listed := features()[need]; listed && !has {
			return need
		}
	}
	return ""
}
