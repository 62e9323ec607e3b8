package jsonschema

import (
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
)

// ErrTooCostly: checking was given up, because of the schema, the document or
// both together.
var ErrTooCostly = errors.New("checking takes too many steps")

// Violation says where and how a document does not fit a schema.
type Violation struct {
	// Place is a JSON pointer into the document; "" is the whole. What of it
	// came from the document is bounded and escaped.
	Place string
	// Keyword is the rule that is broken, for example "required"; it is "false"
	// for the schema that nothing fits.
	Keyword string
	// SchemaPlace is a JSON pointer to the schema that has the rule.
	SchemaPlace string
	// Reason says what would be right.
	Reason string
	// Member is the name, escaped and bounded, of the member that is missing or
	// not allowed; empty where the rule is about no single one.
	Member string
}

// Error renders the violation in one line.
func (v *Violation) Error() string {
	place := v.Place
	if place == "" {
		place = "the whole"
	}
	return fmt.Sprintf("%s: %s (%s of the schema)", place, v.Reason, v.schemaPlace())
}

func (v *Violation) schemaPlace() string { return v.SchemaPlace + "/" + v.Keyword }

// maxShown bounds, in bytes, what is shown of a peer's text.
const maxShown = 200

func shown(text string) string { return errors.PeerText(text, maxShown) }

// unusable is the error of a schema that cannot be used for checking.
func unusable(place, format string, arguments ...any) error {
	if place == "" {
		place = "the top"
	}
	return fmt.Errorf("at %s: %s", shown(place), fmt.Sprintf(format, arguments...))
}
