package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/bench/chart"
	"github.com/mcp-client-go/mcpclient/bench/workload"
)

func power(exponent, times float64, xs ...float64) []chart.Point {
	var points []chart.Point
	for _, x := range xs {
		points = append(points, chart.Point{X: x, Y: times * math.Pow(x, exponent)})
	}
	return points
}

func TestSlopeIsTheExponentWithinItsRegion(t *testing.T) {
	points := power(1.3, 7, 1, 2, 5, 10)
	points = append(points, chart.Point{X: 100, Y: 1}, chart.Point{X: 1000, Y: 1})
	fitted, found := slope(points, 1, 10)
	require.True(t, found)
	require.InDelta(t, 1.3, fitted, 1e-9)
	fitted, found = slope(points, 100, 1000)
	require.True(t, found)
	require.InDelta(t, 0, fitted, 1e-9)
	_, found = slope(points, 11, 100)
	require.False(t, found, "one point has no slope")
}

func TestVerdictLeavesRoomForNoiseOnly(t *testing.T) {
	for name, c := range map[string]struct {
		curve curve
		slope float64
		worse bool
	}{
		"total, linear":                    {curve{linear: 1}, 1, false},
		"total, within noise":              {curve{linear: 1}, 1 + roomTimed - 0.01, false},
		"total, worse":                     {curve{linear: 1}, 1 + roomTimed + 0.01, true},
		"total, better":                    {curve{linear: 1}, 0.1, false},
		"exact total, worse":               {curve{linear: 1, exact: true}, 1.06, true},
		"cost of one, constant":            {curve{exact: true}, 0.04, false},
		"cost of one, growing":             {curve{exact: true}, 0.06, true},
		"rate, growing":                    {curve{rate: true}, 0.9, false},
		"rate, constant":                   {curve{rate: true}, -0.1, false},
		"rate, falling":                    {curve{rate: true}, -0.3, true},
		"rate, falling with a cost's room": {curve{rate: true, exact: true}, -0.06, true},
	} {
		require.Equal(t, c.worse, c.curve.worse(c.slope), name)
	}
}

func TestBendsAreWhereTheSlopeChanges(t *testing.T) {
	points := power(0, 5, 1, 2, 5, 10)
	points = append(points, power(1, 0.5, 20, 50, 100, 200, 500, 1000)...)
	points = append(points, power(2, 0.0005, 2000, 5000, 10000)...)
	c := curve{linear: 1}
	regions := c.slopes(points, decades(10_000))
	require.Len(t, regions, 4)
	var bends, worse []bool
	for _, region := range regions {
		bends, worse = append(bends, region.bend), append(worse, region.worse)
	}
	require.Equal(t, []bool{false, true, false, true}, bends)
	require.Equal(t, []bool{false, false, false, true}, worse)
	g := growth{}
	require.Equal(t, "**worse** from 1,000 to 10,000", g.verdict(regions))
	require.Equal(t, "linear or better", g.verdict(regions[:3]))
	require.Equal(t, "not measured", g.verdict(nil))
}

func TestPointsAndDecades(t *testing.T) {
	require.Equal(t, []int{1, 2, 5, 10, 20, 50, 100}, points(100))
	require.Equal(t, []int{1, 10, 100}, decades(100))
	for _, g := range growths() {
		require.Equal(t, g.points[0], g.regions[0], g.key)
		require.Equal(t, g.points[len(g.points)-1], g.regions[len(g.regions)-1], g.key)
		require.LessOrEqual(t, len(g.lines), chart.Hues, g.key)
	}
}

// grown are the records of a plot in which every curve grows by a power of x.
func grown(g *growth, exponent float64, metrics ...string) results {
	var r results
	for _, line := range g.lines {
		for _, client := range g.clients {
			for _, x := range g.points {
				measured := workload.Metrics{}
				for _, metric := range metrics {
					measured[metric] = 3 * math.Pow(float64(x), exponent)
				}
				r = append(r, record{Cell: g.cellName(line.name, x), Client: client, Round: 1, Metrics: measured})
			}
		}
	}
	return r
}

func TestPageHasAPlotWithItsSlopesAndBends(t *testing.T) {
	g := toolsGrowth()
	known, err := readReasons([]byte("bends:\n- {plot: tools, metrics: [p50_us], lines: [stdio], from: 100, to: 1000, reason: The tide.}\ntargets: []\n"))
	require.NoError(t, err)
	r := report{reasons: known, results: grown(&g, 1.5, "p50_us", "bytes_per_op")}
	var page strings.Builder
	r.growthSections(&page)
	for _, text := range []string{
		"![Tools in one list](performance/tools.svg)",
		"| Time of a list | http-json | ≤ 1 | **1.50** | **1.50** | **1.50** | **1.50** | **1.50** | **worse** from 1 to 10, from 10 to 100,",
		"| Allocations of a list | stdio | ≤ 1 | – | – | – | – | – | not measured |",
		"- The tide. (Time of a list, stdio: 100 to 1,000.)",
		"- **no reason given** (Time of a list, http-json: 1 to 10, 10 to 100, 100 to 1,000,",
	} {
		require.Contains(t, page.String(), text)
	}
	require.NotContains(t, page.String(), "payload.svg", "what was not measured has no section")

	r.results = grown(&g, 0.9, "p50_us")
	page.Reset()
	r.growthSections(&page)
	require.Contains(t, page.String(), "| 0.90 | linear or better |")
	require.NotContains(t, page.String(), "bends:")
}

func TestFigureShowsEveryLine(t *testing.T) {
	g := callersGrowth()
	r := report{results: grown(&g, 0.5, "ops_per_s", "cpu_s_per_100k")}
	figure := r.figure(&g)
	require.Len(t, figure.Legend, 4)
	require.Len(t, figure.Panels, 4)
	require.Len(t, figure.Panels[0].Lines, 4)
	require.Len(t, figure.Panels[0].Lines[0].Points, len(g.points))
	require.Equal(t, chart.Point{X: 1, Y: 30}, figure.Panels[2].Guide.From, "CPU seconds of 100,000 calls, as microseconds of one")
	require.Empty(t, figure.Panels[1].Lines[0].Points)
}
