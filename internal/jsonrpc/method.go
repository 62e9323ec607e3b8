package jsonrpc

import (
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// methodName decodes a method's name. For those that a server sends it returns
// the constant, so that a progress report costs no memory.
func methodName(quoted []byte) string {
	switch string(quoted[1 : len(quoted)-1]) {
	case mcp.NotificationProgress:
		return mcp.NotificationProgress
	case mcp.NotificationMessage:
		return mcp.NotificationMessage
	case mcp.NotificationCancelled:
		return mcp.NotificationCancelled
	case mcp.NotificationResourceUpdated:
		return mcp.NotificationResourceUpdated
	case mcp.NotificationToolsListChanged:
		return mcp.NotificationToolsListChanged
	case mcp.NotificationPromptsListChanged:
		return mcp.NotificationPromptsListChanged
	case mcp.NotificationResourcesListChanged:
		return mcp.NotificationResourcesListChanged
	case mcp.NotificationAcknowledged:
		return mcp.NotificationAcknowledged
	case mcp.MethodPing:
		return mcp.MethodPing
	case mcp.MethodCreateMessage:
		return mcp.MethodCreateMessage
	case mcp.MethodElicit:
		return mcp.MethodElicit
	case mcp.MethodListRoots:
		return mcp.MethodListRoots
	}
	name, _ := jsonscan.String(quoted)
	return name
}
