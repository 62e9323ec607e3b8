package errors

import "fmt"

// ErrForbiddenAddress: the rules of network forbid to connect there. It comes
// within a *ForbiddenAddressError, and always together with ErrNotSent.
var ErrForbiddenAddress = New("forbidden address")

// ForbiddenAddressError says that a connection was not made, because network.deny
// forbids the address, or because a server led there and it is not one of the
// public internet (R303). Nothing was sent. It is immutable.
type ForbiddenAddressError struct {
	// Host is the host that was asked for, a name or an address, bounded and
	// escaped.
	Host string
	// Address is the IP address that would have been connected to; empty if the
	// host was refused before it was looked up.
	Address string
	// Reason says what the address is, for example "a loopback address".
	Reason string
	// Entry is the entry of network.deny that forbids it; empty if none does.
	Entry string
	// Key is the configuration key that decides: network.deny, or network.allow,
	// where an entry for the host would permit it. It is network.deny without an
	// Entry where a proxy is to be asked for a name whose addresses cannot be held
	// against the list.
	Key string
}

// Error names the host, the address, and the key that would allow it.
func (e *ForbiddenAddressError) Error() string {
	place := e.Host
	if e.Address != "" && e.Address != e.Host {
		place = fmt.Sprintf("%s (%s)", e.Host, e.Address)
	}
	switch {
	case e.Entry != "":
		return fmt.Sprintf("connecting to %s is forbidden by the entry %q of %s", place, e.Entry, e.Key)
	case e.Key == "network.deny":
		return fmt.Sprintf("connecting to %s is forbidden by %s: it is %s", place, e.Key, e.Reason)
	}
	return fmt.Sprintf("connecting to %s is forbidden: it is %s, where a server must not lead this client; an entry %q of %s would allow it",
		place, e.Reason, e.Host, e.Key)
}

// Unwrap returns ErrForbiddenAddress and ErrNotSent.
func (e *ForbiddenAddressError) Unwrap() []error { return []error{ErrForbiddenAddress, ErrNotSent} }
