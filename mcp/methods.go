package mcp

// Requests a client sends.
const (
	MethodInitialize            = "initialize"
	MethodPing                  = "ping"
	MethodDiscover              = "server/discover"
	MethodListTools             = "tools/list"
	MethodCallTool              = "tools/call"
	MethodListResources         = "resources/list"
	MethodListResourceTemplates = "resources/templates/list"
	MethodReadResource          = "resources/read"
	MethodSubscribe             = "resources/subscribe"
	MethodUnsubscribe           = "resources/unsubscribe"
	MethodListPrompts           = "prompts/list"
	MethodGetPrompt             = "prompts/get"
	MethodComplete              = "completion/complete"
	MethodSetLevel              = "logging/setLevel"
	MethodListen                = "subscriptions/listen"
	MethodGetTask               = "tasks/get"
	MethodUpdateTask            = "tasks/update"
	MethodCancelTask            = "tasks/cancel"
	MethodTaskResult            = "tasks/result"
	MethodListTasks             = "tasks/list"
)

// Requests a server sends, in the modern era only inside input requests.
const (
	MethodListRoots     = "roots/list"
	MethodCreateMessage = "sampling/createMessage"
	MethodElicit        = "elicitation/create"
)

// Notifications.
const (
	NotificationInitialized          = "notifications/initialized"
	NotificationCancelled            = "notifications/cancelled"
	NotificationProgress             = "notifications/progress"
	NotificationMessage              = "notifications/message"
	NotificationToolsListChanged     = "notifications/tools/list_changed"
	NotificationPromptsListChanged   = "notifications/prompts/list_changed"
	NotificationResourcesListChanged = "notifications/resources/list_changed"
	NotificationResourceUpdated      = "notifications/resources/updated"
	NotificationRootsListChanged     = "notifications/roots/list_changed"
	NotificationAcknowledged         = "notifications/subscriptions/acknowledged"
	NotificationElicitationComplete  = "notifications/elicitation/complete"
	NotificationTaskStatus           = "notifications/tasks/status"
	NotificationTasks                = "notifications/tasks"
)

// IsStateReading reports whether the method only reads state: the fixed set of
// eight that supervision may send again after a peer was lost.
func IsStateReading(method string) bool {
	switch method {
	case MethodDiscover, MethodListTools, MethodListPrompts, MethodGetPrompt,
		MethodListResources, MethodListResourceTemplates, MethodReadResource, MethodComplete:
		return true
	default:
		return false
	}
}
