package peer

import (
	"net/http"
	"strconv"
)

// reply is what to answer: the parts of a JSON text, in order. Without a head
// there is no answer, as for a notification.
type reply struct {
	head []byte // up to the large part, or all of it
	big  []byte // shared, may be nil
	tail string

	progress int    // notifications to send before the result
	token    []byte // their token, raw

	status  int // of HTTP
	session bool
}

func (r *reply) size() int { return len(r.head) + len(r.big) + len(r.tail) }

// answer answers a request, appending to buffer.
func (p *payloads) answer(r *request, options *Options, buffer []byte) reply {
	if r.id == nil {
		return reply{status: http.StatusAccepted}
	}
	head := append(buffer, `{"jsonrpc":"2.0","id":`...)
	head = append(head, r.id...)
	switch string(r.method) {
	case "tools/call":
		return p.call(r, head)
	case "tools/list":
		return p.list(r, options, head)
	case "initialize":
		version := string(r.version)
		if version == "" || version >= modernVersion {
			version = legacyVersion
		}
		head = append(head, `,"result":{"protocolVersion":"`...)
		head = append(head, version...)
		head = append(head, `","capabilities":{"tools":{}},"serverInfo":{"name":"peerserver","version":"1.0.0"}}}`...)
		return reply{head: head, status: http.StatusOK, session: true}
	case "server/discover":
		head = append(head, `,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},`...)
		head = append(head, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"peerserver","version":"1.0.0"}},"ttlMs":0,"cacheScope":"private"}}`...)
		return reply{head: head, status: http.StatusOK}
	case "ping":
		return reply{head: append(head, `,"result":{}}`...), status: http.StatusOK}
	default:
		failed := reply{head: append(head, `,"error":{"code":-32601,"message":"method not found"}}`...), status: http.StatusOK}
		if r.modern {
			failed.status = http.StatusNotFound
		}
		return failed
	}
}

// beginResult appends what every result begins with.
func beginResult(head []byte, r *request) []byte {
	head = append(head, `,"result":{`...)
	if r.modern {
		head = append(head, `"resultType":"complete",`...)
	}
	return head
}

func (p *payloads) call(r *request, head []byte) reply {
	answer := reply{status: http.StatusOK}
	text := []byte(`"done"`)
	switch string(r.name) {
	case "echo":
		if text = find(r.arguments, "text"); text == nil {
			text = []byte(`""`)
		}
	case "blob":
		answer.head = append(beginResult(head, r), `"content":[{"type":"text","text":"`...)
		answer.big = p.blob(number(find(r.arguments, "bytes")))
		answer.tail = `"}]}}`
		return answer
	case "progress":
		if r.token != nil {
			answer.progress = number(find(r.arguments, "n"))
			answer.token = r.token
		}
	default:
		answer.head = append(head, `,"error":{"code":-32602,"message":"unknown tool"}}`...)
		return answer
	}
	head = append(beginResult(head, r), `"content":[{"type":"text","text":`...)
	head = append(head, text...)
	answer.head = append(head, `}]}}`...)
	return answer
}

func (p *payloads) list(r *request, options *Options, head []byte) reply {
	head = beginResult(head, r)
	if r.modern {
		head = append(head, `"ttlMs":0,"cacheScope":"private",`...)
	}
	from, to := 0, options.Tools
	if options.Page > 0 {
		from = min(number(r.cursor), to)
		to = min(from+options.Page, options.Tools)
		if to < options.Tools {
			head = append(head, `"nextCursor":"`...)
			head = strconv.AppendInt(head, int64(to), 10)
			head = append(head, `",`...)
		}
	}
	return reply{head: append(head, `"tools":`...), big: p.tools(from, to), tail: `}}`, status: http.StatusOK}
}

// appendProgress appends progress notification number i of n.
func appendProgress(text, token []byte, i, n int) []byte {
	text = append(text, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	text = append(text, token...)
	text = append(text, `,"progress":`...)
	text = strconv.AppendInt(text, int64(i), 10)
	text = append(text, `,"total":`...)
	text = strconv.AppendInt(text, int64(n), 10)
	text = append(text, `,"message":"step `...)
	text = strconv.AppendInt(text, int64(i), 10)
	return append(text, `"}}`...)
}
