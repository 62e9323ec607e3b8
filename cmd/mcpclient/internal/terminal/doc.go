// Package terminal writes for people: it knows whether an output is a terminal,
// how wide it is and whether it shows colours, and has what is drawn on one:
// tables and progress bars.
//
// What servers send is untrusted: before it reaches an output, everything that
// could move the cursor, change colours or reorder text is escaped (P103). The
// only escape sequences that are ever written are those of Style and Bars.
package terminal
