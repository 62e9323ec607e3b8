// Package peers tests mcpclient against MCP servers that others wrote. It is a
// module of its own, so that their dependencies stay out of mcpclient's.
//
// The tests of this package are the small set that every test run includes.
// Command run (make peers) is the whole matrix, described in package interop.
//
//	servers/         npm: the reference servers that the tests need
//	matrix/          npm: what the matrix needs beyond them, and a server on fastmcp
//	servers2026/     npm: a server on the TypeScript SDK, version 2, both eras
//	loopback.cjs     keeps every Node server on a free port of this machine alone
//	gosdkserver/     a server on the official Go SDK
//	mcpgoserver/     a server on mcp-go
//	tee/, wire/      record what is said and judge it by the specification's schemas
//	interop/, run/   the matrix and its command
//	eventstream/     our event-stream reader against another one
//	known-failures   what later work mends; exact, and to become empty
//
// Two more Go servers are tools of go.mod: those that the official SDK and
// mcp-go publish as their own examples of everything. Left out is
// @bytebase/dbhub, whose database driver is built by an install script, and
// install scripts are switched off here.
package peers
