package errors

// The sentinels below are matched with Is. None of them is ever returned bare:
// on the request path they are wrapped in a *TransporterRequestError.
var (
	// ErrRequestTimeout: one of our own limits ended the request: the idle
	// request_timeout or the ceiling max_request_timeout. A deadline of the
	// caller's own context is context.DeadlineExceeded instead.
	ErrRequestTimeout = New("request timed out")

	// ErrAborted: the request was ended by Abort.
	ErrAborted = New("aborted")

	// ErrConnectTimeout: the handshake did not finish within connect_timeout.
	// It always comes together with ErrRequestTimeout.
	ErrConnectTimeout = New("connecting timed out")

	// ErrSessionLost: an HTTP server no longer knows the session, and
	// re-initializing did not help (max_session_retries is spent).
	ErrSessionLost = New("session lost")

	// ErrPeerLost: the connection or the process ended before it answered.
	ErrPeerLost = New("peer lost")

	// ErrStartFailed: the server's process could not be started, or ended
	// before it answered the handshake.
	ErrStartFailed = New("server failed to start")

	// ErrSupervisionExhausted: the restart budget of a supervised process is
	// spent.
	ErrSupervisionExhausted = New("restart budget exhausted")

	// ErrReconnecting: the call began while a lost peer was being replaced.
	ErrReconnecting = New("peer is being replaced")

	// ErrTransportClosed: the client, the connection or the transport was
	// closed by its owner.
	ErrTransportClosed = New("transport closed")

	// ErrAuthRequired: the server refused the credentials, or wants some.
	ErrAuthRequired = New("authorization required")

	// ErrCircuitOpen: the circuit breaker (breaker.*) is open, since requests
	// failed on their way. Nothing was sent; RetryAfter says when it lets requests
	// through again.
	ErrCircuitOpen = New("circuit open")

	// ErrLimited: a limit of the configuration (limits.*) was reached, and no
	// place became free in time. Nothing was sent; the message names the limit.
	// Where it is a rate, RetryAfter says when its turn would have come.
	ErrLimited = New("limited by configuration")

	// ErrToolChanged: the server describes the tool differently from how it was
	// first seen, or last accepted (tools.pin). Nothing was sent.
	ErrToolChanged = New("the definition of the tool has changed")

	// ErrDeliveryDropped: events came faster than the callback took them, and
	// the byte bound of the delivery queue was reached.
	ErrDeliveryDropped = New("delivery dropped")

	// ErrToolDenied: the configuration's allow and deny lists forbid this tool,
	// prompt or resource.
	ErrToolDenied = New("denied by configuration")

	// ErrToolFailed: a tool's result has isError set, so that there is nothing to
	// decode. It comes from decoding a result, never from a request.
	ErrToolFailed = New("the tool reported an error")

	// ErrVersionMismatch: client and server share no protocol version.
	ErrVersionMismatch = New("no common protocol version")

	// ErrNotSent: the message surely did not leave this client.
	ErrNotSent = New("not sent")

	// ErrMessageTooLarge: a body, event or line exceeds its configured limit.
	ErrMessageTooLarge = New("message too large")

	// ErrProtocol: the peer broke the protocol.
	ErrProtocol = New("protocol violation")

	// ErrNotMCP: what answered is not an MCP server, for example a web page.
	ErrNotMCP = New("not an MCP endpoint")

	// ErrUnknownServer: no server of that name is configured.
	ErrUnknownServer = New("unknown server")

	// ErrServerExists: a server of that name is there already.
	ErrServerExists = New("server exists already")

	// ErrUnknownName: no server of a group has a tool, prompt or resource that the
	// group calls so.
	ErrUnknownName = New("unknown name")

	// ErrNameCollision: several servers of a group have a tool, prompt or resource
	// of the same name.
	ErrNameCollision = New("the name is not unique")

	// ErrInvalidParams: the params handed to Request cannot be sent.
	ErrInvalidParams = New("invalid params")

	// ErrCapabilityMissing: the server did not announce the capability that
	// the action needs, or a transporter that was injected cannot do it. Calls
	// are made all the same: many servers offer more than they announce.
	ErrCapabilityMissing = New("capability not announced by server")

	// ErrRedial asks a supervised link to dial again once, without counting
	// the attempt. It is returned by a prepare function, never to a caller.
	ErrRedial = New("dial again")
)
