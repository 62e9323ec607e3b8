package mcptest

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// checkID holds R003 and R004.
func (s *Server) checkID(m mcp.Message) *refusal {
	switch {
	case m.ID.IsNull():
		return s.refuse("R004", mcp.CodeInvalidRequest, "id is null")
	case !m.ID.IsString() && bytes.ContainsAny(m.ID, ".eE"):
		return s.refuse("R003", mcp.CodeInvalidRequest, "id is neither a string nor an integer")
	default:
		return nil
	}
}

// checkModern holds the rules for what every modern request says of itself
// (R021, R022, R023) and returns the version it is in.
func (s *Server) checkModern(m mcp.Message) (mcp.Version, *refusal) {
	meta := metaOf(m.Params)
	version, ok := textMember(meta, mcp.MetaProtocolVersion)
	if !ok {
		return "", s.refuse("R021", mcp.CodeInvalidParams, "_meta "+mcp.MetaProtocolVersion+" is required")
	}
	if !slices.Contains(s.settings.modern, mcp.Version(version)) {
		return "", s.unsupportedVersion(version)
	}
	if !isObject(memberOf(meta, mcp.MetaClientCapabilities)) {
		return "", s.refuse("R022", mcp.CodeInvalidParams, "_meta "+mcp.MetaClientCapabilities+" is required and must be an object")
	}
	if info := memberOf(meta, mcp.MetaClientInfo); info != nil {
		name, hasName := textMember(info, "name")
		_, hasVersion := textMember(info, "version")
		if !hasName || !hasVersion || name == "" {
			return "", s.refuse("R023", mcp.CodeInvalidParams, "_meta "+mcp.MetaClientInfo+" needs name and version")
		}
	}
	return mcp.Version(version), nil
}

// checkInitialize holds R050 and returns the version the client offers.
func (s *Server) checkInitialize(m mcp.Message) (mcp.Version, *refusal) {
	version, ok := textMember(m.Params, "protocolVersion")
	name, named := textMember(memberOf(m.Params, "clientInfo"), "name")
	switch {
	case !ok:
		return "", s.refuse("R050", mcp.CodeInvalidParams, "initialize without protocolVersion")
	case !isObject(memberOf(m.Params, "capabilities")):
		return "", s.refuse("R050", mcp.CodeInvalidParams, "initialize without capabilities")
	case !named || name == "":
		return "", s.refuse("R050", mcp.CodeInvalidParams, "initialize without clientInfo")
	case claimsModern(m):
		return "", s.refuse("P41", mcp.CodeInvalidRequest, "initialize with modern keys in _meta")
	default:
		return mcp.Version(version), nil
	}
}

// negotiate returns the version a legacy handshake ends in: the offered one, or
// the server's first.
func (s *Server) negotiate(offered mcp.Version) mcp.Version {
	if slices.Contains(s.settings.legacy, offered) {
		return offered
	}
	return s.settings.legacy[0]
}

// claimsModern reports whether the request describes itself as modern ones do.
func claimsModern(m mcp.Message) bool {
	meta := metaOf(m.Params)
	return memberOf(meta, mcp.MetaProtocolVersion) != nil || memberOf(meta, mcp.MetaClientCapabilities) != nil
}

func memberOf(object json.RawMessage, key string) json.RawMessage {
	raw, _ := jsonscan.Find(object, key)
	return raw
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
