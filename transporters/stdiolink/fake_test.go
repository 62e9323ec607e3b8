//go:build unix

package stdiolink

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/process"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// fakeChild is a process of pipes: what WithStarter is for.
type fakeChild struct {
	stdin, server net.Conn
	stdout        *io.PipeReader
	print         *io.PipeWriter
	exit          sync.Once
	done          chan struct{}
	immortal      bool // Shutdown fails, and its stdout stays open
}

func newFakeChild() *fakeChild {
	c := &fakeChild{done: make(chan struct{})}
	c.stdin, c.server = net.Pipe()
	c.stdout, c.print = io.Pipe()
	return c
}

func (c *fakeChild) PID() int              { return 0 }
func (c *fakeChild) Stdin() process.Stdin  { return c.stdin }
func (c *fakeChild) Stdout() io.ReadCloser { return c.stdout }
func (c *fakeChild) Done() <-chan struct{} { return c.done }
func (c *fakeChild) ExitState() string     { return "exit status 1" }
func (c *fakeChild) StderrTail() string    { return "oops" }

func (c *fakeChild) Shutdown(context.Context, time.Duration) error {
	if c.immortal {
		return errors.New("it does not end")
	}
	c.die()
	return nil
}

func (c *fakeChild) die() {
	c.exit.Do(func() {
		_ = c.stdin.Close()
		_ = c.server.Close()
		_ = c.print.Close()
		close(c.done)
	})
}

func startFake(t *testing.T, child *fakeChild, cfg Config) *Link {
	t.Helper()
	link := New("fake", cfg, WithStarter(func(context.Context, Spec) (Child, error) { return child, nil }))
	require.NoError(t, link.Start(t.Context(), func(transporters.Link, mcp.Message) {}))
	return link
}

func TestStarterThatFails(t *testing.T) {
	link := New("fake", Config{}, WithStarter(func(context.Context, Spec) (Child, error) { return nil, io.ErrNoProgress }))
	err := link.Start(t.Context(), nil)
	require.ErrorIs(t, err, io.ErrNoProgress)
	require.ErrorIs(t, err, errors.ErrStartFailed)
	require.NoError(t, link.Close(t.Context()))
}

func TestProcessThatCannotBeEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := newFakeChild()
		child.immortal = true
		link := startFake(t, child, Config{})
		require.ErrorContains(t, link.Close(t.Context()), "does not end")
		require.ErrorIs(t, link.Err(), errors.ErrTransportClosed)
		child.die()
	})
}

func TestClosedStdoutWaitsForTheExitStatusNoLongerThanTheGrace(t *testing.T) {
	for name, test := range map[string]struct {
		exitAfter, doneAfter time.Duration
		message              string
	}{
		"exits at once": {exitAfter: exitGrace / 2, doneAfter: exitGrace / 2, message: "process ended: exit status 1"},
		"goes on":       {exitAfter: time.Hour, doneAfter: exitGrace, message: "the process closed its stdout"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				child := newFakeChild()
				link := startFake(t, child, Config{})
				exit := time.AfterFunc(test.exitAfter, child.die)
				defer exit.Stop()
				before := time.Now()
				require.NoError(t, child.print.Close())
				<-link.Done()
				require.Equal(t, test.doneAfter, time.Since(before))
				lost, ok := errors.AsType[*errors.TransporterRequestError](link.Err())
				require.True(t, ok)
				require.Equal(t, test.message, lost.Message)
				require.Equal(t, "oops", lost.Stderr)
				require.NoError(t, link.Close(t.Context()))
			})
		})
	}
}

func TestWhatWasNotWrittenIsToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := newFakeChild()
		link := startFake(t, child, Config{ProcessTimeout: config.Of(time.Second)})
		results := [2]chan error{make(chan error, 1), make(chan error, 1)}
		for i := range results {
			go func() {
				_, err := link.Exchange(t.Context(), &transporters.Outbound{ID: uint64(i + 1), Frame: []byte(`{"x":"0123456789"}`)}, silentSink{})
				results[i] <- err
			}()
			synctest.Wait()
		}
		part := make([]byte, 5)
		_, err := io.ReadFull(child.server, part)
		require.NoError(t, err)
		first, second := <-results[0], <-results[1]
		require.ErrorIs(t, first, errors.ErrPeerLost)
		require.NotErrorIs(t, first, errors.ErrNotSent, "a part of it was written")
		require.ErrorIs(t, second, errors.ErrPeerLost)
		require.ErrorIs(t, second, errors.ErrNotSent)
		require.NoError(t, link.Close(t.Context()))
	})
}

// FuzzTake feeds whatever a process may print to the reader.
func FuzzTake(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"1","error":null}`, "[", "[]", "\xef\xbb\xbf{}", "{\"id\":1}\n\r\n\x00",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		link := New("fuzz", Config{})
		link.SetVersion(mcp.Version20250326)
		link.receive = func(_ transporters.Link, m mcp.Message) {
			if m.Kind() == mcp.KindInvalid {
				t.Error("an invalid message was handed on")
			}
		}
		e, _, _ := link.pending.add(&transporters.Outbound{ID: 1, Token: 1, WantEvents: true}, silentSink{}, DefaultEventBytes)
		link.child = &fakeChild{stdout: pipeOf(output)}
		if err := link.read(); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		if left := link.pending.byID.count; left+len(e.settled) != 1 {
			t.Errorf("the exchange is in the table %d times, and ended %d times", left, len(e.settled))
		}
	})
}

func pipeOf(output []byte) *io.PipeReader {
	reader, writer := io.Pipe()
	go func() {
		_, _ = writer.Write(output)
		_ = writer.Close()
	}()
	return reader
}
