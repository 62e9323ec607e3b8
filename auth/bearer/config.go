package bearer

import (
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// DefaultTimeout is how long the command may run.
const DefaultTimeout = 30 * time.Second

// Settings say where the token comes from.
type Settings struct {
	// Token is the token itself.
	Token config.Secret `config:"token" doc:"for bearer: the token; ${file:/run/secrets/token} is read anew for every request"`
	// Command prints the token.
	Command config.Words `config:"token_command" doc:"for bearer: program and arguments that print the token, or JSON with access_token and expires_in or expires_at; no shell is used"`
	// Env is put on top of the short list of variables that the command inherits.
	Env map[string]config.Secret `config:"token_env" doc:"environment variables of token_command, on top of the inherited ones (PATH, HOME, LANG, ...)"`
	// Timeout bounds a run of the command.
	Timeout config.Duration `config:"token_timeout" default:"30s" doc:"longest run of token_command"`
	// Lifetime is how long a token of the command is good if nothing says so.
	Lifetime config.Duration `config:"token_lifetime" default:"off" doc:"how long a token of token_command is used if neither the command nor the token says; off: until the server refuses it"`
}

// HasToken reports whether a token or a command for one is given.
func (c Settings) HasToken() bool { return !c.Token.IsZero() || len(c.Command) > 0 }

// Check returns the faults that decoding cannot find. prefix is the path of the
// configuration within the section.
func (c Settings) Check(section *config.Section, prefix string) []errors.Fault {
	var faults []errors.Fault
	add := func(key, message, allowed string) {
		fault := section.Fault(prefix+"."+key, message)
		fault.Allowed = allowed
		faults = append(faults, fault)
	}
	switch {
	case !c.HasToken():
		add("token", "a bearer token is wanted", "token, or token_command")
	case !c.Token.IsZero() && len(c.Command) > 0:
		add("token_command", "there is a token already", "token or token_command")
	}
	if len(c.Command) > 0 && strings.TrimSpace(c.Command[0]) == "" {
		add("token_command", "the program is empty", "[program, argument, ...]")
	}
	if text, err := c.Token.Reveal(); err == nil && text != "" && !isToken(strings.TrimSpace(text)) {
		add("token", "a token cannot contain blanks, line breaks or control characters", "")
	}
	if c.Timeout.IsOff() {
		add("token_timeout", "a command that hangs has to be ended some time", "a duration such as 30s")
	}
	return faults
}

// isToken: visible ASCII only, since it goes into a header.
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
