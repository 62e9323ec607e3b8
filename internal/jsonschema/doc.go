// Package jsonschema checks JSON against schemas that a peer wrote: JSON Schema
// 2020-12, which is also meant where a schema does not name its dialect, and
// draft-07 (R033, R034).
//
// A schema and the JSON it is checked against both come from the other side of
// the wire, so that neither may bring this program down. A schema that refers to
// itself without end, or whose alternatives multiply with each level, is cut off
// after a number of steps; a recursion is cut off at a depth; patterns are those
// of package regexp, whose time is linear (R037). A reference is looked up within
// the schema, and nowhere else: nothing is ever fetched (R035). What cannot be
// checked is an error, never a silent pass (R036).
//
// Numbers are compared exactly, however many digits they have. "format" and the
// content keywords are annotations. A Violation tells the place in the document
// and the rule that is broken, but quotes nothing of the document's text except
// the names of members.
package jsonschema
