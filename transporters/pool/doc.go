// Package pool serves one server by several instances of it: processes behind
// one Transporter, each with a session, a link and supervision of its own.
//
// # Which instance
//
// A call goes to the instance with the fewest running calls, among those that
// are ready or were never started; one that is starting, being replaced or has
// just refused a call is taken only where no other has a place, and one whose
// restart budget is spent only where all are spent. Instances are therefore
// started one by one, as calls need them: somebody who makes one call after the
// other uses one process.
//
// A call that surely was not sent, because its instance was found dead, could
// not be started or is being replaced, goes to another instance, to each at most
// once. One that was sent is never sent again.
//
// # Places
//
// With a limit, each instance has so many places for running calls. Where all
// are taken, calls wait in line, first come first served, under their own
// context and ceiling: a place that becomes free is handed to the first in line,
// and nobody who comes later gets in between. Subscriptions take no place.
//
// # What belongs to one instance
//
// Requests about a task go to the instance that has it; the log level goes to
// all. What else a server keeps between two calls it must be able to tell to any
// of its instances: a resource that is subscribed to by a plain request instead
// of Listen, or the rounds of a call that the caller drives, may meet another.
//
// # Apart by construction
//
// What a server asks of the client is answered by the session that it asked, on
// the link that the question came on. Equal request ids of two instances
// therefore never meet, nor do their cancellations.
package pool
