package session

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Option sets what configuration files cannot hold.
type Option func(*Session)

// WithLogger sets the logger; the default discards.
func WithLogger(logger hclog.Logger) Option {
	return func(s *Session) {
		if logger != nil {
			s.log = logger
		}
	}
}

// WithPrincipal names whom this session is for, to listeners and hooks.
func WithPrincipal(principal string) Option {
	return func(s *Session) { s.source.Principal = principal }
}

// IDs gives requests their ids, each once, counting from 1. The zero value is
// ready for use; it is safe for concurrent use.
type IDs struct{ last atomic.Uint64 }

func (i *IDs) next() uint64 { return i.last.Add(1) }

// WithIDs has the ids of this session's requests come from a counter that it
// shares with others, so that an id names one request of all of them. By default
// each session counts for itself. nil changes nothing.
func WithIDs(ids *IDs) Option {
	return func(s *Session) {
		if ids != nil {
			s.ids = ids
		}
	}
}

// WithOwnedMessages says that the link keeps nothing of an answer that it has
// returned, nor has given its bytes to anybody else, as those of this module do. The
// text of a large tool result then needs no memory beside the answer's (see
// mcp.OwnedResultOf). It must not be set where something wraps the link and keeps
// what passes through it.
func WithOwnedMessages() Option { return func(s *Session) { s.ownsMessages = true } }

// WithClientInfo replaces what the client announces of itself; the default is
// mcp.ClientInfo().
func WithClientInfo(info mcp.Implementation) Option {
	return func(s *Session) { s.clientInfo = &info }
}

// WithExtension announces an extension with its settings object, beside those of
// the handlers; nil settings are {} (R041). Once mcp.ExtensionTasks is announced,
// a modern server may answer tools/call with a task, which is returned as it is
// (R283).
func WithExtension(id string, settings json.RawMessage) Option {
	return func(s *Session) {
		if settings == nil {
			settings = json.RawMessage("{}")
		}
		if s.extensions == nil {
			s.extensions = map[string]json.RawMessage{}
		}
		s.extensions[id] = settings
	}
}

// WithSessionLostMatch replaces the texts by which an HTTP 400 is recognised as
// the loss of the session (R101). They are compared ignoring case, anywhere
// in the error's text. nil keeps the built-in list; an empty, non-nil list
// leaves only status 404.
func WithSessionLostMatch(texts []string) Option {
	return func(s *Session) {
		if texts != nil {
			s.sessionLostMatch = texts
		}
	}
}

// WithCloseTimeout bounds the DELETE that ends an HTTP session at Close; the
// default is 3 seconds.
func WithCloseTimeout(timeout time.Duration) Option {
	return func(s *Session) {
		if timeout > 0 {
			s.closeTimeout = timeout
		}
	}
}
