package terminal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

const (
	// drawInterval is the shortest time between two drawings of bars.
	drawInterval = 80 * time.Millisecond
	// lineInterval is the shortest time between two lines of one bar, where bars
	// cannot be drawn; it is also how long nothing is written at first.
	lineInterval = time.Second
	// maxDrawn is how many bars are drawn at once.
	maxDrawn = 10
	// barColumns is the width of a bar, without its brackets.
	barColumns = 24
	// maxMessage bounds what a server says of its progress, in bytes.
	maxMessage = 200
)

// Progress is one report: how much is done, of how much (0 where that is not
// known), and a text.
type Progress struct {
	Done, Total float64
	Message     string
}

// Bars shows what runs, several things at once: as bars at the bottom of a
// terminal, which are gone in the end, elsewhere as lines, of each bar at most
// one per second, or all of them.
//
// Whatever else is written to the same terminal in the meantime goes through
// Above or between Pause and its resume. Bars is safe for concurrent use.
type Bars struct {
	out      *Output
	now      func() time.Time
	allLines bool
	silent   bool

	mu     sync.Mutex
	bars   []*Bar
	drawn  int // lines on the terminal now
	latest time.Time
	paused int
}

// NewBars returns bars on an output. allLines has every report written where bars
// cannot be drawn; silent has none shown anywhere.
func NewBars(out *Output, allLines, silent bool, now func() time.Time) *Bars {
	return &Bars{out: out, now: now, allLines: allLines, silent: silent}
}

// Bar is one thing that runs.
type Bar struct {
	of       *Bars
	name     string
	latest   Progress
	reported bool
	waiting  bool
	written  time.Time
}

// Add begins to show something. Where waits is set the bar is there from the
// beginning, else with its first report.
func (b *Bars) Add(name string, waits bool) *Bar {
	b.mu.Lock()
	defer b.mu.Unlock()
	bar := &Bar{of: b, name: errors.PeerText(name, maxMessage), waiting: waits, written: b.now()}
	b.bars = append(b.bars, bar)
	if waits {
		b.draw(true)
	}
	return bar
}

// Report shows how far it is.
func (bar *Bar) Report(progress Progress) {
	b := bar.of
	b.mu.Lock()
	defer b.mu.Unlock()
	isFirst := !bar.reported
	bar.latest, bar.reported = progress, true
	switch {
	case b.silent:
	case b.out.CanDraw():
		b.draw(isFirst)
	case b.allLines || b.now().Sub(bar.written) >= lineInterval:
		bar.written = b.now()
		_, _ = io.WriteString(b.out, bar.line()+"\n")
	}
}

// Done takes the bar away.
func (bar *Bar) Done() {
	b := bar.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bars = slices.DeleteFunc(b.bars, func(other *Bar) bool { return other == bar })
	b.draw(true)
}

// Above writes lines, which must be fit for terminals, above the bars.
func (b *Bars) Above(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
	_, _ = io.WriteString(b.out, strings.TrimRight(text, "\n")+"\n")
	b.draw(true)
}

// Pause takes the bars away until resume is called, so that the terminal is free.
func (b *Bars) Pause() (resume func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.erase()
	b.paused++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paused--
		b.draw(true)
	}
}

// draw draws the bars anew, unless that was done a moment ago.
func (b *Bars) draw(atOnce bool) {
	if b.silent || b.paused > 0 || !b.out.CanDraw() {
		return
	}
	if now := b.now(); !atOnce && now.Sub(b.latest) < drawInterval {
		return
	}
	b.erase()
	b.latest = b.now()
	var lines []string
	for _, bar := range b.bars {
		if bar.reported || bar.waiting {
			lines = append(lines, bar.drawing())
		}
	}
	if more := len(lines) - maxDrawn; more > 0 {
		lines = append(lines[:maxDrawn], fmt.Sprintf("... and %d more", more))
	}
	b.drawn = len(lines)
	_, _ = io.WriteString(b.out, strings.Join(lines, "\n"))
}

// erase leaves the cursor where the first bar was.
func (b *Bars) erase() {
	if b.drawn == 0 {
		return
	}
	_, _ = io.WriteString(b.out, "\r\x1b[2K"+strings.Repeat("\x1b[1A\x1b[2K", b.drawn-1))
	b.drawn = 0
}

// drawing is the bar on one line of the terminal.
func (bar *Bar) drawing() string {
	out := bar.of.out
	text := Fit(bar.name, max(out.Columns()/3, minColumn))
	if !bar.reported {
		return text + " " + out.Paint(Dim, "...")
	}
	room := out.Columns() - 1 - Width(text) // the last column is left alone, lest the line wraps
	if share, known := bar.latest.share(); known {
		filled := int(share * barColumns)
		head := ""
		if filled < barColumns {
			head = ">"
		}
		drawn := fmt.Sprintf("%3.0f%%", math.Floor(share*100))
		if room >= barColumns+8 {
			picture := "[" + fill(strings.Repeat("=", filled)+head, barColumns) + "]"
			text += " " + out.Paint(Cyan, picture)
			room -= Width(picture) + 1
		}
		text += " " + drawn
		room -= Width(drawn) + 1
	} else {
		count := fmt.Sprintf("%g", bar.latest.Done)
		text += " " + count
		room -= Width(count) + 1
	}
	if message := Fit(errors.PeerText(bar.latest.Message, maxMessage), room-1); message != "" {
		text += " " + out.Paint(Dim, message)
	}
	return text
}

// line is the bar as a line of a log.
func (bar *Bar) line() string {
	text := fmt.Sprintf("%s: %g", bar.name, bar.latest.Done)
	if bar.latest.Total > 0 {
		text += fmt.Sprintf(" of %g", bar.latest.Total)
	}
	if bar.latest.Message != "" {
		text += ": " + errors.PeerText(bar.latest.Message, maxMessage)
	}
	return text
}

// share is how much is done, from 0 to 1.
func (p Progress) share() (float64, bool) {
	share := p.Done / p.Total
	if p.Total <= 0 || math.IsNaN(share) {
		return 0, false
	}
	return min(max(share, 0), 1), true
}
