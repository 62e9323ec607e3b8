// Package httplink is the Link over HTTP: streamable HTTP of all revisions from
// 2025-03-26 on, and HTTP+SSE (R071-R117).
//
// Each message is a POST of its own. The answer's body, JSON or an event
// stream, is read in the goroutine that called Exchange, so a call costs no
// goroutine and an idle link holds none. What arrives before the answer is
// handed on in order; the answer ends the exchange at once, and the rest of the
// stream is read in the background for at most a second, so that its connection
// can be used again.
//
// Every request goes through a resty client: the link's own, or the user's with
// its middleware. No cookies are kept, nothing is sent again, nobody's timer
// runs over a whole exchange, redirects are followed only to the same origin
// and only where they keep method and body (P4, P5).
//
// Toward legacy servers an exchange also is in a table, for its answer may come
// on another stream (P28): the one that Listen holds open, or one that was taken
// up again. A stream that breaks and had event ids is resumed (R107-R109). The
// older HTTP+SSE, where all answers share one stream, is an SSELink, made by
// NewSSE, or by Legacy where a server turns out to want it.
//
// The protocol's headers come complete from the session and always win; below
// them are, in this order, the headers of the call, its token, the configured
// headers and the configured token. Secrets are resolved for each request, and
// do not appear in errors or logs, not even where the server repeats them.
package httplink
