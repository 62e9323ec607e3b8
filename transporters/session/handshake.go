package session

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// initializeAfterProbe does the legacy handshake with a peer that the probe
// showed, or made look, legacy.
func (n *negotiation) initializeAfterProbe(o outcome) (*peer, error) {
	version := o.version
	if version == "" {
		version = mcp.LegacyVersions()[0]
	}
	p, err := n.initialize(n.ctx, version, nil)
	if err != nil && o.candidate {
		// H13, H20: the refusal of both POSTs is what helps the user.
		if failure, ok := errors.AsType[*errors.TransporterRequestError](err); ok && isRefusal(failure.Status) {
			told := *failure
			told.Err = fmt.Errorf("%w: neither server/discover nor initialize is known at this URL", errors.ErrNotMCP)
			return nil, &told
		}
	}
	return p, err
}

// initializeBesideProbe handles a peer that did not answer the probe in time
// (S11-S13): the handshake is tried on the same connection while the probe's
// answer may still come. If it comes, the handshake gets probe_timeout more
// before the peer counts as a slow modern one.
func (n *negotiation) initializeBesideProbe(pending <-chan probeAnswer) (*peer, error) {
	ctx, cancel := context.WithCancelCause(n.ctx)
	defer cancel(nil)
	held := make(chan probeAnswer, 1)
	watching := n.session.tasks.start(func() {
		answer := <-pending // ends with the connect context at the latest
		held <- answer
		if n.judge(answer).kind == outcomeModern {
			patience := time.NewTimer(n.session.settings.ProbeTimeout.Or(0))
			defer patience.Stop()
			select {
			case <-patience.C:
				cancel(errors.New("initialize was not answered, server/discover was"))
			case <-ctx.Done():
			}
		}
	})
	if !watching {
		return nil, errors.ErrTransportClosed
	}
	p, err := n.initialize(ctx, mcp.LegacyVersions()[0], held)
	if err == nil {
		return p, nil // S12: even if the probe is answered as well, legacy for this process
	}
	if spent(n.link) {
		return nil, n.exited(err)
	}
	if o, ok := n.heldOutcome(held); ok && o.kind == outcomeModern {
		return n.modernPeer(o) // S12: a slow modern server
	}
	return nil, err
}

// heldOutcome returns what a probe that ran beside the handshake told, if it
// was answered by now.
func (n *negotiation) heldOutcome(held <-chan probeAnswer) (outcome, bool) {
	select {
	case answer := <-held:
		return n.judge(answer), true
	default: // also where held is nil
		return outcome{}, false
	}
}

// initialize does the legacy handshake (S20-S25): offer a version, check the
// one that comes back, confirm. held brings the answer of a
// probe that was sent before and not answered in time; it may be nil.
func (n *negotiation) initialize(ctx context.Context, offer mcp.Version, held <-chan probeAnswer) (*peer, error) {
	s := n.session
	params, err := mcp.ParamsOf(initializeParams{offer, s.handlers.capabilities(mcp.EraLegacy), s.announced()})
	if err != nil {
		return nil, err
	}
	n.step = mcp.MethodInitialize
	reply, err := s.exchange(ctx, n.link, mcp.MethodInitialize, params, nil, baseHeader())
	if err != nil {
		return nil, err
	}
	if reply.Message.IsZero() {
		return n.fallBack(ctx, reply, statusFailure(reply))
	}
	if failure := reply.Message.Failure(); failure != nil {
		return n.initializeRefused(ctx, failure, reply, offer, held)
	}
	result, err := mcp.ParseInitializeResult(mcp.NewResult(reply.Message.Result))
	if err != nil {
		return nil, protocolError("the answer to initialize is not an InitializeResult: " + errors.PeerText(err.Error(), maxPeerText))
	}
	if err := n.checkVersion(result.ProtocolVersion); err != nil {
		return nil, err
	}
	return n.confirm(result, reply)
}

// checkVersion holds R054: a version that is not ours ends the connection, and
// so does another one than the pinned one.
func (n *negotiation) checkVersion(version mcp.Version) error {
	pinned := mcp.Version(n.session.settings.Protocol)
	if version.Era() == mcp.EraLegacy && (pinned.Era() == mcp.EraUnknown || pinned == version) {
		return nil
	}
	return versionMismatch([]mcp.Version{version})
}

