// Package floor is a client with nothing but net/http, or os/exec, and
// encoding/json: plain, idiomatic code that does the same work on the wire as an
// SDK and no more. Ratios are taken against it.
package floor

import (
	"encoding/json"
	"errors"
	"fmt"
)

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int64  `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// message is whatever comes from a server; R is what its result decodes to.
type message[R any] struct {
	ID     int64          `json:"id"`
	Method string         `json:"method"`
	Params progressParams `json:"params"`
	Result R              `json:"result"`
	Error  *rpcError      `json:"error"`
}

func (m *message[R]) reset() { *m = message[R]{} }

func (m *message[R]) failure() error {
	if m.Error != nil {
		return m.Error
	}
	return nil
}

func (m *message[R]) notification() (method string, params *progressParams) {
	return m.Method, &m.Params
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

type progressParams struct {
	ProgressToken string  `json:"progressToken"`
	Progress      float64 `json:"progress"`
	Total         float64 `json:"total"`
	Message       string  `json:"message"`
}

type initializeParams struct {
	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    struct{}       `json:"capabilities"`
	ClientInfo      implementation `json:"clientInfo"`
}

func newInitializeParams() initializeParams {
	return initializeParams{ProtocolVersion: legacyVersion, ClientInfo: newImplementation()}
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func newImplementation() implementation { return implementation{"bench", "1.0.0"} }

type meta struct {
	ProgressToken      string          `json:"progressToken,omitempty"`
	ProtocolVersion    string          `json:"io.modelcontextprotocol/protocolVersion,omitempty"`
	ClientInfo         *implementation `json:"io.modelcontextprotocol/clientInfo,omitempty"`
	ClientCapabilities *struct{}       `json:"io.modelcontextprotocol/clientCapabilities,omitempty"`
}

// newMeta returns nil if there is nothing to say.
func newMeta(modern bool, token string) *meta {
	switch {
	case modern:
		info := newImplementation()
		return &meta{ProgressToken: token, ProtocolVersion: modernVersion, ClientInfo: &info, ClientCapabilities: &struct{}{}}
	case token != "":
		return &meta{ProgressToken: token}
	default:
		return nil
	}
}

type callParams struct {
	Meta      *meta          `json:"_meta,omitempty"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

type listParams struct {
	Meta   *meta  `json:"_meta,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

type initializeResult struct {
	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities"`
	ServerInfo      implementation  `json:"serverInfo"`
}

type callResult struct {
	ResultType        string          `json:"resultType"`
	Content           []content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
	Meta              map[string]any  `json:"_meta"`
}

func (r *callResult) text() (string, error) {
	if len(r.Content) == 0 {
		return "", errors.New("no content")
	}
	return r.Content[0].Text, nil
}

type content struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Data        []byte          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Resource    json.RawMessage `json:"resource"`
	Annotations json.RawMessage `json:"annotations"`
	Meta        map[string]any  `json:"_meta"`
}

type listResult struct {
	ResultType string `json:"resultType"`
	Tools      []tool `json:"tools"`
	NextCursor string `json:"nextCursor"`
}

type tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  map[string]any  `json:"inputSchema"`
	OutputSchema map[string]any  `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
	Meta         map[string]any  `json:"_meta"`
}
