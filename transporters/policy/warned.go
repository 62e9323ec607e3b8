package policy

import "sync"

// maxWarned bounds the reasons that are remembered; behind it nothing further is
// logged.
const maxWarned = 1024

// warned remembers what has been logged.
type warned struct {
	mu   sync.Mutex
	seen map[[2]string]bool
}

// first reports whether this is the first time for a tool and a reason.
func (w *warned) first(tool, reason string) bool {
	key := [2]string{tool, reason}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[key] || len(w.seen) >= maxWarned {
		return false
	}
	if w.seen == nil {
		w.seen = map[[2]string]bool{}
	}
	w.seen[key] = true
	return true
}
