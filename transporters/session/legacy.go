package session

import (
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// legacy speaks the revisions up to 2025-11-25: a handshake, and over HTTP a
// session that the server may forget.
type legacy struct {
	negotiated mcp.Version
	sessionID  string
	lostMatch  []string
	headers    http.Header
}

func newLegacy(version mcp.Version, sessionID string, lostMatch []string) *legacy {
	headers := baseHeader()
	if version.HasVersionHeader() {
		headers.Set(mcp.HeaderProtocolVersion, string(version)) // R098
	}
	if sessionID != "" {
		headers.Set(mcp.HeaderSessionID, sessionID) // R099
	}
	return &legacy{negotiated: version, sessionID: sessionID, lostMatch: lostMatch, headers: headers}
}

func (l *legacy) version() mcp.Version { return l.negotiated }

func (l *legacy) meta() []byte { return nil } // P41: no modern keys

func (l *legacy) header(string, string) http.Header { return l.headers }

func (l *legacy) translate(action string) (string, error) {
	switch action {
	case mcp.MethodListen:
		return "", refuse(action, "the server speaks "+string(l.negotiated)+", which has no "+action)
	default:
		return action, nil
	}
}

// notifiesCancel: stdio and HTTP alike (R106, R119).
func (l *legacy) notifiesCancel(transporters.Traits) bool { return true }

func (l *legacy) answersRequests() bool { return true }

// sessionLost implements ruling 2: a session id was sent, and the answer is
// 404 without a modern error, or 400 whose error text is a known one.
func (l *legacy) sessionLost(reply transporters.Reply) bool {
	if l.sessionID == "" {
		return false
	}
	failure := reply.Message.Failure()
	switch reply.Status {
	case http.StatusNotFound:
		return failure == nil || !mcp.IsModernCode(failure.Code)
	case http.StatusBadRequest:
		text := string(reply.Body)
		if failure != nil {
			if mcp.IsModernCode(failure.Code) {
				return false
			}
			text = failure.Message
		}
		return containsAny(strings.ToLower(text), l.lostMatch)
	default:
		return false
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if part != "" && strings.Contains(text, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

func (l *legacy) checkResult(string, mcp.Result) error { return nil }

// defaultSessionLostMatch returns the texts with which real servers answer 400
// when they do not know the session: the TypeScript SDK and its examples
// ("No valid session ID provided", "Server not initialized"), and servers that
// name the session in other words.
func defaultSessionLostMatch() []string {
	return []string{
		"no valid session id",
		"server not initialized",
		"session not found",
		"session does not exist",
		"session has expired",
		"session expired",
		"session terminated",
		"invalid session",
		"unknown session",
	}
}
