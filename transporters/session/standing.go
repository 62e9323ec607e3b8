package session

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// standingPatience is the longest that a connection waits for its standing
// stream. A server that does not send the headers before its first message
// delays the first call so long.
const standingPatience = 300 * time.Millisecond

// settle opens the standing stream of a legacy HTTP peer, if there is anybody to
// listen (R103). Where the server can ask for something, the first call waits
// until it has the stream: some servers drop what they ask on it before it is
// open. ctx is that of the connecting.
func (s *Session) settle(ctx context.Context, p *peer) {
	if !s.handlers.isAny() && !s.subscriptions.isAny() {
		return
	}
	tried := s.stand(p)
	if tried == nil || !s.handlers.canBeAsked() {
		return
	}
	patience := time.NewTimer(standingPatience)
	defer patience.Stop()
	select {
	case <-tried:
	case <-patience.C:
		s.log.Debug("the standing stream takes its time: not waited for any longer", "server", s.server)
	case <-p.gone:
	case <-ctx.Done():
	}
}

// stand opens the standing stream of a legacy HTTP peer, once, in the background.
// The channel is closed when the first attempt has succeeded or failed; it is nil
// if none was begun here.
func (s *Session) stand(p *peer) <-chan struct{} {
	standing, ok := p.link.(transporters.Standing)
	if !ok || !p.standing.CompareAndSwap(false, true) {
		return nil
	}
	tried := make(chan struct{})
	decided := sync.OnceFunc(func() { close(tried) })
	started := s.tasks.start(func() {
		defer decided()
		s.listen(standing, p, decided)
	})
	if !started {
		return nil
	}
	return tried
}

// listen holds the standing stream until the peer or the session ends.
func (s *Session) listen(standing transporters.Standing, p *peer, tried func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-p.gone:
			cancel()
		case <-stop:
		}
	}()
	err := standing.Listen(ctx, p.era.header("", ""), tried)
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, errors.ErrSessionLost) && !errors.Is(err, transporters.ErrNotOffered):
		s.forgotten(p)
	default:
		s.log.Debug("no standing stream", "server", s.server, "reason", err)
	}
}
