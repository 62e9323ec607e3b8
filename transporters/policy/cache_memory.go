package policy

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// MemoryCache is the CacheStore in memory. It keeps what was asked for last, up
// to a number of entries and bytes; expired entries go when they are asked for, or
// when their turn comes. It starts no goroutine.
type MemoryCache struct {
	maxBytes int

	mu        sync.Mutex
	entries   *simplelru.LRU[string, memoryEntry]
	bytes     int
	deletions uint64
}

type memoryEntry struct {
	value   []byte
	expires time.Time
}

// entryBytes is about what an entry takes beside its key and value.
const entryBytes = 200

var _ CacheStore = (*MemoryCache)(nil)

// NewMemoryCache returns an empty store with room for so much; less than 1 of
// either counts as 1.
func NewMemoryCache(maxEntries, maxBytes int) *MemoryCache {
	m := &MemoryCache{maxBytes: max(maxBytes, 1)}
	m.entries, _ = simplelru.NewLRU(max(maxEntries, 1), func(key string, entry memoryEntry) { // fails only for less than 1
		m.bytes -= sizeOf(key, entry.value)
	})
	return m
}

func sizeOf(key string, value []byte) int { return len(key) + len(value) + entryBytes }

// Get implements CacheStore.
func (m *MemoryCache) Get(_ context.Context, own, shared string) (value []byte, mark string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value = m.get(own); value == nil {
		value = m.get(shared)
	}
	return value, strconv.FormatUint(m.deletions, 36), nil
}

func (m *MemoryCache) get(key string) []byte {
	entry, found := m.entries.Get(key)
	if !found {
		return nil
	}
	if !time.Now().Before(entry.expires) {
		m.entries.Remove(key)
		return nil
	}
	return entry.value
}

// Set implements CacheStore. It keeps a copy, so that a value that is part of
// something larger does not keep that alive.
func (m *MemoryCache) Set(_ context.Context, key string, value []byte, ttl time.Duration, mark string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mark != strconv.FormatUint(m.deletions, 36) || sizeOf(key, value) > m.maxBytes {
		return nil
	}
	m.entries.Remove(key)
	m.bytes += sizeOf(key, value)
	m.entries.Add(key, memoryEntry{bytes.Clone(value), time.Now().Add(ttl)})
	for m.bytes > m.maxBytes {
		m.entries.RemoveOldest()
	}
	return nil
}

// Delete implements CacheStore.
func (m *MemoryCache) Delete(_ context.Context, prefix string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deletions++
	for _, key := range m.entries.Keys() {
		if strings.HasPrefix(key, prefix) {
			m.entries.Remove(key)
		}
	}
	return nil
}

// DeleteOf implements CacheStore.
func (m *MemoryCache) DeleteOf(_ context.Context, prefixes, words []string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deletions++
	for _, key := range m.entries.Keys() {
		if parts := strings.SplitN(key, ":", 5); len(parts) == 5 && slices.Contains(prefixes, parts[0]+":"+parts[1]+":") {
			if word, _, _ := strings.Cut(parts[3], "."); slices.Contains(words, word) {
				m.entries.Remove(key)
			}
		}
	}
	return nil
}

// Len returns the number of entries, and their bytes.
func (m *MemoryCache) Len() (entries, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries.Len(), m.bytes
}
