// Package bearer gives the requests to a server a token that something else
// makes: a file that an agent rewrites, or a command that prints it. There is no
// authorization here, and nobody is asked.
//
// A token of the configuration is resolved for every request, so that the
// latest content of its file is sent. A command is run when a token is needed
// and kept for as long as it is good: until the time that the command names,
// that stands in the token (a JWT), or that is configured, or until the server
// refuses it. It runs once for all who wait, without a shell, within a time and
// a size; its stderr is not read, since it may show what must not be shown.
package bearer
