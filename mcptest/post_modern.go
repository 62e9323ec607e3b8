package mcptest

import (
	"fmt"
	"net/http"

	"github.com/mcp-client-go/mcpclient/internal/mirror"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// admitModernHTTP takes a message that stands for itself.
func (s *Server) admitModernHTTP(header http.Header, m mcp.Message) (*request, *refusal) {
	switch m.Kind() {
	case mcp.KindNotification:
		if m.Method == mcp.NotificationCancelled {
			return nil, s.refuse("R090", mcp.CodeInvalidRequest, "cancel by closing the stream")
		}
		return nil, nil
	case mcp.KindResponse:
		return nil, s.refuse("R009", mcp.CodeInvalidRequest, "a response sent to a modern server")
	}
	if bad := s.checkID(m); bad != nil {
		return nil, bad
	}
	version, bad := s.checkModernHeaders(header, m)
	if bad != nil {
		return nil, bad
	}
	c := s.newConversation(nil)
	c.bind(mcp.EraModern, version)
	return c.begin(m, version)
}

// checkModernHeaders holds R075 to R078 and R093, and returns the version.
func (s *Server) checkModernHeaders(header http.Header, m mcp.Message) (mcp.Version, *refusal) {
	sent := header.Get(mcp.HeaderProtocolVersion)
	if m.Method == mcp.MethodInitialize && sent == "" {
		return "", s.unsupportedVersion(offeredVersion(m)) // a legacy client at the wrong door
	}
	if sent == "" {
		return "", s.refuse("R075", mcp.CodeHeaderMismatch, "header "+mcp.HeaderProtocolVersion+" is missing")
	}
	if told, ok := textMember(metaOf(m.Params), mcp.MetaProtocolVersion); ok && told != sent {
		return "", s.refuse("R075", mcp.CodeHeaderMismatch,
			fmt.Sprintf("header %s is %q, _meta says %q", mcp.HeaderProtocolVersion, sent, told))
	}
	version, bad := s.checkModern(m)
	if bad != nil {
		return "", bad
	}
	if got := header.Get(mcp.HeaderMethod); got != m.Method {
		return "", s.refuse("R076", mcp.CodeHeaderMismatch,
			fmt.Sprintf("header %s is %q, method is %q", mcp.HeaderMethod, got, m.Method))
	}
	if bad := s.checkNameHeader(header, m); bad != nil {
		return "", bad
	}
	if header.Get(mcp.HeaderSessionID) != "" {
		return "", s.refuse("R093", mcp.CodeInvalidRequest, "a session id sent to a modern server")
	}
	return version, nil
}

// checkNameHeader holds R077 and R078.
func (s *Server) checkNameHeader(header http.Header, m mcp.Message) *refusal {
	var key string
	switch m.Method {
	case mcp.MethodCallTool, mcp.MethodGetPrompt:
		key = "name"
	case mcp.MethodReadResource:
		key = "uri"
	case mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask:
		key = "taskId"
	default:
		return nil
	}
	want, _ := textMember(m.Params, key)
	raw := header.Get(mcp.HeaderName)
	if got, err := mirror.DecodeValue(raw); err != nil || got != want {
		return s.refuse("R077", mcp.CodeHeaderMismatch,
			fmt.Sprintf("header %s is %q, params.%s is %q", mcp.HeaderName, raw, key, want))
	}
	return nil
}
