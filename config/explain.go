package config

import (
	"slices"
	"strings"
)

// Entry is one key of a section for a listing.
type Entry struct {
	// Key is the path, with dots.
	Key string
	// Value is the value as written, references not resolved, bounded and with
	// escapes; *** for a secret.
	Value string
	// Origin is where the key stands; zero for a default.
	Origin Origin
	// Default reports that nothing was written, and the value is the key's default.
	// Only Effective lists such keys.
	Default bool
}

// Explain returns every key of the section, taken ones included, in the order of
// the file, groups flattened. known are structs with config tags, all of those
// that the section is decoded into: what is a Secret there is shown as ***, and so
// is a key that none of them has, since it may be a token under a misspelled name.
// Without them, env, headers and every key whose name speaks of a secret are. A
// value that is nothing but one reference, such as ${GITHUB_TOKEN}, is shown: it
// is no secret.
func (s *Section) Explain(known ...any) []Entry {
	listing := &listing{}
	for _, value := range known {
		if shape, err := shapeOfValue(value); err == nil {
			listing.shapes = append(listing.shapes, shape)
		}
	}
	if s.full.kind != kindMap {
		return []Entry{{Value: s.full.describe(), Origin: s.full.origin}}
	}
	listing.add(s.full, "", listing.shapes, false, false)
	return listing.entries
}

// listing collects the entries of a section.
type listing struct {
	shapes  []*shape
	entries []Entry
}

// add lists n. level are the groups that n stands for; claimed reports that n is
// within the value of a known key, secret that it must not be shown.
func (l *listing) add(n *node, path string, level []*shape, claimed, secret bool) {
	switch {
	case n.kind == kindMap && len(n.keys) > 0:
		for _, key := range n.keys {
			known, nested := lookUp(level, key)
			hidden := secret || l.hides(level, key, known, claimed)
			l.add(n.fields[key], joinKey(path, key), nested, claimed || known && nested == nil, hidden)
		}
	case n.kind == kindList && len(n.items) > 0:
		for _, item := range n.items {
			l.add(item, path+"[]", nil, claimed, secret)
		}
	default:
		l.entries = append(l.entries, Entry{Key: shownKey(path), Value: n.explainValue(secret), Origin: n.origin})
	}
}

func (l *listing) hides(level []*shape, key string, known, claimed bool) bool {
	switch {
	case known:
		return knownSecret(level, key)
	case claimed || len(l.shapes) == 0:
		return soundsSecret(key)
	default:
		return true
	}
}

func (n *node) explainValue(secret bool) string {
	switch n.kind {
	case kindMap:
		return "{}"
	case kindList:
		return "[]"
	case kindNull:
		return "null"
	}
	if secret && !isOneReference(n.text) {
		return maskedSecret
	}
	return printable(withoutUserinfo(n.text))
}

// isOneReference reports whether text is one reference and no more. A
// reference with a default is not: the default may be the secret.
func isOneReference(text string) bool {
	body, found := strings.CutPrefix(text, "${")
	body, closed := strings.CutSuffix(body, "}")
	if !found || !closed {
		return false
	}
	if path, isFile := strings.CutPrefix(body, "file:"); isFile {
		return !strings.ContainsAny(path, "{}")
	}
	if id, isInput := strings.CutPrefix(body, "input:"); isInput {
		return isInputID(id)
	}
	return isVariableName(strings.TrimPrefix(body, "env:"))
}

func knownSecret(level []*shape, key string) bool {
	return slices.ContainsFunc(level, func(candidate *shape) bool {
		f := candidate.find(key)
		return f != nil && holdsSecret(f.typ)
	})
}

// soundsSecret is the guess for keys that no type has claimed.
func soundsSecret(key string) bool {
	word := plainWord(key)
	telling := []string{"token", "secret", "password", "passphrase", "apikey", "credential", "authorization", "privatekey", "cookie"}
	return word == "env" || word == "headers" ||
		slices.ContainsFunc(telling, func(part string) bool { return strings.Contains(word, part) })
}
