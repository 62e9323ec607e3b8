package redis

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/masterkey"
)

// A sealed value is a tag, a nonce, and what is encrypted. The tag is a keyed hash
// of the value and what it is for: Redis compares it to tell whether a value is the
// one that a swap expects, and learns from it only whether two are equal. What is
// encrypted is bound to the tag and the key, so that a value that was moved to
// another key does not open.

// tagBytes is the length of the tag.
const tagBytes = sha256.Size

type sealer struct {
	box   cipher.AEAD
	tags  []byte
	names []byte
}

func newSealer(secret config.Secret) (*sealer, error) {
	text, err := secret.Reveal()
	if err != nil {
		return nil, err
	}
	master, err := masterkey.Decode(text)
	if err != nil {
		return nil, err
	}
	box, err := masterkey.Box(derive(master, "values"))
	if err != nil {
		return nil, err
	}
	return &sealer{box: box, tags: derive(master, "tags"), names: derive(master, "names")}, nil
}

// derive makes independent keys of one.
func derive(master []byte, purpose string) []byte {
	return hashed(master, "mcpclient redis "+purpose)
}

func hashed(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		_, _ = fmt.Fprintf(mac, "%d:", len(part))
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}

// name is what a record is called in Redis, which tells its kind and nothing else.
func (s *sealer) name(key auth.Key) string {
	return string(key.Kind) + ":" + hex.EncodeToString(hashed(s.names, key.Name()))
}

// tag is that of a value.
func (s *sealer) tag(key auth.Key, value []byte) []byte {
	return hashed(s.tags, key.Name(), string(value))
}

func (s *sealer) seal(key auth.Key, value []byte) []byte {
	tag := s.tag(key, value)
	nonce := make([]byte, s.box.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	head := append(bytes.Clone(tag), nonce...)
	return s.box.Seal(head, nonce, value, append(tag, key.Name()...))
}

// open returns the value, or an error if it was written with another key or is
// damaged.
func (s *sealer) open(key auth.Key, sealed []byte) ([]byte, error) {
	head := tagBytes + s.box.NonceSize()
	if len(sealed) < head {
		return nil, errForeign
	}
	bound := append(bytes.Clone(sealed[:tagBytes]), key.Name()...)
	value, err := s.box.Open(nil, sealed[tagBytes:head], sealed[head:], bound)
	if err != nil {
		return nil, errForeign
	}
	return value, nil
}

var errForeign = errors.New("the record does not open: it is damaged, or was written with another key (store.key)")
