//go:build unix

package stdiolink

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// testWriter is a writer whose other end, a net.Pipe without any buffer, the
// test reads.
func testWriter(t *testing.T) (w *writer, other net.Conn, broken *[]error) {
	t.Helper()
	here, there := net.Pipe()
	broken = new([]error)
	w = &writer{to: here, broken: func(err error) { *broken = append(*broken, err) }}
	t.Cleanup(func() {
		_ = here.Close()
		_ = there.Close()
		<-w.close()
		w.background.Wait()
	})
	return w, there, broken
}

func ignore() {}

func TestWriterLeavesTheRestToAGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, broken := testWriter(t)
		before := time.Now()
		first, err := w.accept([]byte("first"), false, ignore)
		require.NoError(t, err)
		require.Equal(t, writePatience, time.Since(before), "a caller writes no longer than its patience")
		require.True(t, w.surelyNotSent(first))

		before = time.Now()
		second, err := w.accept([]byte("second"), false, ignore)
		require.NoError(t, err)
		require.Zero(t, time.Since(before), "the goroutine is the writer now")

		// The other side takes three bytes: the first frame may have been seen.
		part := make([]byte, 3)
		_, err = io.ReadFull(other, part)
		require.NoError(t, err)
		synctest.Wait()
		require.False(t, w.surelyNotSent(first))
		require.True(t, w.surelyNotSent(second))

		rest := make([]byte, len("st\nsecond\n"))
		_, err = io.ReadFull(other, rest)
		require.NoError(t, err)
		require.Equal(t, "st\nsecond\n", string(rest))
		synctest.Wait()
		require.False(t, w.surelyNotSent(second))
		require.Zero(t, w.unwritten)
		require.False(t, w.writing, "the goroutine ends when it has written all")
		require.Empty(t, *broken)
	})
}

func TestWriterTurnEndsUnderConstantLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, _ := testWriter(t)
		received := make(chan string, 1)
		go func() { // each frame takes 15 ms
			var text strings.Builder
			part := make([]byte, 64)
			for {
				time.Sleep(15 * time.Millisecond)
				n, err := other.Read(part)
				text.Write(part[:n])
				if err != nil || text.Len() == len("1\n2\n3\n4\n") {
					received <- text.String()
					return
				}
			}
		}()
		go func() {
			for _, frame := range []string{"2", "3", "4"} {
				time.Sleep(7 * time.Millisecond)
				_, err := w.accept([]byte(frame), false, ignore)
				assert.NoError(t, err)
			}
		}()
		before := time.Now()
		_, err := w.accept([]byte("1"), false, ignore)
		require.NoError(t, err)
		require.Equal(t, writePatience, time.Since(before), "one turn for all writes, not for each")
		require.Equal(t, "1\n2\n3\n4\n", <-received)
	})
}

func TestWriterRefusesWhenTooMuchWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, _ := testWriter(t)
		// One frame may exceed the limit when nothing else waits.
		_, err := w.accept(bytes.Repeat([]byte("x"), maxUnwritten+1000), false, ignore)
		require.NoError(t, err)
		_, err = w.accept([]byte("y"), false, func() { require.Fail(t, "a refused frame was accepted") })
		require.ErrorIs(t, err, errors.ErrNotSent)
		require.ErrorContains(t, err, "does not read")

		// There is room again when the other side has read a piece.
		_, err = io.CopyN(io.Discard, other, maxPiece)
		require.NoError(t, err)
		synctest.Wait()
		_, err = w.accept([]byte("y"), false, ignore)
		require.NoError(t, err)
		_, err = io.CopyN(io.Discard, other, maxUnwritten+1001-maxPiece+int64(len("y\n")))
		require.NoError(t, err)
		synctest.Wait()
		require.Zero(t, w.unwritten)
	})
}

func TestWriterReportsAFailureOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, broken := testWriter(t)
		frame, err := w.accept([]byte("stuck"), false, ignore)
		require.NoError(t, err)
		behind, err := w.accept([]byte("behind"), false, ignore)
		require.NoError(t, err)
		part := make([]byte, 1)
		_, err = other.Read(part)
		require.NoError(t, err)
		require.NoError(t, other.Close())
		synctest.Wait()
		require.Len(t, *broken, 1)
		require.ErrorIs(t, (*broken)[0], io.ErrClosedPipe)
		_, err = w.accept([]byte("late"), false, ignore)
		require.ErrorIs(t, err, errWriterClosed)
		require.False(t, w.surelyNotSent(frame))
		require.True(t, w.surelyNotSent(behind))
	})
}

func TestWriterFailureInACallersTurn(t *testing.T) {
	w, other, broken := testWriter(t)
	require.NoError(t, other.Close())
	frame, err := w.accept([]byte("x"), true, ignore)
	require.NoError(t, err, "it was accepted; the end of the link will tell the rest")
	require.Len(t, *broken, 1)
	require.True(t, w.surelyNotSent(frame))
}

func TestWriterCloseIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, broken := testWriter(t)
		_, err := w.accept([]byte("stuck"), false, ignore)
		require.NoError(t, err)
		settled := w.close()
		select {
		case <-settled:
			require.Fail(t, "a write is going on")
		default:
		}
		require.NoError(t, w.to.Close())
		<-settled
		require.Equal(t, settled, w.close())
		require.Empty(t, *broken)
	})
}

func TestWriterWritesNothingAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, _ := testWriter(t)
		_, err := w.accept(bytes.Repeat([]byte("x"), maxPiece+10), false, ignore)
		require.NoError(t, err)
		behind, err := w.accept([]byte("behind"), false, ignore)
		require.NoError(t, err)
		synctest.Wait() // the goroutine is writing the first piece
		settled := w.close()
		require.True(t, w.surelyNotSent(behind))
		read, err := io.CopyN(io.Discard, other, maxPiece)
		require.NoError(t, err)
		require.EqualValues(t, maxPiece, read, "the piece that was being written")
		<-settled
		require.NoError(t, other.SetReadDeadline(time.Now().Add(time.Hour)))
		_, err = other.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "another piece was begun")
	})
}

// noDeadlines is a stdin as some systems have it.
type noDeadlines struct{ net.Conn }

func (noDeadlines) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

func TestWriterWithoutDeadlinesNeverBlocksACaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, _ := testWriter(t)
		w.to = noDeadlines{w.to.(net.Conn)}
		before := time.Now()
		_, err := w.accept([]byte("x"), false, ignore)
		require.NoError(t, err)
		require.Zero(t, time.Since(before))
		line, err := bufio.NewReader(other).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "x\n", line)
	})
}

func TestWriterKeepsFramesWholeAndInOrder(t *testing.T) {
	w, other, _ := testWriter(t)
	const writers, each = 32, 200
	read := make(chan map[string]int, 1)
	go func() {
		last := map[string]int{}
		scanner := bufio.NewScanner(other)
		for range writers * each {
			if !scanner.Scan() {
				break
			}
			var who string
			var number int
			_, err := fmt.Sscanf(scanner.Text(), "%s %d", &who, &number)
			assert.NoError(t, err)
			assert.Equal(t, last[who]+1, number)
			last[who] = number
		}
		read <- last
	}()
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for n := range each {
				_, err := w.accept(fmt.Appendf(nil, "writer-%d %d", i, n+1), i%2 == 0, ignore)
				assert.NoError(t, err)
			}
		})
	}
	group.Wait()
	require.Len(t, <-read, writers)
}

