package peer

import (
	"bytes"
	"errors"
)

// errSyntax: a request that the walker cannot follow.
var errSyntax = errors.New("malformed JSON")

// walker iterates over the members of a JSON object without allocating. It finds
// values; it does not validate them.
type walker struct {
	text []byte
	at   int
	err  error
}

// walk starts at the object at the head of text.
func walk(text []byte) walker {
	at := skipBlank(text, 0)
	if at >= len(text) || text[at] != '{' {
		return walker{err: errSyntax}
	}
	return walker{text: text, at: at + 1}
}

// next returns the next member. Keys come without their quotes: those of the
// protocol need no escapes.
func (w *walker) next() (key, value []byte, ok bool) {
	if w.err != nil {
		return nil, nil, false
	}
	at := skipBlank(w.text, w.at)
	if at < len(w.text) && w.text[at] == ',' {
		at = skipBlank(w.text, at+1)
	}
	if at < len(w.text) && w.text[at] == '}' {
		return nil, nil, false
	}
	end := skipString(w.text, at)
	if end < 0 {
		return w.fail()
	}
	key = w.text[at+1 : end-1]
	at = skipBlank(w.text, end)
	if at >= len(w.text) || w.text[at] != ':' {
		return w.fail()
	}
	at = skipBlank(w.text, at+1)
	if end = skipValue(w.text, at); end < 0 {
		return w.fail()
	}
	w.at = end
	return key, w.text[at:end], true
}

func (w *walker) fail() (key, value []byte, ok bool) {
	w.err = errSyntax
	return nil, nil, false
}

// find returns the raw value of one member, or nil.
func find(object []byte, name string) []byte {
	w := walk(object)
	for key, value, ok := w.next(); ok; key, value, ok = w.next() {
		if string(key) == name {
			return value
		}
	}
	return nil
}

func skipBlank(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// skipString returns the offset behind the string that begins at text[at], or
// -1.
func skipString(text []byte, at int) int {
	if at >= len(text) || text[at] != '"' {
		return -1
	}
	at++
	for {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return -1
		}
		end := at + quote
		escapes := end
		for escapes > at && text[escapes-1] == '\\' {
			escapes--
		}
		if (end-escapes)%2 == 0 {
			return end + 1
		}
		at = end + 1
	}
}

// skipValue returns the offset behind the value that begins at text[at], or -1.
func skipValue(text []byte, at int) int {
	if at >= len(text) {
		return -1
	}
	switch text[at] {
	case '"':
		return skipString(text, at)
	case '{', '[':
		return skipNested(text, at)
	}
	if length := bytes.IndexAny(text[at:], ",}] \t\r\n"); length >= 0 {
		return at + length
	}
	return len(text)
}

func skipNested(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			if at = skipString(text, at); at < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
	return -1
}

// unquoted returns a string's content as it is written, or nil.
func unquoted(value []byte) []byte {
	if len(value) >= 2 && value[0] == '"' {
		return value[1 : len(value)-1]
	}
	return nil
}

// number returns a non-negative integer, or 0.
func number(value []byte) int {
	n := 0
	for _, digit := range value {
		if digit < '0' || digit > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int(digit-'0')
	}
	return n
}
