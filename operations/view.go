package operations

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient/transporters"
)

// viewFunctions are what the page's templates call.
func viewFunctions() template.FuncMap {
	return template.FuncMap{
		"clock":    func(t time.Time) string { return t.UTC().Format("15:04:05") },
		"moment":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"duration": shownDuration,
		"quantile": func(l transporters.Latency, part float64) string { return shownQuantile(l, part) },
		"kinds":    shownKinds,
		"look":     lookOf,
		"tally":    tallyOf,
		"plural":   plural,

		"writtenFirst": writtenFirst,
	}
}

// shownDuration writes a duration with three digits, for people.
func shownDuration(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return d.String()
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", min(float64(d)/float64(time.Millisecond), 999))
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}

func shownQuantile(l transporters.Latency, part float64) string {
	if l.Count() == 0 {
		return "–"
	}
	return shownDuration(l.Quantile(part))
}

// shownKinds lists failures by kind.
func shownKinds(counts transporters.FailureCounts) string {
	var parts []string
	for kind, n := range counts.All() {
		parts = append(parts, fmt.Sprintf("%d %s", n, kind))
	}
	return strings.Join(parts, ", ")
}

// lookOf returns the class of a state's badge: well, busy, bad or quiet.
func lookOf(server Server) string {
	switch server.State {
	case transporters.StateReady.String():
		return "well"
	case transporters.StateIdle.String():
		if !server.Stats.ConnectFailure.IsZero() {
			return "bad"
		}
		return "quiet"
	case stateFaulty, transporters.StateClosed.String(), transporters.StateExhausted.String():
		return "bad"
	default:
		return "busy"
	}
}

// tally is what stands at the page's top.
type tally struct {
	Servers, Ready, Troubled int
	InFlight                 int64
	Requests, Failures       uint64
	Restarts                 uint64
}

func tallyOf(snapshot Snapshot) tally {
	t := tally{Servers: len(snapshot.Servers)}
	for _, server := range snapshot.Servers {
		switch lookOf(server) {
		case "well":
			t.Ready++
		case "bad":
			t.Troubled++
		}
		t.InFlight += server.Stats.InFlight
		t.Requests += server.Stats.Requests
		t.Failures += server.Stats.Failures
		t.Restarts += server.Stats.Restarts
	}
	return t
}

// writtenFirst puts what somebody has written before the defaults.
func writtenFirst(settings []Setting) []Setting {
	sorted := slices.Clone(settings)
	slices.SortStableFunc(sorted, func(a, b Setting) int {
		switch {
		case a.Default == b.Default:
			return 0
		case b.Default:
			return -1
		default:
			return 1
		}
	})
	return sorted
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
