// Package clitest holds tests of the built command mcpclient: as users run it, in
// a pipe and on a terminal, with real signals, against its own demo server and
// against the reference server of the protocol's authors, from npm.
//
//   - testdata/scripts are golden tests in a pipe: commands and what they write.
//   - terminal_test.go has a pseudo-terminal: tables, colours, bars, questions.
//   - signals_test.go sends signals, and sees what reaches the server.
//   - transcript_test.go runs the commands of docs and compares.
//
// It is a module of its own so that what it needs is no dependency of the
// client. Golden files and the transcript are written anew by
//
//	go test . -update
package clitest
