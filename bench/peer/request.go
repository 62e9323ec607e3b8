package peer

const (
	legacyVersion = "2025-11-25"
	modernVersion = "2026-07-28"
)

// request is one decoded JSON-RPC message; its slices alias the input.
type request struct {
	id      []byte // raw; nil for a notification
	method  []byte
	version []byte // params.protocolVersion
	modern  bool

	name      []byte // params.name
	arguments []byte // params.arguments, raw
	cursor    []byte // params.cursor
	token     []byte // params._meta.progressToken, raw
}

func parseRequest(text []byte) (request, error) {
	var r request
	var params []byte
	w := walk(text)
	for key, value, ok := w.next(); ok; key, value, ok = w.next() {
		switch string(key) {
		case "id":
			r.id = value
		case "method":
			r.method = unquoted(value)
		case "params":
			params = value
		}
	}
	if w.err != nil || params == nil {
		return r, w.err
	}
	return r, r.readParams(params)
}

func (r *request) readParams(params []byte) error {
	w := walk(params)
	for key, value, ok := w.next(); ok; key, value, ok = w.next() {
		switch string(key) {
		case "name":
			r.name = unquoted(value)
		case "arguments":
			r.arguments = value
		case "cursor":
			r.cursor = unquoted(value)
		case "protocolVersion":
			r.version = unquoted(value)
		case "_meta":
			r.token = find(value, "progressToken")
			r.modern = string(unquoted(find(value, "io.modelcontextprotocol/protocolVersion"))) >= modernVersion
		}
	}
	return w.err
}