// initializeRefused handles an error answer to initialize (S22-S24).
func (n *negotiation) initializeRefused(ctx context.Context, failure *mcp.Error, reply transporters.Reply, offer mcp.Version, held <-chan probeAnswer) (*peer, error) {
	theirs := supportedVersions(failure)
	if mcp.IsModernCode(failure.Code) {
		return n.modernAfterAll(failure, reply, theirs, held)
	}
	if version, ok := mcp.NewestCommon(mcp.LegacyVersions(), theirs); ok && version != offer && !n.reoffered && n.mayRetryVersion() {
		n.reoffered = true
		return n.initialize(ctx, version, held) // S22
	}
	refusal := peerFailure(failure, reply)
	if len(theirs) > 0 {
		refusal.Kind, refusal.Err = errors.KindVersion, versionMismatch(theirs)
	} else if reply.Status == http.StatusUnauthorized || reply.Status == http.StatusForbidden {
		return nil, statusFailure(reply)
	}
	return n.fallBack(ctx, reply, refusal) // S24
}

// fallBack looks for HTTP+SSE behind a URL that refused the POST (R115, H20).
// If there is none, the refusal of the POST is what is reported, with the
// outcome as its detail (H21).
func (n *negotiation) fallBack(ctx context.Context, reply transporters.Reply, refusal *errors.TransporterRequestError) (*peer, error) {
	older, ok := n.link.(transporters.Fallback)
	if !ok || n.fellBack || !isRefusal(reply.Status) {
		return nil, refusal
	}
	n.fellBack = true
	link, err := older.Legacy(ctx, n.session.inbound)
	if err != nil {
		refusal.Message += "; HTTP+SSE is not there either: " + errors.PeerText(err.Error(), maxSnippet)
		return nil, refusal
	}
	main := n.link
	n.link = link
	p, err := n.initialize(ctx, mcp.LegacyVersions()[0], nil)
	if err != nil {
		n.link = main
		_ = link.Close(ctx)
	}
	return p, err
}

// modernAfterAll: the handshake met a modern server (S13, S23).
func (n *negotiation) modernAfterAll(failure *mcp.Error, reply transporters.Reply, theirs []mcp.Version, held <-chan probeAnswer) (*peer, error) {
	if !n.mayBeLegacy() { // legacy only, or pinned
		refusal := peerFailure(failure, reply)
		refusal.Kind = errors.KindVersion
		refusal.Err = fmt.Errorf("%w: the server speaks only modern versions", errors.ErrVersionMismatch)
		return nil, refusal
	}
	if o, ok := n.heldOutcome(held); ok && o.kind == outcomeModern {
		return n.modernPeer(o)
	}
	if n.reprobed {
		return nil, peerFailure(failure, reply)
	}
	n.reprobed = true
	version, ok := mcp.NewestCommon(mcp.ModernVersions(), theirs)
	if !ok {
		version = mcp.ModernVersions()[0]
	}
	// Silence is no evidence any more: the peer has spoken.
	o := n.judge(<-n.startProbe(version))
	if o.kind != outcomeModern {
		return nil, peerFailure(failure, reply)
	}
	return n.modernPeer(o)
}

// confirm takes the session id, sends notifications/initialized and makes the
// peer. If the notification is refused, the session is void.
func (n *negotiation) confirm(result *mcp.InitializeResult, reply transporters.Reply) (*peer, error) {
	s := n.session
	sessionID, err := sessionIDOf(reply.Header)
	if err != nil {
		return nil, err
	}
	n.setVersion(result.ProtocolVersion)
	strategy := newLegacy(result.ProtocolVersion, sessionID, s.sessionLostMatch)
	out := &transporters.Outbound{
		Frame:  jsonrpc.AppendNotification(nil, mcp.NotificationInitialized, nil, nil),
		Method: mcp.NotificationInitialized,
		Header: strategy.headers,
	}
	if err := n.link.Send(n.ctx, out); err != nil {
		return nil, because(errors.New("confirming the handshake failed"), hideContextErrors(err))
	}
	n.restoreLogLevel(strategy)
	return newPeer(n.link, strategy, sessionID, transporters.ServerInfo{
		Era: mcp.EraLegacy, Version: result.ProtocolVersion,
		Implementation: result.ServerInfo,
		Capabilities:   result.Capabilities.Raw,
		Instructions:   result.Instructions,
	}), nil
}

// sessionIDOf reads the session header, which may hold visible ASCII only.
func sessionIDOf(header http.Header) (string, error) {
	id := header.Get(mcp.HeaderSessionID)
	for i := 0; i < len(id); i++ {
		if id[i] <= ' ' || id[i] > '~' {
			return "", protocolError("the session id holds characters that are not visible ASCII")
		}
	}
	return id, nil
}
