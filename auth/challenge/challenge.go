// Package challenge reads the WWW-Authenticate header of RFC 9110, section
// 11.6.1: any number of header lines, each with any number of challenges, whose
// parameters are separated by the same comma as the challenges themselves (P96).
package challenge

import "strings"

// Limits of what is read; the rest is ignored.
const (
	maxBytes      = 16 << 10
	maxParameters = 64
)

// Challenge is one way to authenticate that a server named.
type Challenge struct {
	// Scheme is as written; compare it with Is.
	Scheme string
	// Token68 is the value of a scheme that has no parameters; often empty.
	Token68 string
	// Parameters have lower-case names. Of a name that occurs twice the first
	// value counts.
	Parameters map[string]string
}

// Is reports whether the scheme is the given one, ignoring case.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.Scheme, scheme) }

// Parameter returns a parameter, "" if it is absent.
func (c Challenge) Parameter(name string) string { return c.Parameters[name] }

// Parse reads the values of all WWW-Authenticate headers of an answer, in order.
// What is malformed is skipped up to the next comma; Parse never fails.
func Parse(values []string) []Challenge {
	var all []Challenge
	left := maxBytes
	for _, value := range values {
		value = value[:min(len(value), left)]
		left -= len(value)
		all = append(all, parseLine(value)...)
	}
	return all
}

// Find returns the challenge of the first of the schemes that is there.
func Find(all []Challenge, schemes ...string) (Challenge, bool) {
	for _, scheme := range schemes {
		for _, c := range all {
			if c.Is(scheme) {
				return c, true
			}
		}
	}
	return Challenge{}, false
}

// parseLine reads one header value. Between two commas stands a parameter of the
// latest challenge, or a scheme with or without its first parameter or token68.
func parseLine(text string) []Challenge {
	var found []Challenge
	s := scanner{rest: text}
	for s.skipCommas(); s.rest != ""; s.skipCommas() {
		word := s.token()
		if word == "" {
			s.skipElement()
			continue
		}
		if len(found) > 0 {
			if value, ok := s.value(); ok {
				found[len(found)-1].set(word, value)
				continue
			}
		}
		c := Challenge{Scheme: word, Parameters: map[string]string{}}
		s.first(&c)
		found = append(found, c)
	}
	return found
}

func (c *Challenge) set(name, value string) {
	name = strings.ToLower(name)
	if _, twice := c.Parameters[name]; !twice && len(c.Parameters) < maxParameters {
		c.Parameters[name] = value
	}
}
