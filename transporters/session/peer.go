package session

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// peer is one negotiated connection: everything that ends with it.
type peer struct {
	link      transporters.Link // the very link it was negotiated on
	era       era
	sessionID string // legacy HTTP, else empty
	info      transporters.ServerInfo

	connection transporters.ConnectInfo
	announced  atomic.Bool // hooks were told of the connection, and not of its end
	forgotten  atomic.Bool // the server forgot the session

	settling atomic.Bool   // current, but those who connect wait for the standing stream
	standing atomic.Bool   // the standing stream was asked for
	lost     atomic.Bool   // the server forgot the session, or the verdict was refuted
	gone     chan struct{} // closed when lost is set
}

func newPeer(link transporters.Link, strategy era, sessionID string, info transporters.ServerInfo) *peer {
	info.Capabilities = bytes.Clone(info.Capabilities) // lest it keep the whole answer
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

// describeConnection counts a handshake that succeeded, and describes what it led
// to; replaced is the peer before, or nil.
func (n *negotiation) describeConnection(p, replaced *peer) transporters.ConnectInfo {
	s := n.session
	reason := transporters.ConnectFirst
	switch {
	case replaced == nil:
	case replaced.forgotten.Load():
		reason = transporters.ConnectSessionLost
		s.counters.sessionsRecovered.Add(1)
	case replaced.lost.Load():
		reason = transporters.ConnectRenegotiate
	default:
		reason = transporters.ConnectRestart
	}
	traits := p.link.Traits()
	return transporters.ConnectInfo{
		Number: s.counters.handshakes.Add(1), Reason: reason, Era: p.info.Era, Version: p.info.Version,
		Transport: traits.Name, Address: traits.Address, HasSession: p.sessionID != "", Implementation: p.info.Implementation,
		At: time.Now(), Took: time.Since(n.began),
	}
}
