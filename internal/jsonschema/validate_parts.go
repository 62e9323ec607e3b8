package jsonschema

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"
)

func (r *numberRules) check(s *schema, number json.Number, at *place) *fault {
	keyword := ""
	switch {
	case r.minimum != nil && compare(number, r.minimum) < 0:
		keyword = "minimum"
	case r.maximum != nil && compare(number, r.maximum) > 0:
		keyword = "maximum"
	case r.above != nil && compare(number, r.above) <= 0:
		keyword = "exclusiveMinimum"
	case r.below != nil && compare(number, r.below) >= 0:
		keyword = "exclusiveMaximum"
	case r.multipleOf != nil && !isMultiple(number, r.multipleOf):
		keyword = "multipleOf"
	default:
		return nil
	}
	return &fault{at: at, schema: s, keyword: keyword}
}

func (e *evaluation) text(s *schema, text string, at *place) *fault {
	if s.text.length != noBounds() {
		length := utf8.RuneCountInString(text)
		if keyword := s.text.length.broken(length, "minLength", "maxLength"); keyword != "" {
			return &fault{at: at, schema: s, keyword: keyword, found: length}
		}
	}
	if s.text.pattern != nil && !e.matches(s.text.pattern, text) {
		return &fault{at: at, schema: s, keyword: "pattern"}
	}
	return nil
}

// matches spends according to the size of both: the time is their product.
func (e *evaluation) matches(p *pattern, text string) bool {
	return e.spend(p.size*(len(text)+1)/64) && p.MatchString(text)
}

// broken returns the keyword of the limit that a count is beyond, or "".
func (b bounds) broken(n int, minimum, maximum string) string {
	switch {
	case n < b.minimum:
		return minimum
	case b.maximum >= 0 && n > b.maximum:
		return maximum
	default:
		return ""
	}
}

func (e *evaluation) array(s *schema, elements []any, at *place, own *evaluated) *fault {
	if s.array != nil {
		if problem := e.elements(s, elements, at, own); problem != nil {
			return problem
		}
	}
	if s.unevaluatedItems == nil || own.allElements {
		return nil
	}
	for i, element := range elements {
		if own.elements[i] {
			continue
		}
		if problem := e.noted(e.check(s.unevaluatedItems, element, at.element(i), nil)); problem != nil {
			return problem
		}
	}
	own.allElements = true
	return nil
}

func (e *evaluation) elements(s *schema, elements []any, at *place, own *evaluated) *fault {
	r := s.array
	if keyword := r.length.broken(len(elements), "minItems", "maxItems"); keyword != "" {
		return &fault{at: at, schema: s, keyword: keyword, found: len(elements)}
	}
	matched := 0
	for i, element := range elements {
		part := r.items
		if i < len(r.prefix) {
			part = r.prefix[i]
		}
		if part != nil {
			if problem := e.noted(e.check(part, element, at.element(i), nil)); problem != nil {
				return problem
			}
			own.element(i)
		}
		if r.contains != nil && e.trial(r.contains, element, at.element(i), nil) == nil {
			matched++
			own.element(i)
		}
	}
	if r.contains != nil {
		if keyword := r.matches.broken(matched, "minContains", "maxContains"); keyword != "" {
			return &fault{at: at, schema: s, keyword: "contains", found: matched}
		}
	}
	if r.unique {
		return e.unique(s, elements, at)
	}
	return nil
}

func (e *evaluation) unique(s *schema, elements []any, at *place) *fault {
	seen := make(map[string]bool, len(elements))
	for i, element := range elements {
		if !e.spend(4 * sizeOf(element)) {
			return &fault{schema: s, keyword: "steps"}
		}
		text := string(appendCanonical(nil, element))
		if seen[text] {
			return &fault{at: at.element(i), schema: s, keyword: "uniqueItems"}
		}
		seen[text] = true
	}
	return nil
}

