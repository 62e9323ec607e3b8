package mcptest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/internal/redact"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// secretRules say what a cassette must not hold.
type secretRules struct {
	values  []string
	members []string
}

// hide returns the calls without secrets. It looks twice: what is found by its
// place or form is a secret wherever it stands.
func (r secretRules) hide(calls []recordedCall) []recordedCall {
	finder := &hider{rules: r}
	for i := range calls {
		calls[i].hide(finder)
	}
	h := &hider{rules: r, known: redact.New(append(slices.Clone(r.values), finder.found...)...)}
	hidden := make([]recordedCall, len(calls))
	for i := range calls {
		hidden[i] = calls[i].hide(h)
	}
	return hidden
}

func (c recordedCall) hide(h *hider) recordedCall {
	answers := c.answers()
	c.params = h.json(c.params)
	events := make([]mcp.Message, len(c.events))
	for i, event := range c.events {
		events[i] = h.message(event)
	}
	c.events = events
	c.failure = c.failure.hide(h)
	switch {
	case answers:
		c.result = mcp.ResultOf(&events[len(events)-1])
	case c.result.IsEnvelope():
		c.result = mcp.EnvelopeResult(h.json(c.result.Raw()))
	case !c.result.IsZero():
		c.result = mcp.NewResult(h.json(c.result.Raw()))
	}
	return c
}

// hider hides secrets, and remembers which it found by place or form.
type hider struct {
	rules secretRules
	known *redact.Filter // nil: none yet
	found []string
}

func (h *hider) message(m mcp.Message) mcp.Message {
	hidden, err := jsonrpc.Scan(h.json(m.Raw))
	if err != nil { // it was a message before, and only strings have changed
		return notificationMessage("unreadable", nil)
	}
	return hidden
}

// json hides secrets in a JSON value. No other byte changes.
func (h *hider) json(raw json.RawMessage) json.RawMessage {
	cursor := jsonscan.TrustedCursor(raw)
	var hidden []byte
	done := 0
	h.walk(&cursor, "", func(from, to int, replacement string) {
		hidden = append(append(hidden, raw[done:from]...), replacement...)
		done = to
	})
	if done > 0 {
		raw = append(hidden, raw[done:]...)
	}
	return h.known.JSON(raw)
}

// walk visits the next value, which is that of the named member; an element has
// the name of its array.
func (h *hider) walk(cursor *jsonscan.Cursor, name string, replace func(from, to int, replacement string)) {
	from := cursor.Pos()
	switch {
	case h.isNamed(name):
		h.learn(string(cursor.Value()))
		replace(from, cursor.Pos(), string(encode(redact.Mask)))
	case cursor.Object():
		for {
			member, ok := cursor.Member()
			if !ok {
				return
			}
			h.walk(cursor, string(member), replace)
		}
	case cursor.Array():
		for cursor.Element() {
			h.walk(cursor, "", replace)
		}
	case cursor.Kind() == '"':
		text, _ := cursor.Text()
		if hidden := h.hideString(name, text); hidden != text {
			replace(from, cursor.Pos(), string(encode(hidden)))
		}
	default:
		cursor.Value()
	}
}

// isNamed reports whether the user named the member.
func (h *hider) isNamed(name string) bool {
	return name != "" && slices.ContainsFunc(h.rules.members, func(secret string) bool { return strings.EqualFold(secret, name) })
}

func (h *hider) hideString(name, text string) string {
	if text == "" {
		return text
	}
	if suggestsSecret(name) {
		h.learn(text)
		return redact.Mask
	}
	return h.hideTokens(text)
}

// text hides secrets in text that is no JSON.
func (h *hider) text(text string) string { return h.known.Text(h.hideTokens(text)) }

// hideTokens hides words that have the form of a token.
func (h *hider) hideTokens(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.~+/=", r)
	})
	for _, word := range words {
		if word = strings.TrimRight(word, "."); isToken(word) {
			h.learn(word)
			text = strings.ReplaceAll(text, word, redact.Mask)
		}
	}
	return text
}

// isToken asks for a digit and a letter as well: sk-something-long may be a name.
func isToken(word string) bool {
	return redact.IsKnownToken(word) && strings.ContainsFunc(word, unicode.IsDigit)
}

func (h *hider) learn(value string) {
	if text, ok := jsonscan.String([]byte(value)); ok {
		value = text
	}
	h.found = append(h.found, value)
}

// suggestsSecret reports whether a string member of this name is secret. Some
// names of the protocol and of everyday data only sound so.
func suggestsSecret(name string) bool {
	switch strings.ToLower(name) {
	case "progresstoken", "key", "keys", "keyword", "keywords", "passage", "author", "primarykey", "foreignkey", "sortkey":
		return false
	case "requeststate":
		return true
	}
	return redact.NameSuggestsSecret(name)
}
