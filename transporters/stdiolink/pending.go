package stdiolink

import (
	"sync"

	"github.com/mcp-client-go/mcpclient/internal/messagequeue"
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
	events     *messagequeue.Queue
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
		e = &exchange{answered: make(chan mcp.Message, 1), failed: make(chan error, 1), events: messagequeue.New(eventBytes)}
	}
	e.id, e.token, e.wantEvents, e.sink = out.ID, out.Token, out.WantEvents, sink
	e.probe = out.Method == mcp.MethodDiscover
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
	if e.events.Reset(e.events.Limit()) {
		t.unused.Put(e)
	}
}
