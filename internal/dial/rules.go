package dial

import (
	"net/netip"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// The keys that errors name.
const (
	keyAllow = "network.allow"
	keyDeny  = "network.deny"
)

// rules are a guard made ready for use. They are not changed.
type rules struct {
	allowPrivate bool
	allow, deny  []entry
	special      []specialRange
}

// checkHost decides what can be decided before a name is resolved: a literal
// address altogether, a name as far as the lists name it. isOpen reports that the
// name is allowed whatever it resolves to, deny excepted.
func (r *rules) checkHost(host, port string) (isOpen bool, err error) {
	if address, literal := parseLiteral(host); literal {
		return false, r.checkAddress(address.String(), port, address, false)
	}
	for _, e := range r.deny {
		if e.matchesName(host, port) {
			return false, forbidden(host, errors.ForbiddenAddressError{Entry: e.text, Key: keyDeny})
		}
	}
	for _, e := range r.allow {
		isOpen = isOpen || e.matchesName(host, port)
	}
	switch {
	case isOpen || r.allowPrivate:
		return true, nil
	case isNumeric(host):
		return false, forbidden(host, errors.ForbiddenAddressError{Reason: "an address in an unusual form", Key: keyAllow})
	case isLocalName(host) && !r.allowsLoopback(port):
		return false, forbidden(host, errors.ForbiddenAddressError{Reason: "a name of this machine", Key: keyAllow})
	}
	return false, nil
}

// checkAddress decides about an address that the host stands for or was resolved
// to. Of a form of IPv6 that leads to an address of IPv4 both are looked at.
func (r *rules) checkAddress(host, port string, address netip.Addr, isOpen bool) error {
	all := forms(address)
	for _, form := range all {
		for _, e := range r.deny {
			if e.matchesAddress(form, port) {
				return forbidden(host, errors.ForbiddenAddressError{Address: address.String(), Entry: e.text, Key: keyDeny})
			}
		}
	}
	if isOpen || r.allowPrivate || r.allows(all[0], port) {
		return nil
	}
	for _, form := range all {
		if reason := unfit(r.special, form); reason != "" && !r.allows(form, port) {
			return forbidden(host, errors.ForbiddenAddressError{Address: address.String(), Reason: reason, Key: keyAllow})
		}
	}
	return nil
}

// allows reports whether an entry of allow is about the address.
func (r *rules) allows(address netip.Addr, port string) bool {
	for _, e := range r.allow {
		if e.matchesAddress(address, port) {
			return true
		}
	}
	return false
}

func (r *rules) allowsLoopback(port string) bool {
	return r.allows(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port) || r.allows(netip.IPv6Loopback(), port)
}

// needsAddress reports whether the address of a name matters: not where the name
// is allowed, unless deny lists addresses.
func (r *rules) needsAddress(isOpen bool) bool {
	if !isOpen {
		return true
	}
	for _, e := range r.deny {
		if e.glob == "" {
			return true
		}
	}
	return false
}

// parseLiteral reads a host that is an address, bare.
func parseLiteral(host string) (address netip.Addr, ok bool) {
	address, err := netip.ParseAddr(strings.TrimSuffix(host, "."))
	if err != nil {
		return netip.Addr{}, false
	}
	return bare(address), true
}

// isLocalName reports whether a name is reserved for loopback (RFC 6761).
func isLocalName(host string) bool {
	host = canonicalHost(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "localhost.localdomain"
}

// isNumeric reports whether a host is not an address, but some would read it as
// one: 2130706433, 0x7f.1, 0177.0.0.1, 127.1. No name of the public internet ends
// in a number.
func isNumeric(host string) bool {
	host = canonicalHost(host)
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return true
	}
	if digits, isHexadecimal := strings.CutPrefix(last, "0x"); isHexadecimal {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
