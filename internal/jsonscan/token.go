package jsonscan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Patterns for looking at eight bytes at once.
const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
	quotes    = everyByte * '"'
	slashes   = everyByte * '\\'
	blanks    = everyByte * ' '
)

// special marks, with the high bit of its byte, the first quote, backslash or
// control character of the word. Marks behind the first one may be wrong.
func special(word uint64) uint64 {
	quote, slash := word^quotes, word^slashes
	return ((quote-everyByte)&^quote | (slash-everyByte)&^slash | (word-blanks)&^word) & highBits
}

// plain passes what may stand in a string as it is, up to the first quote,
// backslash or control character, or to the end of data. The high bits of beyondASCII
// tell whether any of it is not ASCII.
func plain(data []byte, pos int) (end int, beyondASCII uint64) {
	for pos+8 <= len(data) {
		word := binary.LittleEndian.Uint64(data[pos:])
		if marks := special(word); marks != 0 {
			before := bits.TrailingZeros64(marks) &^ 7
			return pos + before/8, beyondASCII | word&(1<<before-1)&highBits
		}
		beyondASCII |= word & highBits
		pos += 8
	}
	for ; pos < len(data); pos++ {
		c := data[pos]
		if c == '"' || c == '\\' || c < ' ' {
			break
		}
		beyondASCII |= uint64(c) & 0x80
	}
	return pos, beyondASCII
}

// text passes the string whose opening quote is data[pos].
func text(data []byte, pos int) (int, fault) {
	start := pos + 1
	var beyondASCII uint64
	for pos = start; ; {
		end, beyond := plain(data, pos)
		beyondASCII |= beyond
		if pos = end; pos >= len(data) {
			return pos, faultEnd
		}
		switch data[pos] {
		case '"':
			if beyondASCII != 0 {
				if at := malformed(data[start:pos]); at >= 0 {
					return start + at, faultUTF8
				}
			}
			return pos + 1, faultNone
		case '\\':
			var bad fault
			if pos, bad = escape(data, pos); bad != faultNone {
				return pos, bad
			}
		default:
			return pos, faultControl
		}
	}
}

// malformed returns the offset of the first byte that is not UTF-8, or -1.
func malformed(s []byte) int {
	if utf8.Valid(s) {
		return -1
	}
	for at := 0; ; {
		r, size := utf8.DecodeRune(s[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
}

// escape passes one escape whose backslash is data[pos]. Surrogates need not
// come in pairs: the grammar of RFC 8259 allows lone ones.
func escape(data []byte, pos int) (int, fault) {
	if pos+1 >= len(data) {
		return pos, faultEnd
	}
	switch data[pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return pos + 2, faultNone
	case 'u':
		if pos+6 > len(data) {
			return pos, faultEnd
		}
		if _, ok := hex4(data[pos+2:]); !ok {
			return pos, faultEscape
		}
		return pos + 6, faultNone
	default:
		return pos, faultEscape
	}
}

// hex4 reads the four hexadecimal digits that s begins with.
func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func literal(data []byte, pos int, want string) (int, fault) {
	end := pos + len(want)
	if end > len(data) || string(data[pos:end]) != want {
		return pos, faultLiteral
	}
	return end, faultNone
}

// number passes a number: minus, integer part without leading zeros, fraction,
// exponent.
func number(data []byte, pos int) (int, fault) {
	start := pos
	if data[pos] == '-' {
		pos++
	}
	switch {
	case pos >= len(data):
		return pos, faultEnd
	case data[pos] == '0':
		pos++
	case '1' <= data[pos] && data[pos] <= '9':
		pos = digits(data, pos)
	case pos == start:
		return pos, faultValue
	default:
		return pos, faultNumber
	}
	if pos < len(data) && data[pos] == '.' {
		from := pos + 1
		if pos = digits(data, from); pos == from {
			return pos, faultNumber
		}
	}
	if pos < len(data) && (data[pos] == 'e' || data[pos] == 'E') {
		from := pos + 1
		if from < len(data) && (data[from] == '+' || data[from] == '-') {
			from++
		}
		if pos = digits(data, from); pos == from {
			return pos, faultNumber
		}
	}
	return pos, faultNone
}

func digits(data []byte, pos int) int {
	for pos < len(data) && '0' <= data[pos] && data[pos] <= '9' {
		pos++
	}
	return pos
}
