package otel

import "sync"

// other stands for what is beyond a limit: the conventions' word.
const other = "_OTHER"

// names bounds the values of attributes that servers and callers make up. For each
// server and each kind of name the first ones are kept, up to a limit. It is safe for
// concurrent use.
type names struct {
	limit int

	mu    sync.RWMutex
	known map[nameSet]map[string]struct{}
}

type nameSet struct{ server, kind string }

func newNames(limit int) *names {
	return &names{limit: limit, known: make(map[nameSet]map[string]struct{})}
}

// find returns the name if it is known, else other.
func (n *names) find(server, kind, name string) string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if _, found := n.known[nameSet{server, kind}][name]; found {
		return name
	}
	return other
}

// admit makes the name known if there is room, and returns what find does.
func (n *names) admit(server, kind, name string) string {
	if found := n.find(server, kind, name); found == name {
		return name
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	set := nameSet{server, kind}
	if len(n.known[set]) >= n.limit {
		return other
	}
	if n.known[set] == nil {
		n.known[set] = make(map[string]struct{})
	}
	n.known[set][name] = struct{}{}
	return name
}
