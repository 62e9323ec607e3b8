package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-client-go/mcpclient/bench/workload"
)

// Clients under test. A name with atDefault behind it is the client as it is
// when its user tunes nothing; this project's client always is.
const (
	floor      = "floor"
	restyFloor = "restyfloor"
	goSDK      = "gosdk"
	mcpGo      = "mcpgo"
	product    = "product"
	atDefault  = "@default"
)

// cell is one workload, measured with several clients in turn.
type cell struct {
	name      string
	kind      kind
	clients   []string
	rounds    int
	arguments []string // of the worker; see expand
}

// What stands for the server in a worker's arguments.
const (
	addressMark    = "{address}"
	peerserverMark = "{peerserver}"
)

// plan is how much is measured.
type plan struct {
	full    bool
	rounds  int // of most cells
	few     int // of cells that are steady or slow
	growing int // of the points of plots
	events  int // of progress
}

func quickPlan() plan { return plan{rounds: 5, few: 3, events: 20_000} }
func fullPlan() plan  { return plan{full: true, rounds: 7, few: 5, growing: 3, events: 100_000} }

func planOf(full bool) plan {
	if full {
		return fullPlan()
	}
	return quickPlan()
}

func (p plan) cells() []cell {
	cells := slices.Concat(p.sequential(), p.concurrent(), p.large(), p.lists(), p.progress())
	if p.full {
		cells = slices.Concat(cells, p.idle(), p.growthCells())
	}
	return cells
}

// httpClients are the clients that speak HTTP; stdioClients speak stdio.
func (p plan) httpClients() []string {
	if p.full {
		return append(p.stdioClients(), restyFloor)
	}
	return p.stdioClients()
}

func (p plan) stdioClients() []string { return []string{floor, goSDK, mcpGo, product} }

func (p plan) http(name string, k kind, rounds int, query string, arguments ...string) cell {
	return cell{name, k, p.httpClients(), rounds, append([]string{"-url", "http://" + addressMark + "/mcp?" + query}, arguments...)}
}

func (p plan) stdio(name string, k kind, rounds int, arguments ...string) cell {
	return cell{name, k, p.stdioClients(), rounds, append([]string{"-command", peerserverMark + " -stdio"}, arguments...)}
}

// sequential is W1, and W3: CPU, allocations and bytes of the same calls.
func (p plan) sequential() []cell {
	cells := []cell{
		p.http("W1 http-json", kindSequential, p.rounds, "mode=json"),
		p.http("W1 http-sse", kindSequential, p.rounds, "mode=sse"),
		p.stdio("W1 stdio", kindSequential, p.rounds),
	}
	if p.full {
		cells = append(cells,
			p.http("W1 http-json modern", kindSequential, p.few, "mode=json", "-modern"),
			p.stdio("W1 stdio modern", kindSequential, p.few, "-modern"),
			p.http("W1 http-sse one-write", kindSequential, p.few, "mode=sse1"),
			p.http("W1 http-sse late-end", kindSequential, p.few, "mode=sselate"),
		)
	}
	return cells
}

// concurrent is W2 over HTTP and W9 over stdio.
func (p plan) concurrent() []cell {
	cells := []cell{
		p.http("W2 http-json 64", kindConcurrent, p.rounds, "mode=json", "-callers", "64"),
		p.stdio("W9 stdio 64", kindConcurrent, p.rounds, "-callers", "64"),
	}
	if !p.full {
		return cells
	}
	for _, callers := range []string{"8", "512"} {
		cells = append(cells,
			p.http("W2 http-json "+callers, kindConcurrent, p.few, "mode=json", "-callers", callers),
			p.stdio("W9 stdio "+callers, kindConcurrent, p.few, "-callers", callers),
		)
	}
	cells = append(cells, p.http("W2 http-sse 64", kindConcurrent, p.few, "mode=sse", "-callers", "64"))
	for _, callers := range []string{"64", "512"} {
		outOfTheBox := p.http("W2 http-json "+callers+" out of the box", kindConcurrent, p.few, "mode=json", "-callers", callers)
		outOfTheBox.clients = []string{floor, floor + atDefault, goSDK + atDefault, mcpGo + atDefault, restyFloor + atDefault, product}
		cells = append(cells, outOfTheBox)
	}
	return cells
}

// large is W4.
func (p plan) large() []cell {
	var cells []cell
	for _, mebibytes := range []int{1, 16} {
		size := []string{"-workload", workload.Blob, "-bytes", fmt.Sprint(mebibytes << 20)}
		for _, mode := range []string{"json", "sse"} {
			cells = append(cells, p.http(fmt.Sprintf("W4 http-%s %d MiB", mode, mebibytes), kindBlob, p.few, "mode="+mode, size...))
		}
		cells = append(cells, p.stdio(fmt.Sprintf("W4 stdio %d MiB", mebibytes), kindBlob, p.few, size...))
	}
	return cells
}

// lists is W5: 1,000 tools.
func (p plan) lists() []cell {
	stdio := p.stdio("W5 stdio", kindList, p.few, "-workload", workload.List)
	stdio.arguments[1] += " -options tools=1000"
	cells := []cell{p.http("W5 http-json", kindList, p.few, "mode=json&tools=1000", "-workload", workload.List), stdio}
	if p.full {
		cells = append(cells, p.http("W5 http-json modern", kindList, p.few, "mode=json&tools=1000", "-workload", workload.List, "-modern"))
	}
	return cells
}

// progress is W6.
func (p plan) progress() []cell {
	arguments := []string{"-workload", workload.Progress, "-events", fmt.Sprint(p.events)}
	return []cell{
		p.http("W6 http-sse", kindProgress, min(p.few, 3), "mode=sse", arguments...),
		p.stdio("W6 stdio", kindProgress, min(p.few, 3), arguments...),
	}
}

// idle is W7.
func (p plan) idle() []cell {
	silent := p.http("W7 own GET stream", kindIdle, min(p.few, 3), "mode=json&get=1", "-workload", workload.Idle)
	silent.clients = []string{goSDK, product}
	return []cell{
		p.http("W7 shared transport", kindIdle, min(p.few, 3), "mode=json", "-workload", workload.Idle),
		p.http("W7 own transport", kindIdle, min(p.few, 3), "mode=json", "-workload", workload.Idle, "-own"),
		silent,
	}
}

// expand puts the server into a worker's arguments.
func expand(arguments []string, address, peerserver string) []string {
	marks := strings.NewReplacer(addressMark, address, peerserverMark, peerserver)
	expanded := make([]string, len(arguments))
	for i, argument := range arguments {
		expanded[i] = marks.Replace(argument)
	}
	return expanded
}
