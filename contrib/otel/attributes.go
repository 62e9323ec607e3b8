package otel

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// Keys of the semantic conventions.
const (
	keyMethod          = attribute.Key("mcp.method.name")
	keyProtocolVersion = attribute.Key("mcp.protocol.version")
	keyResourceURI     = attribute.Key("mcp.resource.uri")
	keyTool            = attribute.Key("gen_ai.tool.name")
	keyPrompt          = attribute.Key("gen_ai.prompt.name")
	keyOperation       = attribute.Key("gen_ai.operation.name")
	keyRequestID       = attribute.Key("jsonrpc.request.id")
	keyResponseCode    = attribute.Key("rpc.response.status_code")
	keyHTTPStatus      = attribute.Key("http.response.status_code")
	keyErrorType       = attribute.Key("error.type")
	keyTransport       = attribute.Key("network.transport")
	keyNetworkProtocol = attribute.Key("network.protocol.name")
	keyServerAddress   = attribute.Key("server.address")
	keyServerPort      = attribute.Key("server.port")
)

// Keys of our own: the conventions have none for these.
const (
	keyServer        = attribute.Key("mcpclient.server")         // the configured name
	keyReason        = attribute.Key("mcpclient.reason")         // of an attempt or a connection
	keyAttempt       = attribute.Key("mcpclient.attempt")        // its number
	keyAttempts      = attribute.Key("mcpclient.attempts")       // of a call
	keyUnseen        = attribute.Key("mcpclient.unseen")         // attempts without a span
	keyConnection    = attribute.Key("mcpclient.connection")     // its number
	keyEra           = attribute.Key("mcpclient.era")            // modern or legacy
	keyPeer          = attribute.Key("mcpclient.implementation") // the server's own word
	keyTaskID        = attribute.Key("mcpclient.task.id")
	operationExecute = "execute_tool"
)

// Limits of texts, in bytes.
const (
	maxName    = 200
	maxURI     = 300
	maxMessage = 300
)

// kinds of names that are bounded apart.
const (
	kindTool   = "tool"
	kindPrompt = "prompt"
	kindMethod = "method"
	kindError  = "error"
)

// isKnownMethod reports whether the protocol has the method.
func isKnownMethod(method string) bool {
	switch method {
	case mcp.MethodPing, mcp.MethodDiscover, mcp.MethodListTools, mcp.MethodCallTool, mcp.MethodListResources,
		mcp.MethodListResourceTemplates, mcp.MethodReadResource, mcp.MethodSubscribe, mcp.MethodUnsubscribe,
		mcp.MethodListPrompts, mcp.MethodGetPrompt, mcp.MethodComplete, mcp.MethodSetLevel, mcp.MethodListen,
		mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask, mcp.MethodTaskResult, mcp.MethodListTasks:
		return true
	default:
		return false
	}
}

// method bounds the name of a method.
func (h *Hook) method(server, method string) string {
	if isKnownMethod(method) {
		return method
	}
	return h.names.admit(server, kindMethod, errors.PeerText(method, maxName))
}

// targetKind says what the name of an action's request names, if it is fit for
// metrics; empty if it is not.
func targetKind(action string) string {
	switch action {
	case mcp.MethodCallTool:
		return kindTool
	case mcp.MethodGetPrompt:
		return kindPrompt
	default:
		return ""
	}
}

// target is the attribute for the name that a request has.
func target(kind, name string) attribute.KeyValue {
	if kind == kindPrompt {
		return keyPrompt.String(name)
	}
	return keyTool.String(name)
}

// subject is what a span says of whom a request is about.
func (h *Hook) subject(action, name string) []attribute.KeyValue {
	if name == "" {
		return nil
	}
	name = errors.PeerText(name, maxURI)
	switch action {
	case mcp.MethodCallTool:
		return []attribute.KeyValue{keyTool.String(errors.PeerText(name, maxName)), keyOperation.String(operationExecute)}
	case mcp.MethodGetPrompt:
		return []attribute.KeyValue{keyPrompt.String(errors.PeerText(name, maxName))}
	case mcp.MethodReadResource, mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		if h.settings.withoutURIs {
			return nil
		}
		return []attribute.KeyValue{keyResourceURI.String(withoutUser(name))}
	case mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask, mcp.MethodTaskResult:
		return []attribute.KeyValue{keyTaskID.String(name)}
	default:
		return nil
	}
}

// withoutUser takes user information out of a URI.
func withoutUser(uri string) string {
	parsed, err := url.Parse(uri)
	switch {
	case err == nil && parsed.User == nil:
		return uri
	case err == nil:
		parsed.User = nil
		return parsed.String()
	case strings.Contains(uri, "@"):
		return other
	default:
		return uri
	}
}

// connectionAttributes describe the connection, for spans and metrics. There is no
// mcp.session.id: who knows it can take the session over.
func connectionAttributes(connection transporters.ConnectInfo) []attribute.KeyValue {
	var attributes []attribute.KeyValue
	if connection.Version != "" {
		attributes = append(attributes, keyProtocolVersion.String(string(connection.Version)))
	}
	switch connection.Transport {
	case "stdio":
		attributes = append(attributes, keyTransport.String("pipe"))
	case "http", "sse":
		attributes = append(attributes, keyTransport.String("tcp"), keyNetworkProtocol.String("http"))
	}
	if connection.Address == "" {
		return attributes
	}
	host, port, err := net.SplitHostPort(connection.Address)
	if err != nil {
		return append(attributes, keyServerAddress.String(connection.Address))
	}
	attributes = append(attributes, keyServerAddress.String(host))
	if number, err := strconv.Atoi(port); err == nil {
		attributes = append(attributes, keyServerPort.Int(number))
	}
	return attributes
}
