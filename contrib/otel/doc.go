// Package otel shows what a mcpclient.Client does to OpenTelemetry: spans and
// metrics by the semantic conventions for the Model Context Protocol, and the
// context of the trace sent along, in _meta and in HTTP headers (R026).
//
//	telemetry, err := otel.New()
//	client, err := mcpclient.New(cfg, telemetry)
//
// It is a Hook, so that it sees every call from outside of all policies, every
// time that a request is sent for it, and every connection.
//
// # Spans
//
//   - One of kind client for each call, "tools/call NAME" for a tool. It is the
//     parent of the server's span, and of what the program's own HTTP
//     instrumentation adds.
//   - One of kind internal for each attempt, "attempt tools/call", below that of
//     the call, but only where a call took more than one: each is linked to the one
//     before, with the reason.
//   - One of kind client for each handshake, "initialize" or "server/discover". It
//     has no parent, since a connection outlives the call that it was made for.
//     It is linked to the connection that was lost, and linked to by the calls that
//     waited for it.
//
// # Bounds
//
// What servers and callers make up does not grow the metrics: names of tools and
// prompts, methods and error codes are counted by name up to a limit for each
// server (WithNameLimit), further ones as "_OTHER". A tool gets a name of its own
// only when the server has answered a call of it with a result, so that a model
// that invents tools does not use the limit up. Names of spans follow the same rule.
// URIs of resources, ids, principals and payloads are in no metric, and the last two
// in no span.
package otel
