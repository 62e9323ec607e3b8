// Package eventstream compares this project's event-stream reader with that of
// github.com/tmaxmax/go-sse, on random streams and under the fuzzer.
//
// They differ, on purpose, in this:
//
//   - An event that only has a type has no data: by the HTML standard it is
//     not dispatched, and ours does not return it. go-sse yields it.
//   - Ours returns an event that only has a reconnection time, since whoever
//     resumes a stream must know it. go-sse's Read passes over it.
//   - Ours tells what each event says of its id, and whether it says anything;
//     go-sse gives the last id seen, as a browser does.
//   - Ours names the type of an event without one, "message"; go-sse leaves it
//     empty.
//   - Ours tells an event without data (an id alone: the priming event) from one
//     with empty data.
//   - A byte order mark counts at the very beginning alone, as the standard has
//     it; go-sse takes one away that stands behind blank lines.
//   - What is too long fails in both, but is measured differently: ours counts
//     all bytes since the last blank line, go-sse what its scanner holds.
//
// Everything else must be the same: fields, line ends, joined data, comments,
// byte order mark, ids with NUL, what is cut off at the end.
package eventstream
