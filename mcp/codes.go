package mcp

// JSON-RPC and MCP error codes (R013, R014, R017, R046).
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
	// CodeOverloaded is this module's own answer to a server that sends more
	// requests at once than are served.
	CodeOverloaded = -32000
	// CodeResourceNotFound is sent by servers up to 2025-11-25 and understood
	// from any (R017).
	CodeResourceNotFound = -32002
	// CodeURLElicitationRequired exists in 2025-11-25 only.
	CodeURLElicitationRequired = -32042
	// CodeUserRejected answers a sampling request that the user refused.
	CodeUserRejected = -1

	// The recognised modern errors: they prove a modern server.
	CodeHeaderMismatch             = -32020
	CodeMissingClientCapability    = -32021
	CodeUnsupportedProtocolVersion = -32022
)

// IsModernCode reports whether the code is a recognised modern error, which
// never leads to the legacy handshake (R046).
func IsModernCode(code int) bool {
	return code == CodeHeaderMismatch || code == CodeMissingClientCapability || code == CodeUnsupportedProtocolVersion
}
