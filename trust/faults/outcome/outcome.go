// Package outcome is what the victim tells the tests.
package outcome

import (
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Outcome is what came of a run.
type Outcome struct {
	List      *Failure // of the tools
	Tools     int
	Call      *Failure // of the last tool that was called
	Text      string
	Again     *Failure // of one more call
	AgainText string
	Took      time.Duration // all of this
	Honest    string        // what the other server said
	Close     *Failure
	Closing   time.Duration
	Memory    int64 // the most that the process had, in MiB
}

// Failure is an error.
type Failure struct {
	Text string   // as %v and %+v print it
	Is   []string // the names of the sentinels that it is
	Kind string
}

// Sentinels are the errors that the tests tell apart, by name.
func Sentinels() map[string]error {
	return map[string]error{
		"too large":   errors.ErrMessageTooLarge,
		"timeout":     errors.ErrRequestTimeout,
		"protocol":    errors.ErrProtocol,
		"peer lost":   errors.ErrPeerLost,
		"not sent":    errors.ErrNotSent,
		"no MCP":      errors.ErrNotMCP,
		"connect":     errors.ErrConnectTimeout,
		"version":     errors.ErrVersionMismatch,
		"session":     errors.ErrSessionLost,
		"dropped":     errors.ErrDeliveryDropped,
		"start":       errors.ErrStartFailed,
		"closed":      errors.ErrTransportClosed,
		"exhausted":   errors.ErrSupervisionExhausted,
		"auth":        errors.ErrAuthRequired,
		"unavailable": errors.ErrReconnecting,
	}
}
