package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func knownTargets(t *testing.T) []target {
	targets, err := readTargets(targetsFile)
	require.NoError(t, err)
	return targets
}

func TestEveryTargetIsMeasured(t *testing.T) {
	cells := map[string]cell{}
	for _, c := range fullPlan().cells() {
		cells[c.name] = c
	}
	ids := map[string]bool{}
	for _, target := range knownTargets(t) {
		require.False(t, ids[target.ID], target.ID)
		ids[target.ID] = true
		require.NotEmpty(t, target.Cells, target.ID)
		require.True(t, target.Own != nil || target.Floor > 0, target.ID)
		for _, name := range target.Cells {
			c, found := cells[name]
			require.True(t, found, "%s: %s", target.ID, name)
			require.True(t, slices.ContainsFunc(c.kind.columns(), func(column column) bool { return column.metric == target.Metric }), "%s: %s has no %s", target.ID, name, target.Metric)
			for client, goal := range map[string]float64{product: 1, floor: target.Floor, goSDK: target.GoSDK, mcpGo: target.MCPGo} {
				require.True(t, goal == 0 || slices.Contains(c.clients, client) || slices.Contains(c.clients, client+atDefault), "%s: %s without %s", target.ID, name, client)
			}
		}
	}
}

// TestReasonsFit: a reason that names what does not exist would never be shown.
func TestReasonsFit(t *testing.T) {
	known, err := readReasons(reasonsFile)
	require.NoError(t, err)
	ids := map[string]bool{}
	for _, target := range knownTargets(t) {
		ids[target.ID] = true
	}
	for _, reason := range known.Targets {
		require.NotEmpty(t, reason.Targets, reason.LimitedBy)
		require.NotEmpty(t, reason.LimitedBy, reason.Targets)
		for _, id := range reason.Targets {
			require.True(t, ids[id], id)
		}
		for _, against := range reason.Against {
			require.Contains(t, targetColumns(), against)
		}
	}
	plots := map[string]growth{}
	for _, g := range growths() {
		plots[g.key] = g
	}
	for _, reason := range known.Bends {
		require.NotEmpty(t, reason.Reason)
		g, found := plots[reason.Plot]
		require.True(t, found, reason.Plot)
		for _, metric := range reason.Metrics {
			require.True(t, slices.ContainsFunc(g.curves, func(c curve) bool { return c.metric == metric }), "%s: %s", reason.Plot, metric)
		}
		for _, line := range reason.Lines {
			require.True(t, slices.ContainsFunc(g.lines, func(l growthLine) bool { return l.name == line }), "%s: %s", reason.Plot, line)
		}
	}
}

func TestFilesWithUnknownKeysAreRefused(t *testing.T) {
	_, err := readReasons([]byte("bends: []\ntarget: []\n"))
	require.ErrorContains(t, err, "reasons.yaml")
	_, err = readTargets([]byte("targets: [{id: x, floors: 1}]\n"))
	require.ErrorContains(t, err, "targets.yaml")
}

func TestJudge(t *testing.T) {
	own := 9.0
	for name, c := range map[string]struct {
		target   target
		mine     float64
		theirs   float64
		against  string
		verdict  verdict
		measured string
	}{
		"itself, rounded as it is shown":    {target{Own: &own}, 9.4, 30, againstOwn, reached, "9"},
		"itself, more":                      {target{Own: &own, Decimals: 1}, 9.1, 30, againstOwn, notReached, "9.1"},
		"itself, a rate":                    {target{Own: &own, Rate: true}, 8, 30, againstOwn, notReached, "8"},
		"cost against floor":                {target{Floor: 1.05}, 1.15, 1, floor, reached, "1.15×"},
		"cost against floor, beyond noise":  {target{Floor: 1.05}, 1.16, 1, floor, notReached, "1.16×"},
		"exact cost has no room":            {target{Floor: 1.05, Exact: true}, 1.06, 1, floor, notReached, "1.06×"},
		"rate against floor":                {target{Floor: 3, Rate: true}, 2.73, 1, floor, reached, "2.73×"},
		"rate against floor, beyond noise":  {target{Floor: 3, Rate: true}, 2.72, 1, floor, notReached, "2.72×"},
		"cost against a peer":               {target{GoSDK: 20, Exact: true}, 5, 100, goSDK, reached, "20 times"},
		"exact cost against a peer, short":  {target{GoSDK: 20, Exact: true}, 5.1, 100, goSDK, notReached, "19.6 times"},
		"cost of nothing":                   {target{MCPGo: 200, Exact: true}, 0, 998, mcpGo, reached, "none against some"},
		"rate against a peer":               {target{MCPGo: 2, Rate: true}, 1.82, 1, mcpGo, reached, "1.82 times"},
		"rate against a peer, beyond noise": {target{MCPGo: 2, Rate: true}, 1.81, 1, mcpGo, notReached, "1.81 times"},
	} {
		c.target.Metric = "x"
		other := c.against
		if other == againstOwn {
			other = floor
		}
		r := report{results: results{measured("W1", product, 1, 1, false, "x", c.mine), measured("W1", other, 1, 1, false, "x", c.theirs)}}
		o, found := r.judge(&c.target, "W1", c.against)
		require.True(t, found, name)
		require.Equal(t, c.verdict, o.verdict, name)
		require.Equal(t, c.measured, o.measured, name)
	}
}

