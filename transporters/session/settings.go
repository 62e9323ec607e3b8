package session

import (
	"slices"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// The values of the protocol key that are not versions.
const (
	ProtocolAuto   = "auto"
	ProtocolModern = "modern"
	ProtocolLegacy = "legacy"
)

// The values of the progress key.
const (
	ProgressAlways    = "always"
	ProgressOnRequest = "on_request"
)

// The values of the id_type key.
const (
	IDTypeInt    = "int"
	IDTypeString = "string"
)

// Settings are the configuration keys that every server type on a Session has.
type Settings struct {
	Protocol          string          `config:"protocol" default:"auto" values:"auto,modern,legacy,2026-07-28,2025-11-25,2025-06-18,2025-03-26,2024-11-05" doc:"auto, modern, legacy or a protocol version"`
	RequestTimeout    config.Duration `config:"request_timeout,alias=timeout" default:"60s" doc:"longest silence of one request; each progress report restarts it"`
	MaxRequestTimeout config.Duration `config:"max_request_timeout" default:"600s" doc:"whole life of one request, however much progress"`
	ConnectTimeout    config.Duration `config:"connect_timeout" default:"60s" doc:"whole handshake, the start of a process included"`
	ConnectBackoff    config.Duration `config:"connect_backoff" default:"250ms" doc:"after a failed start further calls get the same error for this long, doubling to 10s"`
	ProbeTimeout      config.Duration `config:"probe_timeout" default:"5s" doc:"stdio: silence after which the older handshake is tried as well"`
	Progress          string          `config:"progress" default:"always" values:"always,on_request" doc:"send a progress token with every call (always) or only on_request"`
	IDType            string          `config:"id_type" default:"int" values:"int,string" doc:"how request ids are written: int or string"`
	MaxSessionRetries int             `config:"max_session_retries" default:"1" doc:"re-initializations for one request after the server forgot the session; 0 is off"`
}

// DefaultSettings returns the documented defaults.
func DefaultSettings() Settings {
	return Settings{
		Protocol:          ProtocolAuto,
		RequestTimeout:    config.Of(60 * time.Second),
		MaxRequestTimeout: config.Of(600 * time.Second),
		ConnectTimeout:    config.Of(60 * time.Second),
		ConnectBackoff:    config.Of(250 * time.Millisecond),
		ProbeTimeout:      config.Of(5 * time.Second),
		Progress:          ProgressAlways,
		IDType:            IDTypeInt,
		MaxSessionRetries: 1,
	}
}

// withDefaults fills what a Settings value made by hand left out.
func (s Settings) withDefaults() Settings {
	d := DefaultSettings()
	if s == (Settings{}) {
		return d
	}
	for _, field := range []struct{ value, fallback *string }{
		{&s.Protocol, &d.Protocol}, {&s.Progress, &d.Progress}, {&s.IDType, &d.IDType},
	} {
		if *field.value == "" {
			*field.value = *field.fallback
		}
	}
	for _, field := range []struct{ value, fallback *config.Duration }{
		{&s.RequestTimeout, &d.RequestTimeout}, {&s.MaxRequestTimeout, &d.MaxRequestTimeout},
		{&s.ConnectTimeout, &d.ConnectTimeout}, {&s.ConnectBackoff, &d.ConnectBackoff},
		{&s.ProbeTimeout, &d.ProbeTimeout},
	} {
		if !field.value.IsSet() {
			*field.value = *field.fallback
		}
	}
	return s
}

// complete returns the settings themselves if nothing was left out.
func (s *Settings) complete() *Settings {
	if filled := s.withDefaults(); filled != *s {
		own := filled
		return &own
	}
	return s
}

// Check returns the faults of values that decoding cannot judge. section gives
// them their place.
func (s Settings) Check(section *config.Section) []errors.Fault {
	var faults []errors.Fault
	oneOf := func(key, value string, allowed ...string) {
		if slices.Contains(allowed, value) {
			return
		}
		fault := section.Fault(key, "not one of the allowed values")
		fault.Found = value
		fault.Allowed = strings.Join(allowed, ", ")
		fault.Nearest = config.Nearest(value, allowed)
		faults = append(faults, fault)
	}
	oneOf("protocol", s.Protocol, protocols()...)
	oneOf("progress", s.Progress, ProgressAlways, ProgressOnRequest)
	oneOf("id_type", s.IDType, IDTypeInt, IDTypeString)
	if idle, ok := s.RequestTimeout.Value(); ok {
		if ceiling, limited := s.MaxRequestTimeout.Value(); limited && idle > ceiling {
			fault := section.Fault("max_request_timeout", "shorter than request_timeout, which then could never be reached")
			fault.Found = ceiling.String()
			fault.Allowed = idle.String() + " or more, or off"
			faults = append(faults, fault)
		}
	}
	if s.MaxSessionRetries < 0 {
		fault := section.Fault("max_session_retries", "must not be negative")
		fault.Allowed = "0 (off) or more"
		faults = append(faults, fault)
	}
	return faults
}

func protocols() []string {
	names := []string{ProtocolAuto, ProtocolModern, ProtocolLegacy}
	for _, version := range append(mcp.ModernVersions(), mcp.LegacyVersions()...) {
		names = append(names, string(version))
	}
	return names
}
