// Package arguments makes the arguments of a tool out of words of a command line,
// as the tool's inputSchema wants them, and checks them before they are sent.
//
//	Parse    words -> what each of them says (word.go)
//	Build    what they say -> a JSON object, typed by the schema (build.go)
//	Check    the object -> all that is missing or wrong with it (check.go)
//
// A Schema is only read as far as people need it (schema.go): which arguments
// there are, of which types, and which values are allowed. It comes from a server
// and may be anything, references without end included, so that reading it is
// bounded. What is valid is decided by internal/jsonschema.
package arguments
