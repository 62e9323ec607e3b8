package session

import (
	"sync/atomic"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// peer is one negotiated connection: everything that ends with it.
type peer struct {
	link      transporters.Link // the very link it was negotiated on
	era       era
	sessionID string // legacy HTTP, else empty
	info      transporters.ServerInfo

	settling atomic.Bool   // current, but those who connect wait for the standing stream
	standing atomic.Bool   // the standing stream was asked for
	lost     atomic.Bool   // the server forgot the session, or the verdict was refuted
	gone     chan struct{} // closed when lost is set
}

func newPeer(link transporters.Link, strategy era, sessionID string, info transporters.ServerInfo) *peer {
	return &peer{link: link, era: strategy, sessionID: sessionID, info: info, gone: make(chan struct{})}
}

// usable reports whether requests may still be sent to this peer.
func (p *peer) usable() bool { return !p.lost.Load() && !spent(p.link) }

// retire marks the peer as no longer usable and reports whether this call was
// the first to do so.
func (p *peer) retire() bool {
	if !p.lost.CompareAndSwap(false, true) {
		return false
	}
	close(p.gone)
	return true
}
