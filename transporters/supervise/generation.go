package supervise

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// generation is one connection: a plain link, and what supervision knows of it.
// It is the Link that prepare and the inbound function get.
type generation struct {
	link transporters.Link
	gone <-chan struct{} // the link's Done
	in   func(from transporters.Link, m mcp.Message)

	serving  atomic.Bool   // prepare has accepted it
	givenUp  atomic.Bool   // its user, the session, has ended it
	detached atomic.Bool   // what still comes in is dropped
	settled  chan struct{} // closed once it is decided what follows its end
	retired  chan struct{} // closed once it is closed and its end announced

	announced bool // guarded by Link.mu, as is closing settled
}

var (
	_ transporters.Link          = (*generation)(nil)
	_ transporters.Terminator    = (*generation)(nil)
	_ transporters.Aborter       = (*generation)(nil)
	_ transporters.VersionSetter = (*generation)(nil)
)

func newGeneration(link transporters.Link, in func(transporters.Link, mcp.Message)) *generation {
	return &generation{
		link:    link,
		gone:    link.Done(),
		in:      in,
		settled: make(chan struct{}),
		retired: make(chan struct{}),
	}
}

// settle releases the exchanges that lost their peer. Link.mu is held.
func (g *generation) settle() {
	if !isClosed(g.settled) {
		close(g.settled)
	}
}

// receive is the inbound function of the plain link.
func (g *generation) receive(_ transporters.Link, m mcp.Message) {
	if !g.detached.Load() {
		g.in(g, m)
	}
}

// Traits are the plain link's.
func (g *generation) Traits() transporters.Traits { return g.link.Traits() }

// Start fails: a generation is handed out started.
func (g *generation) Start(context.Context, func(transporters.Link, mcp.Message)) error {
	return errors.New("the link is started already")
}

// Exchange is the plain link's. If the peer is gone, it returns only when it is
// decided whether there will be another one, or when ctx ends. During prepare
// nobody can wait for that decision, since it depends on prepare's return.
func (g *generation) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	reply, err := g.link.Exchange(ctx, out, sink)
	if err != nil && isClosed(g.gone) && g.serving.Load() {
		select {
		case <-g.settled:
		case <-ctx.Done():
		}
	}
	return reply, g.explain(err)
}

// Send is the plain link's.
func (g *generation) Send(ctx context.Context, out *transporters.Outbound) error {
	return g.explain(g.link.Send(ctx, out))
}

// Done is the plain link's.
func (g *generation) Done() <-chan struct{} { return g.gone }

// Err is the plain link's.
func (g *generation) Err() error { return g.explain(g.link.Err()) }

// Close ends this connection only. For supervision, and for the requests that
// were running, it is a death like any other, so it is the way to get rid of a
// peer that hangs.
func (g *generation) Close(ctx context.Context) error {
	g.givenUp.Store(true)
	return g.link.Close(ctx)
}

// explain makes of what the plain link says of a peer that was given up, that
// its owner closed it, what that is to everybody else: a lost peer.
func (g *generation) explain(err error) error {
	if err == nil || !g.givenUp.Load() || !errors.Is(err, errors.ErrTransportClosed) {
		return err
	}
	lost := &errors.TransporterRequestError{
		Kind: errors.KindTransport, Message: "the peer did not answer any more and was given up", Err: errors.ErrPeerLost,
	}
	if errors.Is(err, errors.ErrNotSent) {
		lost.Delivery, lost.Err = errors.DeliveryNotSent, fmt.Errorf("%w: %w", errors.ErrNotSent, errors.ErrPeerLost)
	}
	return lost
}

// Listen is that of the link, if it has a standing stream.
func (g *generation) Listen(ctx context.Context, header http.Header, tried func()) error {
	if standing, ok := g.link.(transporters.Standing); ok {
		return standing.Listen(ctx, header, tried)
	}
	if tried != nil {
		tried()
	}
	return transporters.ErrNotOffered
}

// Terminate is the plain link's, and does nothing if that is no Terminator.
func (g *generation) Terminate(ctx context.Context, header http.Header) error {
	if terminator, ok := g.link.(transporters.Terminator); ok {
		return terminator.Terminate(ctx, header)
	}
	return nil
}

// Abort is the plain link's, and does nothing if that is no Aborter.
func (g *generation) Abort(id uint64) {
	if aborter, ok := g.link.(transporters.Aborter); ok {
		aborter.Abort(id)
	}
}

// SetVersion is the plain link's, and does nothing if that is no VersionSetter.
func (g *generation) SetVersion(version mcp.Version) {
	if setter, ok := g.link.(transporters.VersionSetter); ok {
		setter.SetVersion(version)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
