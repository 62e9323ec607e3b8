package jsonscan

import (
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The ways in which a text can be wrong. An *Error matches exactly one of them.
var (
	// ErrSyntax: the text is not JSON as RFC 8259 defines it.
	ErrSyntax = errors.New("not valid JSON")
	// ErrDepth: objects and arrays are nested deeper than MaxDepth.
	ErrDepth = errors.New("JSON nested too deeply")
	// ErrUTF8: a string holds bytes that are not UTF-8. It is told apart from
	// ErrSyntax because a reader may choose to be lenient: replace the bytes
	// with bytes.ToValidUTF8 and scan again.
	ErrUTF8 = errors.New("JSON string is not valid UTF-8")
)

// Error says what is wrong with a text and where. It never quotes the text.
type Error struct {
	// Kind is ErrSyntax, ErrDepth or ErrUTF8.
	Kind error
	// Offset counts bytes from the start of the scanned slice.
	Offset int
	// Reason says what was expected or found.
	Reason string
}

// Error renders kind, reason and offset.
func (e *Error) Error() string {
	return fmt.Sprintf("%v: %s at byte %d", e.Kind, e.Reason, e.Offset)
}

// Unwrap returns Kind.
func (e *Error) Unwrap() error { return e.Kind }

// fault is the cheap form of an error inside the scanner: the hot path returns
// a number, and only a failed scan builds an *Error.
type fault uint8

const (
	faultNone fault = iota
	faultEnd
	faultValue
	faultLiteral
	faultNumber
	faultControl
	faultEscape
	faultKey
	faultColon
	faultComma
	faultTrailing
	faultKind
	faultDepth
	faultUTF8
)

var faultReasons = [...]string{
	faultEnd:      "unexpected end",
	faultValue:    "expected a value",
	faultLiteral:  "expected true, false or null",
	faultNumber:   "malformed number",
	faultControl:  "control character in a string",
	faultEscape:   "unknown escape in a string",
	faultKey:      "expected a quoted member name",
	faultColon:    "expected a colon",
	faultComma:    "expected a comma or the closing bracket",
	faultTrailing: "more text after the value",
	faultKind:     "value of another kind than expected",
	faultDepth:    "too many open brackets",
	faultUTF8:     "malformed character",
}

func (f fault) at(offset int) error {
	kind := ErrSyntax
	switch f {
	case faultNone:
		return nil
	case faultDepth:
		kind = ErrDepth
	case faultUTF8:
		kind = ErrUTF8
	}
	return &Error{Kind: kind, Offset: offset, Reason: faultReasons[f]}
}
