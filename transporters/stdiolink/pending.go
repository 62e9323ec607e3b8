package stdiolink

import (
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/messagequeue"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// exchange is one running Exchange as the reader sees it. Whoever takes it out of
// the table says what became of it, and nobody else does: that is one wake-up of
// the caller, by one channel.
type exchange struct {
	id, token  uint64
	wantEvents bool
	probe      bool
	sink       transporters.Sink
	events     *messagequeue.Queue // nil until events are wanted
	held       []mcp.Progress      // taken from events, and still to be delivered

	settled chan struct{} // capacity 1: receives once the outcome is there
	answer  mcp.Message   // the outcome, unless one of the next is set
	failure error         // this exchange alone has failed
	lost    bool          // the link has ended
	failed  atomic.Bool   // as failure, for who delivers events meanwhile
}

// succeed gives an exchange that was taken out of the table its answer.
func (e *exchange) succeed(answer mcp.Message) {
	e.answer = answer
	e.settled <- struct{}{}
}

// fail ends an exchange that was taken out of the table.
func (e *exchange) fail(err error) {
	e.failure = err
	e.failed.Store(true)
	e.settled <- struct{}{}
}

// pendingTable finds the exchange that a message belongs to.
type pendingTable struct {
	mu      sync.Mutex
	byID    exchanges
	byToken map[uint64]*exchange // only tokens that are not the id as well
	closed  bool
	unused  sync.Pool // of *exchange, for their channels
}

func newPendingTable() *pendingTable {
	return &pendingTable{byToken: map[uint64]*exchange{}}
}

// errTableClosed: the link has ended. errTaken: an id or a token is in use.
var (
	errTableClosed = errors.New("the link has ended")
	errTaken       = errors.New("the id or the progress token is in use")
)

// add registers an exchange and returns how many there are now.
func (t *pendingTable) add(out *transporters.Outbound, sink transporters.Sink, eventBytes int) (e *exchange, count int, err error) {
	e, _ = t.unused.Get().(*exchange)
	if e == nil {
		e = &exchange{settled: make(chan struct{}, 1)}
	}
	e.id, e.token, e.wantEvents, e.sink = out.ID, out.Token, out.WantEvents, sink
	e.probe = out.Method == mcp.MethodDiscover
	if e.wantEvents && e.events == nil {
		e.events = messagequeue.New(eventBytes)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return nil, 0, errTableClosed
	case t.byID.get(e.id) != nil || e.token != 0 && t.ofToken(e.token) != nil:
		return nil, 0, errTaken
	}
	t.byID.put(e)
	if e.token != 0 && e.token != e.id {
		t.byToken[e.token] = e
	}
	return e, t.byID.count, nil
}

// remove ends an exchange. It returns false if another has taken it already, and
// may still be about to signal it.
func (t *pendingTable) remove(e *exchange) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unlink(e)
}

func (t *pendingTable) unlink(e *exchange) bool {
	if t.byID.get(e.id) != e {
		return false
	}
	t.byID.remove(e)
	if e.token != e.id {
		delete(t.byToken, e.token)
	}
	return true
}

// take removes and returns the exchange with this id, or nil.
func (t *pendingTable) take(id uint64) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.byID.get(id)
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
	for e := range t.byID.all() {
		if e.probe || t.byID.count == 1 {
			found = e
		}
	}
	if found != nil {
		t.unlink(found)
	}
	return found
}

// close lets no further exchange in, and tells those that run that the link has
// ended.
func (t *pendingTable) close() {
	t.mu.Lock()
	t.closed = true
	var lost []*exchange
	for e := range t.byID.all() {
		lost = append(lost, e)
	}
	t.byID, t.byToken = exchanges{}, nil
	t.mu.Unlock()
	for _, e := range lost {
		e.lost = true
		e.settled <- struct{}{}
	}
}

// withID returns the exchange with this id, or nil.
func (t *pendingTable) withID(id uint64) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID.get(id)
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
	if e := t.byID.get(token); e != nil && e.token == token {
		return e
	}
	return nil
}

// reuse takes back an exchange that was answered, the only case in which it is
// certain that nobody signals it any more.
func (t *pendingTable) reuse(e *exchange) {
	if e.wantEvents && !e.events.Reset(e.events.Limit()) {
		return
	}
	e.sink, e.answer, e.held = nil, mcp.Message{}, nil
	t.unused.Put(e)
}
