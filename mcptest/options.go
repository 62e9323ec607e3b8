package mcptest

import (
	"time"

	"github.com/mcp-client-go/mcpclient/mcp"
)

// Answers says in which form an HTTP server answers requests.
type Answers uint8

// The forms of an HTTP answer.
const (
	// AnswersAuto: JSON, unless something was sent before the answer.
	AnswersAuto Answers = iota
	// AnswersJSON: always JSON; progress and log messages of requests are
	// dropped. A subscriptions/listen is a stream all the same.
	AnswersJSON
	// AnswersEventStream: always an event stream.
	AnswersEventStream
)

// Option sets up a Server.
type Option func(*settings)

// settings are constant once the server is made.
type settings struct {
	implementation mcp.Implementation
	instructions   string
	modern         []mcp.Version
	legacy         []mcp.Version
	without        map[string]bool
	sessions       bool
	standalone     bool
	answers        Answers
	pageSize       int
	emptyCursor    bool
	ttl            time.Duration
	delays         map[string]time.Duration
	remembered     int
	stdio          StdioFaults
}

func defaultSettings() settings {
	return settings{
		implementation: mcp.Implementation{Name: "mcptest", Version: "1.0.0"},
		modern:         mcp.ModernVersions(),
		legacy:         mcp.LegacyVersions(),
		without:        map[string]bool{},
		sessions:       true,
		delays:         map[string]time.Duration{},
		remembered:     journalLimit,
	}
}

// WithVersions sets the protocol versions the server speaks, of both eras, the
// preferred ones first; the default is all. Versions that mcp.Version does not
// know are ignored.
func WithVersions(versions ...mcp.Version) Option {
	return func(s *settings) {
		s.modern, s.legacy = nil, nil
		for _, version := range versions {
			switch version.Era() {
			case mcp.EraModern:
				s.modern = append(s.modern, version)
			case mcp.EraLegacy:
				s.legacy = append(s.legacy, version)
			}
		}
	}
}

// ModernOnly makes a server that knows no handshake.
func ModernOnly() Option { return WithVersions(mcp.ModernVersions()...) }

// LegacyOnly makes a server that knows the handshake only; with versions, these
// ones, else all of the era.
func LegacyOnly(versions ...mcp.Version) Option {
	if len(versions) == 0 {
		versions = mcp.LegacyVersions()
	}
	return WithVersions(versions...)
}

// WithImplementation sets what the server tells of itself; the default is
// mcptest 1.0.0.
func WithImplementation(implementation mcp.Implementation) Option {
	return func(s *settings) { s.implementation = implementation }
}

// WithInstructions sets the server's instructions; the default is none.
func WithInstructions(text string) Option { return func(s *settings) { s.instructions = text } }

// WithoutCapability leaves out capabilities: tools, resources, prompts,
// completions or logging. Their methods are then unknown.
func WithoutCapability(names ...string) Option {
	return func(s *settings) {
		for _, name := range names {
			s.without[name] = true
		}
	}
}

// WithoutSessions makes the legacy era over HTTP sessionless: initialize gives
// no session id, and DELETE answers 405.
func WithoutSessions() Option { return func(s *settings) { s.sessions = false } }

// WithStandaloneStream lets legacy HTTP clients open a stream with GET (R103);
// without it GET answers 405.
func WithStandaloneStream() Option { return func(s *settings) { s.standalone = true } }

// WithAnswers sets the form of HTTP answers; the default is AnswersAuto.
func WithAnswers(answers Answers) Option { return func(s *settings) { s.answers = answers } }

// WithPageSize pages every list; 0, the default, does not.
func WithPageSize(n int) Option { return func(s *settings) { s.pageSize = n } }

// WithEmptyCursor makes the empty string the cursor of every second page, as
// the modern era allows (R141).
func WithEmptyCursor() Option { return func(s *settings) { s.emptyCursor = true } }

// WithTTL sets the ttlMs of cacheable modern results; the default is 0.
func WithTTL(ttl time.Duration) Option { return func(s *settings) { s.ttl = ttl } }

// WithDelay lets every request of the method wait before it is served.
func WithDelay(method string, delay time.Duration) Option {
	return func(s *settings) { s.delays[method] = delay }
}

// WithReceivedLimit sets how many messages Received returns, with all their
// bytes; the default is 10,000, and 0 is for a server under load. Count and Await
// know of all messages either way.
func WithReceivedLimit(n int) Option { return func(s *settings) { s.remembered = max(n, 0) } }
