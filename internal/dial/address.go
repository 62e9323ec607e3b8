package dial

import "net/netip"

// specialRange is a range of addresses that is not part of the public internet,
// or not what it seems.
type specialRange struct {
	prefix netip.Prefix
	what   string
}

// specialRanges lists what a server must not lead to: the registries of special
// addresses (RFC 6890 and its successors), and one address that a cloud answers
// on although it looks public. Of IPv6 only 2000::/3 is public; whatever is
// outside is refused without being listed. It is made anew for each guard, for
// nothing is computed at package start.
func specialRanges() []specialRange {
	var ranges []specialRange
	for _, entry := range []struct{ prefix, what string }{
		{"0.0.0.0/8", "an address of no host"},
		{"10.0.0.0/8", "a private address"},
		{"100.64.0.0/10", "an address of a carrier's shared network"},
		{"127.0.0.0/8", "a loopback address"},
		{"168.63.129.16/32", "an address of a cloud's own services"},
		{"169.254.0.0/16", "a link-local address, where clouds serve credentials"},
		{"172.16.0.0/12", "a private address"},
		{"192.0.0.0/24", "a special address"},
		{"192.0.2.0/24", "an address for documentation"},
		{"192.88.99.0/24", "a special address"},
		{"192.168.0.0/16", "a private address"},
		{"198.18.0.0/15", "an address for benchmarks"},
		{"198.51.100.0/24", "an address for documentation"},
		{"203.0.113.0/24", "an address for documentation"},
		{"224.0.0.0/4", "a multicast address"},
		{"240.0.0.0/4", "a reserved address"},
		{"::/128", "an address of no host"},
		{"::1/128", "a loopback address"},
		{"2001::/23", "a special address"}, // Teredo, benchmarks, ORCHID
		{"2001:db8::/32", "an address for documentation"},
		{"3fff::/20", "an address for documentation"},
		{"fc00::/7", "a private address"},
		{"fe80::/10", "a link-local address"},
		{"fec0::/10", "a private address"},
		{"ff00::/8", "a multicast address"},
	} {
		ranges = append(ranges, specialRange{netip.MustParsePrefix(entry.prefix), entry.what})
	}
	return ranges
}

// publicIPv6 is all that is given out of IPv6 for use on the internet.
func isPublicIPv6(address netip.Addr) bool { return address.As16()[0]&0xe0 == 0x20 }

// bare is an address without what keeps two forms of it from being the same: a
// zone, with which no prefix contains an address, and the mapping of IPv4 into
// IPv6.
func bare(address netip.Addr) netip.Addr { return address.WithZone("").Unmap() }

// forms returns the address and the IPv4 address that it leads to, if it is of
// one of the kinds of IPv6 addresses that have one in them.
func forms(address netip.Addr) []netip.Addr {
	address = bare(address)
	if address.Is4() {
		return []netip.Addr{address}
	}
	octets := address.As16()
	inner := func(at int) []netip.Addr {
		return []netip.Addr{address, netip.AddrFrom4([4]byte(octets[at : at+4]))}
	}
	switch prefix := func(text string) bool { return netip.MustParsePrefix(text).Contains(address) }; {
	case prefix("::/127"): // no host, and loopback
		return []netip.Addr{address}
	case prefix("::/96"), // compatible with IPv4 (RFC 4291)
		prefix("::ffff:0:0:0/96"), // translated (RFC 2765)
		prefix("64:ff9b::/96"),    // NAT64 (RFC 6052)
		prefix("64:ff9b:1::/48"):  // NAT64 within a network (RFC 8215)
		return inner(12)
	case prefix("2002::/16"): // 6to4 (RFC 3056)
		return inner(2)
	default:
		return []netip.Addr{address}
	}
}

// isTranslated reports whether what counts is the IPv4 address within: the way
// there is part of the public internet.
func isTranslated(address netip.Addr) bool {
	return netip.MustParsePrefix("64:ff9b::/96").Contains(address)
}

// unfit says what is wrong with an address as a place that a server leads to;
// it is empty if there is nothing.
func unfit(ranges []specialRange, address netip.Addr) string {
	for _, special := range ranges {
		if special.prefix.Contains(address) {
			return special.what
		}
	}
	if address.Is6() && !isPublicIPv6(address) && !isTranslated(address) {
		return "not an address of the public internet"
	}
	return ""
}
