package mcptest

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// inboundLimit bounds the events that wait for one exchange, in bytes.
const inboundLimit = 1 << 20

// inbound is the client's half of one exchange of an in-memory link: what came
// in waits here until the goroutine that called Exchange takes it.
type inbound struct {
	out    *transporters.Outbound
	sink   transporters.Sink
	signal chan struct{} // one token: something changed

	mu       sync.Mutex
	events   []mcp.Message
	bytes    int
	overflow bool
	reply    *transporters.Reply
}

func newInbound(out *transporters.Outbound, sink transporters.Sink) *inbound {
	return &inbound{out: out, sink: sink, signal: make(chan struct{}, 1)}
}

// event queues a message that belongs to the exchange.
func (i *inbound) event(m mcp.Message) {
	i.sink.Arrived()
	if !i.out.WantEvents {
		return
	}
	i.mu.Lock()
	if i.bytes+len(m.Raw) > inboundLimit {
		i.overflow = true
	} else {
		i.events = append(i.events, m)
		i.bytes += len(m.Raw)
	}
	i.mu.Unlock()
	i.wake()
}

// answer sets what Exchange returns.
func (i *inbound) answer(reply transporters.Reply) {
	if !reply.Message.IsZero() {
		i.sink.Arrived()
	}
	i.mu.Lock()
	i.reply = &reply
	i.mu.Unlock()
	i.wake()
}

func (i *inbound) wake() {
	select {
	case i.signal <- struct{}{}:
	default:
	}
}

// wait delivers events until the answer is there. What had come before the end
// of the context or the link still counts.
func (i *inbound) wait(ctx context.Context, done <-chan struct{}, ended func() error) (transporters.Reply, error) {
	for {
		var final error
		select {
		case <-i.signal:
		case <-ctx.Done():
			return transporters.Reply{}, context.Cause(ctx)
		case <-done:
			final = ended()
		}
		i.mu.Lock()
		events, overflow, reply := i.events, i.overflow, i.reply
		i.events, i.bytes = nil, 0
		i.mu.Unlock()
		for _, m := range events {
			i.sink.Deliver(m)
		}
		switch {
		case overflow:
			return transporters.Reply{}, fmt.Errorf("%w: more than %d bytes of events waited", errors.ErrDeliveryDropped, inboundLimit)
		case reply != nil && reply.Message.IsZero() && ctx.Err() != nil:
			// The server only noticed that nobody waits any more.
			return transporters.Reply{}, context.Cause(ctx)
		case reply != nil:
			return *reply, nil
		case final != nil:
			return transporters.Reply{}, final
		}
	}
}
