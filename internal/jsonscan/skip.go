package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Skip returns the offset behind the value that starts at data[pos], trusting
// that data was validated. It returns len(data) if no end is found.
func Skip(data []byte, pos int) int { return skipValue(data, pos, Span{}) }

// skipValue is Skip where one long value is known.
func skipValue(data []byte, pos int, long Span) int {
	if pos >= len(data) {
		return len(data)
	}
	if pos == long.From && long.To > 0 {
		return long.To
	}
	switch data[pos] {
	case '"':
		return skipText(data, pos)
	case '{', '[':
		return skipNested(data, pos, long)
	}
	for ; pos < len(data); pos++ {
		switch data[pos] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return pos
		}
	}
	return pos
}

// skipText passes a string. Most are short: their end is looked for in a few
// words. Behind those, the first quote with an even number of backslashes in
// front of it is the end.
func skipText(data []byte, pos int) int {
	pos++
	for words := 0; words < 4 && pos+8 <= len(data); words++ {
		word := binary.LittleEndian.Uint64(data[pos:])
		quote, slash := word^quotes, word^slashes
		marks := ((quote-everyByte)&^quote | (slash-everyByte)&^slash) & highBits
		if marks == 0 {
			pos += 8
			continue
		}
		pos += bits.TrailingZeros64(marks) / 8
		if data[pos] == '"' {
			return pos + 1
		}
		pos += 2
	}
	for from := min(pos, len(data)); ; {
		found := bytes.IndexByte(data[from:], '"')
		if found < 0 {
			return len(data)
		}
		quote := from + found
		first := quote
		for first > from && data[first-1] == '\\' {
			first--
		}
		if (quote-first)%2 == 0 {
			return quote + 1
		}
		from = quote + 1
	}
}

func skipNested(data []byte, pos int, long Span) int {
	depth := 0
	for pos < len(data) {
		switch data[pos] {
		case '"':
			if pos == long.From && long.To > 0 {
				pos = long.To
			} else {
				pos = skipText(data, pos)
			}
			continue
		case '{', '[':
			if pos == long.From && long.To > 0 {
				pos = long.To
				continue
			}
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return pos + 1
			}
		}
		pos++
	}
	return pos
}

// Find returns the value of the first member of the object whose name is
// exactly key, as a slice of object, trusting that it was validated. It returns
// false if there is none or if object is not an object.
func Find(object []byte, key string) ([]byte, bool) { return FindAround(object, key, Span{}) }

// FindAround is Find where one long value of the object is known.
func FindAround(object []byte, key string, long Span) ([]byte, bool) {
	c := TrustedCursorAround(object, long)
	if !c.Object() {
		return nil, false
	}
	for {
		name, ok := c.Member()
		if !ok {
			return nil, false
		}
		value := c.Value()
		if string(name) == key {
			return value, c.Err() == nil
		}
	}
}

// HasRawNewline reports whether valid JSON text spans more than one line. A
// string cannot hold a raw newline, so any such byte is white space outside.
func HasRawNewline(data []byte) bool {
	return bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, '\r') >= 0
}
