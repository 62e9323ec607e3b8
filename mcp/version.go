package mcp

import "slices"

// Version is a protocol revision: a date string. Compare only with ==: a
// version that is not listed here is not spoken, however its date sorts (P51).
type Version string

// The revisions of the protocol.
const (
	Version20241105 Version = "2024-11-05"
	Version20250326 Version = "2025-03-26"
	Version20250618 Version = "2025-06-18"
	Version20251125 Version = "2025-11-25"
	Version20260728 Version = "2026-07-28"
)

// Era is one of the two ways in which client and server open a conversation.
type Era uint8

// The eras.
const (
	// EraUnknown: not negotiated yet.
	EraUnknown Era = iota
	// EraLegacy: the initialize handshake, up to 2025-11-25.
	EraLegacy
	// EraModern: sessionless, every request describes itself, from 2026-07-28.
	EraModern
)

// String returns "unknown", "legacy" or "modern".
func (e Era) String() string {
	switch e {
	case EraLegacy:
		return "legacy"
	case EraModern:
		return "modern"
	default:
		return "unknown"
	}
}

// ModernVersions returns the sessionless versions this module speaks, newest
// first.
func ModernVersions() []Version { return []Version{Version20260728} }

// LegacyVersions returns the handshake versions this module speaks, newest
// first.
func LegacyVersions() []Version {
	return []Version{Version20251125, Version20250618, Version20250326, Version20241105}
}

// Era returns the era of a version this module speaks, else EraUnknown.
func (v Version) Era() Era {
	switch {
	case slices.Contains(ModernVersions(), v):
		return EraModern
	case slices.Contains(LegacyVersions(), v):
		return EraLegacy
	default:
		return EraUnknown
	}
}

// HasVersionHeader reports whether requests after the handshake carry the
// MCP-Protocol-Version header in this revision (R098, R075).
func (v Version) HasVersionHeader() bool {
	return v == Version20250618 || v == Version20251125 || v.Era() == EraModern
}

// NewestCommon returns the first of ours that theirs contains.
func NewestCommon(ours []Version, theirs []Version) (Version, bool) {
	for _, v := range ours {
		if slices.Contains(theirs, v) {
			return v, true
		}
	}
	return "", false
}
