package session

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/mirror"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// maxHeaders bounds the headers kept for reuse; a resource's uri is part of
// the key, so a peer or caller could otherwise grow it without end.
const maxHeaders = 1024

// modern speaks the sessionless revisions: every request describes itself, in
// _meta and over HTTP in headers that repeat it.
type modern struct {
	negotiated mcp.Version
	members    []byte
	tasks      bool // a task may answer tools/call

	mu      sync.RWMutex
	headers map[headerKey]http.Header
}

type headerKey struct{ method, name string }

func newModern(version mcp.Version, info mcp.Implementation, handlers *Handlers) *modern {
	_, tasks := handlers.Extensions[mcp.ExtensionTasks]
	return &modern{
		negotiated: version,
		members:    modernMeta(version, info, handlers.capabilities(mcp.EraModern)),
		tasks:      tasks,
		headers:    map[headerKey]http.Header{},
	}
}

// modernMeta encodes what every modern request says of its sender (R021-R023).
func modernMeta(version mcp.Version, info mcp.Implementation, capabilities json.RawMessage) []byte {
	encoded, err := json.Marshal(info)
	if err != nil {
		encoded = []byte(`{"name":"mcpclient","version":"unknown"}`) // only reachable with broken Icons
	}
	var b bytes.Buffer
	b.WriteString(`"` + mcp.MetaProtocolVersion + `":` + strconv.Quote(string(version)))
	b.WriteString(`,"` + mcp.MetaClientInfo + `":`)
	b.Write(encoded)
	b.WriteString(`,"` + mcp.MetaClientCapabilities + `":`)
	b.Write(capabilities)
	return b.Bytes()
}

func (m *modern) version() mcp.Version { return m.negotiated }

func (m *modern) meta() []byte { return m.members }

// header returns the headers for a method and name (R075-R078), made once.
func (m *modern) header(method, name string) http.Header {
	key := headerKey{method, name}
	m.mu.RLock()
	header, ok := m.headers[key]
	m.mu.RUnlock()
	if ok {
		return header
	}
	header = modernHeader(m.negotiated, method, name)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.headers) < maxHeaders {
		m.headers[key] = header
	}
	return header
}

func modernHeader(version mcp.Version, method, name string) http.Header {
	header := baseHeader()
	header.Set(mcp.HeaderProtocolVersion, string(version))
	header.Set(mcp.HeaderMethod, method)
	if name != "" {
		header.Set(mcp.HeaderName, mirror.EncodeValue(name))
	}
	return header
}

// translate: the modern era has no ping; server/discover serves as the health
// check (P47). What has no counterpart is refused here rather than answered
// with a puzzling "method not found".
func (m *modern) translate(action string) (string, error) {
	switch action {
	case mcp.MethodPing:
		return mcp.MethodDiscover, nil
	case mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		return "", refuse(action, "the server speaks "+string(m.negotiated)+", which has no "+action+"; use Listen")
	default:
		return action, nil
	}
}

// notifiesCancel: over HTTP ending the response stream is the cancellation
// (R090); elsewhere a notification (R064).
func (m *modern) notifiesCancel(traits transporters.Traits) bool { return !traits.HTTP }

func (m *modern) answersRequests() bool { return false } // R009, R010

func (m *modern) sessionLost(transporters.Reply) bool { return false } // P43

// checkResult holds R011, R012, R215, R283 and R284.
func (m *modern) checkResult(method string, result mcp.Result) error {
	switch kind := result.Type(); kind {
	case "", mcp.ResultComplete:
		return nil
	case mcp.ResultInputRequired:
		switch method {
		case mcp.MethodCallTool, mcp.MethodGetPrompt, mcp.MethodReadResource:
			return nil
		}
		return protocolError("the server asks for input in answer to " + method + ", where that is not allowed")
	case mcp.ResultTask:
		switch {
		case !m.tasks:
			return protocolError("the server answers with a task, an extension that was not announced to it")
		case method != mcp.MethodCallTool:
			return protocolError("the server answers " + method + " with a task, where that is not allowed")
		}
		return nil
	default:
		return protocolError("the result has the unknown resultType " + strconv.Quote(errors.PeerText(kind, 60)))
	}
}
