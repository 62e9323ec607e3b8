package mcptest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// httpAnswer is what a POST is answered with, beside what was emitted before.
type httpAnswer struct {
	status  int
	header  http.Header
	text    string      // a body that is no message
	message mcp.Message // the body otherwise
}

// post serves one POST of either era, whatever carried it. ctx ends when the
// client stops to wait; emit takes what precedes the answer.
func (s *Server) post(ctx context.Context, header http.Header, body []byte, emit func(mcp.Message)) httpAnswer {
	m, err := jsonrpc.Scan(body)
	if err != nil {
		bad := s.unreadable(err)
		s.journal.add(Received{Header: header, Raw: body})
		return bad.answer(nil)
	}
	r, bad := s.admitHTTP(header, m)
	// Only now, so that whoever awaits a request may cancel it.
	s.journal.add(newReceived(m, header))
	switch {
	case bad != nil && m.Kind() == mcp.KindRequest:
		return bad.answer(m.ID)
	case bad != nil:
		return bad.answer(nil)
	case r == nil:
		return httpAnswer{status: http.StatusAccepted}
	}
	if r.modern() {
		defer context.AfterFunc(ctx, r.abandon)() // R090: a closed stream cancels
	}
	answer := r.answerHTTP(emit)
	if m.Method == mcp.MethodInitialize && s.settings.sessions && answer.message.Error == nil {
		answer.header = http.Header{mcp.HeaderSessionID: {s.open(r.conversation)}}
	}
	r.conversation.dispose()
	return answer
}

// open makes the conversation a session.
func (s *Server) open(c *conversation) (id string) {
	c.id = rand.Text()
	s.register(c)
	return c.id
}

// dispose ends a conversation that is no session.
func (c *conversation) dispose() {
	if c.id == "" {
		c.cancel(nil)
	}
}

// admitHTTP decides whether a message is taken. Without a refusal, a request is
// to be served, and anything else has been dealt with.
func (s *Server) admitHTTP(header http.Header, m mcp.Message) (*request, *refusal) {
	if bad := s.checkMedia(header); bad != nil {
		return nil, bad
	}
	if s.routesModern(header, m) {
		return s.admitModernHTTP(header, m)
	}
	return s.admitLegacyHTTP(header, m)
}

// routesModern tells the eras apart, as a server of both must: by the version
// header, by what the body says of itself, by the mirrored headers.
func (s *Server) routesModern(header http.Header, m mcp.Message) bool {
	version := mcp.Version(header.Get(mcp.HeaderProtocolVersion))
	switch {
	case !s.speaksModern():
		return false
	case !s.speaksLegacy():
		return true
	case version != "" && version.Era() != mcp.EraLegacy:
		return true
	default:
		return version == "" && (claimsModern(m) || header.Get(mcp.HeaderMethod) != "")
	}
}

// checkMedia holds R072 and the content type of a POST.
func (s *Server) checkMedia(header http.Header) *refusal {
	if kind, _, _ := mime.ParseMediaType(header.Get("Content-Type")); kind != "application/json" {
		bad := s.refuse("R071", mcp.CodeInvalidRequest, "Content-Type must be application/json")
		bad.status = http.StatusUnsupportedMediaType
		return bad
	}
	accepted := header.Values("Accept")
	if !accepts(accepted, "application/json") || !accepts(accepted, "text/event-stream") {
		bad := s.refuse("R072", mcp.CodeInvalidRequest, "Accept must name application/json and text/event-stream")
		bad.status = http.StatusNotAcceptable
		return bad
	}
	return nil
}

func accepts(values []string, kind string) bool {
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if got, _, _ := mime.ParseMediaType(strings.TrimSpace(part)); got == kind {
			return true
		}
	}
	return false
}

// answerHTTP serves the request and returns its HTTP answer.
func (r *request) answerHTTP(emit func(mcp.Message)) httpAnswer {
	if !r.server.begin() {
		return httpAnswer{status: http.StatusServiceUnavailable}
	}
	defer r.server.serving.Done()
	answer, status := r.serve(emit)
	if answer.IsZero() {
		status = http.StatusNoContent // nobody waits, or the client cancelled
	}
	return httpAnswer{status: status, message: answer}
}

// answer renders the refusal of the request with the id.
func (bad *refusal) answer(id mcp.ID) httpAnswer {
	switch {
	case bad.failure == nil:
		return httpAnswer{status: bad.status, text: bad.text}
	case bad.nameless || !isID(id):
		return httpAnswer{status: bad.status, message: parseMessage(encode(struct {
			Version string          `json:"jsonrpc"`
			Error   json.RawMessage `json:"error"`
		}{"2.0", encode(bad.failure)}))}
	default:
		return httpAnswer{status: bad.status, message: errorMessage(id, bad.failure)}
	}
}