func TestJudgeWithoutValues(t *testing.T) {
	goal := target{Metric: "x", Floor: 2, GoSDK: 3, Rate: true}
	r := report{results: results{measured("W4", product, 1, 1, false, "x", 5), {Cell: "W4", Client: goSDK, Round: 1, Error: "too long"}}}
	o, found := r.judge(&goal, "W4", goSDK)
	require.True(t, found)
	require.Equal(t, outcome{"works", "the peer fails", reached}, o)
	o, _ = r.judge(&goal, "W4", floor)
	require.Equal(t, outcome{"≥ 2×", "–", notMeasured}, o)
	_, found = r.judge(&goal, "W4", mcpGo)
	require.False(t, found, "there is no goal")
	_, found = r.judge(&goal, "W4", againstOwn)
	require.False(t, found, "there is no goal")

	r.results = results{{Cell: "W4", Client: product, Round: 1, Error: "broken"}, {Cell: "W4", Client: goSDK, Round: 1, Error: "too long"}}
	o, _ = r.judge(&goal, "W4", goSDK)
	require.Equal(t, notReached, o.verdict, "both fail")
	require.Equal(t, "it fails", o.measured)
}

// A peer with its own defaults stands in for the peer in cells that have no
// other.
func TestJudgeTakesThePeersDefaults(t *testing.T) {
	goal := target{Metric: "x", GoSDK: 5, Rate: true}
	r := report{results: results{measured("W2", product, 1, 1, false, "x", 60), measured("W2", goSDK+atDefault, 1, 1, false, "x", 10)}}
	o, _ := r.judge(&goal, "W2", goSDK)
	require.Equal(t, outcome{"5 times better", "6 times", reached}, o)
}

func TestGoalsSayWhyTheyAreNotReached(t *testing.T) {
	own := 7.0
	known := reasons{Targets: []targetReason{{Targets: []string{"bytes"}, Against: []string{againstOwn}, LimitedBy: "The moon.", Tried: "Waiting."}}}
	r := report{
		reasons: &known,
		targets: []target{{ID: "bytes", Work: "Echo", Measure: "bytes", Metric: "x", Cells: []string{"W1", "W9"}, Own: &own, GoSDK: 3}},
		results: results{
			measured("W1", product, 1, 1, false, "x", 8), measured("W1", goSDK, 1, 1, false, "x", 16),
			measured("W9", product, 1, 1, false, "x", 8), measured("W9", goSDK, 1, 1, false, "x", 80),
		},
	}
	var page strings.Builder
	r.goals(&page)
	for _, text := range []string{
		"| Echo | bytes | W1 | 8 (≤ 7): **not reached** | – | 2 times (3 times better): **not reached** | – |",
		"| Echo | bytes | W9 | 8 (≤ 7): **not reached** | – | 10 times (3 times better): reached | – |",
		"Reached: 1. Not reached: 3. Not measured: 0.",
		"\n- The moon. Tried: Waiting.\n  - **Echo, bytes** (W1: itself; W9: itself)\n- **no reason given**\n  - **Echo, bytes** (W1: against the official Go SDK)\n",
	} {
		require.Contains(t, page.String(), text)
	}
	require.Equal(t, []string{"W1", "W9"}, r.unreachedCells())
}
