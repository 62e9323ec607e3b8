// Package jose signs JSON Web Tokens (RFC 7515, compact form) with ES256 and
// RS256: what client assertions and DPoP proofs need, and no more. It verifies
// nothing.
package jose

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Algorithms of Key.
const (
	ES256 = "ES256"
	RS256 = "RS256"
)

const smallestRSA = 2048 // bits

// Key is a private key. It shows nothing of itself when printed. It is immutable
// and safe for concurrent use.
type Key struct {
	elliptic *ecdsa.PrivateKey // ES256
	rsa      *rsa.PrivateKey   // RS256
}

// Generate returns a new key for ES256.
func Generate() (*Key, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Key{elliptic: key}, nil
}

// Parse reads a PEM block: PKCS #8, SEC 1 or PKCS #1, of a P-256 or an RSA key
// of 2048 bits or more. The error never shows the text.
func Parse(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no PEM block; a private key in PEM form is wanted")
	}
	return ParseDER(block.Bytes)
}

// ParseDER reads what is inside a PEM block.
func ParseDER(der []byte) (*Key, error) {
	var parsed any
	var err error
	if parsed, err = x509.ParsePKCS8PrivateKey(der); err != nil {
		if parsed, err = x509.ParseECPrivateKey(der); err != nil {
			if parsed, err = x509.ParsePKCS1PrivateKey(der); err != nil {
				return nil, errors.New("not a private key; PKCS #8, SEC 1 or PKCS #1 without a password is wanted")
			}
		}
	}
	switch key := parsed.(type) {
	case *ecdsa.PrivateKey:
		if key.Curve != elliptic.P256() {
			return nil, fmt.Errorf("a key on the curve %s; P-256 or RSA is wanted", key.Curve.Params().Name)
		}
		return &Key{elliptic: key}, nil
	case *rsa.PrivateKey:
		if key.N.BitLen() < smallestRSA {
			return nil, fmt.Errorf("an RSA key of %d bits; %d or more are wanted", key.N.BitLen(), smallestRSA)
		}
		return &Key{rsa: key}, nil
	default:
		return nil, fmt.Errorf("a key of the type %T; P-256 or RSA is wanted", parsed)
	}
}

// DER returns the key in PKCS #8, for a store that keeps it secret.
func (k *Key) DER() ([]byte, error) {
	if k.rsa != nil {
		return x509.MarshalPKCS8PrivateKey(k.rsa)
	}
	return x509.MarshalPKCS8PrivateKey(k.elliptic)
}

// Algorithm returns ES256 or RS256.
func (k *Key) Algorithm() string {
	if k.rsa != nil {
		return RS256
	}
	return ES256
}

// PublicJWK returns the public key as a JSON Web Key (RFC 7517).
func (k *Key) PublicJWK() map[string]string {
	if k.rsa != nil {
		return map[string]string{"kty": "RSA", "n": encode(k.rsa.N.Bytes()), "e": encode(big.NewInt(int64(k.rsa.E)).Bytes())}
	}
	point, err := k.elliptic.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		return nil
	}
	return map[string]string{"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])}
}

// Thumbprint returns the SHA-256 thumbprint of the public key (RFC 7638).
func (k *Key) Thumbprint() string {
	text, err := json.Marshal(k.PublicJWK()) // keys sorted, and only the required ones
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return encode(sum[:])
}

// Format prints *** for every verb.
func (k *Key) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "***") }

func encode(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }
