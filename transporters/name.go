package transporters

import "github.com/mcp-client-go/mcpclient/mcp"

// NameOf returns what a request is about: the name of the tool or prompt, the uri
// of the resource, the id of the task; empty for other actions. Over HTTP it is
// what Mcp-Name holds (R077, R289).
func NameOf(action string, params *mcp.Params) string {
	switch action {
	case mcp.MethodCallTool, mcp.MethodGetPrompt:
		return params.Name()
	case mcp.MethodReadResource:
		return params.URI()
	case mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask:
		return params.TaskID()
	default:
		return ""
	}
}
