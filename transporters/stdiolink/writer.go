package stdiolink

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/poison"
	"github.com/mcp-client-go/mcpclient/internal/process"
)

const (
	// maxUnwritten bounds the bytes that were accepted and not yet written. A
	// single frame may be larger when nothing else is waiting.
	maxUnwritten = 8 << 20
	// writePatience is how long a caller writes for everybody before it leaves
	// the rest to a goroutine. It may be as little as half of it: see patience.
	writePatience = 20 * time.Millisecond
	// maxPiece is the most that goes into one write.
	maxPiece = 256 << 10
	// keepBuffer is the largest buffer that is kept for the next frames.
	keepBuffer = 256 << 10
)

// writer is a combining lock around a child's stdin. Frames are accepted, in
// order, into a buffer. Whoever accepts one and finds that nobody writes becomes
// the writer, and writes what all have put into the buffer until it is empty.
// When many calls are running it yields once first, so that more frames go out
// in one write.
//
// A turn of writing that takes longer than writePatience, because the child
// does not read, ends in the middle: a goroutine of the link goes on with it,
// and the caller waits for its answer as all others do, under its own context.
//
// Offsets count the bytes accepted since the start. A frame of which the first
// byte lies at or behind "attempted" has surely not been sent.
type writer struct {
	to process.Stdin
	// broken is told, once and without the lock, that writing failed.
	broken func(error)
	// background counts the goroutine.
	background sync.WaitGroup

	mu        sync.Mutex
	buffer    []byte        // accepted, not yet given to a write
	spare     []byte        // the other buffer, while it is not being written
	accepted  uint64        // offset behind the last accepted byte
	attempted uint64        // offset behind the last byte that a write may have written
	unwritten int           // bytes accepted and not yet written
	writing   bool          // someone is the writer
	deadline  time.Time     // of writes; in the past if there is none
	closed    bool          // nothing is accepted any more
	settled   chan struct{} // made by close; closed when closed and not writing
}

// errWriterClosed is what accept returns once the link is ending.
var errWriterClosed = errors.New("the link is ending")

// frame is a place in the stream of accepted bytes.
type frame struct{ start uint64 }

// accept takes a frame, and on return it is in order behind all that were
// accepted before. accepted is called before any later frame can be accepted. An
// error means that nothing was taken; it is errWriterClosed or wraps ErrNotSent.
func (w *writer) accept(line []byte, busy bool, accepted func()) (frame, error) {
	if bytes.IndexByte(line, '\n') >= 0 {
		return frame{}, fmt.Errorf("%w: the message contains a line end (R059)", errors.ErrNotSent)
	}
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return frame{}, errWriterClosed
	}
	size := len(line) + 1
	if w.unwritten > 0 && w.unwritten+size > maxUnwritten {
		waiting := w.unwritten
		w.mu.Unlock()
		return frame{}, fmt.Errorf("%w: the process does not read: %d bytes wait to be written, the limit is %d",
			errors.ErrNotSent, waiting, maxUnwritten)
	}
	taken := frame{start: w.accepted}
	w.buffer = append(append(w.buffer, line...), '\n')
	w.accepted += uint64(size)
	w.unwritten += size
	accepted()
	if w.writing {
		w.mu.Unlock()
		return taken, nil
	}
	w.writing = true
	if busy {
		w.mu.Unlock()
		runtime.Gosched()
		w.mu.Lock()
	}
	failure := w.turn()
	w.mu.Unlock()
	if failure != nil {
		w.broken(failure)
	}
	return taken, nil
}

// turn writes until nothing is left or patience ends. The lock is held at entry
// and return, and not while writing.
func (w *writer) turn() (failure error) {
	if !w.patience() {
		w.goOn(nil) // a write here might never return
		return nil
	}
	for len(w.buffer) > 0 && !w.closed {
		batch := w.takeBuffer()
		n, err := w.write(batch)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			w.goOn(batch[n:])
			return nil
		case err != nil:
			return w.fail(err)
		}
		w.giveBack(batch)
	}
	w.stop()
	return nil
}

// patience bounds the writes of a turn, and returns false if that is not possible. A
// deadline that leaves enough time is not set anew: setting one costs more than
// the rest of a turn, but for the write itself.
func (w *writer) patience() bool {
	now := time.Now()
	if w.deadline.Sub(now) >= writePatience/2 {
		return true
	}
	w.deadline = now.Add(writePatience)
	return !errors.Is(w.to.SetWriteDeadline(w.deadline), os.ErrNoDeadline)
}

// goOn starts the goroutine with the rest of a batch. The lock is held, and the
// role of writer passes on.
func (w *writer) goOn(rest []byte) {
	w.deadline = time.Time{}
	w.background.Go(func() {
		_ = w.to.SetWriteDeadline(time.Time{})
		w.mu.Lock()
		failure := w.finish(rest)
		w.mu.Unlock()
		if failure != nil {
			w.broken(failure)
		}
	})
}

// finish writes without patience. The lock is held at entry and return.
func (w *writer) finish(batch []byte) (failure error) {
	for {
		if w.closed {
			w.stop()
			return nil
		}
		if len(batch) > 0 {
			if _, err := w.write(batch); err != nil {
				return w.fail(err)
			}
			w.giveBack(batch)
		}
		if len(w.buffer) == 0 {
			w.stop()
			return nil
		}
		batch = w.takeBuffer()
	}
}

// write writes a batch without the lock, which is held at entry and return. It
// goes by pieces, so that a long batch makes room as it is taken, and begins no
// piece after close: what was told to be not sent is not sent.
func (w *writer) write(batch []byte) (written int, err error) {
	for written < len(batch) && err == nil && !w.closed {
		piece := batch[written:min(len(batch), written+maxPiece)]
		start := w.accepted - uint64(w.unwritten)
		w.attempted = start + uint64(len(piece))
		w.mu.Unlock()
		var n int
		n, err = w.to.Write(piece)
		w.mu.Lock()
		w.unwritten -= n
		w.attempted = start + uint64(n)
		written += n
	}
	return written, err
}

func (w *writer) takeBuffer() []byte {
	batch := w.buffer
	w.buffer, w.spare = w.spare[:0], nil
	return batch
}

func (w *writer) giveBack(batch []byte) {
	poison.Memory(batch)
	if cap(batch) <= keepBuffer {
		w.spare = batch[:0]
	}
}

// fail ends writing for good after a failed write. It returns err unless that
// was to be expected. The lock is held.
func (w *writer) fail(err error) error {
	expected := w.closed
	w.closed = true
	w.stop()
	if expected {
		return nil
	}
	return err
}

func (w *writer) stop() {
	w.writing = false
	if w.settled != nil {
		close(w.settled) // once: with closed set nobody becomes the writer again
	}
}

// close makes accept refuse and lets no write begin. One that is going on goes on
// until stdin is closed; the returned channel is closed when there is none.
func (w *writer) close() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.settled == nil {
		w.settled = make(chan struct{})
		if !w.writing {
			close(w.settled)
		}
	}
	return w.settled
}

// surelyNotSent reports whether no byte of a frame can have left.
func (w *writer) surelyNotSent(f frame) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f.start >= w.attempted
}
