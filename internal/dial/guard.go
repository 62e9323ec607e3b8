package dial

import (
	"net/url"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The guard decides which addresses may be connected to (R302, R303). What the
// operator wrote into the configuration is allowed; what a server points to, as
// the metadata of its authorization does, must be part of the public internet, or
// allowed by name or address. network.deny wins over everything.
//
// It looks at the address that is dialled, in the dialler's own hook, after the
// name was resolved and for each address that is tried: a name that resolves to
// something else the second time gains nothing. Only where somebody else connects
// (a proxy, a dialler of the user's) it has to look before: see guarded.go.
//
// A guard is part of Settings, so connections are shared only among requests with
// the same guard: none gets to an address over a connection that was made without
// the guard, or under a laxer one.

// Guard is a set of rules. The zero Guard allows everything. Guards are
// comparable: equal rules make equal guards.
type Guard struct {
	on           bool
	allowPrivate bool
	allow, deny  string // entries, separated by blanks
}

// NewGuard returns the guard for what a server points to. allow lists hosts and
// addresses that are allowed although they are not public, deny those that are
// forbidden whatever else is said; CheckEntry says what they may be.
func NewGuard(allowPrivate bool, allow, deny []string) Guard {
	return Guard{on: true, allowPrivate: allowPrivate, allow: strings.Join(allow, " "), deny: strings.Join(deny, " ")}
}

// DenyGuard returns the guard for what the operator wrote: deny alone counts. It
// is zero if that is empty.
func DenyGuard(deny []string) Guard {
	if len(deny) == 0 {
		return Guard{}
	}
	return NewGuard(true, nil, deny)
}

// IsZero reports whether everything is allowed.
func (g Guard) IsZero() bool { return g == Guard{} }

// AllowServer returns the guard with the host of the MCP server allowed on every
// port, by the name or address that the operator wrote. A server on loopback may
// point to all of this machine's loopback addresses: whoever is there is at home
// here.
func (g Guard) AllowServer(base *url.URL) Guard {
	g = g.with(base.Hostname())
	if IsLoopbackHost(base.Hostname()) {
		g = g.with("127.0.0.0/8").with("::1")
	}
	return g
}

// AllowEndpoint returns the guard with the host and port of a URL allowed that
// the operator wrote.
func (g Guard) AllowEndpoint(endpoint *url.URL) Guard {
	host := endpoint.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return g.with(host + ":" + portOf(endpoint))
}

// with allows one more. What cannot be an entry, such as an address with a zone,
// is not allowed.
func (g Guard) with(allowed string) Guard {
	if g.on && CheckEntry(allowed) == nil {
		g.allow = strings.TrimSpace(g.allow + " " + allowed)
	}
	return g
}

// CheckURL decides by the name or the literal address in a URL alone. It is for
// what is never dialled here, and for errors that come before the first
// connection. The error is an *errors.ForbiddenAddressError.
func (g Guard) CheckURL(u *url.URL) error {
	if !g.on {
		return nil
	}
	rules, err := g.compile()
	if err != nil {
		return err
	}
	_, err = rules.checkHost(u.Hostname(), portOf(u))
	return err
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

func (g Guard) compile() (*rules, error) {
	allow, err := parseEntries(g.allow)
	if err != nil {
		return nil, err
	}
	deny, err := parseEntries(g.deny)
	if err != nil {
		return nil, err
	}
	return &rules{allowPrivate: g.allowPrivate, allow: allow, deny: deny, special: specialRanges()}, nil
}

// IsLoopbackHost reports whether a host is this machine by its name or address.
func IsLoopbackHost(host string) bool {
	if isLocalName(host) {
		return true
	}
	address, literal := parseLiteral(host)
	return literal && address.IsLoopback()
}

func forbidden(host string, e errors.ForbiddenAddressError) error {
	e.Host = errors.PeerText(host, maxShown)
	return &e
}
