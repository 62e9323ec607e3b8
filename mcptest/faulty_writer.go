package mcptest

import (
	"errors"
	"io"
	"math/rand/v2"
)

// StdioFaults say how a server misbehaves on its stdout. The zero value is one
// that does as it should.
type StdioFaults struct {
	// Seed makes one run differ from another.
	Seed uint64
	// Pieces, if not 0, is the size in bytes of the largest piece in which lines are
	// written: they arrive in halves. The sizes are drawn.
	Pieces int
	// CutAfter, if not 0, ends ServeStdio after that many bytes, in the middle of a
	// line as a rule. A process of ServeProcess dies of it.
	CutAfter int64
}

// WithStdioFaults makes ServeStdio misbehave.
func WithStdioFaults(faults StdioFaults) Option { return func(s *settings) { s.stdio = faults } }

// errCut is why ServeStdio ended.
var errCut = errors.New("cut as asked, in the middle of the output")

// faulty returns out, or a writer that misbehaves before it. It is used by one
// goroutine at a time.
func (f StdioFaults) faulty(out io.Writer) io.Writer {
	if f == (StdioFaults{}) {
		return out
	}
	return &faultyWriter{out: out, faults: f, random: rand.New(rand.NewPCG(f.Seed, 0))}
}

type faultyWriter struct {
	out     io.Writer
	faults  StdioFaults
	random  *rand.Rand
	written int64
}

// Write writes in pieces, as far as it goes.
func (w *faultyWriter) Write(line []byte) (int, error) {
	done := 0
	for done < len(line) {
		piece := line[done:]
		if w.faults.Pieces > 0 {
			piece = piece[:min(len(piece), 1+w.random.IntN(w.faults.Pieces))]
		}
		if left := w.faults.CutAfter - w.written; w.faults.CutAfter > 0 && int64(len(piece)) > left {
			piece = piece[:left]
		}
		if len(piece) == 0 {
			return done, errCut
		}
		n, err := w.out.Write(piece)
		done += n
		w.written += int64(n)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
