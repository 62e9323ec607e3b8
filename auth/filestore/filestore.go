// Package filestore is a store of credentials on disk: an encrypted file for
// each record, in one folder.
//
// Records are sealed with AES-256-GCM, bound to their key, so that a file that
// was moved over another does not open. File names are keyed hashes and tell
// nothing. A record is written to a file of its own and renamed, so that readers,
// other processes among them, see the old one or the new one, and need no lock.
// Writers hold the folder's lock, which the system takes from a process that
// dies; where there are no such locks only one process may write.
package filestore

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/masterkey"
)

// Files on their way in, the lock, and the length of the names of records.
const (
	newPrefix  = ".new-"
	lockName   = ".lock"
	nameLength = 2 * sha256.Size
)

// KeyBytes is the length of the encryption key.
const KeyBytes = masterkey.Bytes

// Store is an auth.Store in a folder. It is safe for concurrent use, also by
// several processes with the same key.
type Store struct {
	folder string
	sealer cipher.AEAD
	names  []byte // key of the hash that names files

	writing sync.Mutex // held with the folder's lock
	puts    int        // of records that expire
}

var _ auth.Store = (*Store)(nil)

// Open returns the store in a folder, which it makes, for its owner only, if it
// is not there. The key is 32 bytes in base64 (any alphabet, with or without
// padding) or hex.
func Open(folder string, key config.Secret) (*Store, error) {
	text, err := key.Reveal()
	if err != nil {
		return nil, fmt.Errorf("the key of the store: %w", err)
	}
	master, err := decodeKey(text)
	if err != nil {
		return nil, err
	}
	sealer, err := masterkey.Box(derive(master, "records"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the store: %w", err)
	}
	s := &Store{folder: folder, sealer: sealer, names: derive(master, "names")}
	return s, s.locked(context.Background(), func() error { s.sweep(); return nil })
}

func decodeKey(text string) ([]byte, error) {
	key, err := masterkey.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("the key of the store is %w", err)
	}
	return key, nil
}

// derive makes independent keys of one.
func derive(master []byte, purpose string) []byte {
	mac := hmac.New(sha256.New, master)
	mac.Write([]byte("mcpclient store " + purpose))
	return mac.Sum(nil)
}

func (s *Store) path(key auth.Key) string {
	mac := hmac.New(sha256.New, s.names)
	mac.Write([]byte(key.Name()))
	return filepath.Join(s.folder, hex.EncodeToString(mac.Sum(nil)))
}

// Get implements auth.Store. A file that does not open with the key is an error.
func (s *Store) Get(ctx context.Context, key auth.Key) (value []byte, found bool, err error) {
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	return s.read(s.path(key), key)
}

// A file is the time it expires (nanoseconds since 1970, 0 for never), which is
// not secret and lets it be swept, then the nonce, then what is sealed.
const expiryBytes = 8

func (s *Store) read(path string, key auth.Key) (value []byte, found bool, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if len(content) < expiryBytes {
		return nil, false, foreign(path)
	}
	value, err = masterkey.Open(s.sealer, content[expiryBytes:], boundTo(content[:expiryBytes], key))
	if err != nil {
		return nil, false, foreign(path)
	}
	if isExpired(content, time.Now()) {
		return nil, false, nil
	}
	return value, true, nil
}

func isExpired(content []byte, now time.Time) bool {
	expires := int64(binary.BigEndian.Uint64(content))
	return expires != 0 && now.UnixNano() >= expires
}

// boundTo is what a sealed record belongs to besides its content.
func boundTo(expiry []byte, key auth.Key) []byte { return append(bytes.Clone(expiry), key.Name()...) }

func foreign(path string) error {
	return fmt.Errorf("%s does not open: it is damaged, or was written with another key", path)
}

// locked runs work while nobody else writes to the folder, in this process or
// another.
func (s *Store) locked(ctx context.Context, work func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	file, err := os.OpenFile(filepath.Join(s.folder, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // which gives the lock back
	if err := lock(file); err != nil {
		return fmt.Errorf("locking the folder of the store: %w", err)
	}
	return work()
}

// Put implements auth.Store.
func (s *Store) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	return s.locked(ctx, func() error { return s.write(key, value, expires) })
}

// Swap implements auth.Store.
func (s *Store) Swap(ctx context.Context, key auth.Key, old, value []byte, expires time.Time) (swapped bool, err error) {
	err = s.locked(ctx, func() error {
		current, found, err := s.read(s.path(key), key)
		if err != nil || found != (old != nil) || !bytes.Equal(current, old) {
			return err
		}
		swapped = true
		return s.write(key, value, expires)
	})
	return swapped && err == nil, err
}

// Delete implements auth.Store. With old nil it also removes a file that does not
// open.
func (s *Store) Delete(ctx context.Context, key auth.Key, old []byte) (removed bool, err error) {
	err = s.locked(ctx, func() error {
		path := s.path(key)
		current, found, err := s.read(path, key)
		if err != nil && old != nil || err == nil && (!found || old != nil && !bytes.Equal(current, old)) {
			return err
		}
		removed = true
		return os.Remove(path)
	})
	return removed && err == nil, err
}

// write seals a value and puts it into the record's file.
func (s *Store) write(key auth.Key, value []byte, expires time.Time) error {
	expiry := make([]byte, expiryBytes)
	if !expires.IsZero() {
		binary.BigEndian.PutUint64(expiry, uint64(expires.UnixNano()))
		if s.puts++; s.puts%sweepEvery == 0 {
			s.sweep()
		}
	}
	return s.replace(s.path(key), masterkey.Seal(s.sealer, expiry, value, boundTo(expiry, key)))
}

// replace writes a file for its owner only and puts it in the place of another.
func (s *Store) replace(path string, content []byte) (err error) {
	file, err := os.CreateTemp(s.folder, newPrefix+"*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = io.Copy(file, bytes.NewReader(content))
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Format prints the folder for every verb.
func (s *Store) Format(state fmt.State, _ rune) { _, _ = fmt.Fprintf(state, "store in %s", s.folder) }
