package policy

import (
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// The values of the key tools.pin.
const (
	PinOff    = "off"
	PinWarn   = "warn"
	PinRefuse = "refuse"
)

// PinConfig says what becomes of a tool whose definition has changed.
type PinConfig struct {
	// Pin is off, warn or refuse; empty is off.
	Pin string `config:"pin" default:"off" doc:"a tool whose definition is not the one that was first seen, or last accepted: off (no matter), warn (in the log) or refuse (neither listed nor callable)"`
	// PinFile is where the definitions are remembered.
	PinFile string `config:"pin_file" doc:"file that remembers the definitions beyond the end of the program; several servers may share one"`
}

// Check returns a fault for a value that is not allowed. section gives it its
// place.
func (c PinConfig) Check(section *config.Section) []errors.Fault {
	allowed := []string{PinOff, PinWarn, PinRefuse}
	if c.Pin == "" || slices.Contains(allowed, c.Pin) {
		return nil
	}
	fault := section.Fault("tools.pin", "not one of the allowed values")
	fault.Found = errors.PeerText(c.Pin, maxShown)
	fault.Allowed = strings.Join(allowed, ", ")
	fault.Nearest = config.Nearest(c.Pin, allowed)
	return []errors.Fault{fault}
}

// isOff reports whether nothing is pinned.
func (c PinConfig) isOff() bool { return c.Pin == "" || c.Pin == PinOff }
