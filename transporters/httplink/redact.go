package httplink

import (
	"bytes"
	"context"
	"strings"
)

// shortestSecret keeps short configured values, such as "1" or "true", from
// tearing holes into every text.
const shortestSecret = 6

// redact returns text with *** in the place of every secret that was sent with
// the request, for some servers repeat what they got. The text is copied only if
// there is something to hide.
func (l *Link) redact(ctx context.Context, text []byte) []byte {
	for _, secret := range l.headers.secrets(ctx) {
		for _, form := range forms(secret) {
			if len(form) >= shortestSecret && bytes.Contains(text, []byte(form)) {
				text = bytes.ReplaceAll(text, []byte(form), []byte("***"))
			}
		}
	}
	return text
}

// forms returns a secret with and without an authentication scheme in front.
func forms(secret string) []string {
	secret = strings.TrimSpace(secret)
	if _, credentials, found := strings.Cut(secret, " "); found {
		return []string{secret, strings.TrimSpace(credentials)}
	}
	return []string{secret}
}
