package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// ParseMessage returns the message that the JSON text holds. It panics if the
// text is not one JSON-RPC message: it is meant for literals in tests.
func ParseMessage(text string) mcp.Message { return parseMessage([]byte(text)) }

func parseMessage(raw []byte) mcp.Message {
	m, err := jsonrpc.Scan(raw)
	if err != nil {
		panic(fmt.Sprintf("mcptest: no JSON-RPC message: %v: %s", err, raw))
	}
	return m
}

// requestMessage builds a server's request. Params stay as they are, byte for
// byte; nil params are left out.
func requestMessage(id mcp.ID, method string, params json.RawMessage) mcp.Message {
	raw := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return parseMessage(appendMethod(append(raw, ','), method, params))
}

// notificationMessage builds a notification, as requestMessage does a request.
func notificationMessage(method string, params json.RawMessage) mcp.Message {
	return parseMessage(appendMethod([]byte(`{"jsonrpc":"2.0",`), method, params))
}

func appendMethod(raw []byte, method string, params json.RawMessage) []byte {
	raw = append(append(raw, `"method":`...), encode(method)...)
	if params != nil {
		raw = append(append(raw, `,"params":`...), params...)
	}
	return append(raw, '}')
}

// resultMessage builds an answer; a nil result is the empty object.
func resultMessage(id mcp.ID, result json.RawMessage) mcp.Message {
	return parseMessage(jsonrpc.AppendResult(nil, id, result))
}

// errorMessage builds an error answer; a nil id becomes null.
func errorMessage(id mcp.ID, failure *mcp.Error) mcp.Message {
	return parseMessage(jsonrpc.AppendError(nil, id, failure))
}

// rawJSON returns JSON text as it is (string, []byte, json.RawMessage), put on one
// line if it is on several, nil as nil, and every other value encoded. It panics if that fails: what tests hand
// in is a literal.
func rawJSON(value any) json.RawMessage {
	var raw json.RawMessage
	switch v := value.(type) {
	case nil:
		return nil
	case string:
		raw = json.RawMessage(v)
	case []byte:
		raw = v
	case json.RawMessage:
		raw = v
	default:
		return encode(value)
	}
	if raw == nil {
		return nil
	}
	if !jsonscan.HasRawNewline(raw) && jsonscan.Valid(raw) {
		return raw
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		panic(fmt.Sprintf("mcptest: not JSON: %v: %s", err, raw))
	}
	return line.Bytes()
}

// encode encodes a value without escaping HTML. It panics if that fails.
func encode(value any) json.RawMessage {
	raw, err := encoded(value)
	if err != nil {
		panic(fmt.Sprintf("mcptest: cannot encode %T: %v", value, err))
	}
	return raw
}

// encoded encodes a value without escaping HTML.
func encoded(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// routingName returns what a request is about: params.name, .uri or .taskId.
func routingName(params json.RawMessage) string {
	for _, key := range [...]string{"name", "uri", "taskId"} {
		if text, ok := textMember(params, key); ok {
			return text
		}
	}
	return ""
}

// textMember returns a member of an object if it is a string.
func textMember(object json.RawMessage, key string) (string, bool) {
	raw, ok := jsonscan.Find(object, key)
	if !ok {
		return "", false
	}
	return jsonscan.String(raw)
}

// metaOf returns params._meta, or nil.
func metaOf(params json.RawMessage) json.RawMessage {
	meta, _ := jsonscan.Find(params, "_meta")
	return meta
}

// progressTokenOf returns params._meta.progressToken, or nil.
func progressTokenOf(params json.RawMessage) mcp.ID {
	token, _ := jsonscan.Find(metaOf(params), mcp.MetaProgressToken)
	return mcp.ID(token)
}
