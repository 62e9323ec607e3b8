package main

import (
	"fmt"

	"github.com/mcp-client-go/mcpclient/bench/chart"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

// growthLimit is the client's limit of one message where payloads grow beyond
// what it would take by itself.
const growthLimit = 1 << 30

// growth is what is measured while one quantity grows: a plot of the page, and a
// cell for each of its lines at each of its points.
type growth struct {
	key     string // of cells, of the picture's file and of reasons
	title   string
	about   string
	x       chart.Axis
	points  []int
	regions []int // in each of which a slope is fitted: from one to the next
	clients []string
	lines   []growthLine
	curves  []curve
}

// growthLine is one transport.
type growthLine struct {
	name string
	cell func(p plan, name string, x int) cell
}

// curve is one metric as it grows.
type curve struct {
	metric string
	title  string
	y      chart.Axis
	scale  float64 // from the metric to what is shown
	// linear is the exponent of linear growth: 1 of a total, 0 of what one unit
	// costs, and of a rate, which may fall no faster.
	linear float64
	rate   bool // more is better
	exact  bool // it hardly depends on the machine and its load
}

func (g *growth) cellName(line string, x int) string {
	return fmt.Sprintf("growth %s %s %d", g.key, line, x)
}

// growthCells are the cells of all plots.
func (p plan) growthCells() []cell {
	var cells []cell
	for _, g := range growths() {
		for _, x := range g.points {
			for _, line := range g.lines {
				c := line.cell(p, g.cellName(line.name, x), x)
				c.clients = g.clients
				cells = append(cells, c)
			}
		}
	}
	return cells
}

func (p plan) growthHTTP(name, query string, arguments ...string) cell {
	return p.http(name, kindGrowth, p.growing, query, arguments...)
}

func (p plan) growthStdio(name, options string, arguments ...string) cell {
	c := p.stdio(name, kindGrowth, p.growing, arguments...)
	if options != "" {
		c.arguments[1] += " -options " + options
	}
	return c
}

// growths are the plots of the page, in their order.
func growths() []growth {
	return []growth{serversGrowth(), callersGrowth(), toolsGrowth(), payloadGrowth()}
}

func serversGrowth() growth {
	return growth{
		key:   "servers",
		title: "Servers in one configuration",
		about: "One client whose configuration names 1 to 1,000 HTTP servers, each with a session of its own: from the configuration to the client (nothing is dialled), the first call to one server, the first calls to all of them by 32 callers, and the close of the client, which ends every session.",
		x:     chart.Axis{Label: "servers"}, points: points(1_000), regions: decades(1_000),
		clients: []string{product},
		lines: []growthLine{{"http-json", func(p plan, name string, x int) cell {
			return p.growthHTTP(name, "mode=json", "-workload", workload.Servers, "-clients", fmt.Sprint(x))
		}}},
		curves: []curve{
			{metric: "build_us", title: "Building the client", y: microseconds("time"), linear: 1},
			{metric: "configured_heap_bytes_per_server", title: "Heap of a server before its first call", y: bytesAxis("heap per server"), exact: true},
			{metric: "first_call_us", title: "First call to one server, handshake included", y: microseconds("time")},
			{metric: "first_calls_us", title: "First calls to all servers", y: microseconds("time"), linear: 1},
			{metric: "heap_bytes_per_server", title: "Heap of a server once it was called", y: bytesAxis("heap per server"), exact: true},
			{metric: "close_us", title: "Closing the client", y: microseconds("time"), linear: 1},
		},
	}
}

func callersGrowth() growth {
	// Each caller makes some calls, so that what its first one costs is not all.
	calls := func(x int) []string { return []string{"-callers", fmt.Sprint(x), "-least", "6"} }
	return growth{
		key:   "callers",
		title: "Callers on one client",
		about: "1 to 10,000 goroutines that call the tool echo through one client, each one call after the other. Over stdio all of them share one process. The time of a call must grow with the callers once the machine has no more to give: then linear is the best there is.",
		x:     chart.Axis{Label: "callers"}, points: points(10_000), regions: decades(10_000),
		clients: []string{floor, product},
		lines: []growthLine{
			{"http-json", func(p plan, name string, x int) cell {
				return p.growthHTTP(name, "mode=json", calls(x)...)
			}},
			{"stdio", func(p plan, name string, x int) cell { return p.growthStdio(name, "", calls(x)...) }},
		},
		curves: []curve{
			{metric: "ops_per_s", title: "Calls per second", y: chart.Axis{Label: "calls/s"}, rate: true},
			{metric: "p99_us", title: "Time of a call, 99th percentile", y: microseconds("p99"), linear: 1},
			{metric: "cpu_s_per_100k", scale: 10, title: "CPU of a call", y: microseconds("CPU time per call")},
			{metric: "bytes_per_op", title: "Bytes allocated by a call", y: bytesAxis("bytes per call"), exact: true},
		},
	}
}

func toolsGrowth() growth {
	options := func(x int) string { return fmt.Sprintf("tools=%d&page=1000", x) }
	return growth{
		key:   "tools",
		title: "Tools in one list",
		about: "`tools/list` of 1 to 100,000 tools of about 700 bytes each, in pages of 1,000, every name looked at. With all defaults.",
		x:     chart.Axis{Label: "tools"}, points: points(100_000), regions: decades(100_000),
		clients: []string{floor, product},
		lines: []growthLine{
			{"http-json", func(p plan, name string, x int) cell {
				return p.growthHTTP(name, "mode=json&"+options(x), "-workload", workload.List)
			}},
			{"stdio", func(p plan, name string, x int) cell {
				return p.growthStdio(name, options(x), "-workload", workload.List)
			}},
		},
		curves: []curve{
			{metric: "p50_us", title: "Time of a list", y: microseconds("median"), linear: 1},
			{metric: "bytes_per_op", title: "Bytes allocated by a list", y: bytesAxis("bytes per list"), linear: 1, exact: true},
			{metric: "allocs_per_op", title: "Allocations of a list", y: chart.Axis{Label: "allocations per list"}, linear: 1, exact: true},
			{metric: "peak_rss_mib", scale: 1 << 20, title: "Most memory the process held", y: bytesAxis("peak RSS"), linear: 1},
		},
	}
}

func payloadGrowth() growth {
	blob := func(x int) []string {
		return []string{"-workload", workload.Blob, "-limit", fmt.Sprint(growthLimit), "-bytes", fmt.Sprint(x)}
	}
	return growth{
		key:    "payload",
		title:  "Size of a result",
		about:  "Results of 1 B to 64 MiB of text, about 4% of whose characters need an escape. The client's limit of a message is raised for it: by default it refuses more than 32 MiB.",
		x:      chart.Axis{Label: "text of the result", Base: 16, Format: chart.BinaryBytes},
		points: []int{1, 4, 16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20},
		// As wide as they must be to have three points.
		regions: []int{1, 16, 256, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20},
		clients: []string{floor, product},
		lines: []growthLine{
			{"http-json", func(p plan, name string, x int) cell { return p.growthHTTP(name, "mode=json", blob(x)...) }},
			{"http-sse", func(p plan, name string, x int) cell { return p.growthHTTP(name, "mode=sse", blob(x)...) }},
			{"stdio", func(p plan, name string, x int) cell { return p.growthStdio(name, "", blob(x)...) }},
		},
		curves: []curve{
			{metric: "p50_us", title: "Time of a call", y: microseconds("median"), linear: 1},
			{metric: "mb_per_s", scale: 1e6, title: "Text per second", y: chart.Axis{Label: "text per second", Format: chart.Bytes}, rate: true},
			{metric: "bytes_per_payload_byte", title: "Bytes allocated per byte of text", y: chart.Axis{Label: "bytes per byte"}, exact: true},
			{metric: "allocs_per_op", title: "Allocations of a call", y: chart.Axis{Label: "allocations per call"}, linear: 1, exact: true},
		},
	}
}

func microseconds(label string) chart.Axis {
	return chart.Axis{Label: label, Format: chart.Microseconds}
}

func bytesAxis(label string) chart.Axis { return chart.Axis{Label: label, Format: chart.Bytes} }

// points are 1, 2 and 5 times the powers of ten up to greatest.
func points(greatest int) []int {
	var all []int
	for power := 1; power <= greatest; power *= 10 {
		for _, times := range []int{1, 2, 5} {
			if x := times * power; x <= greatest {
				all = append(all, x)
			}
		}
	}
	return all
}

// decades are the powers of ten up to greatest.
func decades(greatest int) []int {
	var all []int
	for power := 1; power <= greatest; power *= 10 {
		all = append(all, power)
	}
	return all
}

// series are the medians of a client's metric at the points where it was
// measured.
func (r *report) series(g *growth, c *curve, line, client string) []chart.Point {
	var series []chart.Point
	for _, x := range g.points {
		value, found := r.results.value(g.cellName(line, x), client, c.metric)
		if found && value.median > 0 {
			series = append(series, chart.Point{X: float64(x), Y: value.median * c.factor()})
		}
	}
	return series
}

func (c *curve) factor() float64 {
	if c.scale == 0 {
		return 1
	}
	return c.scale
}

// figure is the picture of a plot.
func (r *report) figure(g *growth) *chart.Figure {
	figure := &chart.Figure{Title: g.title, Note: "Medians; both axes logarithmic. Dotted: linear growth from the first point on."}
	for _, c := range g.curves {
		panel := chart.Panel{Title: c.title, X: g.x, Y: c.y}
		// The product is drawn last, on top of the others.
		for _, client := range g.clients {
			for hue, line := range g.lines {
				panel.Lines = append(panel.Lines, chart.Line{
					Name: shownName(client) + ", " + line.name, Hue: hue, Dashed: client == floor,
					Points: r.series(g, &c, line.name, client),
				})
			}
		}
		if first := r.series(g, &c, g.lines[0].name, product); len(first) > 0 {
			panel.Guide = chart.Guide{From: first[0], Exponent: c.linear}
		}
		figure.Panels = append(figure.Panels, panel)
	}
	figure.Legend = figure.Panels[0].Lines // every panel has the same
	return figure
}

func shownName(client string) string {
	if client == product {
		return "mcpclient"
	}
	return client
}
