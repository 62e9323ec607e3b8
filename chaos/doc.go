// Package chaos holds a test of what a web backend does to this client all day:
// a thousand handlers call through one client at the same time, while the server
// forgets its sessions, refuses, cuts its streams and stalls. Every call must end
// with its own answer or a typed error, most with an answer; each loss of the
// session costs one handshake; in the end nothing is left behind: no goroutine,
// no socket, no body.
//
// Chance decides, from a seed that a failure prints; CHAOS_SEED repeats it.
//
// Another test keeps what thousands of calls got, and compares it when all are over:
// with the build tag poison while every buffer that is used again is overwritten.
package chaos
