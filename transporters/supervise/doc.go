// Package supervise is a Link that replaces a Link that died.
//
// It is made of a dial function, since a plain Link is spent once its peer is
// gone, and it is itself a Link, so a session uses it as it would use the link
// it supervises. It works in one of two modes.
//
// Supervised (a Config was given): a peer that dies is replaced by itself,
// after restart_delay, within a budget of max_restarts in one restart_window.
// The window is tumbling: the first restart opens it, a death that comes later
// than its length opens a fresh one, and one exactly at its end still belongs
// to it. A failed start spends the budget as a death does; messages that were
// served never restore it. When the budget is spent the link ends for good.
//
// On demand (no Config): nothing happens when a peer dies; the next Connect
// dials. Deaths of peers that were ready have a budget of their own: after more
// than 3 of them within 60 seconds, Connect refuses to dial until that minute
// is over, and then a fresh one begins. The link never ends for good by itself.
// Failed starts do not touch this budget: their own error is returned, and how
// often a start is tried is up to the caller (the session's connect_backoff).
//
// # A generation
//
// Each connection is a generation. It is dialled, started, prepared (the
// session negotiates on it), and then made the current one; only then is the
// reconnect announced. A failure on the way is a failed start: the half-made
// link is closed, and nothing is announced for it. What the session sees of a
// generation is a wrapper around the plain link, whose Exchange, when it has
// lost its peer, returns only after it was decided whether there will be
// another: IsReconnecting tells the truth about that failure.
//
// # Order of events
//
// At a death: the decision (IsReconnecting is true, or Done is closed and Err
// set), release of the lost exchanges, the announcement of the close, closing
// of the dead link, the delay, the next generation, the announcement of the
// reconnect. Announcements are made one after the other, in this order, by one
// goroutine which Close never waits for, so a listener may call Close. The next
// generation is not dialled before the close listeners have returned: they must
// not wait for it.
//
// # Locks and goroutines
//
// One goroutine carries a generation from its dial to its death, and, in
// supervised mode, on to its replacement. One mutex guards the state; it is
// never held over a call of a link, of prepare, of dial or of a listener. An
// intentional Close closes every link that was not closed yet, the current, the
// dead and the half-prepared one, whatever the goroutine is doing with it, and
// then waits for the goroutine.
package supervise
