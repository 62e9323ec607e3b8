package factory

import (
	"strconv"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// keyMaxPrincipals is above the option WithMaxPrincipals where it is written.
const keyMaxPrincipals = "max_principals"

// principalKeys say for how many principals a server is connected, and for how
// long.
type principalKeys struct {
	MaxPrincipals        int             `config:"max_principals" default:"1024" doc:"principals that the server is connected for at once, the client itself among them, each with its own session or process; a further one closes that of the one idle for longest"`
	PrincipalIdleTimeout config.Duration `config:"principal_idle_timeout" default:"15m" doc:"after how long without a call or subscription a principal's session or process is closed; the next call opens another; the client's own is kept; off keeps all"`
}

// check returns the faults of values that decoding cannot judge.
func (k principalKeys) check(section *config.Section) []errors.Fault {
	if k.MaxPrincipals >= 1 {
		return nil
	}
	fault := section.Fault(keyMaxPrincipals, "nobody could be connected")
	fault.Found, fault.Allowed = strconv.Itoa(k.MaxPrincipals), "a whole number of 1 or more"
	return []errors.Fault{fault}
}

// maxPrincipalsOf is what the file says, or else the program, or else the default.
func (f *TransporterFactory) maxPrincipalsOf(section *config.Section, keys principalKeys) int {
	if f.maxPrincipals > 0 && !section.Has(keyMaxPrincipals) {
		return f.maxPrincipals
	}
	return keys.MaxPrincipals
}
