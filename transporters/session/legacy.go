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
	lostMatch  []string // nil: the built-in list
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

// sessionLost: a session id was sent, and what came back is 404 without a modern
// error, or 400 whose error text is a known one (R101). An answer to this very
// request shows that the server took it, and is no loss, whatever the status:
// a result always, an error unless it says so with one of the codes that SDKs
// use for it.
func (l *legacy) sessionLost(reply transporters.Reply) bool {
	if l.sessionID == "" || reply.Message.Result != nil ||
		reply.Status != http.StatusNotFound && reply.Status != http.StatusBadRequest {
		return false
	}
	failure := reply.Message.Failure()
	text := string(reply.Body)
	if failure != nil {
		text = failure.Message
	}
	texts := l.lostMatch
	if texts == nil {
		texts = defaultSessionLostMatch()
	}
	known := containsAny(strings.ToLower(text), texts)
	switch {
	case failure == nil:
		return reply.Status == http.StatusNotFound || known
	case mcp.IsModernCode(failure.Code):
		return false
	case reply.Message.ID.IsZero() || reply.Message.ID.IsNull():
		return reply.Status == http.StatusNotFound || known
	case failure.Code == codeSessionNotFound:
		return reply.Status == http.StatusNotFound || known
	default:
		return failure.Code == codeServerError && known
	}
}

// The codes with which SDKs say that they do not know a session.
const (
	codeServerError     = -32000
	codeSessionNotFound = -32001
)

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
