package mcptest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// admitLegacyHTTP takes a message of a session, or of none where there are none.
func (s *Server) admitLegacyHTTP(header http.Header, m mcp.Message) (*request, *refusal) {
	c, bad := s.legacyConversation(header, m)
	if bad != nil {
		return nil, bad
	}
	r, bad := c.take(m, c.admitLegacy)
	if r == nil {
		c.dispose()
	}
	return r, bad
}

// legacyConversation finds the session a message belongs to, or makes one.
func (s *Server) legacyConversation(header http.Header, m mcp.Message) (*conversation, *refusal) {
	version := mcp.Version(header.Get(mcp.HeaderProtocolVersion))
	if version != "" && !slices.Contains(s.settings.legacy, version) {
		return nil, s.unsupportedHeader()
	}
	for name := range header {
		if name == mcp.HeaderMethod || name == mcp.HeaderName || strings.HasPrefix(name, mcp.HeaderParamPrefix) {
			return nil, s.refuse("1.5", mcp.CodeInvalidRequest, "header "+name+" sent in the legacy era")
		}
	}
	if m.Method == mcp.MethodInitialize {
		return s.newLegacyConversation(header)
	}
	if !s.settings.sessions {
		return s.sessionless(version), nil
	}
	c, bad := s.sessionOf(header)
	if bad != nil {
		return nil, bad
	}
	return c, c.checkVersionHeader(version)
}

func (s *Server) newLegacyConversation(header http.Header) (*conversation, *refusal) {
	for _, name := range [...]string{mcp.HeaderProtocolVersion, mcp.HeaderSessionID} {
		if header.Get(name) != "" {
			return nil, s.refuse("3.2", mcp.CodeInvalidRequest, "initialize with header "+name)
		}
	}
	return s.newConversation(nil), nil
}

// sessionless makes the conversation of one message: the handshake is taken for
// granted.
func (s *Server) sessionless(version mcp.Version) *conversation {
	c := s.newConversation(nil)
	if version == "" {
		version = mcp.Version20250326
	}
	c.bind(mcp.EraLegacy, version)
	c.initialized, c.ready = true, true
	return c
}

// sessionOf holds R099 and R101.
func (s *Server) sessionOf(header http.Header) (*conversation, *refusal) {
	id := header.Get(mcp.HeaderSessionID)
	if id == "" {
		// No violation: this is also how a lax client's probe is refused.
		return nil, &refusal{status: http.StatusBadRequest, nameless: true, failure: &mcp.Error{
			Code: mcp.CodeOverloaded, Message: "Bad Request: Mcp-Session-Id header is required",
		}}
	}
	s.mu.Lock()
	c := s.sessions[id]
	s.mu.Unlock()
	if c == nil {
		return nil, &refusal{status: http.StatusNotFound, nameless: true, failure: &mcp.Error{
			Code: codeSessionNotFound, Message: "Session not found",
		}}
	}
	return c, nil
}

// codeSessionNotFound is what real servers send; it means nothing by itself.
const codeSessionNotFound = -32001

// checkVersionHeader holds R098: the negotiated version where the revision has
// the header, none where it does not.
func (c *conversation) checkVersionHeader(got mcp.Version) *refusal {
	c.mu.Lock()
	want := c.version
	c.mu.Unlock()
	if !want.HasVersionHeader() {
		want = ""
	}
	if got == want {
		return nil
	}
	return c.server.refuse("R098", mcp.CodeInvalidRequest,
		fmt.Sprintf("header %s is %q, expected %q", mcp.HeaderProtocolVersion, got, want))
}

// unsupportedHeader is the plain text with which legacy servers refuse a version
// before they look at the body (H10).
func (s *Server) unsupportedHeader() *refusal {
	versions := make([]string, len(s.settings.legacy))
	for i, version := range s.settings.legacy {
		versions[i] = string(version)
	}
	return &refusal{
		status: http.StatusBadRequest,
		text:   "Bad Request: Unsupported protocol version (supported versions: " + strings.Join(versions, ",") + ")\n",
	}
}
