package mcpclient

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// roster is the servers of a client at one moment. Once a client has it, it is
// never changed.
type roster struct {
	names    []string
	byName   map[string]*server
	problems []*errors.ServerConfigurationError // of no server
	refusal  []*errors.ServerConfigurationError // of the latest configuration, nil if it is in force

	superseded chan struct{} // closed when the client has another one
}

// server is one server of a roster: a connection, or why there is none. It is
// immutable.
type server struct {
	name        string
	source      source
	connection  *Connection                      // nil if there is none
	problem     *errors.ServerConfigurationError // of the latest section, nil if it is in force
	fingerprint [32]byte                         // of the section in force
	section     *config.Section                  // in force, or faulty if there is no connection; nil for an injected transporter
	slot        *factory.Slot                    // nil for an injected transporter
}

// source is where a server came from, which decides who may change it.
type source uint8

const (
	fromConfig    source = iota // New and Apply
	fromInjection               // WithTransporter
	fromProgram                 // AddServer
)

func newRoster() *roster {
	return &roster{byName: make(map[string]*server), superseded: make(chan struct{})}
}

// add adds a server, or replaces the one of its name in its place.
func (r *roster) add(s *server) {
	if _, known := r.byName[s.name]; !known {
		r.names = append(r.names, s.name)
	}
	r.byName[s.name] = s
}

// with returns a copy of the roster with one more server.
func (r *roster) with(s *server) *roster {
	next := r.without(s.name)
	next.add(s)
	return next
}

// without returns a copy of the roster without a server.
func (r *roster) without(name string) *roster {
	next := newRoster()
	next.problems, next.refusal = r.problems, r.refusal
	for _, other := range r.names {
		if other != name {
			next.add(r.byName[other])
		}
	}
	return next
}

func (r *roster) allProblems() []*errors.ServerConfigurationError {
	all := slices.Clone(r.problems)
	for _, name := range r.names {
		if problem := r.byName[name].problem; problem != nil {
			all = append(all, problem)
		}
	}
	return append(all, r.refusal...)
}

// follower is the head of a connection whose chain may be replaced: every call
// goes through the chain that is in force when it begins.
type follower struct{ made atomic.Pointer[factory.Made] }

// Request makes the call through the chain in force.
func (f *follower) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	return f.made.Load().Head.Request(ctx, action, params, onEvent)
}

func (f *follower) authorizer() *auth.Authorizer { return f.made.Load().Authorizer }

// follow returns a connection to what was made.
func follow(name string, made *factory.Made) *Connection {
	head := &follower{}
	head.made.Store(made)
	connection := newConnection(name, head, made.Slot)
	connection.follower = head
	return connection
}
