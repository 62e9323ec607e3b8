package config

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/errors"
)

// longestShown bounds what a fault shows of a key or a value, in bytes.
const longestShown = 80

// shortened cuts text to what a fault may show, at a rune's border.
func shortened(text string) string {
	if len(text) <= longestShown {
		return text
	}
	end := longestShown
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// printable returns text shortened, and in quotes with escapes if it contains
// anything that would not print as itself.
func printable(text string) string {
	text = shortened(text)
	unprintable := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if strings.ContainsFunc(text, unprintable) {
		return strconv.Quote(text)
	}
	return text
}

// shownKey is printable for a key. A : or = in one is likely to be a mistake, and
// what stands behind it the value: "token:abc" lacks a blank.
func shownKey(key string) string {
	if end := strings.IndexAny(key, ":="); end > 0 {
		key = key[:end] + "..."
	}
	return printable(key)
}

// unquoted returns a parser's message up to where it quotes the text, which may
// be a secret. A quoted sign of the grammar, such as ':' or "}", stays.
func unquoted(message string) string {
	for pos := 0; pos < len(message); pos++ {
		mark := message[pos]
		if mark != '`' && mark != '"' && mark != '\'' {
			continue
		}
		quoted, _, closed := strings.Cut(message[pos+1:], string(mark))
		isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
		if !closed || quoted == "" || len(quoted) > 2 || strings.ContainsFunc(quoted, isWord) {
			return printable(strings.TrimRight(message[:pos], " :"))
		}
		pos += len(quoted) + 1
	}
	return printable(message)
}

// hasLeadingZero reports whether text is an integer, or the start of a number,
// whose first digit is a 0 that another digit follows.
func hasLeadingZero(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0' && isDigit(digits[1])
}

// isInteger reports whether text is decimal digits with at most one sign.
func isInteger(text string) bool {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isRangeError(err error) bool { return errors.Is(err, strconv.ErrRange) }

// withoutUserinfo replaces user and password in a URL.
func withoutUserinfo(text string) string {
	scheme, rest, isURL := strings.Cut(text, "://")
	if !isURL {
		return text
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?# "); end >= 0 {
		authority = rest[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return text
	}
	return scheme + "://" + maskedSecret + rest[at:]
}
