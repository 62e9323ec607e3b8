package jsonschema

import (
	"encoding/json"
	"fmt"
)

// The bounds of one check (R037).
const (
	// freeSteps is what every document may take; stepsPerByte is added for each
	// byte of it, so that long documents of a plain schema are not refused.
	freeSteps    = 1_000_000
	stepsPerByte = 2
	// maxDepth is how many schemas may be inside one another's check.
	maxDepth = 4096
)

// Validate checks a valid JSON text. The error is a *Violation, the first one
// that was found, in an order that does not change from run to run; or
// ErrTooCostly.
func (s *Schema) Validate(document []byte) error {
	value, err := decode(document)
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	e := s.evaluation(document)
	fault := e.check(s.root, value, nil, nil)
	switch {
	case e.exhausted:
		return ErrTooCostly
	case fault != nil:
		return fault.violation()
	default:
		return nil
	}
}

func (s *Schema) evaluation(document []byte) *evaluation {
	return &evaluation{collects: s.collects, steps: freeSteps + stepsPerByte*len(document)}
}

// evaluation is the state of one check. Once it is exhausted, every part of it
// fails at once and no result counts.
type evaluation struct {
	collects  bool // whether evaluated members and elements are noted
	steps     int
	depth     int
	exhausted bool
	scope     []*resource // the resources that were entered, for $dynamicRef
	gathering *gathering  // nil: the first fault ends the check
}

// spend takes steps and reports whether there were enough.
func (e *evaluation) spend(steps int) bool {
	e.steps -= steps
	e.exhausted = e.exhausted || e.steps < 0
	return !e.exhausted
}

// evaluated notes what of an object or array has been checked, for the keywords
// that apply to the rest.
type evaluated struct {
	allMembers, allElements bool
	members                 map[string]bool
	elements                map[int]bool
}

func (v *evaluated) member(name string) {
	if v == nil {
		return
	}
	if v.members == nil {
		v.members = map[string]bool{}
	}
	v.members[name] = true
}

func (v *evaluated) element(index int) {
	if v == nil {
		return
	}
	if v.elements == nil {
		v.elements = map[int]bool{}
	}
	v.elements[index] = true
}

// add notes what other has noted.
func (v *evaluated) add(other *evaluated) {
	if v == nil || other == nil {
		return
	}
	v.allMembers = v.allMembers || other.allMembers
	v.allElements = v.allElements || other.allElements
	for name := range other.members {
		v.member(name)
	}
	for index := range other.elements {
		v.element(index)
	}
}

// check checks a value against a schema. What it evaluates is added to into, if
// the value fits.
func (e *evaluation) check(s *schema, value any, at *place, into *evaluated) *fault {
	if e.depth >= maxDepth {
		e.exhausted = true
	}
	if !e.spend(1) {
		return &fault{schema: s, keyword: "steps"}
	}
	e.depth++
	entered := len(e.scope) == 0 || e.scope[len(e.scope)-1] != s.resource
	if entered {
		e.scope = append(e.scope, s.resource)
	}
	var own *evaluated
	if e.collects {
		own = &evaluated{}
	}
	problem := e.apply(s, value, at, own)
	if entered {
		e.scope = e.scope[:len(e.scope)-1]
	}
	e.depth--
	if problem == nil {
		e.spend(len(own.names()) / 4)
		into.add(own)
	}
	return problem
}

func (v *evaluated) names() map[string]bool {
	if v == nil {
		return nil
	}
	return v.members
}

// apply applies one keyword after the other; the order puts the cheap and
// telling ones first, and those that need to know what others evaluated last.
func (e *evaluation) apply(s *schema, value any, at *place, own *evaluated) *fault {
	if s.never {
		return &fault{at: at, schema: s, keyword: "false"}
	}
	if s.types != 0 && s.types&typesOf(value) == 0 {
		return &fault{at: at, schema: s, keyword: "type", found: value}
	}
	if s.hasEnum && !e.isAmong(value, s) {
		return &fault{at: at, schema: s, keyword: "enum"}
	}
	for _, target := range []*schema{s.reference, e.dynamicTarget(s)} {
		if target == nil {
			continue
		}
		if problem := e.noted(e.check(target, value, at, own)); problem != nil {
			return problem
		}
	}
	if problem := e.noted(e.logic(s, value, at, own)); problem != nil {
		return problem
	}
	switch v := value.(type) {
	case json.Number:
		if s.number != nil {
			return s.number.check(s, v, at)
		}
	case string:
		if s.text != nil {
			return e.text(s, v, at)
		}
	case []any:
		return e.array(s, v, at, own)
	case map[string]any:
		return e.object(s, v, at, own)
	}
	return nil
}

func (e *evaluation) isAmong(value any, s *schema) bool {
	if !e.spend(s.enumSize / 4) {
		return false
	}
	for _, candidate := range s.enum {
		if equal(candidate, value) {
			return true
		}
	}
	return false
}

// dynamicTarget is the outermost schema in the scope with the anchor of
// $dynamicRef, or the one found in the document.
func (e *evaluation) dynamicTarget(s *schema) *schema {
	if s.anchor != "" {
		for _, entered := range e.scope {
			if target := entered.dynamic[s.anchor]; target != nil {
				return target
			}
		}
	}
	return s.dynamic
}

func (e *evaluation) logic(s *schema, value any, at *place, own *evaluated) *fault {
	for _, part := range s.allOf {
		if problem := e.noted(e.check(part, value, at, own)); problem != nil {
			return problem
		}
	}
	if s.anyOf != nil && e.fitting(s.anyOf, value, at, own, !e.collects) == 0 {
		return &fault{at: at, schema: s, keyword: "anyOf"}
	}
	if s.oneOf != nil {
		if n := e.fitting(s.oneOf, value, at, own, false); n != 1 {
			return &fault{at: at, schema: s, keyword: "oneOf", found: n}
		}
	}
	if s.not != nil && e.trial(s.not, value, at, nil) == nil {
		return &fault{at: at, schema: s, keyword: "not"}
	}
	if s.when == nil {
		return nil
	}
	branch := s.then
	if e.trial(s.when, value, at, own) != nil {
		branch = s.orElse
	}
	if branch == nil {
		return nil
	}
	return e.check(branch, value, at, own)
}

// fitting counts the schemas that the value fits.
func (e *evaluation) fitting(schemas []*schema, value any, at *place, own *evaluated, oneIsEnough bool) int {
	n := 0
	for _, part := range schemas {
		if e.trial(part, value, at, own) == nil {
			n++
			if oneIsEnough {
				break
			}
		}
	}
	return n
}

// fault is a violation before it is put into words, which most never are: they
// only rule out an alternative.
type fault struct {
	at      *place
	schema  *schema
	keyword string
	name    string // of a member, where one is concerned
	found   any
}

func (f *fault) violation() error { return f.asViolation() }

func (f *fault) asViolation() *Violation {
	return &Violation{Place: f.at.String(), Keyword: f.keyword, SchemaPlace: shown(f.schema.place), Reason: f.reason(), Member: shown(f.name)}
}
