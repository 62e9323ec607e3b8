// Package wire records what a client and a server say to each other and judges
// it by the specification's JSON schemas.
//
//	record.go   what is recorded, and how it is kept
//	proxy.go    stands in front of an HTTP server
//	tee.go      stands between a client and a server's process (command peers/tee)
//	schemas.go  the schema files, one folder a revision
//	judge.go    validates a recorded conversation
//	headers.go  what HTTP requests must carry beside the message
//
// Both taps pass every byte on unchanged and as soon as it comes. What the
// client says has to be valid. What the server says is told, not judged: it is
// not ours.
package wire
