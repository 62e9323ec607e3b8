package policy

import (
	"context"
	"time"
)

// CacheStore is where results are kept. Keys are text of this package's making:
//
//	server:method:subject:whom:params
//
// Whom is "public", or whom the result is for: a word for the principal, which may
// have a dot and a word for the authorization behind it. Parts never contain a colon. A store that several programs share sees a different server part for
// every different configuration of a server.
//
// A store is safe for concurrent use. An error is a miss to the cache, and
// nothing worse; a store must not hang: its context ends after a short while.
type CacheStore interface {
	// Get returns what is kept under own, or else under shared, or nil. Both keys
	// have the same server, method and subject. The mark stands for the deletions
	// so far that concern the keys: Set with it keeps nothing if there was another
	// one since. The value must not be changed.
	Get(ctx context.Context, own, shared string) (value []byte, mark string, err error)
	// Set keeps a value for ttl, which is positive. The value must not be changed,
	// nor kept without a copy: it may be part of something larger.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration, mark string) error
	// Delete forgets everything whose key begins with the prefix, which is
	// server, server and method, or all three with the subject, each with its
	// colon.
	Delete(ctx context.Context, prefix string) error
	// DeleteOf forgets of what begins with one of the prefixes, each a server and a
	// method, what was kept for one of the words: whose whom is that word, or begins
	// with it and a dot.
	DeleteOf(ctx context.Context, prefixes, words []string) error
}

// CacheClaimer is a CacheStore that several programs share, in which one of them
// claims a fetch while the others wait for what it keeps. A claim ends by itself. It
// is a courtesy: that two have it does no harm.
type CacheClaimer interface {
	CacheStore
	// Claim returns a word that stands for the claim, or "" if somebody else has
	// it. Claims with different marks have nothing to do with each other.
	Claim(ctx context.Context, key, mark string, life time.Duration) (claim string, err error)
	// Release ends the claim that the word stands for, and no other.
	Release(ctx context.Context, key, mark, claim string) error
}
