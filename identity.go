package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// tokenPrincipal begins the names of principals that a token implies.
const tokenPrincipal = "token:"

// WithPrincipal returns a context whose calls are made for the principal: a user
// or a tenant. Calls of different principals never share a session. The empty
// principal is the client itself.
func WithPrincipal(ctx context.Context, principal string) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Principal = principal })
}

// WithToken returns a context whose calls to HTTP servers carry this bearer
// token in place of the configured one. Unless ctx names a principal, the token
// implies one, since a session that was opened with one token must not serve
// another. An empty token takes both back.
func WithToken(ctx context.Context, token string) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
		o.Token = token
		switch isImplied := strings.HasPrefix(o.Principal, tokenPrincipal); {
		case token == "" && isImplied:
			o.Principal = ""
		case token != "" && (o.Principal == "" || isImplied):
			sum := sha256.Sum256([]byte(token))
			o.Principal = tokenPrincipal + hex.EncodeToString(sum[:16])
		}
	})
}

// WithHeader returns a context whose calls to HTTP servers carry this header as
// well. It never overrides a header of the protocol. It implies no principal,
// unless the server's identity_headers list it.
func WithHeader(ctx context.Context, name, value string) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
		header := o.Header.Clone()
		if header == nil {
			header = make(http.Header)
		}
		header.Set(name, value)
		o.Header = header
	})
}
