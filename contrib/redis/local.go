package redis

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
)

// local is a store that goes on while the one behind it is down, with what this
// program has seen of it (tokens_when_down: local). What it writes meanwhile it
// brings to the store when that is back, before it looks at the record again, and
// only if nobody else has written the record: a swap, so that a token that another
// replica has renewed too is not lost. Leases it does not keep: they are about
// others.
type local struct {
	store auth.Store

	mu      sync.Mutex
	records *simplelru.LRU[auth.Key, seen]
}

// seen is a record as this program knows it.
type seen struct {
	value   []byte // nil: there is none
	expires time.Time

	owed bool   // the store does not have it yet
	base []byte // what the store had when it was written; nil: nothing, or not known
	any  bool   // whatever the store has is replaced: it was Put
}

// mostSeen bounds what is remembered.
const mostSeen = 50_000

func newLocal(store auth.Store) auth.Store {
	records, _ := simplelru.NewLRU[auth.Key, seen](mostSeen, nil) // fails only for a size below 1
	return &local{store: store, records: records}
}

// knows returns what is known of a record that has not expired.
func (l *local) knows(key auth.Key) (seen, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	record, known := l.records.Get(key)
	if known && record.value != nil && !record.expires.IsZero() && !time.Now().Before(record.expires) {
		record.value = nil
	}
	return record, known
}

func (l *local) note(key auth.Key, record seen) {
	if key.Kind == auth.KindLease {
		return
	}
	record.value, record.base = bytes.Clone(record.value), bytes.Clone(record.base)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records.Add(key, record)
}

// pay brings to the store what it does not have yet.
func (l *local) pay(ctx context.Context, key auth.Key) error {
	record, known := l.knows(key)
	if !known || !record.owed {
		return nil
	}
	var err error
	switch {
	case record.value == nil && record.any:
		_, err = l.store.Delete(ctx, key, nil)
	case record.value == nil:
		_, err = l.store.Delete(ctx, key, record.base)
	case record.any:
		err = l.store.Put(ctx, key, record.value, record.expires)
	default:
		_, err = l.store.Swap(ctx, key, record.base, record.value, record.expires)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now, _ := l.records.Peek(key); now.owed && bytes.Equal(now.value, record.value) {
		l.records.Remove(key) // the store knows better
	}
	return nil
}

// Get implements auth.Store.
func (l *local) Get(ctx context.Context, key auth.Key) (value []byte, found bool, err error) {
	if err = l.pay(ctx, key); err == nil {
		value, found, err = l.store.Get(ctx, key)
	}
	if err == nil {
		l.note(key, seen{value: value})
		return value, found, nil
	}
	if record, known := l.knows(key); known && errors.Is(err, ErrDown) {
		return record.value, record.value != nil, nil
	}
	return nil, false, err
}

// Put implements auth.Store.
func (l *local) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	err := l.store.Put(ctx, key, value, expires)
	switch {
	case err == nil:
		l.note(key, seen{value: value, expires: expires})
	case errors.Is(err, ErrDown) && key.Kind != auth.KindLease:
		l.note(key, seen{value: value, expires: expires, owed: true, any: true})
		return nil
	}
	return err
}

// Swap implements auth.Store.
func (l *local) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (swapped bool, err error) {
	if err = l.pay(ctx, key); err == nil {
		swapped, err = l.store.Swap(ctx, key, old, value, expires)
	}
	if err == nil {
		if swapped {
			l.note(key, seen{value: value, expires: expires})
		}
		return swapped, nil
	}
	record, known := l.knows(key)
	if !errors.Is(err, ErrDown) || !known {
		return false, err
	}
	if !bytes.Equal(record.value, old) || (record.value != nil) != (old != nil) {
		return false, nil
	}
	l.note(key, record.become(value, expires))
	return true, nil
}

// Delete implements auth.Store.
func (l *local) Delete(ctx context.Context, key auth.Key, old []byte) (removed bool, err error) {
	if err = l.pay(ctx, key); err == nil {
		removed, err = l.store.Delete(ctx, key, old)
	}
	if err == nil {
		if removed {
			l.note(key, seen{})
		}
		return removed, nil
	}
	record, known := l.knows(key)
	if !errors.Is(err, ErrDown) || !known {
		return false, err
	}
	if record.value == nil || old != nil && !bytes.Equal(record.value, old) {
		return false, nil
	}
	l.note(key, record.become(nil, time.Time{}))
	return true, nil
}

// become is the record with another value, that the store is owed.
func (s seen) become(value []byte, expires time.Time) seen {
	next := seen{value: value, expires: expires, owed: true, base: s.value, any: s.any}
	if s.owed {
		next.base = s.base
	}
	return next
}

// Format shows nothing of what is in it.
func (l *local) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "tokens in Redis, and in memory while it is down")
}
