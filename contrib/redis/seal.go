package redis

import (
	"bytes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

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
//
// A sealed result has no tag, since nobody compares it: it is a nonce and what is
// encrypted, bound to the generations it is of. Every key of Redis has a cipher of
// its own, so that a result that was moved to another key, of another principal, does
// not open, and random nonces do not run out.
//
// A pin is not encrypted: a digest is no secret. It has a keyed hash behind it, so that
// nobody who can only write to Redis makes a tool look as if it had been pinned.

// tagBytes is the length of the tag.
const tagBytes = sha256.Size

type sealer struct {
	box         cipher.AEAD
	tags        []byte
	names       []byte
	results     []byte
	resultNames []byte
	pins        []byte
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
	return &sealer{
		box: box, tags: derive(master, "tags"), names: derive(master, "names"),
		results: derive(master, "results"), resultNames: derive(master, "names of results"), pins: derive(master, "pins"),
	}, nil
}

// derive makes independent keys of one.
func derive(master []byte, purpose string) []byte {
	return hashed(master, "mcpclient redis "+purpose)
}

func hashed(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	var length [20]byte
	for _, part := range parts {
		mac.Write(append(strconv.AppendInt(length[:0], int64(len(part)), 10), ':'))
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
	return masterkey.Seal(s.box, tag, value, boundTo(tag, key))
}

// open returns the value, or an error if it was written with another key or is
// damaged.
func (s *sealer) open(key auth.Key, sealed []byte) ([]byte, error) {
	if len(sealed) < tagBytes {
		return nil, errForeign
	}
	value, err := masterkey.Open(s.box, sealed[tagBytes:], boundTo(sealed[:tagBytes], key))
	if err != nil {
		return nil, errForeign
	}
	return value, nil
}

// boundTo is what a sealed value belongs to.
func boundTo(tag []byte, key auth.Key) []byte { return append(bytes.Clone(tag), key.Name()...) }

// resultName stands for what tells results apart of which Redis is not to know whom
// they are for.
func (s *sealer) resultName(parts ...string) string {
	const enough = 16
	return hex.EncodeToString(hashed(s.resultNames, parts...)[:enough])
}

// sealResult appends a sealed result to its head, which it is bound to.
func (s *sealer) sealResult(key, head string, value []byte) []byte {
	box, _ := masterkey.Box(hashed(s.results, key)) // fails only for keys of another length
	return masterkey.Seal(box, []byte(head), value, []byte(head))
}

// openResult opens what is behind the head.
func (s *sealer) openResult(key, head string, sealed []byte) ([]byte, error) {
	box, _ := masterkey.Box(hashed(s.results, key))
	value, err := masterkey.Open(box, sealed, []byte(head))
	if err != nil {
		return nil, errForeign
	}
	return value, nil
}

// signPin returns a digest with its keyed hash.
func (s *sealer) signPin(key, tool, digest string) string {
	return digest + pinSeparator + hex.EncodeToString(hashed(s.pins, key, tool, digest))
}

const pinSeparator = " "

// readPin returns the digest of a signed pin.
func (s *sealer) readPin(key, tool, signed string) (digest string, err error) {
	digest, _, _ = strings.Cut(signed, pinSeparator)
	if !hmac.Equal([]byte(signed), []byte(s.signPin(key, tool, digest))) {
		return "", errForeign
	}
	return digest, nil
}

var errForeign = errors.New("the record does not open: it is damaged, or was written with another key (store.key)")
