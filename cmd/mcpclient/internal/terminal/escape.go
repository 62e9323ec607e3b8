package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Escape escapes what does not print, except line ends and tabs.
func Escape(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return escaping(text, func(r rune) string {
		switch {
		case r < 0x100:
			return fmt.Sprintf(`\x%02x`, r)
		case r < 0x10000:
			return fmt.Sprintf(`\u%04x`, r)
		default:
			return fmt.Sprintf(`\U%08x`, r)
		}
	})
}

// EscapeJSON escapes what does not print in JSON, which changes no value:
// outside of strings, JSON has only plain characters.
func EscapeJSON(text string) string {
	return escaping(text, func(r rune) string {
		if r > 0xffff {
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			return fmt.Sprintf(`\u%04x\u%04x`, high, low)
		}
		return fmt.Sprintf(`\u%04x`, r)
	})
}

// Line returns the first line of a text, at most limit bytes of it, with " ..."
// if there are more.
func Line(text string, limit int) string {
	line, more, found := strings.Cut(strings.TrimSpace(text), "\n")
	line = errors.PeerText(strings.TrimRight(line, "\r"), limit)
	if found && strings.TrimSpace(more) != "" && !strings.HasSuffix(line, "...") {
		line += " ..."
	}
	return line
}

func escaping(text string, escape func(rune) string) string {
	if strings.IndexFunc(text, IsUnprintable) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if IsUnprintable(r) {
			b.WriteString(escape(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// IsUnprintable reports whether a character is kept from outputs: all that does
// not print but line ends and tabs.
func IsUnprintable(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
