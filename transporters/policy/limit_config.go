package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// LimitConfig says how much a server is asked at once and in time. The zero value
// limits nothing.
type LimitConfig struct {
	InFlight Count `config:"in_flight" default:"off" doc:"requests that run at once; further ones wait in line, in the order they came"`
	Rate     Rate  `config:"rate" default:"off" doc:"requests that begin in a second, or N/m, N/h; further ones wait for their turn"`
	Burst    int   `config:"burst" default:"0" doc:"requests that may begin at once after a quiet time; 0: as many as rate allows in a second, at least 1"`
	Shared   bool  `config:"shared" default:"false" doc:"every rate holds for all programs that share the store (store) together, not for each; while the store is down, for each"`
	// Queue and Wait hold for all limits of the server together.
	Queue int             `config:"queue" default:"1000" doc:"requests that may wait at the same time; further ones fail at once; 0: none waits"`
	Wait  config.Duration `config:"wait" default:"10s" doc:"longest wait of one request, which counts against max_request_timeout too"`
	Tools []ToolLimit     `config:"tools" doc:"limits of tools/call by name, a list of {match: glob, in_flight, rate, burst}; every one that matches holds, beside those of the server"`
}

// ToolLimit limits the calls of tools whose names match, all of them together.
type ToolLimit struct {
	Match    string `config:"match,required" doc:"glob of the names of tools"`
	InFlight Count  `config:"in_flight" default:"off" doc:"calls that run at once"`
	Rate     Rate   `config:"rate" default:"off" doc:"calls that begin in a second"`
	Burst    int    `config:"burst" default:"0" doc:"calls that may begin at once after a quiet time"`
}

// maxToolLimits bounds the list, since every call is matched against it.
const maxToolLimits = 63

// Check returns a fault for every value that makes no sense. section gives them
// their place, under the key limits.
func (c LimitConfig) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	fault := func(key, message, found, allowed string) {
		f := section.Fault(key, message)
		f.Found, f.Allowed = found, allowed
		faults = append(faults, f)
	}
	burst := func(key string, burst int, rate Rate) {
		switch {
		case burst < 0:
			fault(key, "must not be negative", strconv.Itoa(burst), "0 or more")
		case burst > 0 && rate == 0:
			fault(key, "has no meaning without a rate", strconv.Itoa(burst), "a rate beside it, or none of both")
		}
	}
	burst("limits.burst", c.Burst, c.Rate)
	if c.Queue < 0 {
		fault("limits.queue", "must not be negative", strconv.Itoa(c.Queue), "0 (none waits) or more")
	}
	if c.Shared && c.Rate == 0 && !slices.ContainsFunc(c.Tools, func(tool ToolLimit) bool { return tool.Rate > 0 }) {
		fault("limits.shared", "there is no rate to share", "true", "limits.rate, or a rate in limits.tools, beside it; in_flight is always of one program")
	}
	if len(c.Tools) > maxToolLimits {
		fault("limits.tools", "too many entries", strconv.Itoa(len(c.Tools)), fmt.Sprintf("up to %d", maxToolLimits))
	}
	for i, tool := range c.Tools {
		key := fmt.Sprintf("limits.tools[%d]", i)
		if !isPattern(tool.Match) {
			fault(key+".match", "not a glob", errors.PeerText(tool.Match, maxShown), globSyntax)
		}
		if tool.InFlight == 0 && tool.Rate == 0 && tool.Match != "" {
			fault(key, "limits nothing", "", "in_flight or rate beside match")
		}
		burst(key+".burst", tool.Burst, tool.Rate)
	}
	return faults
}

// globSyntax is what faults say is allowed.
const globSyntax = "*, ?, closed classes such as [a-z], and \\ before a character that is meant literally"

// burstOf is how many requests may begin at once.
func burstOf(burst int, rate Rate) int {
	if burst > 0 {
		return burst
	}
	return max(1, int(math.Ceil(float64(rate))))
}
