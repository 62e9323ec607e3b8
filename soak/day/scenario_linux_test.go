package day

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient/mcptest"
)

const (
	users           = 8
	browsersPerUser = 3
	// requestTimeout is the servers': shorter than the longest freeze.
	requestTimeout = 4 * time.Second
	// aftermath is how long after its end a fault may still be the cause of a
	// failure: the client leaves a server that it could not connect to alone for up
	// to ten seconds, and a call takes its time.
	aftermath = 10*time.Second + 2*requestTimeout
	// answeredAtLeast is the part of the calls that must be answered.
	answeredAtLeast = 0.70
)

// serverKind is a server of the scenario.
type serverKind struct {
	name      string
	stdio     bool
	protected bool // wants tokens
	owned     bool // knows whom a question comes from
	options   []mcptest.Option
	faults    mcptest.NetworkFaults // of the way to it, always
	keys      string                // of its section, beyond what all have
}

// serverKinds are the five servers.
func serverKinds() []serverKind {
	return []serverKind{
		{
			name: "demo", stdio: true, owned: true,
			keys: "supervision: {max_restarts: 100000, restart_delay: 50ms, wait_for_reconnect: 3s, retry_lost_requests: true}",
		},
		{
			name: "json", owned: true, options: []mcptest.Option{mcptest.LegacyOnly(), mcptest.WithAnswers(mcptest.AnswersJSON)},
			keys: "breaker: {failures: 20, open_for: 500ms}",
		},
		{
			name: "events", owned: true, faults: mcptest.NetworkFaults{Pieces: 700},
			options: []mcptest.Option{mcptest.LegacyOnly(), mcptest.WithAnswers(mcptest.AnswersEventStream), mcptest.WithStandaloneStream()},
			keys:    "cache: {enabled: true, ttl: {tools/list: 2s}, watch: true}",
		},
		{
			name: "modern", options: []mcptest.Option{mcptest.ModernOnly(), mcptest.WithTTL(2 * time.Second)},
			keys: "retry: {attempts: 3, initial_backoff: 50ms}",
		},
		{
			name: "files", protected: true, owned: true, options: []mcptest.Option{mcptest.LegacyOnly()},
			keys: "tools: {deny: [log]}",
		},
	}
}

func kindOf(name string) serverKind {
	for _, kind := range serverKinds() {
		if kind.name == name {
			return kind
		}
	}
	panic("no server " + name)
}

// Kinds of failure, as the client names them.
const (
	transport   = "transport failure"
	status      = "HTTP status"
	timeout     = "timeout"
	protocol    = "protocol violation"
	sessionLost = "session lost"
	needsLogin  = "authorization"
	unavailable = "unavailable"
	closed      = "closed"
)

// fault is something that goes wrong at a server, and the kinds of failure that
// it may cause there. on begins it; what it returns, if anything, ends it.
type fault struct {
	name   string
	weight int
	at     func(serverKind) bool
	lasts  func(*rand.Rand) time.Duration
	on     func(*peer, *rand.Rand) (end func())
	causes []string
	// unreachable: every call fails while it lasts.
	unreachable bool
}

func atHTTP(kind serverKind) bool      { return !kind.stdio }
func atStdio(kind serverKind) bool     { return kind.stdio }
func atSessions(kind serverKind) bool  { return !kind.stdio && kind.name != "modern" }
func atProtected(kind serverKind) bool { return kind.protected }

func atOnce(*rand.Rand) time.Duration { return 0 }

func between(least, most time.Duration) func(*rand.Rand) time.Duration {
	return func(random *rand.Rand) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
}

