package mcptest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/sleep"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// LinkFaults say how a FaultyLink misbehaves. Each probability, from 0 to 1, is
// that of one fate of a request; together they are at most 1, and what is left is
// how many requests fare well. What befalls a request follows from Seed and its
// id alone, so that a failure can be had again.
type LinkFaults struct {
	// Seed makes one run differ from another.
	Seed uint64
	// Methods are those that suffer; nil means all but those of the handshake.
	Methods []string
	// Latency is how long each request waits before it is sent, and Jitter how
	// much longer at most: it puts requests that are made at once into another
	// order.
	Latency, Jitter time.Duration
	// Refuse: the request is surely not sent (ErrNotSent).
	Refuse float64
	// LoseRequest: the request never gets there; nothing tells.
	LoseRequest float64
	// LoseAnswer: the peer serves the request, and nobody hears of it.
	LoseAnswer float64
	// Reset: the link dies as the request is sent (ErrPeerLost).
	Reset float64
	// Cut: the link dies in the middle of the answer (ErrPeerLost and
	// io.ErrUnexpectedEOF). The peer served the request.
	Cut float64
	// Duplicate is the probability with which notifications and progress of a
	// request come twice. It is no fate of its own.
	Duplicate float64
}

// Fates of a request, as FaultyLink.Injected counts them.
const (
	FateRefused     = "refused"
	FateLostRequest = "lost request"
	FateLostAnswer  = "lost answer"
	FateReset       = "reset"
	FateCut         = "cut"
	FateDuplicated  = "duplicated"
)

// FaultyLink is a transporters.Link that passes everything to another one, but
// not as it should. It is safe for concurrent use.
type FaultyLink struct {
	inner  transporters.Link
	faults LinkFaults

	life context.Context // its cause is why the link ended
	end  context.CancelCauseFunc

	watching sync.WaitGroup

	mu       sync.Mutex
	injected map[string]int
}

var (
	_ transporters.Link          = (*FaultyLink)(nil)
	_ transporters.Terminator    = (*FaultyLink)(nil)
	_ transporters.VersionSetter = (*FaultyLink)(nil)
	_ transporters.Aborter       = (*FaultyLink)(nil)
	_ transporters.FaultReporter = (*FaultyLink)(nil)
)

// NewFaultyLink returns a link over inner, which it closes when it is closed.
// Like inner it is single-use: to have a dead one replaced, make one in the dial
// function of supervise.New.
func NewFaultyLink(inner transporters.Link, faults LinkFaults) *FaultyLink {
	l := &FaultyLink{inner: inner, faults: faults, injected: map[string]int{}}
	l.life, l.end = context.WithCancelCause(context.Background())
	return l
}

// Injected returns how often each fate befell a request.
func (l *FaultyLink) Injected() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.injected)
}

// Traits are those of the inner link.
func (l *FaultyLink) Traits() transporters.Traits { return l.inner.Traits() }

// Start starts the inner link.
func (l *FaultyLink) Start(ctx context.Context, in func(from transporters.Link, m mcp.Message)) error {
	err := l.inner.Start(ctx, func(_ transporters.Link, m mcp.Message) { in(l, m) })
	if err != nil {
		return err
	}
	l.watching.Go(func() {
		select {
		case <-l.inner.Done():
			l.end(l.inner.Err())
		case <-l.life.Done():
		}
	})
	return nil
}

// Exchange makes the request, or lets its fate befall it.
func (l *FaultyLink) Exchange(ctx context.Context, out *transporters.Outbound, sink transporters.Sink) (transporters.Reply, error) {
	ctx, release := l.bound(ctx)
	defer release()
	delay, fate, duplicate := l.decide(out)
	if delay > 0 {
		if err := sleep.For(ctx, delay); err != nil {
			return transporters.Reply{}, fmt.Errorf("%w: %w", errors.ErrNotSent, err)
		}
	}
	l.count(fate)
	if duplicate {
		sink = &duplicatingSink{Sink: sink, count: func() { l.count(FateDuplicated) }}
	}
	switch fate {
	case FateRefused:
		return transporters.Reply{}, fmt.Errorf("%w: refused by a faulty link", errors.ErrNotSent)
	case FateLostRequest:
		sink.Accepted()
		<-ctx.Done()
		return transporters.Reply{}, context.Cause(ctx)
	case FateReset:
		sink.Accepted()
		l.end(fmt.Errorf("%w: reset by a faulty link", errors.ErrPeerLost))
		return transporters.Reply{}, l.Err()
	}
	reply, err := l.inner.Exchange(ctx, out, sink)
	switch {
	case err != nil && l.life.Err() != nil:
		return transporters.Reply{}, l.Err()
	case err != nil:
		return transporters.Reply{}, err
	case fate == FateLostAnswer:
		<-ctx.Done()
		return transporters.Reply{}, context.Cause(ctx)
	case fate == FateCut:
		l.end(fmt.Errorf("%w: cut by a faulty link: %w", errors.ErrPeerLost, io.ErrUnexpectedEOF))
		return transporters.Reply{}, l.Err()
	}
	return reply, nil
}

