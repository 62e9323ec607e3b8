package bearer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// longestLifetime bounds what is believed of numbers.
const longestLifetime = 10 * 365 * 24 * time.Hour

// parse reads the output of a command: a token on a line of its own, or a JSON
// object with one. Errors show nothing of it.
func parse(output []byte, now time.Time) (*token, error) {
	text := bytes.TrimSpace(output)
	if len(text) == 0 {
		return nil, errors.New("it printed nothing")
	}
	if text[0] == '{' {
		return parseObject(text, now)
	}
	if !isToken(string(text)) {
		return nil, errors.New("it printed something else than one token")
	}
	return &token{text: string(text), born: now, expires: expiryOf(string(text), now)}, nil
}

// parseObject reads what token endpoints answer, and what programs print that
// ask one.
func parseObject(text []byte, now time.Time) (*token, error) {
	var printed struct {
		AccessToken string      `json:"access_token"`
		Token       string      `json:"token"`
		ExpiresIn   json.Number `json:"expires_in"`
		ExpiresAt   time.Time   `json:"expires_at"`
	}
	if json.Unmarshal(text, &printed) != nil {
		return nil, errors.New(`it printed something else than a token or JSON such as {"access_token": "...", "expires_in": 3600}`)
	}
	made := &token{text: printed.AccessToken, born: now, expires: printed.ExpiresAt}
	if made.text == "" {
		made.text = printed.Token
	}
	if !isToken(made.text) {
		return nil, errors.New("the JSON that it printed has no access_token that could be sent")
	}
	if seconds, err := printed.ExpiresIn.Float64(); err == nil && made.expires.IsZero() {
		made.expires = now.Add(lengthOf(seconds))
	}
	switch {
	case made.expires.IsZero():
		made.expires = expiryOf(made.text, now)
	case !made.expires.After(now):
		return nil, errors.New("the token that it printed has expired, by what it says of it")
	}
	return made, nil
}

func lengthOf(seconds float64) time.Duration {
	return time.Duration(min(seconds, longestLifetime.Seconds()) * float64(time.Second))
}

// expiryOf returns when a token ends that is a JWT and says so; zero if it does
// not, or if by our clock it has ended: clocks differ, and the server knows. The
// signature is the server's business, too.
func expiryOf(text string, now time.Time) time.Time {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Expires float64 `json:"exp"`
	}
	if json.Unmarshal(raw, &claims) != nil || claims.Expires > float64(now.Add(longestLifetime).Unix()) {
		return time.Time{}
	}
	if expires := time.Unix(int64(claims.Expires), 0); expires.After(now) {
		return expires
	}
	return time.Time{}
}
