// Package interop is the integration matrix: servers that others wrote, over
// every transport and in every revision that they speak, each made to do what
// it can.
//
//	cell.go       one server over one transport in one revision, and how it is visited
//	server.go     how a server is started and reached, through a tap on the wire
//	servers_*.go  the table of cells
//	check_*.go    what is checked, a feature each
//	pending.go    features that the client does not have yet: the place to fill in
//	known.go      the file of known failures
//	report.go     the lines, the totals and the table
package interop
