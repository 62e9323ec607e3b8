package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
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
	// The decoded form is never longer. A copy is had without being cleared first.
	text := append([]byte(nil), inner...)
	n, ok := unescape(text, inner)
	if !ok {
		return "", false
	}
	return unsafe.String(unsafe.SliceData(text), n), true
}

// unescape decodes src into dst, which begins as its copy, and returns the new
// length. What stands between two escapes is moved eight bytes at a time; bytes
// behind its end that are moved along are overwritten by what follows.
func unescape(dst, src []byte) (n int, ok bool) {
	from := bytes.IndexByte(src, '\\')
	to := from
	for from < len(src) {
		if from+8 <= len(src) {
			word := binary.LittleEndian.Uint64(src[from:])
			slash := word ^ slashes
			marks := (slash - everyByte) &^ slash & highBits
			binary.LittleEndian.PutUint64(dst[to:], word)
			if marks == 0 {
				from, to = from+8, to+8
				continue
			}
			plain := bits.TrailingZeros64(marks) / 8
			from, to = from+plain, to+plain
		} else if src[from] != '\\' {
			dst[to] = src[from]
			from, to = from+1, to+1
			continue
		}
		if from, to, ok = unescapeOne(dst, to, src, from); !ok {
			return 0, false
		}
	}
	return to, true
}

// unescapeOne decodes the escape whose backslash is src[from] to dst[to], and
// returns the offsets behind both.
func unescapeOne(dst []byte, to int, src []byte, from int) (behind, end int, ok bool) {
	if from+1 >= len(src) {
		return 0, 0, false
	}
	c := src[from+1]
	from += 2
	switch c {
	case '/':
	case 'u':
		r, isHex := hex4(src[from:])
		if !isHex {
			return 0, 0, false
		}
		from += 4
		if utf16.IsSurrogate(r) {
			r, from = surrogate(r, src, from)
		}
		return from, to + utf8.EncodeRune(dst[to:], r), true
	default:
		if c = decodedEscape[c]; c == 0 {
			return 0, 0, false
		}
	}
	dst[to] = c
	return from, to + 1, true
}

// surrogate joins the pair that begins with first, or returns U+FFFD for a lone
// one, together with the offset of what follows.
func surrogate(first rune, text []byte, from int) (rune, int) {
	if len(text)-from >= 6 && text[from] == '\\' && text[from+1] == 'u' {
		if second, ok := hex4(text[from+2:]); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, from + 6
			}
		}
	}
	return utf8.RuneError, from
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
	if letter := encodedEscape[c]; letter != 0 {
		return append(dst, '\\', letter)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// decodedEscape is what a backslash and this byte stand for, and encodedEscape its
// inverse; 0 if there is none. They leave out \/ and \u, for what these stand for can be
// written in another way, so that the inverse would not be one.
var (
	decodedEscape = [256]byte{'"': '"', '\\': '\\', 'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}
	encodedEscape = [256]byte{'"': '"', '\\': '\\', '\n': 'n', '\t': 't', '\r': 'r', '\b': 'b', '\f': 'f'}
)
