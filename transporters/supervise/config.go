package supervise

import (
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// The defaults of Config, and the budget of the on-demand mode, which cannot be
// configured.
const (
	defaultMaxRestarts   = 3
	defaultRestartWindow = 60 * time.Second
	defaultRestartDelay  = 100 * time.Millisecond
)

// Config is the `supervision` group of a server. Where a server has none, its
// peer is replaced on demand.
type Config struct {
	// MaxRestarts is how many restarts one window may have; the next death is
	// the end. At least 1.
	MaxRestarts int `config:"max_restarts" default:"3" doc:"restarts within one window; the death after the last one ends the connection for good"`
	// RestartWindow is the length of the window, which the first restart opens.
	RestartWindow config.Duration `config:"restart_window" default:"60s" doc:"span over which restarts are counted, opened by the first restart"`
	// RestartDelay is the pause before each restart; off is 0.
	RestartDelay config.Duration `config:"restart_delay,zero" default:"100ms" doc:"pause before a restart"`
	// Backoff, if it is not off, doubles the pause with each restart that the
	// window counts, up to this length.
	Backoff config.Duration `config:"backoff" default:"off" doc:"longest pause: each restart within the window doubles restart_delay, up to this; off keeps the pause constant"`
	// RetryLostRequests has the session send state-reading requests again that
	// a dead peer left unanswered. The link itself never sends anything twice.
	RetryLostRequests bool `config:"retry_lost_requests" doc:"send state-reading requests again, to the replacement, if the peer died before it answered"`
	// WaitForReconnect is how long a call that begins while a peer is being
	// replaced waits for the replacement; off refuses it at once.
	WaitForReconnect config.Duration `config:"wait_for_reconnect" default:"off" doc:"how long a call that begins while the peer is being replaced waits for it; off refuses such calls"`
}

// configKey is where a Config stands in a server's section.
const configKey = "supervision"

// Check returns the faults of values that decoding cannot judge, with their
// place in the server's section.
func (c *Config) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	fault := func(key, message, found, allowed string) {
		f := section.Fault(configKey+"."+key, message)
		f.Found, f.Allowed = found, allowed
		faults = append(faults, f)
	}
	if c.MaxRestarts < 1 {
		fault("max_restarts", "supervision needs at least one restart", fmt.Sprint(c.MaxRestarts),
			"1 or more; leave out "+configKey+" to restart on demand only")
	}
	if c.RestartWindow.IsOff() {
		fault("restart_window", "the window cannot be off", "off", "a duration such as 60s")
	}
	if longest, set := c.Backoff.Value(); set {
		switch delay := c.RestartDelay.Or(defaultRestartDelay); {
		case delay == 0:
			fault("backoff", "no pause to double: restart_delay is 0", c.Backoff.String(), "off, or a restart_delay above 0")
		case longest < delay:
			fault("backoff", "shorter than restart_delay", c.Backoff.String(), "off, or "+delay.String()+" and more")
		}
	}
	return faults
}

// settings is a Config with its defaults, as the link uses it.
type settings struct {
	supervised  bool
	maxRestarts int
	window      time.Duration
	delay       time.Duration
	backoff     time.Duration // 0: the delay is constant
	wait        time.Duration // 0: refuse at once
}

// resolve fills in the defaults; nil is the on-demand mode.
func resolve(c *Config) settings {
	s := settings{maxRestarts: defaultMaxRestarts, window: defaultRestartWindow}
	if c == nil {
		return s
	}
	s.supervised = true
	if c.MaxRestarts > 0 {
		s.maxRestarts = c.MaxRestarts
	}
	if window := c.RestartWindow.Or(defaultRestartWindow); window > 0 {
		s.window = window
	}
	s.delay = max(c.RestartDelay.Or(defaultRestartDelay), 0)
	s.backoff = max(c.Backoff.Or(0), 0)
	s.wait = max(c.WaitForReconnect.Or(0), 0)
	return s
}

// pause returns how long to wait before the restart of that number, counted
// from 1 within the window.
func (s settings) pause(attempt int) time.Duration {
	delay := s.delay
	if s.backoff == 0 {
		return delay
	}
	for range attempt - 1 {
		if delay >= s.backoff {
			break
		}
		delay *= 2
	}
	return min(delay, s.backoff)
}
