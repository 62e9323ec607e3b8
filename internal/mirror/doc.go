// Package mirror copies arguments of a tool call into HTTP headers, where the
// tool's input schema asks for it (x-mcp-header, R079-R087), and encodes values
// so that they survive as headers.
//
// A tool's schema is scanned once, when it is listed: Scan walks the positions
// in which JSON Schema has sub-schemas and returns either what to mirror or what
// makes the tool invalid. Each call then costs one walk over its arguments, on
// the bytes that are sent, so that header and body cannot differ; schemas
// without the annotation cost nothing.
package mirror
