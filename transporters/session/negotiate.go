package session

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// negotiation finds out which era and version one fresh connection speaks
// (S1-S25, H1-H23). It runs in one goroutine, except for a probe whose answer
// is still awaited while the older handshake is tried as well.
//
// Loop guard: at most one version retry, one new probe after a refused
// handshake, one other version in the handshake. All share the context's
// deadline.
type negotiation struct {
	session *Session
	ctx     context.Context
	link    transporters.Link
	past    verdict
	began   time.Time

	versionRetried bool // S4
	reprobed       bool // S13, S23
	reoffered      bool // S22
	fellBack       bool // H20

	step   string // what was exchanged last
	probed string // what an answered probe told, if it led to the handshake
}

// probeAnswer is what became of a probe.
type probeAnswer struct {
	reply transporters.Reply
	err   error
}

// negotiate makes a peer of a fresh link, remembers the verdict, and makes it
// the current peer. It is also what a reconnecting link calls to prepare.
func (s *Session) negotiate(ctx context.Context, link transporters.Link) (*peer, error) {
	s.loadVerdict(ctx)
	n := &negotiation{session: s, ctx: ctx, link: link, past: s.recall(), began: time.Now()}
	p, err := n.run()
	if err != nil {
		return nil, n.failed(err)
	}
	s.remember(func(v *verdict) {
		v.era, v.version = p.info.Era, p.info.Version
		v.exitedOnProbe = false
		v.workedAsModern = v.workedAsModern || p.info.Era == mcp.EraModern
	})
	s.saveVerdict(ctx, n.past, p)
	s.mirrors.forget()
	p.settling.Store(true)
	replaced := s.current.Load()
	p.connection = n.describeConnection(p, replaced)
	s.current.Store(p)
	s.disconnected(replaced, s.failure(errors.ErrPeerLost, "", nil)) // unless that was told
	if p.info.Era == mcp.EraLegacy {
		s.settle(ctx, p)
	}
	s.announceConnection(p)
	s.changed()
	p.settling.Store(false)
	if s.reconnecting == nil {
		s.arrivals.announce()
	}
	s.watchHealth(p)
	s.log.Debug("connected", "server", s.server, "version", p.info.Version, "implementation", errors.PeerText(p.info.Implementation.Name, 100))
	return p, nil
}

// failed completes the error of a negotiation: what was being done, what the
// probe had told before (S24), and whether it was our own limit.
func (n *negotiation) failed(err error) error {
	step := n.step
	if n.probed != "" && step == mcp.MethodInitialize {
		step += " (after server/discover: " + n.probed + ")"
	}
	if step != "" {
		err = during(step, err)
	}
	if n.ctx.Err() != nil {
		err = because(context.Cause(n.ctx), err)
	} else if spent(n.link) && n.session.ctx.Err() == nil {
		err = because(errors.ErrStartFailed, err)
	}
	return err
}

func (n *negotiation) run() (*peer, error) {
	protocol := n.session.settings.Protocol
	switch version := mcp.Version(protocol); {
	case n.session.traits.Legacy && version.Era() != mcp.EraLegacy:
		return n.initialize(n.ctx, mcp.LegacyVersions()[0], nil)
	case protocol == ProtocolLegacy:
		return n.initialize(n.ctx, mcp.LegacyVersions()[0], nil)
	case version.Era() == mcp.EraLegacy:
		return n.initialize(n.ctx, version, nil)
	case version.Era() == mcp.EraModern:
		return n.probe(version)
	case n.past.exitedOnProbe: // S14
		return n.initialize(n.ctx, mcp.LegacyVersions()[0], nil)
	case n.past.era == mcp.EraLegacy:
		return n.initializeAsBefore()
	default:
		return n.probe(mcp.ModernVersions()[0])
	}
}

// initializeAsBefore tries the remembered era first and falls back to the full
// table where the peer refuses it.
func (n *negotiation) initializeAsBefore() (*peer, error) {
	p, err := n.initialize(n.ctx, mcp.LegacyVersions()[0], nil)
	failure, answered := errors.AsType[*errors.TransporterRequestError](err)
	if err == nil || n.ctx.Err() != nil || n.reprobed || spent(n.link) || !answered {
		return p, err
	}
	refused := failure.Kind == errors.KindPeer || failure.Kind == errors.KindStatus || failure.Kind == errors.KindVersion
	if !refused || failure.Kind == errors.KindStatus && !isRefusal(failure.Status) {
		return nil, err
	}
	n.session.remember(func(v *verdict) { v.era = mcp.EraUnknown })
	return n.probe(mcp.ModernVersions()[0])
}

// isRefusal: statuses by which an HTTP server says that it does not know such
// a request; everything else is no evidence.
func isRefusal(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}

// mayBeLegacy reports whether the configuration lets a legacy verdict stand.
func (n *negotiation) mayBeLegacy() bool { return n.session.settings.Protocol == ProtocolAuto }

