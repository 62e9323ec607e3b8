package soak

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	callers = 64
	// killsPerMinute is how many children must have ended in a run.
	killsPerMinute = 150
)

// connect returns a client of one server, and its connection.
func connect(t *testing.T, section map[string]any, options ...mcpclient.Option) (*mcpclient.Client, *mcpclient.Connection) {
	t.Helper()
	cfg, err := config.FromServers(map[string]any{"soak": section})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg, options...)
	require.NoError(t, err)
	require.Empty(t, client.Problems())
	connection, err := client.Connect("soak")
	require.NoError(t, err)
	return client, connection
}

// section describes the server that is this test program. Processes that hang
// are found, and given up, much sooner than anybody would configure.
func section(t *testing.T, folder string, env map[string]any, supervision map[string]any) map[string]any {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	environment := map[string]any{childVariable: folder, "GORACE": "atexit_sleep_ms=0"}
	for name, value := range env {
		environment[name] = value
	}
	return map[string]any{
		"type": "stdio", "command": []string{self}, "env": environment,
		"shutdown_timeout": "100ms",
		"supervision":      supervision,
		"health_check":     map[string]any{"interval": "100ms", "timeout": "500ms", "failures": 1},
	}
}

func raisedBudget() map[string]any {
	return map[string]any{
		"max_restarts": 1_000_000, "restart_delay": "5ms",
		"wait_for_reconnect": "20s", "retry_lost_requests": true,
	}
}

// TestSoak: many callers on a supervised process that dies again and again, and on
// several of them.
func TestSoak(t *testing.T) {
	length, full := duration(t)
	for name, test := range map[string]struct {
		era       string
		instances int
		more      map[string]any
	}{
		"modern": {"modern", 1, nil},
		"legacy": {"legacy", 1, nil},
		"pool":   {"modern", 4, map[string]any{"instances": 4, "max_in_flight": 8}},
	} {
		t.Run(name, func(t *testing.T) {
			before := takeInventory(t)
			folder := t.TempDir()
			s := section(t, folder, map[string]any{eraVariable: test.era}, raisedBudget())
			maps.Copy(s, test.more)
			client, connection := connect(t, s)
			begun := time.Now()
			wantKills := 3
			if full {
				wantKills = int(killsPerMinute * length.Minutes() / 3)
			}
			records := run(connection, workOrRead, func() bool {
				return time.Since(begun) < length/3 || countJournals(folder) < wantKills+test.instances && time.Since(begun) < 3*length+time.Minute
			})
			took := time.Since(begun)
			stats := connection.Stats()
			require.NoError(t, client.Close())

			noted := readJournals(t, folder)
			report(t, took, records, noted)
			assert.GreaterOrEqual(t, noted.kills(), wantKills, "too few kills")
			assert.GreaterOrEqual(t, 2*count(records, "answered"), len(records), "less than half of the calls were answered")
			assert.Zero(t, stats.InFlight)
			assert.EqualValues(t, len(records), stats.Requests)
			assert.Zero(t, count(records, "exhausted"))
			assert.Zero(t, lostReads(records), "calls that only read state are sent again")
			checkRecords(t, records)
			checkReached(t, records, noted)
			before.check(t, noted.processes)
		})
	}
}

// TestSoakExhausts: with the default budget the end comes soon, and every caller
// is told.
func TestSoakExhausts(t *testing.T) {
	before := takeInventory(t)
	folder := t.TempDir()
	client, connection := connect(t, section(t, folder, nil, map[string]any{"wait_for_reconnect": "20s"}))
	records := run(connection, workOrRead, func() bool { return true }) // until each is told
	assert.Equal(t, transporters.StateExhausted, connection.State())
	_, err := connection.Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrSupervisionExhausted, "later calls are told as well")
	assert.True(t, errors.SafeToRetry(err), "and that they were not sent")
	require.NoError(t, client.Close())

	noted := readJournals(t, folder)
	report(t, 0, records, noted)
	assert.Equal(t, callers, count(records, "exhausted"), "each caller is told once and ends")
	assert.Equal(t, 4, noted.kills(), "three restarts, and the death that spent the budget")
	checkRecords(t, records)
	checkReached(t, records, noted)
	before.check(t, noted.processes)
}

// run has all callers make calls as long as more says, or until they are told
// that the budget is spent.
func run(connection *mcpclient.Connection, make maker, more func() bool) []record {
	all := [callers]*caller{}
	var running sync.WaitGroup
	for i := range all {
		all[i] = &caller{number: i, connection: connection, make: make}
		running.Go(func() {
			for more() {
				if all[i].call(context.Background()).outcome == "exhausted" {
					return
				}
			}
		})
	}
	running.Wait()
	var records []record
	for _, c := range all {
		records = append(records, c.records...)
	}
	return records
}

// countJournals is the number of children so far.
func countJournals(folder string) int {
	entries, _ := os.ReadDir(folder)
	return len(entries)
}

func count(records []record, outcome string) int {
	n := 0
	for _, r := range records {
		if r.outcome == outcome {
			n++
		}
	}
	return n
}

// report prints the counts.
func report(t *testing.T, took time.Duration, records []record, noted journals) {
	outcomes := map[string]int{}
	for _, r := range records {
		outcomes[r.outcome]++
	}
	repeated, slowest := 0, time.Duration(0)
	for _, r := range records {
		slowest = max(slowest, r.took)
		if noted.reached[r.id] > 1 {
			repeated++
		}
	}
	fmt.Printf("%s: %v, %d processes, %d killed (%s), %d calls (%s), %d sent again to a replacement, %d of those lost, the slowest took %v\n",
		t.Name(), took.Round(time.Second), len(noted.processes), noted.kills(), list(noted.ends),
		len(records), list(outcomes), repeated, lostReads(records), slowest.Round(time.Millisecond))
}

// lostReads is the number of calls that were lost with a process though they
// could have been sent again.
func lostReads(records []record) int {
	n := 0
	for _, r := range records {
		if !r.once && r.outcome == "process lost" {
			n++
		}
	}
	return n
}

func list(counts map[string]int) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, name))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// mostShown bounds how many faults of a kind are printed.
const mostShown = 5

func checkRecords(t *testing.T, records []record) {
	t.Helper()
	wrong := 0
	for _, r := range records {
		if r.wrong == "" {
			continue
		}
		if wrong++; wrong <= mostShown {
			t.Errorf("call %s: %s", r.id, r.wrong)
		}
	}
	assert.Zero(t, wrong, "calls that ended as they must not")
}

// checkReached compares what callers were told with what reached the processes.
func checkReached(t *testing.T, records []record, noted journals) {
	t.Helper()
	assert.Empty(t, noted.violations)
	shown := 0
	for _, r := range records {
		reached, problem := noted.reached[r.id], ""
		switch {
		case r.once && reached > 1:
			problem = "must reach one process"
		case r.err == nil && reached == 0:
			problem = "was answered by nobody"
		case r.once && reached > 0 && r.err != nil && errors.SafeToRetry(r.err):
			problem = "was said not to be sent"
		}
		if problem == "" {
			continue
		}
		if shown++; shown <= mostShown {
			t.Errorf("call %s reached %d processes: it %s (%v)", r.id, reached, problem, r.err)
		}
	}
	assert.Zero(t, shown, "calls that reached too many processes, or too few")
}
