package mcptest

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// conversation is what a server remembers between the messages of one client:
// of one process or in-memory link, or of one HTTP session. A modern or
// sessionless HTTP request has one of its own.
type conversation struct {
	server *Server
	ctx    context.Context
	cancel context.CancelCauseFunc
	http   bool
	id     string // the HTTP session id

	mu            sync.Mutex
	send          func(mcp.Message) // to the client, outside of requests; nil: no way
	era           mcp.Era           // bound by the first request accepted (P37)
	version       mcp.Version
	initializing  bool
	initialized   bool // initialize was answered
	ready         bool // notifications/initialized came
	level         string
	subscriptions map[string]bool
	running       map[string]*request
	seen          idWindow
	ending        func() // ends the standalone stream
	asked         int    // requests to the client so far
	waiting       map[string]chan mcp.Message
}

// newConversation makes a conversation over a pipe or in memory; without send it
// is one over HTTP.
func (s *Server) newConversation(send func(mcp.Message)) *conversation {
	c := &conversation{
		server: s, send: send, http: send == nil, subscriptions: map[string]bool{}, running: map[string]*request{},
	}
	c.ctx, c.cancel = context.WithCancelCause(s.running)
	return c
}

// register makes Notify reach the conversation.
func (s *Server) register(c *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversations[c] = struct{}{}
	if c.id != "" {
		s.sessions[c.id] = c
	}
}

func (s *Server) unregister(c *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conversations, c)
	if s.sessions[c.id] == c {
		delete(s.sessions, c.id)
	}
}

// take takes any message of the client. Without a refusal, a request is to be
// served, and anything else has been dealt with.
func (c *conversation) take(m mcp.Message, admit func(mcp.Message) (*request, *refusal)) (*request, *refusal) {
	switch m.Kind() {
	case mcp.KindNotification:
		return nil, c.notified(m)
	case mcp.KindResponse:
		return nil, c.responded(m)
	}
	if bad := c.server.checkID(m); bad != nil {
		return nil, bad
	}
	return admit(m)
}

// admit decides whether a request that came over a process's pipe or an
// in-memory link is served. It runs in the reader, so that order counts.
func (c *conversation) admit(m mcp.Message) (*request, *refusal) {
	c.mu.Lock()
	era := c.era
	c.mu.Unlock()
	switch {
	case era == mcp.EraModern && m.Method == mcp.MethodInitialize:
		return nil, c.server.unsupportedVersion(offeredVersion(m))
	case era == mcp.EraModern, era == mcp.EraUnknown && claimsModern(m) && c.server.speaksModern():
		version, bad := c.server.checkModern(m)
		if bad != nil {
			return nil, bad
		}
		c.bind(mcp.EraModern, version)
		return c.begin(m, version)
	case !c.server.speaksLegacy() && m.Method == mcp.MethodInitialize:
		return nil, c.server.unsupportedVersion(offeredVersion(m))
	case !c.server.speaksLegacy():
		_, bad := c.server.checkModern(m)
		return nil, bad
	default:
		return c.admitLegacy(m)
	}
}

// admitLegacy holds the order of the handshake (R050, R052, R053).
func (c *conversation) admitLegacy(m mcp.Message) (*request, *refusal) {
	if m.Method == mcp.MethodInitialize {
		return c.admitInitialize(m)
	}
	c.mu.Lock()
	initialized, ready, version := c.initialized, c.ready, c.version
	c.mu.Unlock()
	switch {
	case m.Method == mcp.MethodDiscover:
		// A probe is legitimate: the method is merely unknown.
	case claimsModern(m):
		return nil, c.server.refuse("P41", mcp.CodeInvalidRequest, m.Method+" with modern keys in _meta in a legacy conversation")
	case m.Method == mcp.MethodPing:
	case !initialized:
		return nil, c.server.refuse("R053", mcp.CodeInvalidRequest, m.Method+" before the answer to initialize")
	case !ready:
		return nil, c.server.refuse("R052", mcp.CodeInvalidRequest, m.Method+" before notifications/initialized")
	}
	return c.begin(m, version)
}

