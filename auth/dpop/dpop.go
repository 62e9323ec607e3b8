// Package dpop makes the proofs of RFC 9449: each request shows that its sender
// holds the key that the access token is bound to.
package dpop

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/jose"
)

// Names of the extension.
const (
	Scheme       = "DPoP"
	Header       = "Dpop"
	HeaderNonce  = "Dpop-Nonce"
	ErrorNonce   = "use_dpop_nonce" // the server wants a proof with its nonce
	maxOrigins   = 16
	maxNonceSize = 1024
)

// Prover makes proofs with one key, and remembers each server's latest nonce. It
// is safe for concurrent use.
type Prover struct {
	key *jose.Key

	mu     sync.Mutex
	nonces map[string]string // by origin
}

// New returns a prover; the key must be for ES256 or RS256.
func New(key *jose.Key) *Prover { return &Prover{key: key, nonces: make(map[string]string)} }

// Key returns the key.
func (p *Prover) Key() *jose.Key { return p.key }

// Proof returns a fresh proof for one request; accessToken is empty at a token
// endpoint. The target's query and fragment are no part of it.
func (p *Prover) Proof(method, target, accessToken string, now time.Time) (string, error) {
	u, err := url.Parse(target)
	if err != nil {
		return "", fmt.Errorf("a DPoP proof for what is not a URL")
	}
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	claims := map[string]any{"jti": jose.RandomID(), "htm": method, "htu": bare.String(), "iat": now.Unix()}
	if accessToken != "" {
		sum := sha256.Sum256([]byte(accessToken))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if nonce := p.nonce(u); nonce != "" {
		claims["nonce"] = nonce
	}
	return p.key.Sign(map[string]any{"typ": "dpop+jwt", "jwk": p.key.PublicJWK()}, claims)
}

// Learn takes the nonce of an answer from the target's origin, if it has one.
func (p *Prover) Learn(target string, answer http.Header) {
	nonce := answer.Get(HeaderNonce)
	u, err := url.Parse(target)
	if nonce == "" || len(nonce) > maxNonceSize || err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	origin := originOf(u)
	if _, known := p.nonces[origin]; !known && len(p.nonces) >= maxOrigins {
		clear(p.nonces)
	}
	p.nonces[origin] = nonce
}

func (p *Prover) nonce(u *url.URL) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nonces[originOf(u)]
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }
