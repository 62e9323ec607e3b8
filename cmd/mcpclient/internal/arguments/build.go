package arguments

import (
	"encoding/json"
	"fmt"
	"strings"
)

// object is a JSON object under construction; its members keep their bytes.
type object = map[string]json.RawMessage

// Build puts what the words say on top of base, which may be nil, as the schema
// wants it, and returns the object and what is wrong. Words that are wrong are
// left out of it.
//
// A key with dots is a path: a.b=1 is {"a": {"b": 1}}, unless the schema has an
// argument of that whole name; \. is a dot within a name. Where the schema has an
// array, a key that is given several times adds elements, and so does key[] in
// any place, to what base has, too.
func Build(schema Schema, base map[string]json.RawMessage, words []Word) (map[string]json.RawMessage, []Problem) {
	built := make(object, len(base)+len(words))
	for key, value := range base {
		built[key] = value
	}
	var problems []Problem
	for _, group := range grouped(words) {
		path := schema.path(group[0].Key)
		value, err := schema.value(path, group)
		if err == nil {
			err = set(built, path, value, group[0].Appends)
		}
		if err != nil {
			problems = append(problems, Problem{Place: group[0].Key, Text: err.Error()})
		}
	}
	return built, problems
}

// grouped puts words of one key together, in the order of the first of each.
func grouped(words []Word) [][]Word {
	var groups [][]Word
	places := map[string]int{}
	for _, word := range words {
		at, known := places[word.Key]
		if !known {
			at = len(groups)
			places[word.Key] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], word)
	}
	return groups
}

// path takes a key apart.
func (s Schema) path(key string) []string {
	if _, found := s.Property(key); found {
		return []string{key}
	}
	var path []string
	var name strings.Builder
	for i := 0; i < len(key); i++ {
		switch {
		case key[i] == '\\' && i+1 < len(key) && (key[i+1] == '.' || key[i+1] == '\\'):
			i++
			name.WriteByte(key[i])
		case key[i] == '.':
			path = append(path, name.String())
			name.Reset()
		default:
			name.WriteByte(key[i])
		}
	}
	return append(path, name.String())
}

// value encodes what the words of one key say.
func (s Schema) value(path []string, words []Word) (json.RawMessage, error) {
	for _, name := range path {
		s, _ = s.Property(name)
	}
	appends := words[0].Appends
	for _, word := range words {
		if word.Appends != appends {
			return nil, fmt.Errorf("is given with [] and without")
		}
	}
	if len(words) == 1 && !appends {
		if words[0].IsJSON {
			return json.RawMessage(words[0].Text), nil
		}
		return s.encode(words[0].Text)
	}
	if !appends && !s.isArray() {
		return nil, fmt.Errorf("is given %d times, and is no array (%s[]= makes one)", len(words), words[0].Key)
	}
	items := s.Items()
	elements := make([]json.RawMessage, len(words))
	for i, word := range words {
		elements[i] = json.RawMessage(word.Text)
		if word.IsJSON {
			continue
		}
		element, err := items.encode(word.Text)
		if err != nil {
			return nil, fmt.Errorf("element %d %w", i+1, err)
		}
		elements[i] = element
	}
	return json.Marshal(elements)
}

// set puts a value at its path. Where it appends, it is an array whose elements
// are added to the one that is there.
func set(into object, path []string, value json.RawMessage, appends bool) error {
	name := path[0]
	if len(path) > 1 {
		inner := object{}
		if there, found := into[name]; found {
			if err := json.Unmarshal(there, &inner); err != nil || inner == nil {
				return fmt.Errorf("cannot be put into %s, which is %s", name, kindOf(there))
			}
		}
		if err := set(inner, path[1:], value, appends); err != nil {
			return err
		}
		encoded, err := json.Marshal(inner)
		into[name] = encoded
		return err
	}
	if there, found := into[name]; found && appends {
		var elements, more []json.RawMessage
		if err := json.Unmarshal(there, &elements); err != nil || elements == nil {
			return fmt.Errorf("cannot be added to %s", kindOf(there))
		}
		if err := json.Unmarshal(value, &more); err != nil {
			return err
		}
		encoded, err := json.Marshal(append(elements, more...))
		into[name] = encoded
		return err
	}
	into[name] = value
	return nil
}

// Prepare is Build and Check: it returns the object, and all that is wrong.
func Prepare(schema Schema, base map[string]json.RawMessage, words []Word) (map[string]json.RawMessage, []Problem) {
	built, problems := Build(schema, base, words)
	given, wrong := map[string]bool{}, map[string]bool{}
	for key := range built {
		given[key] = true
	}
	for _, word := range words {
		given[word.Key] = true
	}
	for _, problem := range problems {
		wrong[problem.Place] = true
	}
	for _, problem := range check(schema, built, given) {
		if !wrong[problem.Place] { // it is not missing: it was left out
			problems = append(problems, problem)
		}
	}
	return built, problems
}
