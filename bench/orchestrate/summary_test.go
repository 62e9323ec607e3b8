package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/bench/workload"
)

func measured(cell, client string, round, try int, noisy bool, metric string, value float64) record {
	return record{Cell: cell, Client: client, Round: round, Try: try, Noisy: noisy, Metrics: workload.Metrics{metric: value}}
}

func TestRatiosAreTakenWithinARound(t *testing.T) {
	r := results{
		measured("W1", floor, 1, 1, false, "p50_us", 10), measured("W1", product, 1, 1, false, "p50_us", 5),
		measured("W1", floor, 2, 1, false, "p50_us", 100), measured("W1", product, 2, 1, false, "p50_us", 60),
		measured("W1", floor, 3, 1, false, "p50_us", 20), measured("W1", product, 3, 1, false, "p50_us", 14),
		measured("W1", product, 4, 1, false, "p50_us", 1000), // has nothing to be compared with
	}
	ratio, found := r.ratio("W1", product, floor, "p50_us")
	require.True(t, found)
	require.Equal(t, summary{3, 0.6, 0.5, 0.7}, ratio)
	value, found := r.value("W1", product, "p50_us")
	require.True(t, found)
	require.Equal(t, summary{4, 37, 5, 1000}, value)
	_, found = r.ratio("W1", product, floor, "allocs_per_op")
	require.False(t, found)
}

func TestNoisyMeasurementsGiveWayToQuietOnesOfTheirRound(t *testing.T) {
	r := results{
		measured("W1", floor, 1, 1, true, "x", 99), measured("W1", floor, 1, 2, false, "x", 1),
		measured("W1", floor, 2, 1, true, "x", 3),
		{Cell: "W1", Client: floor, Round: 3, Error: "broken", Metrics: workload.Metrics{"x": 77}},
	}
	require.Equal(t, map[int]float64{1: 1, 2: 3}, r.rounds("W1", floor, "x"))
	noisy, all := r.disturbed()
	require.Equal(t, [2]int{2, 4}, [2]int{noisy, all})
	failed, all, reason := r.failures("W1", floor)
	require.Equal(t, [2]int{1, 4}, [2]int{failed, all})
	require.Equal(t, "broken", reason)
}

func TestPageShowsFailures(t *testing.T) {
	c := cell{name: "W4 stdio", kind: kindBlob, clients: []string{floor, goSDK, product}}
	r := report{command: "make bench", cells: []cell{c}, reasons: &reasons{}, results: results{
		measured(c.name, floor, 1, 1, false, "mb_per_s", 100), measured(c.name, product, 1, 1, false, "mb_per_s", 1250),
		{Cell: c.name, Client: goSDK, Round: 1, Error: "line|too long"},
		{Cell: c.name, Client: product, Round: 2, Error: "once"},
	}}
	var page, table strings.Builder
	require.NoError(t, r.page(&page))
	require.NoError(t, r.table(&table))
	for _, text := range []string{
		"Do not edit",
		"| W4 stdio | MB/s | 1,250 (failed 1 of 2) | 12.50 (12.50 to 12.50) | it fails | – |",
		"| gosdk | fails: line/too long |",
		"| product | 1,250 ×12.50 |",
		"| product | failed in 1 of 2: once |",
	} {
		require.Contains(t, page.String(), text)
	}
	require.Contains(t, table.String(), "12.50 (12.50 to 12.50)")
}

func TestFormat(t *testing.T) {
	for want, value := range map[string]float64{"0": 0, "999": 999, "1,000": 1000, "1,234,567": 1_234_567, "-1,000": -1000, "-100": -100} {
		require.Equal(t, want, format(value, 0))
	}
	require.Equal(t, "12,345.7", format(12345.67, 1))
}

func TestEveryCellHasTheProductAndAKnownServer(t *testing.T) {
	names := map[string]bool{}
	for _, p := range []plan{quickPlan(), fullPlan()} {
		clear(names)
		for _, c := range p.cells() {
			require.False(t, names[c.name], c.name)
			names[c.name] = true
			require.Contains(t, c.clients, product, c.name)
			expanded := strings.Join(expand(c.arguments, "host:1", "peerserver"), " ")
			require.NotContains(t, expanded, "{", c.name)
			require.Regexp(t, `http://host:1/mcp|peerserver -stdio`, expanded)
		}
	}
	for _, quick := range quickPlan().cells() {
		require.True(t, names[quick.name], "a full run measures what a quick one does: %s", quick.name)
	}
}
