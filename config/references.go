package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/redact"
)

// resolved is a reference, or a text with references in it, and what it stands
// for.
type resolved struct {
	written string // of a reference, without its default, which may be a secret
	value   string // not empty
}

// Referenced returns what the references within the values of keys stand for
// now, sorted: what came from outside the configuration and may be a secret. Keys
// are paths with dots; keys that were taken are found too.
func (s *Section) Referenced(keys ...string) []string {
	var values []string
	for _, key := range keys {
		if at, exact := s.find(key); exact {
			for _, found := range s.references(at) {
				values = append(values, found.value)
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// find returns the value of a key, or the nearest group around it.
func (s *Section) find(key string) (at *node, exact bool) {
	at = s.full
	for rest := key; rest != ""; {
		name, after := at.splitKey(rest)
		next := at.fields[name]
		if next == nil {
			next, after = at.item(rest)
		}
		if next == nil {
			return at, false
		}
		at, rest = next, after
	}
	return at, true
}

// item returns the item of a list that a path such as tools[2].match begins with,
// or nil.
func (n *node) item(path string) (item *node, rest string) {
	name, behind, found := strings.Cut(path, "[")
	number, after, closed := strings.Cut(behind, "]")
	list := n.fields[name]
	index, err := strconv.Atoi(number)
	if !found || !closed || err != nil || list == nil || index < 0 || index >= len(list.items) {
		return nil, ""
	}
	return list.items[index], strings.TrimPrefix(after, ".")
}

// references returns the references in n and beneath it that stand for
// something.
func (s *Section) references(n *node) []resolved {
	var found []resolved
	for _, text := range textsOf(n, nil) {
		c := s.scopeOf(text)
		_, _ = c.expandEach(text.text, c.recall, func(body, value string) {
			if value != "" {
				found = append(found, resolved{writtenReference(body), value})
			}
		})
	}
	longestFirst(found)
	return found
}

func writtenReference(body string) string {
	if kind, name, _, hasFallback, ok := variableReference(body); ok && hasFallback {
		return "${" + kind + name + ":-...}"
	}
	return "${" + body + "}"
}

// texts returns the strings in n and beneath it that have references in them.
func (s *Section) texts(n *node) []resolved {
	var found []resolved
	for _, text := range textsOf(n, nil) {
		written := text.text
		c := s.scopeOf(text)
		value, problems := c.expandEach(text.text, c.recall, func(body, _ string) {
			written = strings.ReplaceAll(written, "${"+body+"}", writtenReference(body))
		})
		if value != "" && value != text.text && len(problems) == 0 {
			found = append(found, resolved{written, value})
		}
	}
	longestFirst(found)
	return found
}

func longestFirst(all []resolved) {
	slices.SortStableFunc(all, func(a, b resolved) int { return cmp.Compare(len(b.value), len(a.value)) })
}

// textsOf appends the strings in n and beneath it.
func textsOf(n *node, texts []*node) []*node {
	if n.kind == kindText {
		texts = append(texts, n)
	}
	for _, item := range n.items {
		texts = textsOf(item, texts)
	}
	for _, key := range n.keys {
		texts = textsOf(n.fields[key], texts)
	}
	return texts
}

// AsWritten returns the faults with references in the place of what they stand
// for: a checker sees values with references resolved, and what came from outside
// the configuration must not be shown. The faults are changed in place.
func (s *Section) AsWritten(faults []errors.Fault) []errors.Fault {
	if len(faults) == 0 {
		return faults
	}
	all := slices.Concat(s.texts(s.full), s.references(s.full))
	if len(all) == 0 {
		return faults
	}
	for i := range faults {
		fault := &faults[i]
		at, _ := s.find(strings.TrimPrefix(fault.Key, s.prefix+"."))
		fault.Found = s.foundAsWritten(fault.Found, at, all)
		fault.Message = withReferences(fault.Message, all)
		fault.Allowed = withReferences(fault.Allowed, all)
	}
	return faults
}

// longestEcho is how much of a value is compared to see whether a fault shows it:
// less than any checker shows.
const longestEcho = 40

// foundAsWritten writes back what a fault about the value at n shows of it.
func (s *Section) foundAsWritten(found string, n *node, all []resolved) string {
	if found == "" {
		return ""
	}
	for _, text := range s.texts(n) {
		// The checker may have cut it, escaped it or put it in quotes.
		beginning := strings.TrimSuffix(errors.PeerText(text.value, longestEcho), "...")
		if strings.HasPrefix(strings.TrimPrefix(found, `"`), beginning) {
			return newText(text.written, Origin{}).show()
		}
	}
	for _, own := range s.references(n) {
		found = strings.ReplaceAll(found, own.value, own.written)
	}
	return withReferences(found, all)
}

// longEnough is the shortest value that is looked for within a message, in bytes:
// shorter ones may be a word of it by chance.
const longEnough = 8

// withReferences puts references in the place of values, and hides those that are
// spelled in another way.
func withReferences(text string, all []resolved) string {
	var values []string
	for _, r := range all {
		if len(r.value) >= longEnough {
			text = strings.ReplaceAll(text, r.value, r.written)
			values = append(values, r.value)
		}
	}
	return redact.New(values...).Text(text)
}
