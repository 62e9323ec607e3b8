package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Server is an MCP server of both eras that runs in the caller's process. It
// serves any number of clients at once, over every transport: see Link,
// HTTPLink, ServeStdio and Handler.
//
// It is strict: a request that a client must not send is refused, and the rule
// it breaks is noted in Violations. What a client may well try, such as a probe,
// an unknown method or a session id that was forgotten, is answered as real
// servers do and is no violation.
//
// All methods are safe for concurrent use.
type Server struct {
	settings settings
	journal  *journal
	content  content

	running   context.Context // until Close
	stop      context.CancelCauseFunc
	serving   sync.WaitGroup // requests and links
	closeOnce sync.Once

	mu            sync.Mutex
	closed        bool
	conversations map[*conversation]struct{}
	sessions      map[string]*conversation
	listens       map[*listen]struct{}
	links         map[killable]struct{}
	violations    []string
	cancelled     []mcp.ID
}

// violationLimit bounds what a server remembers of a client's faults and of
// cancelled requests.
const violationLimit = 1000

// NewServer returns a server without tools, resources or prompts that speaks
// every version. It starts nothing. Close it when it is no longer needed.
func NewServer(options ...Option) *Server {
	s := &Server{
		settings:      defaultSettings(),
		conversations: map[*conversation]struct{}{},
		sessions:      map[string]*conversation{},
		listens:       map[*listen]struct{}{},
		links:         map[killable]struct{}{},
	}
	for _, option := range options {
		option(&s.settings)
	}
	s.journal = newJournal(s.settings.remembered)
	s.running, s.stop = context.WithCancelCause(context.Background())
	return s
}

// Received returns what clients sent so far, in order: the newest 10,000
// messages (see WithReceivedLimit), refused ones included.
func (s *Server) Received() []Received { return s.journal.all() }

// Count returns how many messages of the method came; "" counts responses and
// what was no message at all.
func (s *Server) Count(method string) int {
	n, _ := s.journal.count(method)
	return n
}

// Await waits until n messages of the method have come in all; it fails the
// test after 10 seconds.
func (s *Server) Await(t TB, method string, n int) {
	t.Helper()
	await(t, s.journal, method, n)
}

// Violations returns how clients broke the protocol, each with the requirement
// in front, in order: the first 1,000.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.violations...)
}

// Cancelled returns the ids of the requests that a client cancelled while they
// ran, by a notification or, modern over HTTP, by closing the stream: the first
// 1,000.
func (s *Server) Cancelled() []mcp.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]mcp.ID(nil), s.cancelled...)
}

// Sessions returns how many HTTP sessions are open.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// ForgetSessions forgets every HTTP session, as a restart does: their ids answer
// 404 from now on. Requests that are running go on.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	forgotten := s.sessions
	s.sessions = map[string]*conversation{}
	for _, c := range forgotten {
		delete(s.conversations, c)
	}
	s.mu.Unlock()
	for _, c := range forgotten {
		c.endStandalone()
	}
}

// Kill ends every in-memory link as the death of a process does, with err as
// the cause. HTTP and stdio clients notice nothing.
func (s *Server) Kill(err error) {
	s.mu.Lock()
	links := make([]killable, 0, len(s.links))
	for link := range s.links {
		links = append(links, link)
	}
	s.mu.Unlock()
	for _, link := range links {
		link.kill(err)
	}
}

// Notify sends a notification to every client that may get it: legacy ones after
// their handshake (over HTTP on their standalone stream), modern ones that
// listen for it, tagged with their subscription. A resources/updated goes only
// to who subscribed to its uri. params is JSON text or encodes to it.
func (s *Server) Notify(method string, params any) {
	raw := rawJSON(params)
	s.mu.Lock()
	conversations := make([]*conversation, 0, len(s.conversations))
	for c := range s.conversations {
		conversations = append(conversations, c)
	}
	listens := make([]*listen, 0, len(s.listens))
	for l := range s.listens {
		listens = append(listens, l)
	}
	s.mu.Unlock()
	for _, c := range conversations {
		c.notify(method, raw)
	}
	for _, l := range listens {
		l.notify(method, raw)
	}
}

// Close ends every link, stream and session, cancels running requests and waits
// for their handlers. Idempotent. It must not be called from a handler.
func (s *Server) Close() {
	s.closeOnce.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.Kill(errServerClosed) // before handlers hear of it and answer
		s.stop(errServerClosed)
		s.ForgetSessions()
	})
	s.serving.Wait()
}

// begin counts a request or a link in, unless the server is closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.serving.Add(1)
	return true
}

func (s *Server) violate(requirement, format string, args ...any) {
	text := requirement + ": " + fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.violations) < violationLimit {
		s.violations = append(s.violations, text)
	}
}

func (s *Server) noteCancelled(id mcp.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cancelled) < violationLimit {
		s.cancelled = append(s.cancelled, id)
	}
}

func (s *Server) supportedVersions() []mcp.Version {
	return append(append([]mcp.Version(nil), s.settings.modern...), s.settings.legacy...)
}

// capabilities returns what a client of the version is told.
func (s *Server) capabilities(version mcp.Version) map[string]json.RawMessage {
	all := map[string]json.RawMessage{
		capabilityTools:     json.RawMessage(`{"listChanged":true}`),
		capabilityResources: json.RawMessage(`{"subscribe":true,"listChanged":true}`),
		capabilityPrompts:   json.RawMessage(`{"listChanged":true}`),
		capabilityLogging:   json.RawMessage(`{}`),
	}
	if version != mcp.Version20241105 {
		all[capabilityCompletions] = json.RawMessage(`{}`)
	}
	for name := range s.settings.without {
		delete(all, name)
	}
	return all
}
