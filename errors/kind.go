package errors

// Kind classes a request failure by who or what caused it.
type Kind uint8

// The kinds of request failure.
const (
	// KindUnknown is the zero value; it is never set by this module.
	KindUnknown Kind = iota
	// KindPeer: the server answered with a JSON-RPC error. Code, Message and
	// Data are the server's own.
	KindPeer
	// KindTransport: network or process failure.
	KindTransport
	// KindStatus: an HTTP status without a JSON-RPC answer to this request.
	KindStatus
	// KindTimeout: one of our deadlines or the caller's passed.
	KindTimeout
	// KindCanceled: the caller's context was cancelled, or the request aborted.
	KindCanceled
	// KindProtocol: the peer's answer breaks the protocol.
	KindProtocol
	// KindSession: the HTTP session was lost and could not be recovered.
	KindSession
	// KindAuth: authorization is needed or was refused.
	KindAuth
	// KindVersion: no protocol version fits.
	KindVersion
	// KindClosed: the client, connection or transport is closed.
	KindClosed
	// KindUnavailable: a policy (circuit breaker, limit, restart budget)
	// refused the call.
	KindUnavailable
	// KindDenied: the configuration forbids the call.
	KindDenied
	// KindParams: the caller's params cannot be sent.
	KindParams
)

var kindNames = [...]string{
	KindUnknown: "unknown", KindPeer: "peer error", KindTransport: "transport failure",
	KindStatus: "HTTP status", KindTimeout: "timeout", KindCanceled: "canceled",
	KindProtocol: "protocol violation", KindSession: "session lost", KindAuth: "authorization",
	KindVersion: "version mismatch", KindClosed: "closed", KindUnavailable: "unavailable",
	KindDenied: "denied", KindParams: "invalid params",
}

// String returns the kind's name for people.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText writes the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Delivery says what is known of a failed request's fate.
type Delivery uint8

// The fates of a failed request.
const (
	// DeliveryUnknown: the server may have carried the request out.
	DeliveryUnknown Delivery = iota
	// DeliveryNotSent: the request surely did not leave this client.
	DeliveryNotSent
	// DeliveryRefused: the server told that it did not take the request
	// (session loss, 401, 403 challenge, version or header mismatch).
	DeliveryRefused
	// DeliveryAnswered: the server answered this request with an error.
	DeliveryAnswered
)

// String returns the fate's name for people.
func (d Delivery) String() string {
	switch d {
	case DeliveryNotSent:
		return "not sent"
	case DeliveryRefused:
		return "refused"
	case DeliveryAnswered:
		return "answered"
	default:
		return "unknown"
	}
}
