// Package transporters defines the two seams that carry everything.
//
// A Transporter makes calls: one method, Request, from an action and its params
// to a result. The session in transporters/session is one; the policies in
// transporters/policy wrap one and are one; a fake in a test is one.
//
// A Link moves JSON-RPC messages to and from one peer. It knows bytes and
// framing and nothing of their meaning: transporters/httplink and
// transporters/stdiolink are Links, transporters/supervise is a Link that
// replaces a Link that died. Between the two stands the protocol engine,
// transporters/session, which turns any Link into a Transporter.
//
//	Connection -> policies (Transporter) -> session -> Link -> the peer
//
// What happens is told to Listeners, which come and go, and to Hooks, which are set
// once; a Base announces it through Observers. Without either nothing is spent on
// it.
//
// A transport of your own (WebSocket, NATS, a pipe) is a type with the methods
// of Link, handed to session.New and registered with the factory under its
// `type`.
package transporters
