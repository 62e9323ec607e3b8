package mcptest

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// listen is one running subscriptions/listen.
type listen struct {
	request *request
	filter  listenFilter
	mu      sync.Mutex // held until the acknowledgement is out, which comes first (R221)
}

// listenFilter is what a client wants to hear of (R219).
type listenFilter struct {
	ToolsListChanged      bool     `json:"toolsListChanged,omitempty"`
	PromptsListChanged    bool     `json:"promptsListChanged,omitempty"`
	ResourcesListChanged  bool     `json:"resourcesListChanged,omitempty"`
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitempty"`
}

// wants reports whether the filter covers the notification.
func (f listenFilter) wants(method string, params json.RawMessage) bool {
	switch method {
	case mcp.NotificationToolsListChanged:
		return f.ToolsListChanged
	case mcp.NotificationPromptsListChanged:
		return f.PromptsListChanged
	case mcp.NotificationResourcesListChanged:
		return f.ResourcesListChanged
	case mcp.NotificationResourceUpdated:
		uri, _ := textMember(params, "uri")
		return slices.Contains(f.ResourceSubscriptions, uri)
	default:
		return false
	}
}

// without leaves out what the server does not offer.
func (f listenFilter) without(missing map[string]bool) listenFilter {
	f.ToolsListChanged = f.ToolsListChanged && !missing[capabilityTools]
	f.PromptsListChanged = f.PromptsListChanged && !missing[capabilityPrompts]
	f.ResourcesListChanged = f.ResourcesListChanged && !missing[capabilityResources]
	if missing[capabilityResources] {
		f.ResourceSubscriptions = nil
	}
	return f
}

// listen acknowledges, then lasts until the client ends it or EndListens does,
// which is a graceful end with a result (R225).
func (r *request) listen() (json.RawMessage, *mcp.Error) {
	wanted := memberOf(r.message.Params, "notifications")
	var filter listenFilter
	if !isObject(wanted) || json.Unmarshal(wanted, &filter) != nil {
		return nil, invalidParams("params.notifications is required and must be a filter")
	}
	l := &listen{request: r, filter: filter.without(r.server.settings.without)}
	l.mu.Lock()
	r.server.addListen(l)
	defer r.server.removeListen(l)
	l.tagged(mcp.NotificationAcknowledged, withMember(json.RawMessage(`{}`), "notifications", encode(l.filter)))
	l.mu.Unlock()
	<-r.ctx.Done()
	return withMember(json.RawMessage(`{}`), "_meta", l.meta()), nil
}

func (l *listen) notify(method string, params json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.filter.wants(method, params) {
		l.tagged(method, params)
	}
}

// tagged sends a notification that names its subscription (R063).
func (l *listen) tagged(method string, params json.RawMessage) {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	l.request.emit(notificationMessage(method, withMember(params, "_meta", l.meta())))
}

func (l *listen) meta() json.RawMessage {
	return withMember(json.RawMessage(`{}`), mcp.MetaSubscriptionID, json.RawMessage(l.request.message.ID))
}

// EndListens ends every running subscriptions/listen gracefully, with a result.
func (s *Server) EndListens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listens {
		l.request.cancel(nil)
	}
}

// Listens returns how many subscriptions/listen are running.
func (s *Server) Listens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.listens)
}

func (s *Server) addListen(l *listen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listens[l] = struct{}{}
}

func (s *Server) removeListen(l *listen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listens, l)
}
