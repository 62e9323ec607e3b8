// Package redact replaces known secrets in text that somebody else wrote.
//
// A server that was given a secret may repeat it in an error, and seldom as it
// was: JSON writes / as \/ and any character as \u0041, URLs write it as %41, an
// authentication header holds it in base64. The text is therefore looked at
// several times: as it is, and with one layer of escapes after another taken
// off, while for every byte it is known which bytes of the text it came from.
// All places where a secret was found are joined before any is replaced, so that
// neither a secret that begins another one nor two that overlap leave a rest.
package redact

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
)

// Mask stands where a secret was.
const Mask = "***"

// MinimumLength is the length in bytes of the shortest secret that is looked
// for: shorter ones, such as "1" or "true", would tear holes into every text.
const MinimumLength = 6

// Filter knows some secrets. It is immutable and safe for concurrent use; nil
// knows none.
type Filter struct {
	forms   [][]byte // longest first
	longest int
}

// New returns a filter for the secrets. Each is looked for as it is and without
// white space around it, each line of it by itself, what follows an
// authentication scheme ("Bearer x"), the password within a URL or within Basic
// credentials, and all of these in base64, on their own or within a longer text.
// What is shorter than MinimumLength is not looked for.
func New(secrets ...string) *Filter {
	f := &Filter{forms: formsOf(secrets)}
	for _, form := range f.forms {
		f.longest = max(f.longest, len(form))
	}
	return f
}

// IsEmpty reports whether there is nothing to look for.
func (f *Filter) IsEmpty() bool { return f == nil || len(f.forms) == 0 }

// Reach is how many bytes a secret may take up in a text, escapes included: who
// cuts a text must look so much further to see a secret whole.
func (f *Filter) Reach() int {
	if f.IsEmpty() {
		return 0
	}
	return longestEscape * f.longest
}

// maxText bounds the text that is searched, in bytes: looking through escapes
// takes memory. What goes beyond is cut off, and "..." put in its place.
const maxText = 1 << 20

const cutMark = "..."

// Text returns text with Mask in the place of every secret. Of more than 1 MiB
// the rest is cut off.
func (f *Filter) Text(text string) string {
	if f.IsEmpty() || len(text) < MinimumLength {
		return text
	}
	return string(f.Bytes([]byte(text)))
}

// Bytes is Text for bytes. It returns text itself if there is nothing to hide,
// and never changes it.
func (f *Filter) Bytes(text []byte) []byte {
	if f.IsEmpty() || len(text) < MinimumLength {
		return text
	}
	kept := beginning(text)
	found := f.find(viewOf(kept))
	if len(found) == 0 && len(kept) == len(text) {
		return text
	}
	return replace(text, kept, found)
}

// JSON returns raw with Mask in the place of every secret within a string, names
// of members included. Numbers stay. Of a string of more than 1 MiB the rest is
// cut off. What was valid JSON remains valid, and no other byte changes. It
// returns raw itself if there is nothing to hide.
func (f *Filter) JSON(raw json.RawMessage) json.RawMessage {
	if f.IsEmpty() {
		return raw
	}
	var hidden []byte
	done := 0
	for pos := 0; ; {
		quote := bytes.IndexByte(raw[pos:], '"')
		if quote < 0 {
			break
		}
		start := pos + quote + 1
		pos = jsonscan.Skip(raw, start-1)
		inner := bytes.TrimSuffix(raw[start:max(start, pos)], []byte(`"`))
		if len(inner) < MinimumLength {
			continue
		}
		kept := beginning(inner)
		// A match in the text with its escapes could tear one of them apart.
		if found := f.find(unescaped(viewOf(kept))); len(found) > 0 || len(kept) < len(inner) {
			hidden = append(append(hidden, raw[done:start]...), replace(inner, kept, found)...)
			done = start + len(inner)
		}
	}
	if done == 0 {
		return raw
	}
	return append(hidden, raw[done:]...)
}

// span is a part of a text.
type span struct{ start, end int }

// layers is how often escapes are taken off: a JSON text within a string of
// another one within a log line has three.
const layers = 3

// find returns where secrets are in the text of which v is a view, in order and
// apart from each other.
func (f *Filter) find(v view) []span {
	found := f.findIn(v, nil)
	for range layers {
		plain := unescaped(v)
		if len(plain.text) < len(v.text) {
			found = f.findIn(plain, found)
		}
		inner := unpercented(plain)
		if len(inner.text) < len(plain.text) {
			found = f.findIn(inner, found)
		}
		if len(inner.text) == len(v.text) {
			break
		}
		v = inner
	}
	return joined(found)
}

func (f *Filter) findIn(v view, found []span) []span {
	for _, form := range f.forms {
		for from := 0; ; {
			at := bytes.Index(v.text[from:], form)
			if at < 0 {
				break
			}
			start := from + at
			found = append(found, v.source(start, start+len(form)))
			from = start + 1 // the next one may begin within this one
		}
	}
	return found
}

// joined sorts spans and joins those that overlap or touch.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var out []span
	for _, next := range spans {
		if last := len(out) - 1; last >= 0 && next.start <= out[last].end {
			out[last].end = max(out[last].end, next.end)
			continue
		}
		out = append(out, next)
	}
	return out
}

// replace puts Mask in the place of spans of kept, the beginning of text.
func replace(text, kept []byte, spans []span) []byte {
	out := make([]byte, 0, len(kept)+len(cutMark))
	done := 0
	for _, hidden := range spans {
		out = append(append(out, kept[done:hidden.start]...), Mask...)
		done = hidden.end
	}
	out = append(out, kept[done:]...)
	if len(kept) < len(text) {
		out = append(out, cutMark...)
	}
	return out
}

// beginning returns what of a text is searched and kept. It ends at no place
// within a character or an escape of JSON.
func beginning(text []byte) []byte {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	for pos := 0; ; {
		plain := bytes.IndexByte(text[pos:end], '\\')
		if plain < 0 {
			return text[:end]
		}
		escape := pos + plain
		_, size := backslashEscape(nil, text[escape:])
		if pos = escape + max(size, 1); pos > end {
			return text[:escape]
		}
	}
}
