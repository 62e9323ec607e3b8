package faults

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// scenario is a way to do harm. Where play or process is given it is played over
// the transports named by over; http is for what only HTTP has.
type scenario struct {
	name string
	over string // "http", "stdio" or "" for both
	on   string // the method that the harm answers
	all  bool   // the victim calls every tool that is listed

	play    func(p *peer, m message)
	http    func(w http.ResponseWriter, r *http.Request, m message)
	resume  func(w http.ResponseWriter, r *http.Request) // answers every GET
	process func(p *peer)                                // before anything is read

	list, call string // sentinel or kind of the error, "" for none; "a|b" for either
	memory     int64  // MiB at most, 0 for the usual bound
}

// what a server can say on either transport.
func scenarios() []scenario {
	return []scenario{
		{name: "a line that never ends", on: "tools/call", call: "too large|peer lost", play: func(p *peer, m message) {
			p.begin()
			p.bytes(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID))
			p.forever("x")
		}},
		{name: "a line that never ends, at the handshake", on: "initialize", list: "too large|peer lost|connect", call: "too large|peer lost|connect", play: func(p *peer, m message) {
			p.begin()
			p.forever("x")
		}},
		{name: "a list that never ends", on: "tools/list", list: "too large|peer lost", play: func(p *peer, m message) {
			p.begin()
			p.bytes(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[`, m.ID))
			p.forever(`{"name":"echo","inputSchema":{"type":"object"}},`)
		}},
		{name: "one byte at a time", on: "tools/call", call: "timeout", play: func(p *peer, m message) {
			p.begin()
			for p.bytes(" ") && p.push() {
				time.Sleep(50 * time.Millisecond)
			}
		}},
		{name: "silence", on: "tools/call", call: "timeout", play: func(p *peer, m message) { p.push(); time.Sleep(10 * time.Second) }},
		{name: "nesting", on: "tools/call", call: "protocol", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":%s}}`, m.ID, strings.Repeat("[", 4<<20))
		}},
		{name: "nesting that closes", on: "tools/call", call: "protocol", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":%s%s}}`, m.ID, strings.Repeat("[", 1<<20), strings.Repeat("]", 1<<20))
		}},
		{name: "a million ids", on: "tools/call", play: func(p *peer, m message) {
			for i := range 1_000_000 {
				if !p.send(`{"jsonrpc":"2.0","id":%d,"result":{}}`, 1_000_000+i) {
					return
				}
			}
			p.answer(m)
		}},
		{name: "a million strings for ids", on: "tools/call", play: func(p *peer, m message) {
			for i := range 1_000_000 {
				if !p.send(`{"jsonrpc":"2.0","id":"id-%d","error":{"code":-1,"message":"x"}}`, i) {
					return
				}
			}
			p.answer(m)
		}},
		{name: "an endless id", on: "tools/call", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, strings.Repeat("9", 1<<20))
			p.send(`{"jsonrpc":"2.0","id":"%s","result":{}}`, strings.Repeat("x", 1<<20))
			p.answer(m)
		}},
		{name: "a million notifications", on: "tools/call", play: func(p *peer, m message) {
			for i := range 1_000_000 {
				if !p.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i) {
					return
				}
			}
			p.answer(m)
		}},
		{name: "a million reports of progress", on: "tools/call", call: "dropped|", play: func(p *peer, m message) {
			for i := range 1_000_000 {
				if !p.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, m.Params.Meta.ProgressToken, i) {
					return
				}
			}
			p.answer(m)
		}},
		{name: "progress that is no number", on: "tools/call", play: func(p *peer, m message) {
			for _, odd := range []string{"1e999999999", "-0.0e-0", strings.Repeat("9", 100_000), `"1"`, "null", "[]", "{}"} {
				p.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%s,"total":%s}}`, m.Params.Meta.ProgressToken, odd, odd)
			}
			p.answer(m)
		}},
		{name: "answers twice", on: "tools/call", play: func(p *peer, m message) {
			p.answer(m)
			m.Params.Arguments.Text = "the second"
			for range 1000 {
				p.answer(m)
			}
		}},
		{name: "answers before requests", on: "tools/list", play: func(p *peer, m message) {
			for id := range 1000 {
				if fmt.Sprint(id) != string(m.ID) {
					p.send(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"too early"}]}}`, id)
				}
			}
			p.answer(m)
		}},
		{name: "twenty thousand pings", on: "tools/call", play: func(p *peer, m message) {
			for i := range 20_000 {
				if !p.send(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i) {
					return
				}
			}
			p.answer(m)
		}},
		{name: "requests for what nobody offers", on: "tools/call", play: func(p *peer, m message) {
			for i := range 10_000 {
				p.send(`{"jsonrpc":"2.0","id":"r%d","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`, i)
			}
			p.answer(m)
		}},
		{name: "a million tools", on: "tools/list", list: "too large|peer lost", play: func(p *peer, m message) {
			p.begin()
			p.bytes(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[`, m.ID))
			for i := range 1_000_000 {
				p.bytes(fmt.Sprintf(`{"name":"tool-%d","inputSchema":{"type":"object"}},`, i))
			}
			p.bytes(`{"name":"last","inputSchema":{}}]}}` + "\n\n")
		}},
		{name: "pages without end", on: "tools/list", list: "protocol", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t%d","inputSchema":{}}],"nextCursor":"c%d"}}`, m.ID, time.Now().UnixNano(), time.Now().UnixNano())
		}},
		{name: "the same page again and again", on: "tools/list", list: "protocol", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"nextCursor":"c"}}`, m.ID)
		}},
		{name: "a schema of 16 MiB", on: "tools/list", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","description":"%s"},"outputSchema":{"type":"object","enum":["%s"]}}]}}`,
				m.ID, strings.Repeat("x", 8<<20), strings.Repeat("y", 8<<20))
		}},
		{name: "a schema that refers to itself", on: "tools/list", call: "protocol|", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"$ref":"#"},"outputSchema":{"$ref":"#","allOf":[{"$ref":"#"},{"$ref":"#"}]}}]}}`, m.ID)
		}},
		{name: "an error of 16 MiB", on: "tools/call", call: "peer error", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"%s","data":"%s"}}`, m.ID, strings.Repeat("x", 8<<20), strings.Repeat("y", 8<<20))
		}},
		{name: "escapes of a terminal", on: "tools/call", call: "peer error", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\r\nERROR forged","data":"\u001b[31m"}}`, m.ID)
		}},
		{name: "escapes in the names of tools", on: "tools/list", all: true, call: "|peer error|protocol", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"\u001b[31mred\r\nX-Evil: 1","inputSchema":{}},{"name":"\u0000","inputSchema":{}}]}}`, m.ID)
		}},
		{name: "a handshake that lies", on: "initialize", list: "version", call: "version", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"\u001b[31m9999-99-99%s","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, m.ID, strings.Repeat("9", 1<<20))
		}},
		{name: "members that come twice", on: "tools/call", call: "protocol|", play: func(p *peer, m message) {
			p.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]},"id":%s,"error":{"code":1,"message":"x"}}`, m.ID, m.ID)
		}},
		{name: "bytes that are no text", on: "tools/call", call: "protocol|", play: func(p *peer, m message) {
			p.bytes("\x00\xff\xfe\x80\n\n")
			p.send("%s", "\xef\xbf\xff")
			p.answer(m)
		}},
	}
}
