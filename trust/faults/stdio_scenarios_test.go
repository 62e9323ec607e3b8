package faults

import (
	"os"
	"strings"
	"time"
)

// stdioScenarios are those that only a process has.
func stdioScenarios() []scenario {
	return []scenario{
		{name: "stderr without end", over: "stdio", process: func(*peer) {
			go func() {
				for {
					if _, err := os.Stderr.WriteString(strings.Repeat("\x1b[31mnoise ", 3000)); err != nil {
						return
					}
				}
			}()
		}},
		{name: "lines that are no messages", over: "stdio", on: "tools/call", play: func(p *peer, m message) {
			for range 200_000 {
				p.bytes("\x1b[2Jwarning: deprecated {\n")
			}
			p.answer(m)
		}},
		{name: "a process that does not read", over: "stdio", on: "tools/call", call: "timeout", play: func(*peer, message) {
			time.Sleep(10 * time.Second)
		}},
		{name: "a process that dies at once", over: "stdio", list: "peer lost|start", call: "peer lost|start", process: func(*peer) {
			os.Exit(3)
		}},
		{name: "a process that writes half a line and dies", over: "stdio", on: "tools/call", call: "peer lost", play: func(p *peer, m message) {
			p.bytes(`{"jsonrpc":"2.0","id":`)
			p.push()
			os.Exit(0)
		}},
		{name: "a process that floods before it is asked", over: "stdio", list: "too large|peer lost|connect", call: "too large|peer lost|connect|transport failure", process: func(p *peer) {
			p.forever("y")
			p.push()
		}},
	}
}