// faults is what goes wrong.
func faults() []fault {
	// What a server that cannot be reached causes. A network that is lost within the
	// handshake or while a token is got is told of as such.
	down := []string{transport, timeout, unavailable, needsLogin, sessionLost}
	return []fault{
		{"process killed", 4, atStdio, atOnce, onProcess(syscall.SIGKILL), []string{transport, unavailable}, false},
		{"process dies within a line", 2, atStdio, atOnce, onProcess(syscall.SIGUSR2), []string{transport, unavailable, protocol}, false},
		{"noise on stdout", 3, atStdio, atOnce, onProcess(syscall.SIGUSR1), nil, false},
		{"processes frozen", 2, atStdio, between(time.Second, requestTimeout+2*time.Second), freeze, []string{timeout, unavailable, transport}, false},
		{"server killed and started", 5, atHTTP, between(300*time.Millisecond, 2*time.Second), restart, down, true},
		{"connections reset", 4, atHTTP, atOnce, func(p *peer, _ *rand.Rand) func() { p.proxy.Reset(); return nil }, down, false},
		{"connections refused", 3, atHTTP, between(300*time.Millisecond, 2*time.Second), refuse, down, true},
		{"half-open connections", 3, atHTTP, between(time.Second, requestTimeout+2*time.Second), stall, down, false},
		{"sessions forgotten", 6, atSessions, atOnce, control("forget", nil), nil, false},
		{"503", 3, atHTTP, between(200*time.Millisecond, time.Second), sick(illness{Status: 503}), []string{status, unavailable, needsLogin, sessionLost}, false},
		{"429", 3, atHTTP, between(200*time.Millisecond, time.Second), sick(illness{Status: 429}), []string{status, unavailable, needsLogin, sessionLost}, false},
		{"slow answers", 3, atHTTP, between(time.Second, 3*time.Second), sick(illness{Delay: 300 * time.Millisecond}), nil, false},
		{"a page for an answer", 2, atHTTP, between(100*time.Millisecond, 500*time.Millisecond), sick(illness{Garbage: true}), []string{protocol, unavailable, needsLogin, transport}, false},
		{"tools changed", 2, atHTTP, atOnce, control("change", nil), nil, false},
		{"tokens expired", 5, atProtected, atOnce, control("expire", nil), nil, false},
		{"tokens revoked", 2, atProtected, atOnce, control("revoke", nil), []string{needsLogin}, false},
	}
}

// reload is a change of the configuration file.
type reload struct {
	name string
	do   func(*configuration, *rand.Rand)
}

func reloads() []reload {
	return []reload{
		{"a server changed", func(c *configuration, random *rand.Rand) {
			kinds := serverKinds()
			c.generations[kinds[random.IntN(len(kinds))].name]++
		}},
		{"a server added or removed", func(c *configuration, _ *rand.Rand) { c.extra = !c.extra }},
		{"a section with faults, or mended", func(c *configuration, _ *rand.Rand) { c.faulty = !c.faulty }},
		{"a broken file, or mended", func(c *configuration, _ *rand.Rand) { c.broken = !c.broken }},
		{"nothing but a comment", func(c *configuration, _ *rand.Rand) { c.comment++ }},
	}
}

// activity is what a user does at one server.
type activity struct {
	name   string
	weight int
	at     func(serverKind) bool
	do     func(*caller, serverKind, string) outcome
}

func atAll(serverKind) bool { return true }

func activities() []activity {
	return []activity{
		{"call", 40, atAll, (*caller).work},
		{"large answer", 4, atAll, (*caller).workLarge},
		{"progress", 10, atAll, (*caller).workWithProgress},
		{"sum page", 6, atStdio, (*caller).addUp},
		{"tool fails", 4, atAll, (*caller).toolFails},
		{"tools", 6, atAll, (*caller).listTools},
		{"resource", 10, atAll, (*caller).readResource},
		{"prompt", 6, atAll, (*caller).getPrompt},
		{"hangs up", 6, atAll, (*caller).hangUp},
		{"deadline", 2, atAll, (*caller).missDeadline},
		{"denied", 1, atProtected, (*caller).callDenied},
	}
}

// pick chooses by weight.
func pick[T any](random *rand.Rand, all []T, weight func(T) int) T {
	total := 0
	for _, one := range all {
		total += weight(one)
	}
	n := random.IntN(total)
	for _, one := range all {
		if n -= weight(one); n < 0 {
			return one
		}
	}
	panic(fmt.Sprint("no choice of ", len(all)))
}
