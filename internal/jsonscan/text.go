package jsonscan

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// String decodes a JSON string, quotes included. It returns false if raw is not
// one. A lone surrogate becomes U+FFFD, as with encoding/json. It makes one
// allocation.
func String(raw []byte) (string, bool) {
	inner, ok := unquoted(raw)
	if !ok {
		return "", false
	}
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	return decoded(inner)
}

// SharedString is String without a copy: a string without escapes shares raw's
// bytes, which must therefore never change again. Only escapes cost an
// allocation.
func SharedString(raw []byte) (string, bool) {
	inner, ok := unquoted(raw)
	if !ok {
		return "", false
	}
	if bytes.IndexByte(inner, '\\') < 0 {
		return unsafe.String(unsafe.SliceData(inner), len(inner)), true
	}
	return decoded(inner)
}

// unquoted returns what stands between the quotes.
func unquoted(raw []byte) (inner []byte, ok bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return nil, false
	}
	return raw[1 : len(raw)-1], true
}

// decoded decodes the contents of a string that has escapes.
func decoded(inner []byte) (string, bool) {
	var b strings.Builder
	b.Grow(len(inner)) // the decoded form is never longer
	if !decode(&b, inner) {
		return "", false
	}
	return b.String(), true
}

// decode writes the decoded contents of a string.
func decode(b *strings.Builder, inner []byte) bool {
	for {
		plain := bytes.IndexByte(inner, '\\')
		if plain < 0 {
			b.Write(inner)
			return true
		}
		b.Write(inner[:plain])
		if plain+1 >= len(inner) {
			return false
		}
		c := inner[plain+1]
		inner = inner[plain+2:]
		switch c {
		case '"', '\\', '/':
			b.WriteByte(c)
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r, ok := hex4(inner)
			if !ok {
				return false
			}
			inner = inner[4:]
			if utf16.IsSurrogate(r) {
				r, inner = surrogate(r, inner)
			}
			b.WriteRune(r)
		default:
			return false
		}
	}
}

// surrogate joins the pair that begins with first, or returns U+FFFD for a lone
// one, together with what follows.
func surrogate(first rune, inner []byte) (rune, []byte) {
	if len(inner) >= 6 && inner[0] == '\\' && inner[1] == 'u' {
		if second, ok := hex4(inner[2:]); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, inner[6:]
			}
		}
	}
	return utf8.RuneError, inner
}

// decodedName strips the quotes from a member's name and decodes its escapes.
func decodedName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') >= 0 {
		name, _ := String(quoted)
		return []byte(name)
	}
	if len(quoted) < 2 {
		return nil
	}
	return quoted[1 : len(quoted)-1 : len(quoted)-1]
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Quotes, backslashes and control
// characters are escaped, so are U+2028 and U+2029, which some line readers
// take for newlines; < > & are not. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				dst = append(dst, s[done:i]...)
				dst = append(dst, "\uFFFD"...)
				done = i + size
			case r == '\u2028' || r == '\u2029':
				dst = append(dst, s[done:i]...)
				dst = append(dst, `\u202`...)
				dst = append(dst, hexDigits[r&0xF])
				done = i + size
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = append(dst, s[done:i]...)
			dst = appendEscape(dst, c)
			done = i + 1
		}
		i++
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
	}
}
