package transporters

import (
	"context"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// Hook is anything with some of the methods of the interfaces HookRequestStart,
// HookRequestEnd, HookAttemptStart, HookAttemptEnd, HookConnect, HookDisconnect,
// HookStateChange, HookNotification and HookError: each is found and called by
// itself. It is for what has to see everything that a client does, such as
// telemetry; Listeners are for one connection, and come and go.
//
// The hooks of requests and attempts run in the goroutine of the call, in its way,
// so they must be fast; the others run one at a time, in order, on a goroutine
// that nobody waits for, and if they fall behind by more than 1,024 events further
// ones are left out. None is called under a lock. What a hook is given it must not
// change, nor keep beyond the call, except where it is a value.
type Hook any

// HookRequestStart is called when a call begins, outside of all policies: with
// what the caller asked for. The context that it returns goes on with the call,
// so that a span begun here is the parent of all below; nil means ctx. A hook that
// comes later gets what the one before returned.
type HookRequestStart interface {
	OnRequestStart(ctx context.Context, request *RequestInfo) context.Context
}

// HookRequestEnd is called when a call returns, with what the caller gets, also if
// a callback of the caller's panicked. ctx is the context that OnRequestStart
// returned.
type HookRequestEnd interface {
	OnRequestEnd(ctx context.Context, request *RequestInfo, outcome *RequestOutcome)
}

// HookAttemptStart is called before a request is handed to the connection: once
// for each time it is sent, within the time of its call. Of the context that it
// returns the values go on with the attempt, to the round tripper of an HTTP
// request for example; nil means ctx.
type HookAttemptStart interface {
	OnAttemptStart(ctx context.Context, attempt *AttemptInfo) context.Context
}

// HookAttemptEnd is called when the attempt is over. ctx is the context that
// OnAttemptStart returned.
type HookAttemptEnd interface {
	OnAttemptEnd(ctx context.Context, attempt *AttemptInfo, outcome *AttemptOutcome)
}

// HookConnect is called after each handshake that succeeded.
type HookConnect interface {
	OnConnect(source Source, connection ConnectInfo)
}

// HookDisconnect is called once for each connection that OnConnect told of, when
// it has ended: by Close (ErrTransportClosed), because the peer died, or because
// the server forgot the session (ErrSessionLost).
type HookDisconnect interface {
	OnDisconnect(source Source, connection ConnectInfo, reason error)
}

// HookStateChange is called for each change of a base's state.
type HookStateChange interface {
	OnStateChange(source Source, change StateChange)
}

// HookNotification is called for each notification of a server that belongs to no
// request, those of subscriptions included.
type HookNotification interface {
	OnNotification(source Source, notification mcp.Message)
}

// HookError is called for what the listeners of OnError are told.
type HookError interface {
	OnError(source Source, err error)
}

// RequestInfo describes a call.
type RequestInfo struct {
	Source
	// Action is the method that is asked for, such as "tools/call".
	Action string
	// Name is the name of the tool or prompt, the uri of the resource, the id of
	// the task; empty for other actions.
	Name string
	// Began is when the call began.
	Began time.Time
}

// RequestOutcome is what came of a call.
type RequestOutcome struct {
	// Duration is how long it took, everything included.
	Duration time.Duration
	// Err is the error that the caller gets, nil for a result.
	Err error
	// ToolError: the result of a tool has isError set.
	ToolError bool
	// Attempts is how often a request was sent for it. It is 0 if a policy
	// refused the call or answered it, if there was no connection, and for
	// transporters that are no sessions.
	Attempts int
	// Retries is how many times policies sent the request once more.
	Retries int
	// SessionRecoveries is how many times the server had forgotten the session.
	SessionRecoveries int
	// Resends is how many times the request was sent to the replacement of a peer
	// that had died.
	Resends int
	// Rounds is how many times the server was given input that it asked for.
	Rounds int
	// Last describes the last attempt; zero if there was none.
	Last AttemptInfo
}

// AttemptInfo describes one time that a request is sent.
type AttemptInfo struct {
	Source
	// Action is the method that was asked for, Method the one that is sent: in
	// the modern era server/discover stands for ping.
	Action, Method string
	// Name is as in RequestInfo.
	Name string
	// ID is the request's id on the wire, which Abort takes.
	ID mcp.ID
	// Number counts the attempts of the call from 1; those of a base that is used
	// without hooks for requests, of the request.
	Number int
	// Reason says why there is this attempt.
	Reason AttemptReason
	// Connection is the connection that it goes to.
	Connection ConnectInfo
	// Began is when it began.
	Began time.Time
}

// AttemptOutcome is what came of an attempt.
type AttemptOutcome struct {
	// Duration is how long it took.
	Duration time.Duration
	// Err is why there is no answer; nil if there is one, if only a status.
	Err error
	// Status is the HTTP status; 0 over other transports.
	Status int
	// Failure is the error that the server answered with, or nil.
	Failure *mcp.Error
}

// ConnectInfo describes a connection: what a handshake led to.
type ConnectInfo struct {
	// Number counts the connections of the base from 1; 0 says that there is
	// none.
	Number uint64
	// Reason says why this one was made.
	Reason ConnectReason
	// Era and Version are what both sides agreed on.
	Era     mcp.Era
	Version mcp.Version
	// Transport is the name of the transport, such as "http" and "stdio";
	// Address is the server's host:port, empty where it has none.
	Transport, Address string
	// HasSession: the server gave a session id (legacy HTTP).
	HasSession bool
	// Implementation names the server; self-reported.
	Implementation mcp.Implementation
	// At is when the handshake was done, Took how long it took.
	At   time.Time
	Took time.Duration
}

// AttemptReason is why a request is sent.
type AttemptReason uint8

// The reasons for an attempt.
const (
	// AttemptFirst: it is the first one.
	AttemptFirst AttemptReason = iota
	// AttemptRetry: a policy sends the request once more.
	AttemptRetry
	// AttemptSessionRecovered: the server had forgotten the session.
	AttemptSessionRecovered
	// AttemptResent: the peer was gone before anything was sent.
	AttemptResent
	// AttemptReplayed: the peer died before it answered a request that only reads
	// (retry_lost_requests).
	AttemptReplayed
	// AttemptRenegotiated: the server no longer speaks the version.
	AttemptRenegotiated
	// AttemptRelisted: the server expects other arguments repeated in headers.
	AttemptRelisted
	// AttemptInput: the server is given the input that it asked for.
	AttemptInput
	// AttemptVisited: the user has visited the pages that the server named.
	AttemptVisited
)

// String returns the reason in a word or two.
func (r AttemptReason) String() string {
	switch r {
	case AttemptRetry:
		return "retry"
	case AttemptSessionRecovered:
		return "session recovered"
	case AttemptResent:
		return "resent"
	case AttemptReplayed:
		return "replayed"
	case AttemptRenegotiated:
		return "renegotiated"
	case AttemptRelisted:
		return "relisted"
	case AttemptInput:
		return "input"
	case AttemptVisited:
		return "visited"
	default:
		return "first"
	}
}

// ConnectReason is why a connection is made.
type ConnectReason uint8

// The reasons for a connection.
const (
	// ConnectFirst: it is the first one.
	ConnectFirst ConnectReason = iota
	// ConnectRestart: the peer had died.
	ConnectRestart
	// ConnectSessionLost: the server had forgotten the session.
	ConnectSessionLost
	// ConnectRenegotiate: the server no longer spoke the version.
	ConnectRenegotiate
)

// String returns the reason in a word or two.
func (r ConnectReason) String() string {
	switch r {
	case ConnectRestart:
		return "restart"
	case ConnectSessionLost:
		return "session lost"
	case ConnectRenegotiate:
		return "renegotiate"
	default:
		return "first"
	}
}

// errNoHook is why NewHooks fails.
var errNoHook = errors.New("it has none of the methods of a hook, with the arguments that they have")
