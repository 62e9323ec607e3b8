package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
)

// Sign returns the compact form of a token with the claims. header is added to
// "alg", which it cannot replace.
func (k *Key) Sign(header, claims map[string]any) (string, error) {
	header = maps.Clone(header)
	if header == nil {
		header = make(map[string]any)
	}
	header["alg"] = k.Algorithm()
	head, err := json.Marshal(header)
	if err != nil {
		return "", fmt.Errorf("the header of a token: %w", err)
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("the claims of a token: %w", err)
	}
	signed := encode(head) + "." + encode(body)
	sum := sha256.Sum256([]byte(signed))
	signature, err := k.sign(sum[:])
	if err != nil {
		return "", fmt.Errorf("signing a token: %w", err)
	}
	return signed + "." + encode(signature), nil
}

func (k *Key) sign(sum []byte) ([]byte, error) {
	if k.rsa != nil {
		return rsa.SignPKCS1v15(rand.Reader, k.rsa, crypto.SHA256, sum)
	}
	r, s, err := ecdsa.Sign(rand.Reader, k.elliptic, sum)
	if err != nil {
		return nil, err
	}
	signature := make([]byte, 64) // RFC 7518, 3.4: two numbers of fixed length
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signature, nil
}

// RandomID returns 128 random bits as text, for "jti" and "state".
func RandomID() string {
	var bytes [16]byte
	_, _ = rand.Read(bytes[:]) // never fails
	return encode(bytes[:])
}
