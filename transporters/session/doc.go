// Package session is the protocol engine: it turns a Link, which moves
// messages, into a Transporter, which makes calls.
//
// A Session lives as long as its owner wants it, longer than any connection.
// It holds what outlives a connection: ids, deadlines, the verdict on the
// peer's era. What belongs to one connection is a peer: the Link it was
// negotiated on, the strategy of its era (legacy or modern), its session id and
// its headers. A request always goes to the peer it was framed for, so a frame
// can never reach a peer of another era.
//
// The handshake is lazy and happens once, however many callers come first: they
// wait for one attempt that runs on the connection's own context, so that a
// caller who gives up takes nobody else down. After a failed attempt further
// calls get the same error for connect_backoff, doubling to ten seconds.
//
// How it is cut into files:
//
//	session.go    the Session and its life: New, Close, Shutdown, State
//	connect.go    the single-flight attempt to connect, and its back-off
//	negotiate.go  the probe, the handshake, and the way between them
//	classify.go   the decision tables (rows S1-S25, H1-H23) as pure functions
//	legacy.go, modern.go, era.go
//	              what differs between the eras, as one interface
//	request.go    one request: attempts, session recovery, the answer
//	call.go       the state of one request: contexts, deadlines, events
//	inbound.go    what the server sends of its own accord
//	failure.go    errors: who failed, how, and whether it may be tried again
package session
