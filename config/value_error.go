package config

import (
	"fmt"
	"slices"
	"strings"
)

// Unmarshaler is implemented, with a pointer receiver, by types that read their
// own configuration value, for example an enumeration.
//
// v is a string (references resolved; a date as written), bool, int64, uint64,
// float64, json.Number (an integer beyond 64 bits), []any, map[string]any, or,
// from Go values, Secret or Duration. It is never nil: null is the same as
// absent. A variable is always a string, so a type that takes a bool should take
// "true" too. The default tag is handed over as a string. An error that is, or
// wraps, a *ValueError fills Allowed and Nearest of the fault; its message should
// not repeat the value, which the fault shows as it was written.
type Unmarshaler interface {
	UnmarshalConfig(v any) error
}

// ValueError says what is wrong with one value, for UnmarshalConfig to return.
type ValueError struct {
	// Message says what is wrong.
	Message string
	// Allowed says what would be right; may be empty.
	Allowed string
	// Nearest is the allowed value closest to the one found; may be empty.
	Nearest string
}

// Error renders the message and what is allowed.
func (e *ValueError) Error() string {
	text := e.Message
	if e.Allowed != "" {
		text += "; allowed: " + e.Allowed
	}
	if e.Nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", e.Nearest)
	}
	return text
}

// OneOf returns v if it is one of the allowed strings, and a *ValueError with
// the nearest of them if not. It is what the UnmarshalConfig of an enumeration
// needs; a bool is compared as "true" or "false".
func OneOf(v any, allowed ...string) (string, error) {
	var text string
	switch value := v.(type) {
	case string:
		text = value
	case bool:
		text = fmt.Sprint(value)
	default:
		return "", &ValueError{Message: "not a string", Allowed: strings.Join(allowed, ", ")}
	}
	if slices.Contains(allowed, text) {
		return text, nil
	}
	return "", &ValueError{
		Message: "unknown value",
		Allowed: strings.Join(allowed, ", "),
		Nearest: nearest(text, allowed),
	}
}

func leadingZeroError(allowed string) *ValueError {
	return &ValueError{
		Message: "a number with a leading zero is ambiguous (YAML reads 010 as 8)",
		Allowed: allowed + ", without a leading zero",
	}
}
