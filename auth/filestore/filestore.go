// Package filestore is a store of credentials on disk: an encrypted file for
// each record, in one folder.
//
// Records are sealed with AES-256-GCM, bound to their key, so that a file that
// was moved over another does not open. File names are keyed hashes and tell
// nothing. A record is written to a file of its own and renamed, so that readers,
// other processes among them, see the old one or the new one; deleting renames
// first as well, which only one can do.
package filestore

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Files on their way in and out, and the length of the names of those that stay.
const (
	newPrefix  = ".new-"
	oldPrefix  = ".old-"
	nameLength = 2 * sha256.Size
)

// KeyBytes is the length of the encryption key.
const KeyBytes = 32

// Store is an auth.Store in a folder. It is safe for concurrent use, also by
// several processes with the same key.
type Store struct {
	folder string
	sealer cipher.AEAD
	names  []byte // key of the hash that names files
	puts   atomic.Uint64
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
	block, err := aes.NewCipher(derive(master, "records"))
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the store: %w", err)
	}
	s := &Store{folder: folder, sealer: sealer, names: derive(master, "names")}
	s.sweep()
	return s, nil
}

func decodeKey(text string) ([]byte, error) {
	text = string(bytes.TrimSpace([]byte(text)))
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == KeyBytes {
			return key, nil
		}
	}
	return nil, fmt.Errorf("the key of the store is not %d bytes in base64 or hex", KeyBytes)
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
	head := expiryBytes + s.sealer.NonceSize()
	if len(content) < head {
		return nil, false, foreign(path)
	}
	value, err = s.sealer.Open(nil, content[expiryBytes:head], content[head:], boundTo(content[:expiryBytes], key))
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

// Put implements auth.Store.
func (s *Store) Put(ctx context.Context, key auth.Key, value []byte, expires time.Time) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	content := make([]byte, expiryBytes, expiryBytes+s.sealer.NonceSize()+len(value)+s.sealer.Overhead())
	if !expires.IsZero() {
		binary.BigEndian.PutUint64(content, uint64(expires.UnixNano()))
		if s.puts.Add(1)%sweepEvery == 0 {
			s.sweep()
		}
	}
	nonce := make([]byte, s.sealer.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	bound := boundTo(content, key)
	return s.replace(s.path(key), s.sealer.Seal(append(content, nonce...), nonce, value, bound))
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

// Delete implements auth.Store. Of several that delete a record at the same time
// one removes it.
func (s *Store) Delete(ctx context.Context, key auth.Key, old []byte) (removed bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	path := s.path(key)
	value, found, err := s.read(path, key)
	if err != nil && old != nil || !found && err == nil || old != nil && !bytes.Equal(value, old) {
		return false, err
	}
	mine := filepath.Join(s.folder, oldPrefix+hex.EncodeToString(randomBytes()))
	if err := os.Rename(path, mine); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	// Between the look and the rename somebody may have put a newer one there.
	if value, found, err := s.read(mine, key); old != nil && err == nil && found && !bytes.Equal(value, old) {
		return false, os.Rename(mine, path)
	}
	return true, os.Remove(mine)
}

func randomBytes() []byte {
	var bytes [12]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return bytes[:]
}

// Format prints the folder for every verb.
func (s *Store) Format(state fmt.State, _ rune) { _, _ = fmt.Fprintf(state, "store in %s", s.folder) }
