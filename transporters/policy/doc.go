// Package policy holds the wrappers that stand between a connection and its
// session. A policy is a transporters.Wrapper made by a constructor that takes the
// server's name and the policy's part of the configuration; it can be put around
// any Transporter by hand. One that is not configured adds nothing to a chain. A
// policy keeps no state that is shared between servers.
//
// In a chain that the factory builds they stand in this order, outermost first:
//
//	Trace     members of _meta, such as traceparent
//	ToolPins  tools that are not what they were
//	Filter    what may be used at all
//	Output    structured output against its schema
//	Tasks     waits for tasks
//	Deadline  the limits of a call
//	Cache     results that may be kept
//	Retry     failed requests that may be made again
//	Breaker   a server that cannot be reached
//	Limit     how much is asked at once and in time
//	Payloads  what is asked and answered, in the log
//
// So an answer from the cache costs the server nothing, each attempt of a retry
// counts for the breaker and waits for its place, and what is refused outside is
// not seen inside.
package policy