// probe asks server/discover and acts on the answer.
func (n *negotiation) probe(version mcp.Version) (*peer, error) {
	for {
		pending := n.startProbe(version)
		o := n.await(pending)
		switch o.kind {
		case outcomeModern:
			return n.modernPeer(o)
		case outcomeRetry:
			if n.versionRetried || o.version != version && !n.mayRetryVersion() {
				return nil, versionMismatch([]mcp.Version{o.version})
			}
			n.versionRetried = true
			version = o.version
		case outcomeLegacy:
			if !n.mayBeLegacy() {
				return nil, legacyOnlyServer(o)
			}
			return n.initializeAfterProbe(o)
		case outcomeSilent:
			if !n.mayBeLegacy() {
				return nil, fmt.Errorf("%w: the server did not answer server/discover", errors.ErrConnectTimeout)
			}
			return n.initializeBesideProbe(pending)
		case outcomeExited:
			return nil, n.exited(o.err)
		default:
			return nil, o.err
		}
	}
}

// mayRetryVersion: a pinned version is not exchanged for another.
func (n *negotiation) mayRetryVersion() bool {
	return mcp.Version(n.session.settings.Protocol).Era() == mcp.EraUnknown
}

func legacyOnlyServer(o outcome) error {
	text := "the server speaks only legacy versions"
	if o.version != "" {
		text += ", for example " + string(o.version)
	}
	return &errors.TransporterRequestError{Kind: errors.KindVersion, Delivery: errors.DeliveryRefused, Message: text, Err: errors.ErrVersionMismatch}
}

// exited decides what the end of the peer during the probe means: some legacy
// servers exit at any request before initialize (S14). One that has worked as a
// modern server has simply failed.
func (n *negotiation) exited(err error) error {
	if n.session.reconnecting == nil || !n.mayBeLegacy() || n.past.workedAsModern || n.past.exitedOnProbe {
		return err
	}
	n.session.remember(func(v *verdict) { v.exitedOnProbe = true })
	return fmt.Errorf("%w: %w", errors.ErrRedial, err)
}

// startProbe sends server/discover in a goroutine of its own, which ends with
// the connect context at the latest and never sends a cancel notice.
func (n *negotiation) startProbe(version mcp.Version) <-chan probeAnswer {
	n.step = mcp.MethodDiscover
	answers := make(chan probeAnswer, 1)
	meta := modernMeta(version, n.session.announced(), n.session.handlers.capabilities(mcp.EraModern))
	header := modernHeader(version, mcp.MethodDiscover, "")
	run := func() {
		reply, err := n.session.exchange(n.ctx, n.link, mcp.MethodDiscover, nil, meta, header)
		answers <- probeAnswer{reply, err}
	}
	if !n.session.traits.SilenceIsEvidence {
		run() // nothing happens beside it: spare the goroutine
	} else if !n.session.tasks.start(run) {
		answers <- probeAnswer{err: errors.ErrTransportClosed}
	}
	return answers
}

// await waits for the probe's answer, where silence is evidence only for
// probe_timeout (S11).
func (n *negotiation) await(pending <-chan probeAnswer) outcome {
	var silence <-chan time.Time
	if timeout, ok := n.session.settings.ProbeTimeout.Value(); ok && n.session.traits.SilenceIsEvidence {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		silence = timer.C
	}
	select {
	case answer := <-pending:
		n.probed = describe(answer.reply)
		return n.judge(answer)
	case <-silence:
		return outcome{kind: outcomeSilent}
	}
}

func (n *negotiation) judge(answer probeAnswer) outcome {
	switch {
	case answer.err == nil:
		return classify(answer.reply)
	case spent(n.link) && n.ctx.Err() == nil:
		return outcome{kind: outcomeExited, err: answer.err}
	default:
		return failed(answer.err) // H23
	}
}

// modernPeer makes the peer of a DiscoverResult.
func (n *negotiation) modernPeer(o outcome) (*peer, error) {
	s := n.session
	n.setVersion(o.version)
	return newPeer(n.link, newModern(o.version, s.announced(), s.handlers), "", transporters.ServerInfo{
		Era: mcp.EraModern, Version: o.version,
		Implementation: o.discovered.ServerInfo,
		Capabilities:   o.discovered.Capabilities.Raw,
		Instructions:   o.discovered.Instructions,
	}), nil
}

func (n *negotiation) setVersion(version mcp.Version) {
	if setter, ok := n.link.(transporters.VersionSetter); ok {
		setter.SetVersion(version)
	}
}

// exchange makes one round trip of our own, beside the callers' requests. Its
// errors never look like the caller's doing.
func (s *Session) exchange(ctx context.Context, link transporters.Link, method string, params *mcp.Params, meta []byte, header http.Header) (transporters.Reply, error) {
	id := s.ids.next()
	out := &transporters.Outbound{
		Frame:  jsonrpc.AppendRequest(nil, id, s.settings.IDType == IDTypeString, method, params, meta, 0),
		ID:     id,
		Method: method,
	}
	if s.traits.HTTP {
		out.Header = header
	}
	reply, err := link.Exchange(ctx, out, noSink{})
	if err == nil && !reply.Message.IsZero() {
		s.seen(reply.Message)
	}
	return reply, hideContextErrors(err)
}

// noSink is the sink of exchanges that nobody follows.
type noSink struct{}

func (noSink) Accepted()           {}
func (noSink) Arrived()            {}
func (noSink) Deliver(mcp.Message) {}

// initializeParams are the params of the legacy handshake (R050).
type initializeParams struct {
	ProtocolVersion mcp.Version        `json:"protocolVersion"`
	Capabilities    json.RawMessage    `json:"capabilities"`
	ClientInfo      mcp.Implementation `json:"clientInfo"`
}
