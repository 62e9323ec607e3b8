package jsonrpc

import (
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// ProgressToken returns params.progressToken of a notifications/progress. The
// params are those of a scanned message; the token aliases them.
func ProgressToken(params []byte) (mcp.ID, bool) { return identifier(params, mcp.MetaProgressToken) }

// RequestID returns params.requestId of a notifications/cancelled. It aliases
// params.
func RequestID(params []byte) (mcp.ID, bool) { return identifier(params, "requestId") }

// SubscriptionID returns the subscription that a message of a listen stream
// belongs to, from params._meta, or, with a result, from result._meta. It
// aliases its argument.
func SubscriptionID(params []byte) (mcp.ID, bool) {
	meta, found := jsonscan.Find(params, "_meta")
	if !found {
		return nil, false
	}
	return identifier(meta, mcp.MetaSubscriptionID)
}

// identifier finds a member that must be a string or a number.
func identifier(object []byte, key string) (mcp.ID, bool) {
	value, found := jsonscan.Find(object, key)
	if !found {
		return nil, false
	}
	switch cursor := jsonscan.TrustedCursor(value); cursor.Kind() {
	case '"', '0':
		return mcp.ID(value), true
	default:
		return nil, false
	}
}