func TestProcessThatDoesNotRead(t *testing.T) { // P32
	link := serve(t, "reads nothing")
	large := strings.Repeat("x", 1<<20)
	calls := make([]*call, 0, 12)
	failed := make(chan error, cap(calls))
	ctx, cancel := context.WithCancelCause(t.Context())
	for range cap(calls) {
		calls = append(calls, link.newCall("echo", map[string]any{"text": large}))
		go func(c *call) {
			_, err := link.Exchange(ctx, &c.Outbound, c)
			failed <- err
		}(calls[len(calls)-1])
	}
	require.Eventually(t, func() bool {
		settled := len(failed)
		for _, c := range calls {
			settled += int(c.accepted.Load())
		}
		return settled == len(calls)
	}, soon, time.Millisecond)
	cancel(errors.ErrRequestTimeout)
	refused := 0
	for range calls {
		switch err := <-failed; {
		case errors.Is(err, errors.ErrNotSent):
			refused++
		default:
			require.ErrorIs(t, err, errors.ErrRequestTimeout, "callers wait under their own deadlines")
		}
	}
	require.Positive(t, refused, "8 MiB may wait, not more")

	never := link.newCall("echo", nil)
	waiting := make(chan error, 1)
	go func() {
		_, err := link.do(never)
		waiting <- err
	}()
	require.Eventually(t, func() bool { return never.accepted.Load() == 1 }, soon, time.Millisecond)
	require.NoError(t, link.Close(t.Context()))
	err := <-waiting
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.ErrorIs(t, err, errors.ErrNotSent, "no byte of it was written")
}

func TestProcessThatReadsLate(t *testing.T) {
	link := serve(t, "server")
	link.must("stop reading", map[string]any{"count": 100})
	large := strings.Repeat("x", 1<<20)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			reply, err := link.do(link.newCall("echo", map[string]any{"text": large}))
			if assert.NoError(t, err) {
				assert.Len(t, resultText(t, reply), len(large))
			}
		})
	}
	group.Wait()
}

func TestProcessThatClosesItsStdin(t *testing.T) {
	link := serve(t, "closes stdin", func(c *Config) { c.ShutdownTimeout = config.Of(10 * time.Millisecond) })
	require.Eventually(t, func() bool {
		err := link.Send(t.Context(), &transporters.Outbound{Frame: []byte(`{"jsonrpc":"2.0","method":"x"}`)})
		return err != nil
	}, soon, time.Millisecond)
	requireClosed(t, link.Done(), "the link did not end")
	require.ErrorIs(t, link.Err(), errors.ErrPeerLost)
	require.ErrorContains(t, link.Err(), "writing to the process failed")
}

// countingDeadlines counts how often a deadline is set.
type countingDeadlines struct {
	net.Conn
	set int
}

func (c *countingDeadlines) SetWriteDeadline(t time.Time) error {
	c.set++
	return c.Conn.SetWriteDeadline(t)
}

// TestWriterSetsItsDeadlineNowAndThen: turns that follow each other share one, and
// every turn has half of its patience at least.
func TestWriterSetsItsDeadlineNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, other, broken := testWriter(t)
		to := &countingDeadlines{Conn: w.to.(net.Conn)}
		w.to = to
		send := func() (took time.Duration) {
			before := time.Now()
			_, err := w.accept([]byte("x"), false, ignore)
			require.NoError(t, err)
			return time.Since(before)
		}
		reading := make(chan struct{})
		go func() {
			defer close(reading)
			_, _ = io.CopyN(io.Discard, other, int64(len("x\n"))*4)
		}()
		for i, want := range []int{1, 1, 2, 2} { // at 0, 9, 18 and 27 ms
			require.Zero(t, send())
			require.Equal(t, want, to.set, "turn %d", i)
			time.Sleep(9 * time.Millisecond)
		}
		<-reading
		require.Equal(t, writePatience, send(), "nobody reads; the deadline before had 2 ms left")
		_, err := io.CopyN(io.Discard, other, int64(len("x\n")))
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, writePatience, send(), "nor is there one left of the turn that was given up")
		require.Empty(t, *broken)
	})
}
