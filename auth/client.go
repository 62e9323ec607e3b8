package auth

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/mcp-client-go/mcpclient/auth/jose"
)

// assertionType is that of a client that proves itself by a token (RFC 7523).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// assertionLifetime bounds the use of an assertion; it allows for clocks that
// differ.
const assertionLifetime = 5 * time.Minute

// client is who we are to one authorization server.
type client struct {
	registration
	key     *jose.Key
	keyID   string
	dynamic bool // registered by us
}

// authenticate adds to a request to the authorization server who it is from
// (R273). audience is the issuer (R277).
func (c *client) authenticate(form url.Values, header http.Header, audience string, now time.Time) error {
	switch {
	case c.ClientID == "":
	case c.Method == MethodBasic:
		credentials := url.QueryEscape(c.ClientID) + ":" + url.QueryEscape(c.Secret) // RFC 6749, 2.3.1
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(credentials)))
	case c.Method == MethodPost:
		form.Set("client_id", c.ClientID)
		form.Set("client_secret", c.Secret)
	case c.Method == MethodPrivateKeyJWT:
		assertion, err := c.assertion(audience, now)
		if err != nil {
			return err
		}
		form.Set("client_id", c.ClientID)
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", assertion)
	default:
		form.Set("client_id", c.ClientID)
	}
	return nil
}

func (c *client) assertion(audience string, now time.Time) (string, error) {
	if c.key == nil {
		return "", fmt.Errorf("the client has no private key for %s", MethodPrivateKeyJWT)
	}
	header := map[string]any{"typ": "JWT"}
	if c.keyID != "" {
		header["kid"] = c.keyID
	}
	return c.key.Sign(header, map[string]any{
		"iss": c.ClientID, "sub": c.ClientID, "aud": audience, "jti": jose.RandomID(),
		"iat": now.Unix(), "exp": now.Add(assertionLifetime).Unix(),
	})
}

// chooseMethod picks how to authenticate, of what the client has the means for,
// the strongest that the server lists. A server that lists nothing takes Basic
// (RFC 8414), and a client without a secret has no choice.
func chooseMethod(listed []string, hasSecret, hasKey bool) Method {
	var possible []Method
	if hasKey {
		possible = append(possible, MethodPrivateKeyJWT)
	}
	if hasSecret {
		possible = append(possible, MethodBasic, MethodPost)
	}
	possible = append(possible, MethodNone)
	for _, method := range possible {
		if len(listed) == 0 || slices.Contains(listed, string(method)) {
			return method
		}
	}
	return possible[0]
}
