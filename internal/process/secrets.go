package process

import "strings"

// minSecret is the shortest secret that is looked for: shorter ones would also
// match ordinary text.
const minSecret = 6

// SecretFilter keeps the secrets of a child's environment out of what is shown
// of its output (pitfall P104). The zero value knows none. It is immutable.
type SecretFilter struct {
	replacer *strings.Replacer // nil if there are no secrets
	longest  int
}

// NewSecretFilter returns a filter for the values of an environment that look
// like secrets, by the name of the variable (see RedactArgs) or by themselves.
// Values shorter than 6 bytes are not looked for. Output comes by the line, so
// of a value with several lines each is looked for.
func NewSecretFilter(env []string) SecretFilter {
	filter := SecretFilter{}
	var pairs []string
	for _, value := range secretValues(env) {
		for line := range strings.Lines(value) {
			line = strings.TrimSpace(line)
			if len(line) < minSecret {
				continue
			}
			pairs = append(pairs, line, redacted)
			filter.longest = max(filter.longest, len(line))
		}
	}
	if len(pairs) > 0 {
		filter.replacer = strings.NewReplacer(pairs...)
	}
	return filter
}

// Excerpt returns text from a child for logs and errors: secrets replaced by
// ***, sanitised, at most limit bytes, and "..." if something was cut off. The
// cut shows no part of a secret.
func (f SecretFilter) Excerpt(text []byte, limit int) string {
	shown := text[:min(len(text), f.reads(limit))]
	out := string(shown)
	if f.replacer != nil {
		out = f.replacer.Replace(out)
	}
	if len(shown) == len(text) {
		return Sanitize(out, limit)
	}
	// The end may be the beginning of a secret.
	out = Sanitize(out[:max(0, len(out)-f.longest)], limit)
	return strings.TrimSuffix(out, "...") + "..."
}

// reads is how much of a text is needed to make an excerpt of it: a secret that
// begins within the limit has to be seen whole.
func (f SecretFilter) reads(limit int) int { return limit + f.longest }

func secretValues(env []string) []string {
	var values []string
	for _, entry := range env {
		name, value, ok := cutVariable(entry)
		if ok && (speaksOfSecret(name) || redactArgument(value) != value) {
			values = append(values, value)
		}
	}
	return values
}
