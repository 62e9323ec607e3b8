package redis

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateScale = flag.Bool("update", false, "write the tables of docs/scale.md")

// The tables of docs/scale.md are these formulas.
func TestScaleIsComputed(t *testing.T) {
	const page = "../../docs/scale.md"
	written, err := os.ReadFile(page)
	require.NoError(t, err)
	current := string(written)
	for name, table := range map[string]string{"process": processTable(), "fleet": fleetTable(), "redis": redisTable()} {
		begin, end := "<!-- table: "+name+" -->\n", "<!-- end of table -->"
		before, rest, found := strings.Cut(current, begin)
		require.True(t, found, name)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, name)
		current = before + begin + table + end + after
	}
	if *updateScale {
		require.NoError(t, os.WriteFile(page, []byte(current), 0o644))
		return
	}
	assert.Equal(t, current, string(written), "make it current: go test ./contrib/redis -run TestScale -update")
}

// What the page assumes of a backend.
const (
	callsPerReplica = 100.0   // per second, spread over its servers
	callSeconds     = 0.05    // each
	users           = 10_000. // who call within the life of a token
	activePerHour   = 200.    // users whom one replica has connections for
	tokenSeconds    = 3600.
	hotResults      = 4. // lists that are asked for all the time, for each server
	rolloutSeconds  = 600.
)

func replicaCounts() []float64 { return []float64{10, 100, 1_000, 10_000} }

func serverCounts() []float64 { return []float64{1, 10, 100, 1_000} }

func processTable() string {
	table := "| servers | calls in flight | HTTP/1.1 connections | HTTP/2 connections | sessions, with users | subscriptions |\n|---|---|---|---|---|---|\n"
	for _, servers := range serverCounts() {
		inFlight := callsPerReplica * callSeconds
		table += row(servers, inFlight, math.Max(inFlight, servers), servers, servers*activePerHour, servers)
	}
	return table
}

func fleetTable() string {
	table := "| replicas | servers | handshakes/s | of them with users | requests/s, modern | legacy, verdicts | legacy, none | refreshes/s, shared | not shared |\n|---|---|---|---|---|---|---|---|---|\n"
	for _, replicas := range replicaCounts() {
		for _, servers := range serverCounts() {
			handshakes := replicas * servers / rolloutSeconds
			refreshes := users * servers / tokenSeconds
			table += row(replicas, servers, handshakes, handshakes*activePerHour,
				handshakes, 2*handshakes, 3*handshakes, refreshes, refreshes*replicas)
		}
	}
	return table
}

func redisTable() string {
	table := "| replicas | servers | connections | looks/s, near cache | looks/s, none | MiB/s, none | refreshes, ops/s | shared rates, ops/s | pushes of one change | fetches after it |\n|---|---|---|---|---|---|---|---|---|---|\n"
	const listKiB, opsPerRefresh = 20.0, 8
	looks := callsPerReplica // one list for each call, the worst case
	for _, replicas := range replicaCounts() {
		for _, servers := range serverCounts() {
			near := math.Min(hotResults*servers/nearLife.Seconds(), looks)
			fetching := replicas * looks / (hotResults * servers) * callSeconds
			table += row(replicas, servers, replicas, replicas*near, replicas*looks, replicas*looks*listKiB/1024,
				users*servers/tokenSeconds*opsPerRefresh, replicas*callsPerReplica,
				replicas, math.Ceil(math.Max(1, math.Min(replicas, fetching))))
		}
	}
	return table
}

func row(cells ...float64) string {
	text := "|"
	for _, cell := range cells {
		text += " " + figure(cell) + " |"
	}
	return text + "\n"
}

// figure has two digits that count, and commas.
func figure(value float64) string {
	if value < 10 && value != math.Trunc(value) {
		return fmt.Sprintf("%.2g", value)
	}
	digits := fmt.Sprintf("%.0f", value)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
