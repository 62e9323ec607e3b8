package config

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

const maskedSecret = "***"

// Secret is a string that does not show itself: every fmt verb, every encoder
// that knows encoding.TextMarshaler or json.Marshaler, log/slog and hclog print
// *** for it, or nothing if it is empty. Only Reveal gives the text.
//
// A Secret keeps its text as written and resolves ${VAR} and ${file:path} at
// each Reveal, so that a rotated file or variable is seen; Reveal may ask a person
// for ${input:id}. The zero Secret is
// empty. Secrets are immutable and safe for concurrent use.
type Secret struct {
	// Behind two pointers, because fmt cannot call the methods of a Secret in an
	// unexported field: it shows addresses then, but follows a first pointer where
	// the verb does not fit.
	hidden **secretText
}

type secretText struct {
	text    string
	scope   scope
	literal bool
}

// NewSecret returns a Secret whose text may refer to environment variables and
// files of this process, as in a configuration file.
func NewSecret(text string) Secret { return newSecret(text, scope{}) }

// LiteralSecret returns a Secret that is exactly text; ${ has no meaning in it.
func LiteralSecret(text string) Secret { return hide(&secretText{text: text, literal: true}) }

func newSecret(text string, in scope) Secret {
	if !strings.Contains(text, "${") {
		in = scope{} // equal texts make equal secrets
	}
	return hide(&secretText{text: text, scope: in})
}

func hide(secret *secretText) Secret {
	if secret.text == "" {
		return Secret{}
	}
	return Secret{hidden: &secret}
}

// IsZero reports whether no text was given.
func (s Secret) IsZero() bool { return s.hidden == nil }

// Reveal returns the text with its references resolved now. The error names the
// variable or the file that is missing, never a value.
func (s Secret) Reveal() (string, error) {
	if s.hidden == nil {
		return "", nil
	}
	secret := *s.hidden
	if secret.literal {
		return secret.text, nil
	}
	text, problems := secret.scope.expand(secret.text)
	if len(problems) > 0 {
		return "", errors.New("cannot resolve a secret: " + problems[0].String())
	}
	return text, nil
}

// String returns ***, or "" for an empty Secret.
func (s Secret) String() string {
	if s.hidden == nil {
		return ""
	}
	return maskedSecret
}

// GoString returns what String does, in quotes.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// Format prints *** for every verb and flag; %q and %#v put it in quotes.
func (s Secret) Format(state fmt.State, verb rune) {
	if verb == 'q' || (verb == 'v' && state.Flag('#')) {
		_, _ = fmt.Fprintf(state, "%q", s.String())
		return
	}
	_, _ = fmt.Fprint(state, s.String())
}

// MarshalText returns what String does. It never fails.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON returns what String does, as a JSON string. It never fails.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// LogValue makes log/slog print what String does.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