// Send passes a notification or a response on; it meets no fate.
func (l *FaultyLink) Send(ctx context.Context, out *transporters.Outbound) error {
	ctx, release := l.bound(ctx)
	defer release()
	if l.life.Err() != nil {
		return l.Err()
	}
	return l.inner.Send(ctx, out)
}

// Done is closed when the link has ended.
func (l *FaultyLink) Done() <-chan struct{} { return l.life.Done() }

// Err says why the link ended, nil before.
func (l *FaultyLink) Err() error { return context.Cause(l.life) }

// Close closes the inner link.
func (l *FaultyLink) Close(ctx context.Context) error {
	l.end(errors.ErrTransportClosed)
	l.watching.Wait()
	return l.inner.Close(ctx)
}

// Terminate is that of the inner link, if it has one.
func (l *FaultyLink) Terminate(ctx context.Context, header http.Header) error {
	if terminator, ok := l.inner.(transporters.Terminator); ok && l.life.Err() == nil {
		return terminator.Terminate(ctx, header)
	}
	return nil
}

// SetVersion is that of the inner link, if it has one.
func (l *FaultyLink) SetVersion(version mcp.Version) {
	if setter, ok := l.inner.(transporters.VersionSetter); ok {
		setter.SetVersion(version)
	}
}

// Abort is that of the inner link, if it has one.
func (l *FaultyLink) Abort(id uint64) {
	if aborter, ok := l.inner.(transporters.Aborter); ok {
		aborter.Abort(id)
	}
}

// OnFault is that of the inner link, if it has one.
func (l *FaultyLink) OnFault(report func(error)) {
	if reporter, ok := l.inner.(transporters.FaultReporter); ok {
		reporter.OnFault(report)
	}
}

// bound returns a context that ends with the link as well, by the same cause.
func (l *FaultyLink) bound(ctx context.Context) (context.Context, func()) {
	bounded, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.life, func() { cancel(context.Cause(l.life)) })
	return bounded, func() {
		stop()
		cancel(nil)
	}
}

// decide draws what befalls a request. The draws do not depend on each other, so
// that changing one probability leaves the rest as it was.
func (l *FaultyLink) decide(out *transporters.Outbound) (delay time.Duration, fate string, duplicate bool) {
	if !l.suffers(out.Method) {
		return 0, "", false
	}
	random := rand.New(rand.NewPCG(l.faults.Seed, out.ID))
	lot, twice, share := random.Float64(), random.Float64(), random.Float64()
	for _, f := range []struct {
		name        string
		probability float64
	}{
		{FateRefused, l.faults.Refuse}, {FateLostRequest, l.faults.LoseRequest}, {FateLostAnswer, l.faults.LoseAnswer},
		{FateReset, l.faults.Reset}, {FateCut, l.faults.Cut},
	} {
		if lot -= f.probability; lot < 0 {
			fate = f.name
			break
		}
	}
	return l.faults.Latency + time.Duration(share*float64(l.faults.Jitter)), fate, twice < l.faults.Duplicate
}

func (l *FaultyLink) suffers(method string) bool {
	if l.faults.Methods == nil {
		return method != mcp.MethodInitialize && method != mcp.MethodDiscover
	}
	return slices.Contains(l.faults.Methods, method)
}

func (l *FaultyLink) count(fate string) {
	if fate == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.injected[fate]++
}

// duplicatingSink delivers everything twice.
type duplicatingSink struct {
	transporters.Sink
	count func()
}

// Deliver delivers the message twice.
func (s *duplicatingSink) Deliver(m mcp.Message) {
	s.count()
	s.Sink.Deliver(m)
	s.Sink.Deliver(m)
}
