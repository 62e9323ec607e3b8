package dial

import (
	"fmt"
	"net"
	"os"

	"github.com/mcp-client-go/mcpclient/errors"
)

// Error says that no connection could be made: the name was not found, nobody
// listens there, the TLS handshake failed, the guard forbids it. Nothing was sent.
type Error struct {
	// Address is host:port, or unix: and the path of a socket.
	Address string
	// TLS is set if the connection was there, but the handshake failed.
	TLS bool
	// Err is the cause.
	Err error
}

// Error names address and cause on one line.
func (e *Error) Error() string {
	if refusal, ok := errors.AsType[*errors.ForbiddenAddressError](e.Err); ok {
		return refusal.Error()
	}
	if e.TLS {
		return fmt.Sprintf("TLS handshake with %s failed: %s", e.Address, causeText(e.Err))
	}
	return fmt.Sprintf("cannot connect to %s: %s", e.Address, causeText(e.Err))
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// causeText leaves out what Error says already: operation, network, address.
func causeText(err error) string {
	if lookup, ok := errors.AsType[*net.DNSError](err); ok {
		return "name not resolved: " + lookup.Err
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		if system, ok := errors.AsType[*os.SyscallError](operation.Err); ok {
			return system.Err.Error()
		}
		return operation.Err.Error()
	}
	return err.Error()
}
