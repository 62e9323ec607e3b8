package jsonschema

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// place is a value's place in the document, as a chain from the inside out: it
// becomes a text only where one is needed.
type place struct {
	parent *place
	name   string
	index  int
	isItem bool
}

func (p *place) member(name string) *place { return &place{parent: p, name: name} }

func (p *place) element(index int) *place { return &place{parent: p, index: index, isItem: true} }

// maxPlace bounds the text of a place.
const maxPlace = 500

// String returns a JSON pointer, escaped and bounded.
func (p *place) String() string {
	var tokens []string
	for ; p != nil; p = p.parent {
		token := strconv.Itoa(p.index)
		if !p.isItem {
			token = below("", p.name)[1:]
		}
		tokens = append(tokens, "/"+errors.PeerText(token, maxShown))
	}
	slices.Reverse(tokens)
	return errors.PeerText(strings.Join(tokens, ""), maxPlace)
}

// reason says what would be right.
func (f *fault) reason() string {
	s := f.schema
	name := `"` + shown(f.name) + `"`
	switch f.keyword {
	case "false":
		return "nothing is allowed here"
	case "type":
		return fmt.Sprintf("must be %s, found %s", s.types, kindOf(f.found))
	case "enum":
		return fmt.Sprintf("must be one of the %d allowed values", len(s.enum))
	case "anyOf":
		return fmt.Sprintf("must fit one of the %d alternatives", len(s.anyOf))
	case "oneOf":
		return fmt.Sprintf("must fit exactly one of the %d alternatives, fits %v", len(s.oneOf), f.found)
	case "not":
		return "fits what it must not"
	case "minimum":
		return "must be " + decimal(s.number.minimum) + " or more"
	case "maximum":
		return "must be " + decimal(s.number.maximum) + " or less"
	case "exclusiveMinimum":
		return "must be more than " + decimal(s.number.above)
	case "exclusiveMaximum":
		return "must be less than " + decimal(s.number.below)
	case "multipleOf":
		return "must be a multiple of " + decimal(s.number.multipleOf)
	case "minLength", "maxLength":
		return fmt.Sprintf("must have %s characters, found %v", s.text.length, f.found)
	case "pattern":
		return "must match the pattern " + strconv.Quote(shown(s.text.pattern.Regexp.String()))
	case "minItems", "maxItems":
		return fmt.Sprintf("must have %s elements, found %v", s.array.length, f.found)
	case "contains":
		return fmt.Sprintf("must have %s elements that fit contains, found %v", s.array.matches, f.found)
	case "uniqueItems":
		return "is there twice"
	case "minProperties", "maxProperties":
		return fmt.Sprintf("must have %s members, found %v", s.object.length, f.found)
	case "required":
		return "has no member " + name
	case "dependentRequired":
		return fmt.Sprintf("has no member %s, which the member \"%s\" requires", name, shown(fmt.Sprint(f.found)))
	case "additionalProperties", "unevaluatedProperties":
		return "the member " + name + " is not allowed"
	case "propertyNames":
		return "the name " + name + " is not allowed"
	default:
		return "does not fit"
	}
}

// String lists the types.
func (t types) String() string {
	var names []string
	for i, name := range typeNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// String says the range in words.
func (b bounds) String() string {
	switch {
	case b.maximum < 0:
		return fmt.Sprintf("at least %d", b.minimum)
	case b.minimum == 0:
		return fmt.Sprintf("at most %d", b.maximum)
	default:
		return fmt.Sprintf("%d to %d", b.minimum, b.maximum)
	}
}

// decimal renders a number of a schema, bounded.
func decimal(n *big.Rat) string {
	text := n.RatString()
	if !n.IsInt() {
		text = strings.TrimRight(n.FloatString(12), "0")
	}
	return shown(text)
}
