package process

import (
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/redact"
)

// minConfigured is the shortest configured value that counts as a secret without
// looking like one, in bytes.
const minConfigured = 8

// Secrets returns what must not be shown of what a child is given: the values of
// the configured variables that have 8 bytes or more, and the words, which are
// parts of the command that came from outside the configuration. What InheritSafe
// lets through is no secret: neither the configured value of such a variable nor
// a word that is the value of one in parent.
func Secrets(configured map[string]string, words, parent []string) []string {
	var secrets []string
	for name, value := range configured {
		if len(value) >= minConfigured && !isSafe(name) {
			secrets = append(secrets, value)
		}
	}
	for _, word := range words {
		harmless := slices.ContainsFunc(parent, func(entry string) bool {
			name, value, ok := cutVariable(entry)
			return ok && value == word && isSafe(name)
		})
		if word != "" && !harmless {
			secrets = append(secrets, word)
		}
	}
	slices.Sort(secrets)
	return slices.Compact(secrets)
}

func isSafe(name string) bool { return slices.Contains(safeVariables[:], name) }

// SecretFilter keeps the secrets that a child was given out of what is shown of
// its output (pitfall P104). The zero value knows none. It is immutable.
type SecretFilter struct{ *redact.Filter }

// NewSecretFilter returns a filter for the secrets, and for the values of an
// environment that look like secrets, by the name of the variable (see
// RedactArgs) or by themselves. See redact.New for the forms in which they are
// found.
func NewSecretFilter(env []string, secrets ...string) SecretFilter {
	return SecretFilter{redact.New(append(secretValues(env), secrets...)...)}
}

// Excerpt returns text from a child for logs and errors: secrets replaced by
// ***, sanitised, at most limit bytes, and "..." if something was cut off. The
// cut shows no part of a secret.
func (f SecretFilter) Excerpt(text []byte, limit int) string {
	shown := text[:min(len(text), f.reads(limit))]
	out := string(f.Bytes(shown))
	if len(shown) == len(text) {
		return Sanitize(out, limit)
	}
	// The end may be the beginning of a secret.
	out = Sanitize(out[:max(0, len(out)-f.Reach())], limit)
	return strings.TrimSuffix(out, "...") + "..."
}

// reads is how much of a text is needed to make an excerpt of it: a secret that
// begins within the limit has to be seen whole.
func (f SecretFilter) reads(limit int) int { return limit + f.Reach() }

func secretValues(env []string) []string {
	var values []string
	for _, entry := range env {
		name, value, ok := cutVariable(entry)
		if ok && (redact.NameSuggestsSecret(name) || redactArgument(value) != value) {
			values = append(values, value)
		}
	}
	return values
}
