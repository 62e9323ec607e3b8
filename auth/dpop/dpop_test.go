package dpop

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/auth/jose"
)

func part(t *testing.T, token string, index int) map[string]any {
	t.Helper()
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[index])
	require.NoError(t, err)
	var decoded map[string]any
	require.NoError(t, json.Unmarshal(text, &decoded))
	return decoded
}

func TestProof(t *testing.T) { // RFC 9449, 4.2
	key, err := jose.Generate()
	require.NoError(t, err)
	p := New(key)
	now := time.Unix(1700000000, 0)
	proof, err := p.Proof("POST", "https://a.example/mcp?x=y#z", "token", now)
	require.NoError(t, err)
	header := part(t, proof, 0)
	assert.Equal(t, "dpop+jwt", header["typ"])
	assert.NotContains(t, header["jwk"], "d", "the private part stays here")
	claims := part(t, proof, 1)
	sum := sha256.Sum256([]byte("token"))
	assert.Equal(t, base64.RawURLEncoding.EncodeToString(sum[:]), claims["ath"])
	assert.Equal(t, "https://a.example/mcp", claims["htu"])
	assert.Equal(t, "POST", claims["htm"])
	assert.EqualValues(t, now.Unix(), claims["iat"])
	assert.NotContains(t, claims, "nonce")

	again, err := p.Proof("POST", "https://a.example/mcp", "", now)
	require.NoError(t, err)
	assert.NotContains(t, part(t, again, 1), "ath")
	assert.NotEqual(t, claims["jti"], part(t, again, 1)["jti"])
	_, err = p.Proof("POST", "://", "", now)
	require.Error(t, err)
}

func TestNonces(t *testing.T) { // RFC 9449, 8 and 9
	key, err := jose.Generate()
	require.NoError(t, err)
	p := New(key)
	answer := func(nonce string) http.Header { return http.Header{HeaderNonce: {nonce}} }
	p.Learn("https://a.example/token", answer("n0"))
	p.Learn("https://a.example/token", answer("n1"))
	p.Learn("https://a.example/token", http.Header{})
	p.Learn("https://a.example/token", answer(strings.Repeat("n", 5000)))
	p.Learn("http://[::", answer("n2"))
	proof, err := p.Proof("GET", "https://a.example/other", "", time.Now())
	require.NoError(t, err)
	assert.Equal(t, "n1", part(t, proof, 1)["nonce"])
	proof, err = p.Proof("GET", "https://b.example/", "", time.Now())
	require.NoError(t, err)
	assert.NotContains(t, part(t, proof, 1), "nonce", "a nonce belongs to its server")
	for i := range 100 {
		p.Learn(fmt.Sprintf("https://%d.example/", i), answer("x"))
	}
	assert.LessOrEqual(t, len(p.nonces), maxOrigins)
}
