package fetch

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/dial"
)

// Rules say which URLs authorization may use, given the server that it is for.
// The zero Rules want https and look at no address.
type Rules struct {
	loopback bool   // http on loopback is allowed: the server is there as well
	plain    string // the origin of an issuer on loopback that the operator named
	guard    dial.Guard
}

// RulesFor returns the rules for an MCP server's URL. issuer is the authorization
// server that the operator named, if any: it may be http on loopback wherever the
// MCP server is.
func RulesFor(server *url.URL, guard dial.Guard, issuer string) Rules {
	rules := Rules{loopback: dial.IsLoopbackHost(server.Hostname()), guard: guard}
	if u, err := url.Parse(issuer); err == nil && u.Scheme == "http" && dial.IsLoopbackHost(u.Hostname()) {
		rules.plain = strings.ToLower(u.Host)
	}
	return rules
}

// Check parses a URL that a server gave, for a request of ours: https, or http
// on loopback where the server itself is there; no user, no fragment; no host that
// the guard forbids (R257, R303).
func (r Rules) Check(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("not a URL")
	case u.User != nil:
		return nil, fmt.Errorf("%s: a URL with a user in it is not used", Display(u))
	case u.Opaque != "" || u.Hostname() == "":
		return nil, fmt.Errorf("%s: not an absolute URL", Display(u))
	case strings.Contains(text, "#"):
		return nil, fmt.Errorf("%s: a URL with a fragment is not used", Display(u))
	case u.Scheme != "https" && !(u.Scheme == "http" && r.allowsPlain(u)):
		return nil, fmt.Errorf("%s: only https is used, and http on loopback for a server on loopback", Display(u))
	}
	if err := r.guard.CheckURL(u); err != nil {
		return nil, fmt.Errorf("%s: %w", Display(u), err)
	}
	return u, nil
}

func (r Rules) allowsPlain(u *url.URL) bool {
	return dial.IsLoopbackHost(u.Hostname()) && (r.loopback || strings.ToLower(u.Host) == r.plain)
}
