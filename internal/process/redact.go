package process

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/redact"
)

// redacted stands where a secret was.
const redacted = redact.Mask

// CommandLine renders a command for logs and errors: what looks like a secret
// and the secrets themselves redacted, each argument quoted if it needs to be, at
// most 1 KiB. A secret that is too short to be looked for in any text is still
// not shown where it is a whole word, or all behind the = of one.
func CommandLine(command []string, secrets ...string) string {
	words := RedactArgs(command)
	filter := redact.New(secrets...)
	for i, word := range words {
		name, value, found := strings.Cut(command[i], "=")
		switch {
		case word != "" && slices.Contains(secrets, command[i]):
			word = redacted
		case found && value != "" && slices.Contains(secrets, value):
			word = name + "=" + redacted
		default:
			word = filter.Text(word)
		}
		words[i] = word
		if word == "" || strings.ContainsAny(word, " \"'\\") || Sanitize(word, len(word)) != word {
			words[i] = strconv.Quote(word)
		}
	}
	return Sanitize(strings.Join(words, " "), 1<<10)
}

// RedactArgs returns a copy of a command with *** in the place of what looks
// like a secret:
//
//   - the value of --name=value, NAME=value and "Name: value", also within a
//     longer argument (a query string, JSON, a connection string), and the
//     argument after --name, where the name speaks of a token, key, password,
//     secret or the like; and the argument after -p;
//   - user and password of a URL;
//   - what follows "Bearer" or "Basic";
//   - words that begin as the tokens of well-known services do.
//
// It rather hides too much than too little, but cannot know every secret:
// secrets belong into the environment.
func RedactArgs(args []string) []string {
	out := make([]string, len(args))
	hideNext := false
	for i, argument := range args {
		switch {
		case hideNext:
			out[i], hideNext = redacted, false
			continue
		case strings.HasPrefix(argument, "-") && !strings.ContainsAny(argument, "=: "):
			hideNext = i > 0 && redact.NameSuggestsSecret(strings.TrimLeft(argument, "-"))
			out[i] = argument
			continue
		}
		out[i] = redactArgument(argument)
	}
	return out
}

// SecretArgs returns what RedactArgs hides of a command, for the filter of what
// the child says: an argument, what in it follows a name, and, where only a part of
// it is hidden, the whole of it.
func SecretArgs(args []string) []string {
	var secrets []string
	for i, shown := range RedactArgs(args) {
		if shown == args[i] {
			continue
		}
		secrets = append(secrets, args[i])
		for _, separator := range []string{"=", ":"} {
			if name, value, found := strings.Cut(args[i], separator); found && isName(name) && !strings.HasPrefix(value, "//") {
				secrets = append(secrets, strings.TrimSpace(value))
			}
		}
	}
	return secrets
}

func redactArgument(argument string) string {
	if name, _, found := strings.Cut(argument, "="); found && isName(name) && redact.NameSuggestsSecret(strings.TrimLeft(name, "-")) {
		return name + "=" + redacted
	}
	return redactWords(redactUserinfo(argument))
}

// redactUserinfo hides what stands before the @ of each URL.
func redactUserinfo(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "://")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("://")
		authority := after
		if end := strings.IndexAny(after, "/?# \"'"); end >= 0 {
			authority = after[:end]
		}
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			b.WriteString(redacted)
			after = after[at:]
		}
		text = after
	}
}

// redactWords walks over the names and values within an argument.
func redactWords(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		end := 0
		for end < len(text) && isNameByte(text[end]) {
			end++
		}
		if end == 0 {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		name, rest := text[:end], text[end:]
		text = rest
		switch {
		case redact.IsKnownToken(name):
			b.WriteString(redacted)
		case strings.EqualFold(name, "bearer") || strings.EqualFold(name, "basic"):
			b.WriteString(name)
			if strings.HasPrefix(rest, " ") {
				b.WriteString(" " + redacted)
				text = skipValue(strings.TrimLeft(rest, " "), false)
			}
		default:
			b.WriteString(name)
			separator, value := cutSeparator(rest)
			if separator != "" && value != "" && redact.NameSuggestsSecret(strings.TrimLeft(name, "-")) {
				b.WriteString(separator + redacted)
				text = skipValue(value, strings.Contains(separator, ":"))
			}
		}
	}
	return b.String()
}

// cutSeparator cuts what stands between a name and its value: = or :, with
// blanks, and quotes that close the name or open the value.
func cutSeparator(text string) (separator, value string) {
	end, seen := 0, false
	for end < len(text) && strings.IndexByte(`"' `, text[end]) >= 0 ||
		end < len(text) && !seen && (text[end] == '=' || text[end] == ':') {
		seen = seen || text[end] == '=' || text[end] == ':'
		end++
	}
	if !seen {
		return "", text
	}
	return text[:end], text[end:]
}

// skipValue returns what follows a value. A header's value goes on to the end
// of its line or to a quote; any other to a blank, an ampersand or a quote.
func skipValue(text string, header bool) string {
	ends := "&\"' \t\n"
	if header {
		ends = "\"'\n"
	}
	if end := strings.IndexAny(text, ends); end >= 0 {
		return text[end:]
	}
	return ""
}

func isName(text string) bool {
	for i := range len(text) {
		if !isNameByte(text[i]) {
			return false
		}
	}
	return text != ""
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}
