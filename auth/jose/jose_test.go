package jose

import (
	"crypto"
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
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func pemOf(t *testing.T, kind string, der []byte, err error) []byte {
	t.Helper()
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func TestParseAndSign(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	eightEC, err1 := x509.MarshalPKCS8PrivateKey(ec)
	sec1, err2 := x509.MarshalECPrivateKey(ec)
	eightRSA, err3 := x509.MarshalPKCS8PrivateKey(r)
	for name, test := range map[string]struct {
		text      []byte
		algorithm string
	}{
		"PKCS 8 EC":  {pemOf(t, "PRIVATE KEY", eightEC, err1), ES256},
		"SEC 1":      {pemOf(t, "EC PRIVATE KEY", sec1, err2), ES256},
		"PKCS 8 RSA": {pemOf(t, "PRIVATE KEY", eightRSA, err3), RS256},
		"PKCS 1":     {pemOf(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(r), nil), RS256},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := Parse(test.text)
			require.NoError(t, err)
			token, err := key.Sign(map[string]any{"typ": "JWT", "alg": "none"}, map[string]any{"sub": "me"})
			require.NoError(t, err)
			parts := strings.Split(token, ".")
			require.Len(t, parts, 3)
			var header map[string]any
			head, _ := base64.RawURLEncoding.DecodeString(parts[0])
			require.NoError(t, json.Unmarshal(head, &header))
			assert.Equal(t, map[string]any{"typ": "JWT", "alg": test.algorithm}, header)
			sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
			signature, err := base64.RawURLEncoding.DecodeString(parts[2])
			require.NoError(t, err)
			if test.algorithm == RS256 {
				require.NoError(t, rsa.VerifyPKCS1v15(&r.PublicKey, crypto.SHA256, sum[:], signature))
			} else {
				require.Len(t, signature, 64)
				require.True(t, ecdsa.Verify(&ec.PublicKey, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])))
			}
			der, err := key.DER()
			require.NoError(t, err)
			again, err := ParseDER(der)
			require.NoError(t, err)
			assert.Equal(t, key.Thumbprint(), again.Thumbprint())
		})
	}
}

// RFC 7638, 3.1 for RSA is long; this holds the order of the members instead.
func TestThumbprint(t *testing.T) {
	key, err := Generate()
	require.NoError(t, err)
	jwk := key.PublicJWK()
	text := fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, jwk["x"], jwk["y"])
	sum := sha256.Sum256([]byte(text))
	assert.Equal(t, base64.RawURLEncoding.EncodeToString(sum[:]), key.Thumbprint())
	assert.Len(t, jwk["x"], 43)
}

func TestKeysThatAreRefused(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(p384)
	for name, text := range map[string][]byte{
		"canary is no PEM": []byte("canary"),
		"canary is no key": pemOf(t, "PRIVATE KEY", []byte("canary"), nil),
		"curve":            pemOf(t, "PRIVATE KEY", der, err),
	} {
		_, err := Parse(text)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "canary", name)
	}
}

func TestKeysDoNotShowThemselves(t *testing.T) {
	key, err := Generate()
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		assert.Equal(t, "***", fmt.Sprintf(verb, key))
	}
}

func TestRandomID(t *testing.T) {
	assert.Len(t, RandomID(), 22)
	assert.NotEqual(t, RandomID(), RandomID())
}
