package process

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes text from a child fit for logs and errors (pitfall P103):
// terminal colour and cursor sequences are removed, tabs become spaces, other
// control and invisible characters and bytes that are no UTF-8 are written as
// \x1b or \u202e. The result has at most limit bytes, and "..." after them if
// something was cut off.
func Sanitize(text string, limit int) string {
	var b strings.Builder
	b.Grow(min(len(text), limit) + 3)
	for len(text) > 0 {
		if rest, ok := cutTerminalSequence(text); ok {
			text = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		piece := text[:size]
		switch {
		case r == '\t':
			piece = " "
		case r == utf8.RuneError && size == 1, r < 0x20, r == 0x7f:
			piece = fmt.Sprintf(`\x%02x`, text[0])
		case !unicode.IsPrint(r):
			piece = fmt.Sprintf(`\u%04x`, r)
		}
		if b.Len()+len(piece) > limit {
			b.WriteString("...")
			break
		}
		b.WriteString(piece)
		text = text[size:]
	}
	return b.String()
}

// cutTerminalSequence removes a leading "ESC [ parameters letter".
func cutTerminalSequence(text string) (rest string, found bool) {
	sequence, found := strings.CutPrefix(text, "\x1b[")
	if !found {
		return text, false
	}
	for i := range len(sequence) {
		switch c := sequence[i]; {
		case c >= 0x40 && c <= 0x7e:
			return sequence[i+1:], true
		case c < 0x20 || c > 0x3f:
			return text, false
		}
	}
	return text, false
}
