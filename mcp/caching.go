package mcp

import "github.com/mcp-client-go/mcpclient/internal/jsonscan"

// CachingOf reads what a result says on how long it may be kept. ok is false if
// it says nothing: a result without ttlMs is stale at once (R230), unless the
// caller knows better.
func CachingOf(r Result) (caching Caching, ok bool) {
	cursor := jsonscan.TrustedCursor(r.raw)
	if r.envelope || !cursor.Object() {
		return caching, false
	}
	for name, more := cursor.Member(); more; name, more = cursor.Member() {
		ok = ok || string(name) == "ttlMs"
		if !caching.readMember(name, &cursor) {
			cursor.Value()
		}
	}
	return caching, ok
}
