// Package faults holds tests of what servers do that mean harm, and of networks
// that do it without meaning to.
//
// The client runs in a process of its own, the victim, whose memory the operating
// system measures at its peak. It is configured as anybody would, but for shorter
// limits of time, with two servers: one plays a scenario, the other is honest.
// Each scenario says how the call of the hostile server must end; in all of them
// the honest one answers afterwards, the victim has stayed below its bound of
// memory, ended in time, and printed no control character of the peer's.
package faults
