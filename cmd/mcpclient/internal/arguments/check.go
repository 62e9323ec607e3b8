package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/config"
	peererrors "github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonschema"
)

const (
	// maxProblems bounds how many problems are told.
	maxProblems = 30
	// maxName bounds a server's word in a problem, in bytes.
	maxName = 100
)

// Problem is one thing that is wrong with arguments. Its text is fit for a
// terminal.
type Problem struct {
	// Place is the argument, a path with dots; empty for all of them.
	Place string
	// Text says what is wrong.
	Text string
	// IsWarning: the arguments can be sent all the same.
	IsWarning bool
}

// String is the problem in one line.
func (p Problem) String() string {
	if p.Place == "" {
		return p.Text
	}
	return p.Place + ": " + p.Text
}

// Check returns all that is missing or wrong, at most 30 problems: what breaks the
// schema, and arguments that it does not name though it names the others. Such a
// one is a warning, for the schema may allow it, unless it looks like a slip of
// the pen. A schema that cannot be used for checking is a warning, too.
func Check(schema Schema, built map[string]json.RawMessage) []Problem {
	return check(schema, built, built)
}

// check is Check; given are all arguments that the user named, those included
// that could not be built.
func check[T any](schema Schema, built map[string]json.RawMessage, given map[string]T) []Problem {
	if len(schema.raw) == 0 {
		return nil
	}
	problems := unnamed(schema, built, given)
	compiled, err := jsonschema.Compile(schema.raw)
	if err != nil {
		return append(problems, Problem{Text: "the tool's schema cannot be used to check arguments: " + err.Error(), IsWarning: true})
	}
	document, err := json.Marshal(built)
	if err != nil {
		return append(problems, Problem{Text: err.Error()})
	}
	violations, err := compiled.Violations(document, maxProblems)
	for _, violation := range violations {
		if problem := problemOf(schema, violation, given); !slices.Contains(problems, problem) {
			problems = append(problems, problem)
		}
	}
	if errors.Is(err, jsonschema.ErrTooCostly) {
		problems = append(problems, Problem{Text: "the tool's schema takes too long to check: the arguments are checked in part", IsWarning: true})
	}
	return problems[:min(len(problems), maxProblems)]
}

// unnamed finds arguments that the schema does not name.
func unnamed[T any](s Schema, built map[string]json.RawMessage, given map[string]T) []Problem {
	if s.IsOpen() || s.isClosed() { // what is forbidden breaks the schema
		return nil
	}
	var problems []Problem
	known := s.Names()
	for _, name := range sortedKeys(built) {
		if slices.Contains(known, name) {
			continue
		}
		near := nearest(name, unused(known, given))
		problems = append(problems, Problem{Place: name, Text: "there is no such argument" + near, IsWarning: near == ""})
	}
	return problems
}

func (s Schema) isClosed() bool { return string(s.keywords().Additional) == "false" }

// problemOf puts a violation into words that fit the command line.
func problemOf[T any](s Schema, v *jsonschema.Violation, given map[string]T) Problem {
	tokens := tokensOf(v.Place)
	here := s.within(tokens)
	switch v.Keyword {
	case "required", "dependentRequired":
		missing := ""
		if property, found := here.Property(v.Member); found {
			missing = kindNote(property)
		}
		text := "is missing" + missing
		if v.Keyword == "dependentRequired" {
			text += ": " + v.Reason
		}
		return Problem{Place: placeOf(append(tokens, v.Member)), Text: text}
	case "additionalProperties", "unevaluatedProperties", "propertyNames":
		candidates := here.Names()
		if len(tokens) == 0 {
			candidates = unused(candidates, given)
		}
		return Problem{Place: placeOf(append(tokens, v.Member)), Text: "there is no such argument" + nearest(v.Member, candidates)}
	case "enum", "const":
		if values := here.Values(); len(values) > 0 {
			return Problem{Place: placeOf(tokens), Text: "must be one of " + listed(values)}
		}
	}
	return Problem{Place: placeOf(tokens), Text: v.Reason}
}

// kindNote says what is wanted, in brackets.
func kindNote(s Schema) string {
	if values := s.Values(); len(values) > 0 {
		return " (one of " + listed(values) + ")"
	}
	if types := s.Types(); len(types) > 0 {
		return " (" + peererrors.PeerText(anyOf(types), maxName) + ")"
	}
	return ""
}

// maxListed bounds how many allowed values are told.
const maxListed = 12

func listed(values []string) string {
	more := ""
	if len(values) > maxListed {
		more = fmt.Sprintf(" and %d more", len(values)-maxListed)
		values = values[:maxListed]
	}
	shown := make([]string, len(values))
	for i, value := range values {
		shown[i] = peererrors.PeerText(value, maxName)
	}
	return strings.Join(shown, ", ") + more
}

// nearest proposes a name.
func nearest(name string, known []string) string {
	if near := config.Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean \"%s\"?", peererrors.PeerText(near, maxName))
	}
	return ""
}

// unused returns the names that were not given: another one is not what was meant.
func unused[T any](known []string, given map[string]T) []string {
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		_, found := given[name]
		return found
	})
}

// tokensOf takes a JSON pointer apart.
func tokensOf(pointer string) []string {
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens
}

func placeOf(tokens []string) string { return strings.Join(tokens, ".") }

func sortedKeys(built map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(built))
	for key := range built {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
