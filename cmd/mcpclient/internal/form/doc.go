// Package form has a user at a terminal answer what servers ask: a form to fill
// in, or a page to open (R192).
//
// Who asks is always said first, every question can be declined, cancelled and
// gone back to (R195, R204), and nothing is sent before the user has seen what.
// All that comes from the server is escaped. Ctrl-D, the end of the input,
// cancels.
package form
