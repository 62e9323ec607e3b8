// Package masterkey reads the key that a store of secrets is configured with, makes
// of keys what encrypts, and encrypts with that. What is derived of the master key,
// and how, is each store's own: it decides what its records look like.
package masterkey

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Bytes is the length of a key.
const Bytes = 32

// Decode reads a key of 32 bytes in base64 (any alphabet, with or without padding)
// or hex; white space around it is allowed. The error does not show the text.
func Decode(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == Bytes {
			return key, nil
		}
	}
	return nil, fmt.Errorf("not %d bytes in base64 or hex", Bytes)
}

// Box returns what encrypts and authenticates with the key: AES-GCM.
func Box(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Seal returns the head, which stays in the clear, then a random nonce and the value,
// encrypted. Open takes what is behind the head, and needs the same bound: it is what
// the value belongs to, and is not part of what is returned.
func Seal(box cipher.AEAD, head, value, bound []byte) []byte {
	sealed := make([]byte, len(head)+box.NonceSize(), len(head)+box.NonceSize()+len(value)+box.Overhead())
	nonce := sealed[copy(sealed, head):]
	_, _ = rand.Read(nonce) // never fails
	return box.Seal(sealed, nonce, value, bound)
}

// Open returns the value that was sealed, or an error if it was sealed with another
// key, bound to something else, or changed since.
func Open(box cipher.AEAD, sealed, bound []byte) ([]byte, error) {
	if len(sealed) < box.NonceSize() {
		return nil, errors.New("there is no nonce")
	}
	return box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], bound)
}
