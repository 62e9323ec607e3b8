// Package auth gets access tokens for HTTP servers: OAuth 2.1 as the Model
// Context Protocol profiles it (R236-R282).
//
// An Authorizer belongs to one server and serves all its principals. What a
// request needs is a Principal: it puts the token into the header, and is told
// of answers of 401 and 403. What then happens is decided by one goroutine at a
// time for each principal, however many callers wait: it looks into the store
// (another process may have been quicker), finds out how the server wants to be
// authorized for, refreshes, or runs the configured grant. That work belongs to
// the authorizer, not to the caller, so that a call that is cancelled does not
// lose a refresh token that was just rotated. Processes that share a store take
// turns by a lease in it (see Store; package storetest tests one).
//
// Where a user has to agree there are two ways. With WithInteraction the work
// calls back and waits: for programs at a terminal. Without it the call fails
// with ErrAuthRequired; a web handler then redirects its user to the URL of
// Begin, hands the callback's query to Finish, and lets the user try again.
//
// A token is sent to the origin of the server it was issued for and nowhere
// else. Tokens, codes, verifiers and keys are in the store and in memory; they
// are in no error and no log, and print as ***.
//
// Tokens that something else makes, a file or a command, are package bearer's.
package auth
