package mcptest

import (
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// errServerClosed is why everything ends after Server.Close.
var errServerClosed = errors.New("test server closed")

// refusal is why a message is not served.
type refusal struct {
	// status is the HTTP status.
	status int
	// failure is the JSON-RPC error, nil where text is the whole body.
	failure *mcp.Error
	text    string
	// nameless leaves the id out, as real servers do where they refuse by
	// headers alone.
	nameless bool
}

// refuse builds the refusal of a violation and notes it.
func (s *Server) refuse(requirement string, code int, text string) *refusal {
	s.violate(requirement, "%s", text)
	return &refusal{status: http.StatusBadRequest, failure: &mcp.Error{Code: code, Message: text}}
}

// unsupportedVersion is how a modern server refuses a version.
func (s *Server) unsupportedVersion(requested string) *refusal {
	data := encode(struct {
		Supported []mcp.Version `json:"supported"`
		Requested string        `json:"requested"`
	}{s.supportedVersions(), requested})
	return &refusal{status: http.StatusBadRequest, failure: &mcp.Error{
		Code: mcp.CodeUnsupportedProtocolVersion, Message: "Unsupported protocol version", Data: data,
	}}
}

func methodNotFound(method string) *mcp.Error {
	return &mcp.Error{Code: mcp.CodeMethodNotFound, Message: "Method not found: " + method}
}

func invalidParams(text string) *mcp.Error {
	return &mcp.Error{Code: mcp.CodeInvalidParams, Message: text}
}
