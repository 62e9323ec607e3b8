package redact

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// formsOf returns what to look for, the longest first.
func formsOf(secrets []string) [][]byte {
	seen := map[string]struct{}{}
	var forms [][]byte
	add := func(form string) {
		if _, twice := seen[form]; twice || len(form) < MinimumLength {
			return
		}
		seen[form] = struct{}{}
		forms = append(forms, []byte(form))
	}
	for _, secret := range secrets {
		for _, part := range partsOf(secret) {
			add(part)
			if strings.Contains(part, " ") {
				add(url.QueryEscape(part)) // the one escape that is no escape sequence: + for a blank
			}
			if len(part) >= MinimumLength {
				for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
					add(encoding.EncodeToString([]byte(part)))
					for offset := range 3 {
						add(encodedWithin(encoding, part, offset))
					}
				}
			}
		}
	}
	slices.SortStableFunc(forms, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	return forms
}

// partsOf returns a secret and what of it is a secret by itself.
func partsOf(secret string) []string {
	secret = strings.TrimSpace(secret)
	parts := []string{secret}
	if strings.Contains(secret, "\n") {
		for line := range strings.Lines(secret) {
			parts = append(parts, strings.TrimSpace(line))
		}
		return parts
	}
	scheme, credentials, found := strings.Cut(secret, " ")
	credentials = strings.TrimSpace(credentials)
	if found && !strings.Contains(credentials, " ") {
		parts = append(parts, credentials)
	}
	if strings.EqualFold(scheme, "basic") {
		if decoded, err := base64.StdEncoding.DecodeString(credentials); err == nil {
			_, password, _ := strings.Cut(string(decoded), ":")
			parts = append(parts, string(decoded), password)
		}
	}
	if strings.Contains(secret, "://") && strings.Contains(secret, "@") {
		if parsed, err := url.Parse(secret); err == nil && parsed.User != nil {
			password, _ := parsed.User.Password()
			_, written, _ := strings.Cut(parsed.User.String(), ":")
			parts = append(parts, password, written)
		}
	}
	return parts
}

// encodedWithin returns what of the base64 of a longer text is sure where part
// stands in it, offset bytes behind a group of three.
func encodedWithin(encoding *base64.Encoding, part string, offset int) string {
	encoded := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + part))
	unsure := [...]int{0, 2, 3}[offset] // characters that hold bits of what stands before
	if (offset+len(part))%3 != 0 {
		encoded = encoded[:len(encoded)-1] // and of what stands behind
	}
	return encoded[min(unsure, len(encoded)):]
}
