// Package messagequeue holds messages between a link's reader, which must not
// wait, and the goroutine that hands them to a callback, which may be slow.
package messagequeue

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// overhead is what a waiting message counts beyond its bytes: its own size.
const overhead = int(unsafe.Sizeof(mcp.Message{}))

// Queue is a first-in, first-out queue of messages, bounded by bytes. It is safe
// for concurrent use. Make one with New.
type Queue struct {
	// Wake has room for one: it receives when there may be messages.
	Wake chan struct{}

	mu      sync.Mutex
	limit   int
	waiting []mcp.Message
	reports []mcp.Progress // go before waiting
	given   []mcp.Progress // by the last Next
	bytes   int
}

// New returns a queue for at most limit bytes.
func New(limit int) *Queue { return &Queue{Wake: make(chan struct{}, 1), limit: limit} }

// Limit returns the bound in bytes.
func (q *Queue) Limit() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.limit
}

// Push adds a message. It returns false if there is no room. When the queue
// fills it lets other goroutines run, among them, with a little luck, the one
// that empties it: the reader must not wait, but need not outrun everybody.
func (q *Queue) Push(m mcp.Message) bool {
	q.mu.Lock()
	size := len(m.Raw) + overhead
	if q.bytes+size > q.limit {
		q.mu.Unlock()
		return false
	}
	q.waiting = append(q.waiting, m)
	q.bytes += size
	isCrowded := q.bytes > q.limit/8
	q.mu.Unlock()
	q.pushed(isCrowded)
	return true
}

// pushed wakes the consumer, and lets it run where the queue fills.
func (q *Queue) pushed(isCrowded bool) {
	select {
	case q.Wake <- struct{}{}:
	default:
	}
	if isCrowded {
		runtime.Gosched()
	}
}

// Pop takes the oldest message; false if there is none. It is for queues without
// reports.
func (q *Queue) Pop() (mcp.Message, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pop()
}

func (q *Queue) pop() (mcp.Message, bool) {
	if len(q.waiting) == 0 {
		return mcp.Message{}, false
	}
	m := q.waiting[0]
	q.waiting[0] = mcp.Message{}
	q.waiting = q.waiting[1:]
	q.bytes -= len(m.Raw) + overhead
	return m, true
}

// Reset empties the queue for another use with the given limit, and returns
// false if it was not empty before.
func (q *Queue) Reset(limit int) bool {
	select {
	case <-q.Wake:
	default:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	empty := len(q.waiting) == 0 && len(q.reports) == 0
	q.waiting, q.bytes, q.limit = nil, 0, limit
	q.forgetReports()
	return empty
}
