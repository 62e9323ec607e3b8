package fetch

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Rules say which URLs authorization may use, given the server that it is for.
// A server out in the network must not lead us to services on this machine or in
// its private network (R303); one that runs on loopback may.
type Rules struct {
	loopback bool // http on loopback is allowed
	private  bool // private addresses are allowed
}

// RulesFor returns the rules for an MCP server's URL.
func RulesFor(server *url.URL) Rules {
	loopback := IsLoopback(server.Hostname())
	address, err := netip.ParseAddr(server.Hostname())
	return Rules{loopback: loopback, private: loopback || err == nil && !isPublic(address)}
}

// Check parses a URL that a server gave, for a request of ours: https, or http
// on loopback where the server itself is there; no user, no fragment; no private
// address (R257, R303).
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
	}
	isLoopback := IsLoopback(u.Hostname())
	switch {
	case u.Scheme == "http" && isLoopback && r.loopback:
		return u, nil
	case u.Scheme != "https":
		return nil, fmt.Errorf("%s: only https is used, and http on loopback for a server on loopback", Display(u))
	case isLoopback && !r.loopback:
		return nil, fmt.Errorf("%s: a server elsewhere has no business on this machine", Display(u))
	}
	if address, err := netip.ParseAddr(u.Hostname()); err == nil && !isPublic(address) && !r.private {
		return nil, fmt.Errorf("%s: a private address", Display(u))
	}
	return u, nil
}

// IsLoopback reports whether a host is this machine by its name or address.
func IsLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// isPublic reports whether anybody on the internet may have the address. The
// carriers' shared space, 100.64.0.0/10 (RFC 6598), is nobody's.
func isPublic(address netip.Addr) bool {
	address = address.Unmap()
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false
	}
	if !address.Is4() {
		return true
	}
	octets := address.As4()
	return octets[0] != 0 && (octets[0] != 100 || octets[1]&0xc0 != 64)
}
