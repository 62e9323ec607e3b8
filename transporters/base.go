package transporters

import (
	"context"
	"encoding/json"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Base is the end of a chain: one live relation with one server on behalf of
// one principal. *session.Session is a Base. All methods are safe for
// concurrent use.
type Base interface {
	Transporter
	// ServerInfo makes sure that the handshake has happened and returns what it
	// told.
	ServerInfo(ctx context.Context) (ServerInfo, error)
	// State says what the base is doing now; it does no I/O.
	State() State
	// Stats returns counters.
	Stats() Stats
	// Close ends everything at once: it cancels running requests, which fail
	// with ErrTransportClosed, and waits, bounded, for links, processes and
	// goroutines, never for user callbacks, but that listeners of OnDrain have
	// their time first. Idempotent: further calls return when the first has
	// settled. Callable from anywhere; from a listener it only begins.
	Close() error
	// Shutdown lets running requests finish, refuses new ones, then closes. When
	// ctx ends first, it closes at once and returns ctx's error. It must not be
	// called from a callback.
	Shutdown(ctx context.Context) error
}

// Starter is a base that can connect before the first call: Start begins to, and
// returns at once.
type Starter interface {
	Start() error
}

// RequestAborter is a base that can end one running request by its id on the wire.
// An unknown id does nothing.
type RequestAborter interface {
	Abort(id mcp.ID)
}

// ServerInfo is what the handshake told of a server.
type ServerInfo struct {
	// Era and Version are what both sides agreed on.
	Era     mcp.Era
	Version mcp.Version
	// Implementation names the server. Self-reported: for display and logs
	// only (R027). Zero if a modern server does not tell.
	Implementation mcp.Implementation
	// Capabilities is what the server announced, raw.
	Capabilities json.RawMessage
	// Instructions is the server's text for the model; untrusted.
	Instructions string
}

// State is what a base is doing.
type State uint8

// The states of a base.
const (
	// StateIdle: nothing was asked yet, or the last attempt to connect failed.
	StateIdle State = iota
	// StateStarting: the first handshake is under way.
	StateStarting
	// StateReady: the handshake has happened.
	StateReady
	// StateReconnecting: a lost peer is being replaced.
	StateReconnecting
	// StateExhausted: the restart budget is spent.
	StateExhausted
	// StateClosed: closed by its owner.
	StateClosed
)

// String returns the state's name: idle, starting, ready, reconnecting,
// exhausted or closed.
func (s State) String() string {
	switch s {
	case StateStarting:
		return "starting"
	case StateReady:
		return "ready"
	case StateReconnecting:
		return "reconnecting"
	case StateExhausted:
		return "exhausted"
	case StateClosed:
		return "closed"
	default:
		return "idle"
	}
}

// MarshalText writes the state's name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
