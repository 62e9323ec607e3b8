package jsonschema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
)

// The readers of single keywords. A value of the wrong kind makes the schema
// unusable.

func (k keywords) wrong(keyword, want string) {
	k.c.fail(k.s.place, "%s must be %s, found %s", shown(keyword), want, kindOf(k.members[keyword]))
}

func (k keywords) word(keyword string) (string, bool) {
	value, found := k.members[keyword]
	if !found {
		return "", false
	}
	text, isText := value.(string)
	if !isText {
		k.wrong(keyword, "a string")
	}
	return text, isText
}

func (k keywords) words(keyword string) []string {
	value, found := k.members[keyword]
	if !found {
		return nil
	}
	list, isList := value.([]any)
	words := make([]string, 0, len(list))
	for _, element := range list {
		text, isText := element.(string)
		isList = isList && isText
		words = append(words, text)
	}
	if !isList {
		k.wrong(keyword, "an array of strings")
	}
	return words
}

// names returns the sorted members of an object.
func (k keywords) names(keyword string) []string {
	value, found := k.members[keyword]
	if !found {
		return nil
	}
	members, isObject := value.(map[string]any)
	if !isObject {
		k.wrong(keyword, "an object")
	}
	return slices.Sorted(maps.Keys(members))
}

func (k keywords) schema(keyword string) *schema {
	raw, found := k.members[keyword]
	if !found {
		return nil
	}
	return k.c.compile(raw, below(k.s.place, keyword), k.s.resource)
}

func (k keywords) schemaList(keyword string) []*schema {
	value, found := k.members[keyword]
	if !found {
		return nil
	}
	list, isList := value.([]any)
	if !isList {
		k.wrong(keyword, "an array of schemas")
	}
	schemas := make([]*schema, len(list))
	for i, raw := range list {
		schemas[i] = k.c.compile(raw, below(below(k.s.place, keyword), strconv.Itoa(i)), k.s.resource)
	}
	return schemas
}

func (k keywords) schemaMap(keyword string) map[string]*schema {
	names := k.names(keyword)
	if names == nil {
		return nil
	}
	schemas := make(map[string]*schema, len(names))
	for _, name := range names {
		raw := k.members[keyword].(map[string]any)[name]
		schemas[name] = k.c.compile(raw, below(below(k.s.place, keyword), name), k.s.resource)
	}
	return schemas
}

func (k keywords) rational(keyword string) *big.Rat {
	value, found := k.members[keyword]
	if !found {
		return nil
	}
	number, isNumber := value.(json.Number)
	exact, ok := rational(number)
	if !isNumber || !ok {
		k.wrong(keyword, "a number")
		return nil
	}
	return exact
}

func noBounds() bounds { return bounds{0, -1} }

// bounds reads two counts.
func (k keywords) bounds(minimum, maximum string, fallback int) bounds {
	b := bounds{fallback, -1}
	if exact := k.rational(minimum); exact != nil {
		b.minimum = count(exact, true)
	}
	if exact := k.rational(maximum); exact != nil {
		b.maximum = count(exact, false)
	}
	return b
}

func (k keywords) pattern(text string) *pattern {
	compiled, err := newPattern(text)
	if err != nil {
		k.c.fail(k.s.place, "the pattern %s: %v", strconv.Quote(shown(text)), err)
	}
	return compiled
}
