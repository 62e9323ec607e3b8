//go:build unix

package fleet

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what was measured to docs/scale.md")

// phase is a part of the test, and the visits that were made in it.
type phase struct {
	t    *testing.T
	name string
	// mayBeDown: the store is, and users are told to come again.
	mayBeDown bool

	mu     sync.Mutex
	took   []time.Duration
	down   int // told that the store is down, the last one then
	told   time.Time
	failed int // otherwise
	facts  []fact
}

// fact is something that was computed and measured.
type fact struct {
	what               string
	computed, measured float64
	unit               string
	atMost             bool    // computed is a limit
	near               float64 // how far a run may be from what the page says
}

// note makes a visit. One that is not good is an error, but where the store may be
// down and the replica says so, which is counted.
func (p *phase) note(make func() (made visit, isGood bool)) (isGood bool) {
	began := time.Now()
	made, isGood := make()
	took := time.Since(began)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = append(p.took, took)
	switch {
	case isGood:
	case p.mayBeDown && made.isDown():
		p.down++
		p.told = time.Now()
	default:
		if p.failed++; p.failed <= 3 {
			p.t.Errorf("%s: status %d, %v: %.300s", p.name, made.status, made.err, made.body)
		}
	}
	return isGood
}

func (p *phase) visits() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.took)
}

// lastDown is when somebody was last told that the store is down.
func (p *phase) lastDown() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}

// fact notes what was computed and measured, which must not be further apart than
// the tolerance, or, of a limit, not be more.
func (p *phase) fact(what string, computed, measured, tolerance float64) {
	p.t.Helper()
	assert.InDelta(p.t, computed, measured, tolerance, "%s: %s", p.name, what)
	p.facts = append(p.facts, fact{what: what, computed: computed, measured: measured, near: tolerance})
}

// limit notes a limit and what was measured, which may be more by the slack: what a
// loaded machine needs for it.
func (p *phase) limit(what string, computed, measured, slack float64, unit string) {
	p.t.Helper()
	assert.LessOrEqual(p.t, measured, computed+slack, "%s: %s", p.name, what)
	p.facts = append(p.facts, fact{what: what, computed: computed, measured: measured, unit: unit, atMost: true, near: computed + slack})
}

// quantile is the latency that so many visits did not exceed, in milliseconds.
func (p *phase) quantile(share float64) string {
	sorted := slices.Sorted(slices.Values(p.took))
	if len(sorted) == 0 {
		return ""
	}
	took := sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
	return strconv.FormatFloat(float64(took)/float64(time.Millisecond), 'f', 1, 64)
}

func (f fact) shown(value float64, isLimit bool) string {
	text := strconv.FormatFloat(math.Round(value*100)/100, 'f', -1, 64)
	if f.unit != "" {
		text += " " + f.unit
	}
	if isLimit {
		text = "at most " + text
	}
	return text
}

const tableHead = "| | visits | p50, ms | p99, ms | what | computed | measured |\n|---|---|---|---|---|---|---|\n"

// table has a line for each fact; the figures of the phase are in its first one.
func table(phases []*phase) string {
	text := tableHead
	for _, p := range phases {
		visits, half, most := strconv.Itoa(len(p.took)), p.quantile(0.5), p.quantile(0.99)
		if len(p.took) == 0 {
			visits = ""
		}
		for i, fact := range p.facts {
			name := p.name
			if i > 0 {
				name, visits, half, most = "", "", "", ""
			}
			text += fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |\n", name, visits, half, most,
				fact.what, fact.shown(fact.computed, fact.atMost), fact.shown(fact.measured, false))
		}
	}
	return text
}

// report shows the table, and compares it with the one of docs/scale.md: the same
// facts in the same order, and nothing computed or measured that a run does not come
// near to. Visits and latencies are of the machine, and are not compared.
func report(t *testing.T, phases []*phase) {
	t.Helper()
	current := table(phases)
	fmt.Printf("%s\n", current)
	const page, begin, end = "../../../docs/scale.md", "<!-- measured: fleet -->\n", "<!-- end of table -->"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	written, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if *update {
		require.False(t, t.Failed(), "a run that failed is not written")
		require.NoError(t, os.WriteFile(page, []byte(before+begin+current+end+after), 0o644))
		return
	}
	hint := "make it current: cd examples/webapp && go test ./fleet -update"
	rows := strings.Split(strings.TrimSpace(strings.TrimPrefix(written, tableHead)), "\n")
	var facts []fact
	var names []string
	for _, p := range phases {
		for i, fact := range p.facts {
			name := p.name
			if i > 0 {
				name = ""
			}
			names, facts = append(names, name), append(facts, fact)
		}
	}
	require.Len(t, rows, len(facts), hint)
	for i, fact := range facts {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(rows[i], "|"), "|"), "|")
		require.Len(t, cells, 7, "%s: %s", rows[i], hint)
		assert.Equal(t, names[i], strings.TrimSpace(cells[0]), hint)
		assert.Equal(t, fact.what, strings.TrimSpace(cells[4]), hint)
		assert.InDelta(t, number(t, cells[5]), fact.computed, fact.near+0.01, "%s: computed; %s", fact.what, hint)
		assert.InDelta(t, number(t, cells[6]), fact.measured, fact.near+0.01, "%s: measured; %s", fact.what, hint)
	}
}

// number reads what shown wrote.
func number(t *testing.T, cell string) float64 {
	t.Helper()
	word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(cell), "at most "), " ")
	value, err := strconv.ParseFloat(word, 64)
	require.NoError(t, err)
	return value
}
