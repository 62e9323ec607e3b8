package auth

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"
)

// Kind is what a record of a store holds.
type Kind string

// The kinds of records.
const (
	// KindToken: a principal's token for a server, from an issuer.
	KindToken Kind = "token"
	// KindClient: a client that was registered with an issuer.
	KindClient Kind = "client"
	// KindIssuer: which issuer a server's tokens come from.
	KindIssuer Kind = "issuer"
	// KindFlow: an authorization that a user has begun. Its ID is secret.
	KindFlow Kind = "flow"
	// KindLease: who of several processes is renewing a token, for seconds.
	KindLease Kind = "lease"
)

// Key names a record. Fields that do not apply to its kind are empty.
type Key struct {
	Kind Kind
	// Server is the URL of the MCP server in its canonical form.
	Server string
	// Issuer is the authorization server's.
	Issuer string
	// Principal is whom the record is for; empty is the client itself.
	Principal string
	// ID tells records apart that share all of these.
	ID string
}

// Name returns a text that no two keys share.
func (k Key) Name() string {
	return fmt.Sprintf("%q %q %q %q %q", k.Kind, k.Server, k.Issuer, k.Principal, k.ID)
}

// Store keeps records: tokens, registrations, authorizations that were begun.
// Values hold secrets: a store encrypts what it writes anywhere, and never logs
// them. All methods are safe for concurrent use, and respect ctx.
//
// Several processes may share a store. It then has to be consistent among them:
// each method is one step, and what one process has written every other one
// reads. That is all they need to renew a token once: a lease is a record that
// Swap makes where there is none and Delete removes, and that expires should its
// owner die; and a token is written with Swap, so that a process whose lease ran
// out while it slept changes nothing. A record that has expired is as good as
// none to every method, by the clock of the store where it has one.
//
// Package storetest tests that a store does all this.
type Store interface {
	// Get returns the value, or found false. The value must not be changed.
	Get(ctx context.Context, key Key) (value []byte, found bool, err error)
	// Put sets a value, whatever was there. It is forgotten after expires unless
	// that is zero.
	Put(ctx context.Context, key Key, value []byte, expires time.Time) error
	// Swap is Put if the value still is old; with old nil, if there is no record.
	// Of several calls with the same old one returns true.
	Swap(ctx context.Context, key Key, old, value []byte, expires time.Time) (swapped bool, err error)
	// Delete removes the record if its value still is old; with old nil, whatever
	// it is. Of several calls for the same record one returns true.
	Delete(ctx context.Context, key Key, old []byte) (removed bool, err error)
}

// MemoryStore is a Store that ends with the process. The zero value is ready.
type MemoryStore struct {
	mu      sync.Mutex
	records map[Key]memoryRecord
	sweepAt int // records at which expired ones are looked for
	now     func() time.Time
}

type memoryRecord struct {
	hidden
	value   []byte
	expires time.Time
}

const firstSweep = 256

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{} }

// Get implements Store.
func (s *MemoryStore) Get(_ context.Context, key Key) (value []byte, found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, found := s.records[key]
	if !found || record.isExpired(s.time()) {
		return nil, false, nil
	}
	return record.value, true, nil
}

// Put implements Store.
func (s *MemoryStore) Put(_ context.Context, key Key, value []byte, expires time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(key, value, expires)
	return nil
}

// Swap implements Store.
func (s *MemoryStore) Swap(_ context.Context, key Key, old, value []byte, expires time.Time) (swapped bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, found := s.records[key]
	found = found && !record.isExpired(s.time())
	if found != (old != nil) || found && !bytes.Equal(record.value, old) {
		return false, nil
	}
	s.set(key, value, expires)
	return true, nil
}

func (s *MemoryStore) set(key Key, value []byte, expires time.Time) {
	if s.records == nil {
		s.records, s.sweepAt = make(map[Key]memoryRecord), firstSweep
	}
	if len(s.records) >= s.sweepAt {
		s.sweep()
	}
	s.records[key] = memoryRecord{value: bytes.Clone(value), expires: expires}
}

// Delete implements Store.
func (s *MemoryStore) Delete(_ context.Context, key Key, old []byte) (removed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, found := s.records[key]
	if !found || record.isExpired(s.time()) || old != nil && !bytes.Equal(record.value, old) {
		return false, nil
	}
	delete(s.records, key)
	return true, nil
}

// Format prints *** for every verb.
func (s *MemoryStore) Format(state fmt.State, verb rune) { hidden{}.Format(state, verb) }

// sweep drops what has expired: flows that nobody came back from.
func (s *MemoryStore) sweep() {
	now := s.time()
	for key, record := range s.records {
		if record.isExpired(now) {
			delete(s.records, key)
		}
	}
	s.sweepAt = max(firstSweep, 2*len(s.records))
}

// goBy gives the store the clock of those who write to it, unless it has one: what
// they say of its records' ends is by that.
func (s *MemoryStore) goBy(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.now = now
	}
}

func (s *MemoryStore) time() time.Time {
	if s.now != nil {
		return s.now()
	}
	return time.Now()
}

func (r memoryRecord) isExpired(now time.Time) bool {
	return !r.expires.IsZero() && !now.Before(r.expires)
}
