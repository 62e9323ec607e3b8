package mcptest

import (
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// progressParams are the params of notifications/progress.
type progressParams struct {
	Token mcp.ID `json:"progressToken"`
	mcp.Progress
}

func progressMessage(token mcp.ID, progress mcp.Progress) mcp.Message {
	params := encode(progressParams{Token: token, Progress: progress})
	return notificationMessage(mcp.NotificationProgress, params)
}

// belongs reports whether a progress notification bears the token; 0 is none.
func belongs(m mcp.Message, token uint64) bool {
	got, _ := jsonrpc.ProgressToken(m.Params)
	n, ok := got.Uint64()
	return ok && token != 0 && n == token
}