func (c *conversation) admitInitialize(m mcp.Message) (*request, *refusal) {
	offered, bad := c.server.checkInitialize(m)
	if bad != nil {
		return nil, bad
	}
	c.mu.Lock()
	again := c.initializing
	c.initializing = true
	c.mu.Unlock()
	if again {
		return nil, c.server.refuse("R050", mcp.CodeInvalidRequest, "initialize twice")
	}
	version := c.server.negotiate(offered)
	c.bind(mcp.EraLegacy, version)
	return c.begin(m, version)
}

func (c *conversation) bind(era mcp.Era, version mcp.Version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.era = era
	c.version = version
}

// begin registers the request as running (R005, R006).
func (c *conversation) begin(m mcp.Message, version mcp.Version) (*request, *refusal) {
	r := &request{server: c.server, conversation: c, message: m, version: version}
	r.ctx, r.cancel = context.WithCancelCause(c.ctx)
	key := m.ID.String()
	c.mu.Lock()
	_, twice := c.running[key]
	reused := version.Era() == mcp.EraLegacy && !c.seen.add(key)
	if !twice && !reused {
		c.running[key] = r
	}
	c.mu.Unlock()
	switch {
	case twice:
		r.cancel(nil)
		return nil, c.server.refuse("R005", mcp.CodeInvalidRequest, "id "+key+" of a running request")
	case reused:
		r.cancel(nil)
		return nil, c.server.refuse("R006", mcp.CodeInvalidRequest, "id "+key+" was used before")
	}
	return r, nil
}

func (c *conversation) end(r *request) {
	c.mu.Lock()
	delete(c.running, r.message.ID.String())
	c.mu.Unlock()
	r.cancel(nil)
}

// notified handles a notification of the client.
func (c *conversation) notified(m mcp.Message) *refusal {
	switch m.Method {
	case mcp.NotificationInitialized:
		c.mu.Lock()
		initialized := c.initialized
		c.ready = c.ready || initialized
		c.mu.Unlock()
		if !initialized {
			return c.server.refuse("R052", mcp.CodeInvalidRequest, "notifications/initialized without initialize")
		}
	case mcp.NotificationCancelled:
		return c.cancelled(m.Params)
	}
	return nil
}

// cancelled ends a running request; ids that are not running are ignored (R122).
func (c *conversation) cancelled(params json.RawMessage) *refusal {
	id, ok := jsonrpc.RequestID(params)
	if !ok {
		return c.server.refuse("R064", mcp.CodeInvalidParams, "notifications/cancelled without requestId")
	}
	c.mu.Lock()
	r := c.running[id.String()]
	c.mu.Unlock()
	if r == nil {
		return nil
	}
	if r.message.Method == mcp.MethodInitialize {
		return c.server.refuse("R057", mcp.CodeInvalidRequest, "initialize cancelled")
	}
	r.abandon()
	return nil
}

// notify sends a notification that concerns the client, legacy only.
func (c *conversation) notify(method string, params json.RawMessage) {
	c.mu.Lock()
	send := c.send
	wanted := c.era == mcp.EraLegacy && c.ready && send != nil
	if method == mcp.NotificationResourceUpdated {
		uri, _ := textMember(params, "uri")
		wanted = wanted && c.subscriptions[uri]
	}
	c.mu.Unlock()
	if wanted {
		send(notificationMessage(method, params))
	}
}

// endStandalone ends the GET stream, if there is one.
func (c *conversation) endStandalone() {
	c.mu.Lock()
	end := c.ending
	c.mu.Unlock()
	if end != nil {
		end()
	}
}

func offeredVersion(m mcp.Message) string {
	version, _ := textMember(m.Params, "protocolVersion")
	return version
}

func (s *Server) speaksModern() bool { return len(s.settings.modern) > 0 }
func (s *Server) speaksLegacy() bool { return len(s.settings.legacy) > 0 }
