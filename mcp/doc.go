// Package mcp is the vocabulary of the Model Context Protocol: versions,
// methods, error codes, _meta keys, the envelope types (Message, ID, Error),
// the encoded Params and Result of a call, and the types that results decode
// into (Tool, Resource, Prompt, Content, ...).
//
// The package does no I/O. Everything whose exact bytes matter to a peer (ids,
// progress tokens, cursors, request states, JSON schemas, unknown members) is
// kept raw, so that big integers, duplicate-free ordering and members from the
// future survive a round trip.
package mcp
