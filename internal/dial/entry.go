package dial

import (
	"fmt"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// EntryWanted says what an entry of network.allow and network.deny may be.
const EntryWanted = "a host such as sso.example.com, a glob such as *.example.com, an address, or a CIDR such as 10.0.0.0/8; all but the last may end in a port"

// maxShown bounds what an error shows of a host.
const maxShown = 200

// entry is one of network.allow or network.deny: either a glob for the name that
// is asked for, or a range for the addresses that it leads to.
type entry struct {
	text   string
	glob   string       // in lower case, without a dot at the end; or
	prefix netip.Prefix // of bare addresses
	port   string       // empty: any
}

// CheckEntry returns what is wrong with an entry of network.allow or
// network.deny, nil if there is nothing. The text of the error does not repeat
// the entry.
func CheckEntry(text string) error {
	_, err := parseEntry(text)
	return err
}

func parseEntry(text string) (entry, error) {
	made := entry{text: text}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		made.prefix = barePrefix(prefix)
		return made, nil
	}
	if strings.Contains(text, "/") {
		return entry{}, errors.New("neither a host nor a CIDR")
	}
	host, port := splitPort(text)
	if port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return entry{}, errors.New("its port is not one")
		}
		made.port = port
	}
	if address, err := netip.ParseAddr(withoutBrackets(host)); err == nil {
		if address.Zone() != "" {
			return entry{}, errors.New("an address with a zone; write it without, it is good for every zone")
		}
		address = bare(address)
		made.prefix = netip.PrefixFrom(address, address.BitLen())
		return made, nil
	}
	made.glob = canonicalHost(host)
	return made, checkGlob(made.glob)
}

func withoutBrackets(host string) string {
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		return host[1 : len(host)-1]
	}
	return host
}

// splitPort cuts the port off a text that is a host, an address or a glob; an
// address of IPv6 has one only behind brackets.
func splitPort(text string) (host, port string) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 || strings.IndexByte(text, ':') != at && !strings.HasSuffix(text[:at], "]") {
		return text, ""
	}
	if text[at+1:] == "" {
		return text[:at], "none"
	}
	return text[:at], text[at+1:]
}

// barePrefix is the range in IPv4 that a range of mapped addresses stands for.
func barePrefix(prefix netip.Prefix) netip.Prefix {
	prefix = prefix.Masked()
	if prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
		return netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
	}
	return prefix
}

// checkGlob refuses what looks right and would never match.
func checkGlob(glob string) error {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	switch {
	case glob == "":
		return errors.New("it is empty")
	case strings.Trim(glob, letters+"0123456789-_.*") != "":
		return errors.New("not a host; names with other letters are written in their ASCII form, xn--...")
	case strings.ContainsAny(glob, "0123456789") && strings.Trim(glob, "0123456789.*") == "":
		return errors.New("globs are for names; a range of addresses is written as a CIDR")
	}
	return nil
}

// canonicalHost is a host in the form that it is compared in.
func canonicalHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// matchesName reports whether the entry is about a name, and about this one.
func (e entry) matchesName(host, port string) bool {
	if e.glob == "" || e.port != "" && e.port != port {
		return false
	}
	fits, _ := path.Match(e.glob, canonicalHost(host)) // parseEntry leaves no glob that is none
	return fits
}

// matchesAddress reports whether the entry is about addresses, and about this
// one, which is bare.
func (e entry) matchesAddress(address netip.Addr, port string) bool {
	return e.glob == "" && (e.port == "" || e.port == port) && e.prefix.Contains(address)
}

func parseEntries(texts string) ([]entry, error) {
	var entries []entry
	for text := range strings.FieldsSeq(texts) {
		made, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("network: %q: %w; allowed: %s", errors.PeerText(text, maxShown), err, EntryWanted)
		}
		entries = append(entries, made)
	}
	return entries, nil
}
