package stdiolink

import (
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	// A process fills our log no faster than so many lines in a window, once
	// through stderr and once through lines that are no messages.
	logWindow       = 10 * time.Second
	stderrPerWindow = 200
	noisePerWindow  = 10
	// shownNoise is how much of a line that is no message is logged, in bytes.
	shownNoise = 200
	// keptNoise is how much of what a process prints before its first message is
	// kept for the reason of its end, in bytes.
	keptNoise = 512
)

// limitedLog writes the lines of one kind, so many in a window of time, and
// then how many it left out. It is safe for concurrent use.
type limitedLog struct {
	logger hclog.Logger
	kind   string
	limit  int

	mu      sync.Mutex
	window  time.Time // its beginning
	written int
	leftOut int
}

func newLimitedLog(logger hclog.Logger, kind string, limit int) *limitedLog {
	return &limitedLog{logger: logger, kind: kind, limit: limit}
}

// admit reports whether a line may be written now.
func (g *limitedLog) admit() bool {
	g.mu.Lock()
	now := time.Now()
	before := 0
	if now.Sub(g.window) >= logWindow {
		before = g.leftOut
		g.window, g.written, g.leftOut = now, 0, 0
	}
	admitted := g.written < g.limit
	if admitted {
		g.written++
	} else {
		g.leftOut++
	}
	g.mu.Unlock()
	g.tell(before)
	return admitted
}

// flush tells of lines that were left out and not yet told of.
func (g *limitedLog) flush() {
	g.mu.Lock()
	leftOut := g.leftOut
	g.leftOut = 0
	g.mu.Unlock()
	g.tell(leftOut)
}

func (g *limitedLog) tell(leftOut int) {
	if leftOut > 0 {
		g.logger.Warn("too many log lines: some were left out", "kind", g.kind, "lines", leftOut)
	}
}

// logStderr logs a line of stderr, which is not a sign of an error in itself
// (R062).
func (l *Link) logStderr(line string) {
	if l.stderr.admit() {
		l.logger.Log(stderrLevel(line), "stderr", "line", line)
	}
}

// stderrLevel guesses the level of a line from its words.
func stderrLevel(line string) hclog.Level {
	const beginning = 200
	text := strings.ToLower(line[:min(len(line), beginning)])
	for _, guess := range [...]struct {
		level hclog.Level
		words [5]string
	}{
		{hclog.Error, [5]string{"error", "fatal", "panic", "exception", "traceback"}},
		{hclog.Warn, [5]string{"warn", "deprecat"}},
		{hclog.Debug, [5]string{"debug", "trace", "verbose"}},
	} {
		for _, word := range guess.words {
			if word != "" && strings.Contains(text, word) {
				return guess.level
			}
		}
	}
	return hclog.Info
}

// skip counts a line that is no message, and logs it: banners and the like,
// which are common, at debug, what looks like a message at warn (P31, S16).
func (l *Link) skip(line []byte, level hclog.Level, why string) {
	l.skipped.Add(1)
	if !l.heard.Load() {
		l.keepNoise(line)
	}
	l.complain(line, level, "line skipped: "+why)
}

func (l *Link) complain(line []byte, level hclog.Level, what string) {
	if !l.noise.admit() {
		return
	}
	excerpt := l.secrets.Excerpt(line, shownNoise)
	l.logger.Log(level, what, "bytes", len(line), "line", excerpt)
	if level >= hclog.Warn && l.onFault != nil {
		l.onFault(&errors.TransporterRequestError{Kind: errors.KindProtocol, Message: what, Snippet: excerpt, Err: errors.ErrProtocol})
	}
}

// OnFault implements transporters.FaultReporter: lines that look like messages and
// are none.
func (l *Link) OnFault(report func(error)) { l.onFault = report }

// keepNoise keeps the beginning of what comes in the place of messages: the
// usual place for a program to say why it does not start. The reader calls it.
func (l *Link) keepNoise(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := keptNoise - len(l.firstNoise); room > 0 {
		l.firstNoise += l.secrets.Excerpt(line, room) + "\n"
	}
}

// beginning returns what keepNoise kept.
func (l *Link) beginning() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.firstNoise)
}
