// Package mcptest is what tests inject in place of the real thing.
//
//   - Transporter is a scripted transporters.Transporter: it stands in for a
//     whole server where code only makes calls.
//   - ScriptedLink is a scripted transporters.Link: it plays a peer frame by
//     frame, statuses and deaths included, to test what stands above a link.
//   - Server is a real MCP server of both eras that runs in the test's process:
//     in memory (Link, HTTPLink), over stdio (ServeStdio) and over HTTP
//     (Handler, StartHTTP). It is strict: what a client must not send is refused
//     and noted in Violations.
//
// All of them report failures through TB, which *testing.T, *testing.B and
// *testing.F satisfy, so that a program may import this package without linking
// package testing.
package mcptest

// TB is the part of testing.TB that this package needs.
type TB interface {
	// Helper marks the caller as a helper.
	Helper()
	// Errorf notes a failure; the test goes on.
	Errorf(format string, args ...any)
	// Fatalf notes a failure and ends the test.
	Fatalf(format string, args ...any)
	// Cleanup runs a function when the test has ended.
	Cleanup(func())
}
