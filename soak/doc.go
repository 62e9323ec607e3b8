// Package soak lets server processes die, hang and misbehave under many callers,
// for as long as the environment variable SOAK says (`make soak`), and counts
// what becomes of every call. It holds tests only, for Linux, where what is left
// behind can be counted.
//
// The server is this test program itself, started again as a child. Each child
// waits until it is in use, picks a way to end, and ends in it 50 to 200 ms
// later; before that it writes the id of every call that reaches it to a file of
// its own. From these files and from what the callers got the tests know:
//
//   - whether each call ended in time, with its own answer or a typed error;
//   - whether a call reached two processes that must reach only one;
//   - whether a call reached a process that its caller was told was not sent;
//   - whether goroutines, descriptors, zombies or orphans are left. The test
//     program is the reaper of its descendants, so that orphans come to it.
//
// Without SOAK the same tests run for a few seconds, and only with that server.
// With it they also run against servers from npm, which are killed from outside.
package soak
