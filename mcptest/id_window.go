package mcptest

// idWindow remembers the last ids, so that a client may run for days. Its zero
// value is ready.
type idWindow struct {
	known map[string]struct{}
	order []string
	next  int
}

// idWindowSize is how many ids are remembered.
const idWindowSize = 4096

// add returns false if the id is known already.
func (w *idWindow) add(id string) bool {
	if w.known == nil {
		w.known = map[string]struct{}{}
	}
	if _, known := w.known[id]; known {
		return false
	}
	w.known[id] = struct{}{}
	if len(w.order) < idWindowSize {
		w.order = append(w.order, id)
		return true
	}
	delete(w.known, w.order[w.next])
	w.order[w.next] = id
	w.next = (w.next + 1) % idWindowSize
	return true
}
