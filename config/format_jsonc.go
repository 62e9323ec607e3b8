package config

import "bytes"

// withoutComments returns JSON with blanks in the place of comments (// to the
// line's end, /* to */) and of a comma before a closing brace or bracket. What is
// in strings stays, and so do line ends and the length. The result is data itself
// if there is nothing to blank out.
func withoutComments(data []byte) []byte {
	blanked := blanker{data: data}
	comma := -1 // where the last thing that was seen is a comma
	for pos := 0; pos < len(data); {
		switch c := data[pos]; {
		case c == '"':
			pos, comma = stringEnd(data, pos), -1
		case c == '/' && pos+1 < len(data) && (data[pos+1] == '/' || data[pos+1] == '*'):
			end, closed := commentEnd(data, pos)
			if !closed {
				return blanked.result() // which the parser refuses
			}
			blanked.blank(pos, end)
			pos = end
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			pos++
		default:
			if comma >= 0 && (c == '}' || c == ']') {
				blanked.blank(comma, comma+1)
			}
			if comma = -1; c == ',' && !opens(blanked.result(), pos) {
				comma = pos
			}
			pos++
		}
	}
	return blanked.result()
}

// opens reports whether what stands before the comma at pos is an opening brace or
// bracket, or another comma: it is no comma behind an item then.
func opens(data []byte, pos int) bool {
	before := bytes.TrimRight(data[:pos], " \t\r\n")
	return len(before) == 0 || bytes.IndexByte([]byte("{[,"), before[len(before)-1]) >= 0
}

// stringEnd returns the offset behind the string that begins at start.
func stringEnd(data []byte, start int) int {
	for pos := start + 1; pos < len(data); pos++ {
		switch data[pos] {
		case '\\':
			pos++
		case '"':
			return pos + 1
		}
	}
	return len(data)
}

// commentEnd returns the offset behind the comment that begins at start, without
// the line's end.
func commentEnd(data []byte, start int) (end int, closed bool) {
	if data[start+1] == '*' {
		length := bytes.Index(data[start+2:], []byte("*/"))
		return start + 2 + length + 2, length >= 0
	}
	if length := bytes.IndexByte(data[start:], '\n'); length >= 0 {
		return start + length, true
	}
	return len(data), true
}

// blanker copies what it changes.
type blanker struct {
	data   []byte
	copied []byte
}

func (b *blanker) blank(start, end int) {
	if b.copied == nil {
		b.copied = bytes.Clone(b.data)
	}
	for pos := start; pos < end; pos++ {
		if c := b.copied[pos]; c != '\n' && c != '\r' {
			b.copied[pos] = ' '
		}
	}
}

func (b *blanker) result() []byte {
	if b.copied != nil {
		return b.copied
	}
	return b.data
}
