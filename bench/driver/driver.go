// Package driver is the small interface that every client under test is put
// behind.
package driver

import (
	"context"
	"net/http"
)

// Target says which server to connect to, and how.
type Target struct {
	// URL is the endpoint of streamable HTTP; empty for stdio.
	URL string
	// Command is the program and its arguments for stdio.
	Command []string
	// Modern asks for protocol 2026-07-28, without sessions; otherwise 2025-11-25
	// is spoken.
	Modern bool
	// Limit is the largest message that has to pass, in bytes. 0 leaves a client
	// the limit that it has by itself.
	Limit int
	// HTTP is what a client that leaves the tuning of net/http to its user sends
	// through. Nil means what the library uses when it is given nothing.
	HTTP *http.Client
}

// Client is an open MCP client. Its methods are safe for concurrent use.
type Client interface {
	// ListTools reads every page, looks at every name and returns the number of
	// tools.
	ListTools(ctx context.Context) (int, error)
	// Call calls a tool and returns its first text content.
	Call(ctx context.Context, name string, arguments map[string]any) (string, error)
	// CallProgress is Call with progress asked for. report gets the value of each
	// progress notification, from any goroutine but never concurrently.
	CallProgress(ctx context.Context, name string, arguments map[string]any, report func(progress float64)) (string, error)
	// Close ends the connection; for stdio it waits for the process.
	Close() error
}

// Driver opens clients of one kind.
type Driver interface {
	// Name is the client's name in tables.
	Name() string
	// Open connects, handshake included.
	Open(ctx context.Context, target Target) (Client, error)
}

// Fleet is a Driver whose library is meant to hold many servers in one place.
type Fleet interface {
	Driver
	// OpenMany returns count clients of separate sessions that share what the
	// library lets them share, and what closes all of them at once. The handshake
	// may be left to the first call.
	OpenMany(ctx context.Context, target Target, count int) (clients []Client, closeAll func() error, err error)
}

// TunedTransport returns the standard transport with room for as many idle
// connections as there are callers.
func TunedTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = 16384
	transport.ForceAttemptHTTP2 = false
	return transport
}
