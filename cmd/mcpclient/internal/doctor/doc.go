// Package doctor finds out why a server cannot be used, or how well it can: its
// configuration, then what there is to it before MCP is spoken (the program of a
// process; the name, the connection and the certificate of an HTTP server), then
// the handshake, and how quickly it answers.
//
// Each check is bounded in time, and says what was found and, where something is
// wrong, what would help. A check that makes no sense because an earlier one
// failed is left out. No credentials are sent but those of the handshake itself.
package doctor
