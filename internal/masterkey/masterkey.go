// Package masterkey reads the key that a store of secrets is configured with, and
// makes of keys what encrypts. What is derived of the master key, and how, is each
// store's own: it decides what its records look like.
package masterkey

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
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
