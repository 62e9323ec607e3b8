package httplink

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/messagequeue"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// eventBytes bounds what waits for one exchange's Deliver.
const eventBytes = 8 << 20

// errSettled ends the request of an exchange whose answer came elsewhere.
var errSettled = errors.New("the answer came on another stream")

// pendingTable finds the exchange that a message belongs to, whichever stream it
// came on (P28). Only exchanges with legacy servers are in it. The zero value is
// empty.
type pendingTable struct {
	mu      sync.Mutex
	byID    map[uint64]*waiter
	byToken map[uint64]*waiter // those whose token is not their id; a session has none
}

// add registers an exchange, before its request is sent. It fails if the id or
// the progress token is in use.
func (t *pendingTable) add(out *transporters.Outbound, sink transporters.Sink) (*waiter, error) {
	w := &waiter{id: out.ID, token: out.Token, wantsEvents: out.WantEvents, sink: sink}
	if out.WantEvents {
		w.events = messagequeue.New(eventBytes)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[out.ID] != nil || out.Token != 0 && t.withToken(out.Token) != nil {
		return nil, notSent(fmt.Errorf("another request with id %d or progress token %d is running", out.ID, out.Token))
	}
	if t.byID == nil {
		t.byID = make(map[uint64]*waiter)
	}
	t.byID[out.ID] = w
	if out.Token != 0 && out.Token != out.ID {
		if t.byToken == nil {
			t.byToken = make(map[uint64]*waiter)
		}
		t.byToken[out.Token] = w
	}
	return w, nil
}

// withToken returns the exchange with the progress token. t.mu is held.
func (t *pendingTable) withToken(token uint64) *waiter {
	if w := t.byID[token]; w != nil && w.token == token {
		return w
	}
	return t.byToken[token]
}

// remove ends an exchange. It returns false if that was done before.
func (t *pendingTable) remove(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID[w.id] != w {
		return false
	}
	delete(t.byID, w.id)
	if w.token != w.id {
		delete(t.byToken, w.token)
	}
	return true
}

// find returns the exchange that the message is the answer or the progress of,
// or nil.
func (t *pendingTable) find(m *mcp.Message) *waiter {
	switch {
	case m.Kind() == mcp.KindResponse:
		id, ok := m.ID.Uint64() // also of a number echoed as a string (P19)
		if !ok {
			return nil
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.byID[id]
	case m.Method == mcp.NotificationProgress:
		id, ok := jsonrpc.ProgressToken(m.Params)
		if !ok {
			return nil
		}
		token, ok := id.Uint64()
		if !ok {
			return nil
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.withToken(token)
	default:
		return nil
	}
}

// route hands a message, which owns its bytes, to the exchange it belongs to. It
// reports whether there is one. It never blocks.
func (t *pendingTable) route(m mcp.Message) bool {
	w := t.find(&m)
	if w == nil {
		return false
	}
	if m.Kind() != mcp.KindResponse {
		w.sink.Arrived()
		if w.wantsEvents && !w.events.Push(m) && t.remove(w) {
			w.settle(nil, fmt.Errorf("%w: more than %d bytes of events wait for the callback", errors.ErrDeliveryDropped, eventBytes))
		}
		return true
	}
	if !t.remove(w) {
		return false // it came twice
	}
	w.sink.Arrived()
	answer := m // a copy, so that other messages need no memory of their own
	w.settle(&answer, nil)
	return true
}

// fail ends the exchange with this id, if there is one: its answer has come, but
// cannot be used.
func (t *pendingTable) fail(id uint64, err error) {
	t.mu.Lock()
	w := t.byID[id]
	t.mu.Unlock()
	if w != nil && t.remove(w) {
		w.sink.Arrived()
		w.settle(nil, err)
	}
}

// waiter is one exchange as other streams than its own see it. Who has removed
// it from the table, and nobody else, settles it.
type waiter struct {
	id, token   uint64
	wantsEvents bool
	settled     atomic.Bool // set behind the writing of answer and err

	sink   transporters.Sink
	events *messagequeue.Queue // nil unless events are wanted

	answer *mcp.Message // nil if err is not
	err    error

	mu     sync.Mutex
	signal chan struct{} // closed when settled is set; made for who waits

	request  atomic.Pointer[exchange] // what to end when it is settled
	position position                 // of the exchange's own stream, used in its goroutine only
}

// settle ends the exchange from outside.
func (w *waiter) settle(answer *mcp.Message, err error) {
	w.answer, w.err = answer, err
	w.mu.Lock()
	w.settled.Store(true)
	if w.signal != nil {
		close(w.signal)
	}
	w.mu.Unlock()
	if x := w.request.Load(); x != nil {
		x.cancel(errSettled)
	}
}

// follow lets settle end the request x.
func (w *waiter) follow(x *exchange) {
	w.request.Store(x)
	if w.settled.Load() { // perhaps before it could see x
		x.cancel(errSettled)
	}
}

// settlement returns a channel that is closed once the exchange is settled.
func (w *waiter) settlement() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.signal == nil {
		w.signal = make(chan struct{})
		if w.settled.Load() {
			close(w.signal)
		}
	}
	return w.signal
}

// deliver hands over what other streams brought, until stop is closed. It is
// called in the exchange's own goroutine.
func (w *waiter) deliver(sink transporters.Sink, stop <-chan struct{}) {
	if w.events == nil {
		return
	}
	for m, ok := w.events.Pop(); ok; m, ok = w.events.Pop() {
		sink.Deliver(m)
		select {
		case <-stop:
			return
		default:
		}
	}
}

// wake receives when other streams have brought something; it is nil, which
// never does, if no events are wanted.
func (w *waiter) wake() <-chan struct{} {
	if w.events == nil {
		return nil
	}
	return w.events.Wake
}
