// Package peer is a neutral, cheap MCP server: standard library only, with its
// own JSON-RPC dispatch and HTTP/1.1 framing, so that in a benchmark the cost of
// the client under test dominates. It speaks
//
//   - 2025-11-25: initialize, Mcp-Session-Id, notifications (202), tools/list,
//     tools/call, ping, DELETE; and
//   - 2026-07-28: server/discover, _meta in each request, the headers Mcp-Method
//     and Mcp-Name checked, resultType in each result.
//
// It does not validate arguments and keeps no session state. Its tools are echo
// (text), blob (bytes) and progress (n).
package peer

import (
	"net/url"
	"strconv"
)

// Ways in which an HTTP answer is sent.
const (
	// ModeJSON answers with a JSON body.
	ModeJSON = "json"
	// ModeStream answers with an event stream whose event and end are written
	// apart, as servers do.
	ModeStream = "sse"
	// ModeStreamOneWrite writes event and end together.
	ModeStreamOneWrite = "sse1"
	// ModeStreamLateEnd ends the stream one millisecond after the event.
	ModeStreamLateEnd = "sselate"
)

// Options of one endpoint.
type Options struct {
	// Mode is one of the Mode constants; the default is ModeJSON.
	Mode string
	// Tools is how many tools are listed; default 3.
	Tools int
	// Page is how many tools a page has; 0 is all.
	Page int
	// SilentStream: GET opens an event stream on which nothing ever comes. By
	// default GET is not allowed.
	SilentStream bool
}

// ParseOptions reads a URL's query such as "mode=sse&tools=1000&page=100&get=1".
// What is missing or unknown has its default.
func ParseOptions(query string) Options {
	options := Options{Mode: ModeJSON, Tools: 3}
	values, err := url.ParseQuery(query)
	if err != nil {
		return options
	}
	if mode := values.Get("mode"); mode != "" {
		options.Mode = mode
	}
	if tools, err := strconv.Atoi(values.Get("tools")); err == nil {
		options.Tools = tools
	}
	if page, err := strconv.Atoi(values.Get("page")); err == nil {
		options.Page = page
	}
	options.SilentStream = values.Get("get") == "1"
	return options
}
