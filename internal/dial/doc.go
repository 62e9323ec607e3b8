// Package dial makes the HTTP transports of this module. It is the one place
// where a network connection is opened: name resolution, connecting, TLS and
// proxies are decided here and nowhere else.
//
// A Pool hands out transports by their Settings, so that servers with equal
// settings share one, with its idle connections and goroutines. The transports
// never ask for compression (P7), never time out a whole exchange (P6) and keep
// an idle connection for every caller there was. A Share is the use of one by somebody
// who will be gone: the last to go leaves no connection open.
//
// A Guard says which addresses may be connected to; see guard.go.
//
// A connection that could not be made is reported as an *Error, the proof that
// not one byte of a request left.
package dial
