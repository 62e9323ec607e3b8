package challenge

import "strings"

// scanner takes a header value apart, from left to right.
type scanner struct{ rest string }

func (s *scanner) skipBlanks() { s.rest = strings.TrimLeft(s.rest, " \t") }

func (s *scanner) skipCommas() { s.rest = strings.TrimLeft(s.rest, " \t,") }

// skipElement drops what nobody understands, up to the next comma outside
// quotes.
func (s *scanner) skipElement() {
	for s.rest != "" && s.rest[0] != ',' {
		if s.rest[0] == '"' {
			s.quoted()
			continue
		}
		s.rest = s.rest[1:]
	}
}

// token takes a token of HTTP, "" if there is none.
func (s *scanner) token() string { return s.take(isTokenByte) }

func (s *scanner) take(accept func(byte) bool) string {
	end := 0
	for end < len(s.rest) && accept(s.rest[end]) {
		end++
	}
	taken := s.rest[:end]
	s.rest = s.rest[end:]
	return taken
}

// value takes "= value" if that is what follows, with blanks around the sign.
func (s *scanner) value() (string, bool) {
	before := s.rest
	s.skipBlanks()
	if !strings.HasPrefix(s.rest, "=") {
		s.rest = before
		return "", false
	}
	s.rest = s.rest[1:]
	s.skipBlanks()
	if strings.HasPrefix(s.rest, `"`) {
		return s.quoted(), true
	}
	// Some servers forget the quotes around a URL: everything up to a comma or a
	// blank counts.
	return s.take(func(c byte) bool { return c != ',' && c != ' ' && c != '\t' }), true
}

// quoted takes a quoted string, the opening quote first; a missing closing quote
// ends it at the end of the line.
func (s *scanner) quoted() string {
	var b strings.Builder
	i := 1
	for ; i < len(s.rest) && s.rest[i] != '"'; i++ {
		if s.rest[i] == '\\' && i+1 < len(s.rest) {
			i++
		}
		b.WriteByte(s.rest[i])
	}
	s.rest = s.rest[min(i+1, len(s.rest)):]
	return b.String()
}

// first takes what stands behind a scheme: a parameter, a token68, or nothing.
func (s *scanner) first(c *Challenge) {
	s.skipBlanks()
	before := s.rest
	if name := s.token(); name != "" {
		if value, ok := s.value(); ok && !isPadding(value) {
			c.set(name, value)
			return
		}
	}
	s.rest = before
	c.Token68 = s.take(isToken68Byte)
	s.skipElement()
}

// isPadding: what looked like "name = value" is the end of a token68.
func isPadding(value string) bool { return strings.Trim(value, "=") == "" }

func isTokenByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func isToken68Byte(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-._~+/=", c) >= 0 }

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
