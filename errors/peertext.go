package errors

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PeerText makes text that a peer sent fit for errors, logs and terminals
// (P103): control and other unprintable characters, bidirectional overrides
// and invalid UTF-8 are written as escapes, line breaks and tabs included, and
// what exceeds limit bytes is cut, marked by "...".
func PeerText(text string, limit int) string {
	if len(text) <= limit && isPlain(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		piece := text[i : i+size]
		if (r == utf8.RuneError && size == 1) || !unicode.IsPrint(r) {
			quoted := strconv.Quote(piece)
			piece = quoted[1 : len(quoted)-1]
		}
		if b.Len()+len(piece) > limit {
			b.WriteString("...")
			break
		}
		b.WriteString(piece)
		i += size
	}
	return b.String()
}

func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
