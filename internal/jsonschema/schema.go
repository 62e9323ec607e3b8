package jsonschema

import (
	"math/big"
	"net/url"
	"regexp"
)

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	root     *schema
	collects bool // some schema has an unevaluated keyword
}

// schema is one schema object or boolean. Both dialects compile to it: what
// draft-07 calls differently is stored under the name of 2020-12.
type schema struct {
	place    string // within the document, a JSON pointer; "" is the whole
	resource *resource
	never    bool // the schema false

	reference *schema
	dynamic   *schema // of $dynamicRef, as found without looking at the scope
	anchor    string  // of $dynamicRef, if it is to be looked up in the scope

	types    types
	enum     []any // with hasEnum; const is an enum of one
	hasEnum  bool
	enumSize int // of the values, as a measure of comparing with them

	number *numberRules
	text   *textRules
	array  *arrayRules
	object *objectRules

	allOf, anyOf, oneOf []*schema
	not                 *schema
	when, then, orElse  *schema

	unevaluatedItems, unevaluatedProperties *schema
}

// resource is a part of the document with an identifier of its own, the whole
// included. Anchors are unique within it.
type resource struct {
	uri     *url.URL
	place   string
	raw     any
	root    *schema
	anchors map[string]*schema
	dynamic map[string]*schema
}

type numberRules struct {
	minimum, maximum, above, below, multipleOf *big.Rat // nil: no such rule
}

type textRules struct {
	length  bounds
	pattern *pattern
}

type arrayRules struct {
	length   bounds
	prefix   []*schema
	items    *schema // of those behind the prefix
	contains *schema
	matches  bounds // how many of them contains must fit
	unique   bool
}

type objectRules struct {
	length            bounds
	required          []string
	names             []string // of properties, sorted
	properties        map[string]*schema
	patterns          []patternRule // sorted by pattern
	additional        *schema
	propertyNames     *schema
	dependentRequired []dependency // sorted by name
	dependentSchemas  []dependency // sorted by name
}

// dependency applies where an object has the member.
type dependency struct {
	name     string
	required []string
	schema   *schema
}

type patternRule struct {
	pattern *pattern
	schema  *schema
}

// pattern is a compiled regular expression and a measure of what it costs to
// match one byte.
type pattern struct {
	*regexp.Regexp
	size int
}

// bounds are limits of a count; a maximum of -1 is none.
type bounds struct{ minimum, maximum int }

// types is a set of JSON types, as bits.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeText
	typeArray
	typeObject
)

// typeNames are in the order of the bits.
var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

func typeOf(name string) (types, bool) {
	for i, known := range typeNames {
		if name == known {
			return 1 << i, true
		}
	}
	return 0, false
}
