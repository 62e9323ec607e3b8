// Package toldtest is for tests of what tells listeners something.
package toldtest

import (
	"fmt"
	"sync"
	"testing/synctest"
)

// Words are what listeners were told, as text, in order. The zero value is empty,
// and safe for concurrent use.
type Words struct {
	mu  sync.Mutex
	all []string
}

// Add adds what was told.
func (w *Words) Add(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, fmt.Sprintf(format, args...))
}

// All returns what was told by now.
func (w *Words) All() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.all...)
}

// Settled is All once nothing moves any more; it must be called in a bubble.
func (w *Words) Settled() []string {
	synctest.Wait()
	return w.All()
}
