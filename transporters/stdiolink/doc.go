// Package stdiolink is the Link to an MCP server that runs as a child process
// and speaks one JSON message per line over its stdin and stdout.
//
// A Link is single-use: one process, from Start to Close. Replacing a process
// that died is the work of package supervise, which makes a new Link.
//
// # Goroutines
//
// A started link has two goroutines of its own: the reader, which takes lines
// from stdout apart and routes each message (by id, progress token or
// subscription id to the exchange that waits for it, all else to the function
// given to Start), and the attendant, which waits for the end and sees to it. A
// third, the writer, exists only while the process does not read fast enough.
// The process's own goroutines belong to internal/process.
//
// # Writing
//
// Frames are accepted, in order, into a buffer. The caller that finds nobody
// writing writes what everybody has put there; see writer.
//
// # The end
//
// The link ends when the process exits, closes its stdout, writes a line beyond
// max_line_bytes, no longer reads its stdin, or has run for process_timeout, and
// by Close. In this order: nothing is accepted any more; the reason is put
// together from exit status and the tail of stderr; Done is closed; every
// exchange fails; the process, if it still runs, is ended step by step. Frames
// of which no byte was written fail with ErrNotSent.
package stdiolink
