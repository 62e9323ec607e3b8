package stdiolink

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// exchange is one running Exchange as the reader sees it.
type exchange struct {
	id, token  uint64
	wantEvents bool
	probe      bool
	sink       transporters.Sink
	answered   chan mcp.Message // capacity 1: the answer, sent at most once
	failed     chan error       // capacity 1: this exchange alone has failed
	events     eventQueue
}

// pendingTable finds the exchange that a message belongs to.
type pendingTable struct {
	mu      sync.Mutex
	byID    map[uint64]*exchange
	byToken map[uint64]*exchange // only tokens that are not the id as well
	unused  sync.Pool            // of *exchange, for their channels
}

func newPendingTable() *pendingTable {
	return &pendingTable{byID: map[uint64]*exchange{}, byToken: map[uint64]*exchange{}}
}

// add registers an exchange. It returns nil if its id or token is taken.
func (t *pendingTable) add(out *transporters.Outbound, sink transporters.Sink, eventBytes int) (e *exchange, count int) {
	e, _ = t.unused.Get().(*exchange)
	if e == nil {
		e = &exchange{answered: make(chan mcp.Message, 1), failed: make(chan error, 1)}
		e.events.wake = make(chan struct{}, 1)
	}
	e.id, e.token, e.wantEvents, e.sink = out.ID, out.Token, out.WantEvents, sink
	e.probe = out.Method == mcp.MethodDiscover
	e.events.limit = eventBytes
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[e.id] != nil || e.token != 0 && t.ofToken(e.token) != nil {
		return nil, len(t.byID)
	}
	t.byID[e.id] = e
	if e.token != 0 && e.token != e.id {
		t.byToken[e.token] = e
	}
	return e, len(t.byID)
}

// remove ends an exchange. It returns false if the reader has taken it already,
// and may still be about to signal it.
func (t *pendingTable) remove(e *exchange) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unlink(e)
}

func (t *pendingTable) unlink(e *exchange) bool {
	if t.byID[e.id] != e {
		return false
	}
	delete(t.byID, e.id)
	if e.token != e.id {
		delete(t.byToken, e.token)
	}
	return true
}

// take removes and returns the exchange with this id, or nil.
func (t *pendingTable) take(id uint64) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byID[id]
	if e != nil {
		t.unlink(e)
	}
	return e
}

// takeAnonymous removes and returns the exchange that an answer without an id can
// only be for: the probe, which a legacy server may not even be able to read, or
// the one that is running; nil if that is not certain (P20).
func (t *pendingTable) takeAnonymous() *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	var found *exchange
	for _, e := range t.byID {
		if e.probe || len(t.byID) == 1 {
			found = e
		}
	}
	if found != nil {
		t.unlink(found)
	}
	return found
}

// withID returns the exchange with this id, or nil.
func (t *pendingTable) withID(id uint64) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// withToken returns the exchange with this progress token, or nil.
func (t *pendingTable) withToken(token uint64) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ofToken(token)
}

func (t *pendingTable) ofToken(token uint64) *exchange {
	if e := t.byToken[token]; e != nil {
		return e
	}
	if e := t.byID[token]; e != nil && e.token == token {
		return e
	}
	return nil
}

// reuse takes back an exchange that was answered, the only case in which it is
// certain that nobody signals it any more.
func (t *pendingTable) reuse(e *exchange) {
	e.sink = nil
	if e.events.reset() {
		t.unused.Put(e)
	}
}

// messageOverhead is what a queued message counts beyond its bytes: its own size.
const messageOverhead = int(unsafe.Sizeof(mcp.Message{}))

// eventQueue holds the events of one exchange, bounded by bytes, between the
// reader and the exchange's own goroutine.
type eventQueue struct {
	wake  chan struct{} // capacity 1: there may be events
	limit int

	mu     sync.Mutex
	queued []mcp.Message
	bytes  int
}

// push adds an event. It returns false if there is no room. When the queue fills
// it lets other goroutines run, among them, with a little luck, the one that
// empties it: the reader must not wait, but need not outrun everybody either.
func (q *eventQueue) push(m mcp.Message) bool {
	q.mu.Lock()
	size := len(m.Raw) + messageOverhead
	if q.bytes+size > q.limit {
		q.mu.Unlock()
		return false
	}
	q.queued = append(q.queued, m)
	q.bytes += size
	crowded := q.bytes > q.limit/8
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	if crowded {
		runtime.Gosched()
	}
	return true
}

// pop takes the oldest event.
func (q *eventQueue) pop() (mcp.Message, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queued) == 0 {
		return mcp.Message{}, false
	}
	m := q.queued[0]
	q.queued[0] = mcp.Message{}
	q.queued = q.queued[1:]
	q.bytes -= len(m.Raw) + messageOverhead
	return m, true
}

// reset empties the queue for another exchange, and returns false if it did not
// end empty.
func (q *eventQueue) reset() bool {
	select {
	case <-q.wake:
	default:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	empty := len(q.queued) == 0
	q.queued, q.bytes = nil, 0
	return empty
}
