package factory

import (
	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// Constructor makes a blueprint of a section. It decodes what is left of the
// section with section.Decode, which reports unknown keys, and returns every
// fault. It does no I/O and starts nothing: sections are checked by calling it.
// It may be called from several goroutines at once.
type Constructor func(section *config.Section, build Build) (Blueprint, []errors.Fault)

// Blueprint says how bases of one server are opened.
type Blueprint struct {
	// Open is required.
	Open BaseFunc
	// IdentityHeaders names the HTTP headers of a call that tell whom it is for:
	// calls that differ in one of them never share a base.
	IdentityHeaders []string
	// Authorizer gets the server's tokens; nil if it needs none.
	Authorizer *auth.Authorizer
	// Close ends what the bases share, after the last of them was closed; nil if
	// there is nothing.
	Close func() error
}

// BaseFunc makes the base of one principal. It does no I/O: a base connects with
// its first call. It is never called under a lock.
type BaseFunc func(caller Caller) (transporters.Base, error)

// Caller is on whose behalf a base works.
type Caller struct {
	// Principal is what WithPrincipal named, or what a token or an identity
	// header implied; empty for the client itself.
	Principal string
	// Credentials are those of the principal's latest call. They are for what
	// happens outside any call, such as the handshake.
	Credentials *Credentials
}

// Build is what a constructor is given besides its section.
type Build struct {
	// Server is the configured name.
	Server string
	// Settings are the keys common to all types, already checked.
	Settings session.Settings
	// Session, HTTP and Stdio are options for the parts that a constructor puts
	// together: the logger, the client's name, shared connections, and the seams
	// that tests inject.
	Session []session.Option
	HTTP    []httplink.Option
	Stdio   []stdiolink.Option
	// Verdicts remembers the eras of servers; nil if nothing does.
	Verdicts session.VerdictStore
	// Logger is never nil.
	Logger hclog.Logger

	authSeams
	shared *session.Settings // equal to Settings, of other servers too; nil if there are none
}

// opening is what opening a session takes of a Build.
type opening struct {
	server   string
	settings *session.Settings
	options  []session.Option
	verdicts session.VerdictStore
}

func (b Build) opening() opening {
	settings := b.shared
	if settings == nil || *settings != b.Settings {
		own := b.Settings
		settings = &own
	}
	return opening{b.Server, settings, b.Session, b.Verdicts}
}

// session makes a principal's session, with more options.
func (o *opening) session(link transporters.Link, caller Caller, more ...session.Option) *session.Session {
	options := append(o.options[:len(o.options):len(o.options)], session.WithPrincipal(caller.Principal), session.WithOwnedMessages())
	return session.NewFrom(o.server, o.settings, link, append(options, more...)...)
}
