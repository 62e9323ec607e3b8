package policy

import (
	"context"
	"maps"
	"sync"
)

// PinStore remembers digests of the definitions of tools. It is safe for
// concurrent use.
type PinStore interface {
	// Pins returns the digests of a server's tools, by name: the caller's to keep.
	// That there are none is no error.
	Pins(ctx context.Context, server string) (map[string]string, error)
	// Pin remembers digests. Those that are there already stay as they are, unless
	// replace is set.
	Pin(ctx context.Context, server string, digests map[string]string, replace bool) error
}

// MemoryPins is the PinStore in memory. Its zero value is empty.
type MemoryPins struct {
	mu   sync.Mutex
	pins map[string]map[string]string
}

var _ PinStore = (*MemoryPins)(nil)

// Pins implements PinStore.
func (m *MemoryPins) Pins(_ context.Context, server string) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.pins[server]), nil
}

// Pin implements PinStore.
func (m *MemoryPins) Pin(_ context.Context, server string, digests map[string]string, replace bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pins == nil {
		m.pins = map[string]map[string]string{}
	}
	m.pins[server] = MergePins(m.pins[server], digests, replace)
	return nil
}

// MergePins adds digests to those that are there, which it changes and returns:
// what every PinStore does.
func MergePins(pins, digests map[string]string, replace bool) map[string]string {
	if pins == nil {
		pins = make(map[string]string, len(digests))
	}
	for tool, digest := range digests {
		if _, known := pins[tool]; replace || !known {
			pins[tool] = digest
		}
	}
	return pins
}