func (e *evaluation) object(s *schema, members map[string]any, at *place, own *evaluated) *fault {
	if s.object != nil {
		if problem := e.noted(e.members(s, members, at, own)); problem != nil {
			return problem
		}
	}
	if s.unevaluatedProperties == nil || own.allMembers {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if own.members[name] {
			continue
		}
		problem := e.trial(s.unevaluatedProperties, members[name], at.member(name), nil)
		if problem = e.noted(problem.of(s, "unevaluatedProperties", at, name)); problem != nil {
			return problem
		}
	}
	own.allMembers = true
	return nil
}

func (e *evaluation) members(s *schema, members map[string]any, at *place, own *evaluated) *fault {
	r := s.object
	if !e.spend((len(r.required) + len(r.names)) / 4) {
		return &fault{schema: s, keyword: "steps"}
	}
	for _, name := range r.required {
		if _, found := members[name]; found {
			continue
		}
		if problem := e.noted(&fault{at: at, schema: s, keyword: "required", name: name}); problem != nil {
			return problem
		}
	}
	if keyword := r.length.broken(len(members), "minProperties", "maxProperties"); keyword != "" {
		if problem := e.noted(&fault{at: at, schema: s, keyword: keyword, found: len(members)}); problem != nil {
			return problem
		}
	}
	for _, name := range r.names {
		value, found := members[name]
		if !found {
			continue
		}
		if problem := e.noted(e.check(r.properties[name], value, at.member(name), nil)); problem != nil {
			return problem
		}
		own.member(name)
	}
	if r.patterns != nil || r.additional != nil || r.propertyNames != nil {
		if problem := e.otherMembers(s, members, at, own); problem != nil {
			return problem
		}
	}
	return e.dependencies(s, members, at, own)
}

// otherMembers applies what is not about members of a certain name.
func (e *evaluation) otherMembers(s *schema, members map[string]any, at *place, own *evaluated) *fault {
	r := s.object
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if r.propertyNames != nil {
			if e.trial(r.propertyNames, name, at.member(name), nil) != nil {
				if problem := e.noted(&fault{at: at, schema: s, keyword: "propertyNames", name: name}); problem != nil {
					return problem
				}
			}
		}
		_, known := r.properties[name]
		for _, rule := range r.patterns {
			if !e.matches(rule.pattern, name) {
				continue
			}
			known = true
			if problem := e.noted(e.check(rule.schema, members[name], at.member(name), nil)); problem != nil {
				return problem
			}
			own.member(name)
		}
		if known || r.additional == nil {
			continue
		}
		problem := e.trial(r.additional, members[name], at.member(name), nil)
		if problem = e.noted(problem.of(s, "additionalProperties", at, name)); problem != nil {
			return problem
		}
		own.member(name)
	}
	return nil
}

// of puts a member that nothing allows down to the keyword that says so.
func (f *fault) of(s *schema, keyword string, at *place, name string) *fault {
	if f != nil && f.keyword == "false" && (f.schema == s.unevaluatedProperties || s.object != nil && f.schema == s.object.additional) {
		return &fault{at: at, schema: s, keyword: keyword, name: name}
	}
	return f
}

func (e *evaluation) dependencies(s *schema, members map[string]any, at *place, own *evaluated) *fault {
	for _, rule := range s.object.dependentRequired {
		if _, found := members[rule.name]; !found || !e.spend(1+len(rule.required)/4) {
			continue
		}
		if missing, isMissing := firstMissing(rule.required, members); isMissing {
			problem := e.noted(&fault{at: at, schema: s, keyword: "dependentRequired", name: missing, found: rule.name})
			if problem != nil {
				return problem
			}
		}
	}
	for _, rule := range s.object.dependentSchemas {
		if _, found := members[rule.name]; !found {
			continue
		}
		if problem := e.noted(e.check(rule.schema, members, at, own)); problem != nil {
			return problem
		}
	}
	return nil
}

func firstMissing(required []string, members map[string]any) (string, bool) {
	for _, name := range required {
		if _, found := members[name]; !found {
			return name, true
		}
	}
	return "", false
}
