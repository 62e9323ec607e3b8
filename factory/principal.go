package factory

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// principalOf returns whom a call is for: the principal that its context names,
// and within it the values of the identity headers. They are hashed, since they
// may be credentials.
func principalOf(options *transporters.CallOptions, identityHeaders []string) string {
	principal := options.Principal
	if len(identityHeaders) == 0 {
		return principal
	}
	for _, name := range identityHeaders {
		values := options.Header[http.CanonicalHeaderKey(name)]
		if len(values) == 0 {
			continue
		}
		sum := sha256.Sum256([]byte(strings.Join(values, "\x00")))
		principal += "\x00" + strings.ToLower(name) + "=" + hex.EncodeToString(sum[:16])
	}
	return principal
}
