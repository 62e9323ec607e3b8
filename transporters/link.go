package transporters

import (
	"context"
	"net/http"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Link moves JSON-RPC messages to and from one peer: it knows bytes and
// framing, not meaning.
//
// A plain Link is single-use: started once, closed once, spent when its peer is
// gone. All methods are safe for concurrent use.
//
// Errors a Link returns wrap the sentinels of package errors (ErrNotSent,
// ErrPeerLost, ErrStartFailed, ErrMessageTooLarge, ErrProtocol, ErrNotMCP,
// ErrTransportClosed, ErrDeliveryDropped). Where there is more to tell (stderr,
// a body's beginning, retry-after), the error is a
// *errors.TransporterRequestError in which Server, Action and ID are left
// empty: the session fills them in.
type Link interface {
	// Traits says what the session must know about the transport. It is
	// constant.
	Traits() Traits

	// Start begins to receive. ctx bounds starting only. in receives every
	// inbound message that is neither the answer nor the progress of a running
	// exchange: requests, other notifications, and answers nobody waits for.
	// in is called from the link's reader (over HTTP from the goroutine of the
	// exchange); it does not block, write or call user code.
	Start(ctx context.Context, in func(from Link, m mcp.Message)) error

	// Exchange sends a request and returns its answer. It ends early with
	// ctx's cause when ctx ends, with ErrPeerLost when the peer is gone, and
	// always before or at the return stops calling sink.Deliver. An error that
	// wraps ErrNotSent promises that no byte of the frame left.
	Exchange(ctx context.Context, out *Outbound, sink Sink) (Reply, error)

	// Send sends a notification, or the answer to a server's request. It
	// returns when the frame is accepted (stdio: in the link's buffer; HTTP: a
	// 2xx answer came).
	Send(ctx context.Context, out *Outbound) error

	// Done is closed when the link is spent, before any waiter is released.
	Done() <-chan struct{}

	// Err says why the link ended: exit status and stderr tail, or
	// ErrTransportClosed after Close. It is nil before Done is closed.
	Err() error

	// Close ends the link and everything it started, within ctx. It is
	// idempotent, and never waits for an Exchange.
	Close(ctx context.Context) error
}

// Traits is what distinguishes one kind of Link from another.
type Traits struct {
	// Name is "http", "stdio" or the name of a transport of your own; used in
	// logs and errors.
	Name string
	// HTTP: replies carry a status, the HTTP negotiation table holds (H1-H23),
	// requests carry the protocol's headers, and a modern request is cancelled
	// by ending its exchange rather than by a notification.
	HTTP bool
	// SilenceIsEvidence: a peer that does not answer the probe within
	// probe_timeout is taken for a legacy one (S11). True for stdio, false for
	// HTTP (H23).
	SilenceIsEvidence bool
	// Legacy: the transport exists in the legacy revisions only, as HTTP+SSE
	// does. The session does the handshake at once, without a probe, which some
	// such servers never answer.
	Legacy bool
	// CopiesFrames: nobody reads a frame any more once Exchange or Send has
	// returned, so that the session may write another one into its memory.
	CopiesFrames bool
	// ReleasesCalls: nobody uses the context and the sink of an Exchange any more
	// once it has returned an answer, so that the session may use both for another
	// call. A link that hands either to foreign code must not claim it.
	ReleasesCalls bool
	// Address is the server's host:port, for telemetry; empty where it has none.
	Address string
}

// Outbound is one message to be written.
type Outbound struct {
	// Frame is the message: one line of JSON without a newline. The link does
	// not change it and does not keep it after Exchange or Send returned,
	// except for bytes still being written.
	Frame []byte
	// ID is the id of a request, by which its answer is found; 0 otherwise.
	ID uint64
	// Token is the progress token of a request, by which its progress is found;
	// 0 if it has none.
	Token uint64
	// Method and Name (tool, prompt, uri or task id) describe the message to
	// logs and to HTTP routing.
	Method, Name string
	// Header holds the protocol's headers of an HTTP request, complete: what
	// the link's configuration adds must not override them. It is shared and
	// read-only. Other links ignore it.
	Header http.Header
	// WantEvents: the sink's Deliver is to be called. Where it is false nothing
	// is queued or copied for it.
	WantEvents bool
	// Resumable: the request goes to a legacy HTTP server. If the answer's stream
	// breaks and had event ids, it is resumed with Last-Event-ID (R107), and the
	// answer may come on any stream of the link (P28). Other links ignore it.
	Resumable bool
}

// Sink follows one exchange. It is the session's own object; a link calls it.
type Sink interface {
	// Accepted: the link has taken the frame, in order. Called at most once,
	// from any goroutine; it only touches atomics.
	Accepted()
	// Arrived: a message of this exchange came in; of its answer, which ends it, a
	// link need not tell. Called from the reader's goroutine; it only touches
	// atomics.
	Arrived()
	// Deliver hands over a message that belongs to the exchange, in order, in
	// the goroutine that called Exchange, with no lock held. It is never the
	// answer: that is the Reply. Called only if WantEvents is set.
	Deliver(m mcp.Message)
}

// ContextOwner is a Sink that owns the context of its exchange, and can tell of its
// end at less cost than that of a context derived from it.
type ContextOwner interface {
	Sink
	// FollowContext has the follower told when the context ends, at once if it has.
	// There is one follower at a time; nil is none. One that was replaced may still be
	// told by what has begun before.
	FollowContext(follower ContextFollower)
}

// ContextFollower is told that a context has ended.
type ContextFollower interface {
	// ContextEnded is called from any goroutine, with a lock held: it does not block
	// and calls no user code.
	ContextEnded(cause error)
}

// Reply is what came back for a request.
type Reply struct {
	// Message is the JSON-RPC answer to this very request, a result or an
	// error, whatever the HTTP status; zero if there is none.
	Message mcp.Message
	// Status is the HTTP status, 0 for other links.
	Status int
	// Header holds the HTTP response headers, read-only.
	Header http.Header
	// Body is the beginning of the body, bounded to 4 KiB, only where there is
	// no Message.
	Body []byte
}

// Reconnecting is a Link that replaces its peer when it dies. Each replacement
// is a fresh plain Link; the session prepares it (negotiates) and from then on
// sends to that very Link.
type Reconnecting interface {
	Link
	// Connect returns nil once a prepared peer serves: at once if one does, and
	// after dialling if replacements are made on demand. While a replacement is
	// pending anyway it fails with ErrReconnecting, after the budget is spent
	// with ErrSupervisionExhausted.
	Connect(ctx context.Context) error
	// OnPrepare sets the function that every fresh link must pass, the first
	// included, inside the spawn attempt. An error is a failed spawn; one that
	// wraps ErrRedial means dial again once, uncounted. Call before Start.
	OnPrepare(func(ctx context.Context, fresh Link) error)
	// OnConnectionClosed is called once for every connection that ended, and
	// once more for a replacement that was cancelled.
	OnConnectionClosed(func(error))
	// OnReconnect is called once for every replacement that serves, after
	// prepare returned nil; never for the first connection.
	OnReconnect(func())
	// IsReconnecting reports whether a replacement is pending.
	IsReconnecting() bool
}

// Terminator is a Link that can tell its peer that the session is over: the
// HTTP DELETE (R102). The session calls it before Close, where the peer gave a
// session id.
type Terminator interface {
	Terminate(ctx context.Context, header http.Header) error
}

// Aborter is a Link that can end one running exchange by its id. An unknown id
// does nothing.
type Aborter interface {
	Abort(id uint64)
}

// FaultReporter is a Link that tells what came in and could not be used, while
// reading goes on: no more often than it is logged, for a peer can send rubbish
// without end. OnFault is called before Start; report does not block.
type FaultReporter interface {
	OnFault(report func(error))
}

// VersionSetter is a Link whose framing depends on the negotiated version:
// 2025-03-26 servers may send batches (R018). The session calls it once the
// version is known.
type VersionSetter interface {
	SetVersion(version mcp.Version)
}

// ErrNotOffered: the server does not have what Standing or Fallback looked for,
// and asking again would not help.
var ErrNotOffered = errors.New("not offered by the server")

// Standing is a Link that can hold the stream open on which a legacy HTTP server
// sends what belongs to no call: the GET stream (R103).
type Standing interface {
	// Listen opens the stream and holds it, opening it again whenever it ends
	// or cannot be had, until ctx or the link ends. It runs in the caller's
	// goroutine. What arrives goes to the function given to Start, or to the
	// exchange it belongs to. header holds the protocol's headers, those of a
	// POST; what differs for a GET is changed in a copy.
	//
	// tried, unless it is nil, is called once, as soon as the first attempt is
	// decided: the headers of its response have come, or it has failed. Then a
	// server that was going to accept the stream has it. It must not block.
	//
	// It returns ctx's cause, the link's end, or what makes another try useless:
	// ErrNotOffered (405; other refusals that are not temporary; an answer that
	// is no event stream), and ErrSessionLost for 404 where header has a session
	// id. If the stream had not been open before, a 404 is both: such a server
	// may lack the stream, or have lost the session, and only a request tells.
	// These are *errors.TransporterRequestError, with Status and Snippet.
	Listen(ctx context.Context, header http.Header, tried func()) error
}

// Fallback is a Link whose peer may have to be spoken to in an older way: an
// HTTP link, of whose URL the server wants HTTP+SSE (H13, H20).
type Fallback interface {
	// Legacy looks for HTTP+SSE behind the same URL. It returns a Link that is
	// started (in is as for Start), shares this link's settings and connections,
	// and ends with it; whoever asked for it closes it when it is no longer
	// wanted. When its stream ends, so does that Link, and Legacy gives another.
	//
	// ctx bounds the opening only, which is bounded on its own as well. The text
	// of an error is the detail to be reported beside the refusal of the POST
	// (H21).
	Legacy(ctx context.Context, in func(from Link, m mcp.Message)) (Link, error)
}
