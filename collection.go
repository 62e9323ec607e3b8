package mcpclient

import (
	"iter"
	"slices"
)

// Collection is an ordered, immutable list of values that each have a key: the
// name of a tool or a prompt, the uri of a resource, the uriTemplate of a
// resource template. The zero Collection is empty. It is safe for concurrent
// use; the values are shared with every collection made from it.
type Collection[T any] struct {
	keys   []string
	values []T
	index  map[string]int
	faults []error
}

// maxFaults bounds how many faults a listing describes.
const maxFaults = 16

// NewCollection returns the values keyed by what key returns for each, in their
// order. Of several values with one key the last one counts, in the first one's
// place: where a list changed while its pages were read, the later page is the
// newer one.
func NewCollection[T any](values []T, key func(T) string) Collection[T] {
	return collect(values, make([]T, 0, len(values)), key)
}

// collect is NewCollection that puts the values into room, which may be that of
// the values themselves.
func collect[T any](values, room []T, key func(T) string) Collection[T] {
	c := Collection[T]{
		keys:   make([]string, 0, len(values)),
		values: room,
		index:  make(map[string]int, len(values)),
	}
	for _, value := range values {
		k := key(value)
		if at, known := c.index[k]; known {
			c.values[at] = value
			continue
		}
		c.index[k] = len(c.keys)
		c.keys = append(c.keys, k)
		c.values = append(c.values, value)
	}
	return c
}

// Len returns the number of values.
func (c Collection[T]) Len() int { return len(c.values) }

// Faults describes the entries, the first 16, that a server listed and that are
// not in the collection because they could not be read: a tool without a name,
// for example. Each wraps errors.ErrProtocol.
func (c Collection[T]) Faults() []error { return slices.Clone(c.faults) }

// Keys returns a copy of the keys, in order.
func (c Collection[T]) Keys() []string { return slices.Clone(c.keys) }

// All iterates over keys and values, in order.
func (c Collection[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for i, value := range c.values {
			if !yield(c.keys[i], value) {
				return
			}
		}
	}
}

// Values iterates over the values, in order.
func (c Collection[T]) Values() iter.Seq[T] { return slices.Values(c.values) }

// Get returns the value with that key.
func (c Collection[T]) Get(key string) (T, bool) {
	if at, known := c.index[key]; known {
		return c.values[at], true
	}
	var none T
	return none, false
}

// Only returns the values with one of the keys, in this collection's order.
// Keys that are not there are ignored; without keys the result is empty.
func (c Collection[T]) Only(keys ...string) Collection[T] {
	return c.Filter(func(key string, _ T) bool { return slices.Contains(keys, key) })
}

// Except returns the values with none of the keys, in order.
func (c Collection[T]) Except(keys ...string) Collection[T] {
	return c.Filter(func(key string, _ T) bool { return !slices.Contains(keys, key) })
}

// Filter returns the values for which keep returns true, in order.
func (c Collection[T]) Filter(keep func(key string, value T) bool) Collection[T] {
	kept := Collection[T]{index: make(map[string]int), faults: c.faults}
	for key, value := range c.All() {
		if keep(key, value) {
			kept.index[key] = len(kept.keys)
			kept.keys = append(kept.keys, key)
			kept.values = append(kept.values, value)
		}
	}
	return kept
}

// Map returns what change makes of each value, under the same keys and in the
// same order.
func Map[T, R any](c Collection[T], change func(T) R) Collection[R] {
	mapped := Collection[R]{keys: c.keys, index: c.index, values: make([]R, len(c.values)), faults: c.faults}
	for i, value := range c.values {
		mapped.values[i] = change(value)
	}
	return mapped
}
