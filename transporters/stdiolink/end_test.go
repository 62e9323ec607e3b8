//go:build unix

package stdiolink

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestDeathFailsEveryExchangeWithTheReason(t *testing.T) {
	link := serve(t, "server")
	const waiting = 8
	failed := make(chan error, waiting)
	for range waiting {
		call := link.newCall("never", nil)
		go func() {
			_, err := link.do(call)
			select {
			case <-link.Done():
			default:
				err = errors.New("Done was not closed before an exchange was released")
			}
			failed <- err
		}()
	}
	require.Eventually(t, func() bool {
		link.pending.mu.Lock()
		defer link.pending.mu.Unlock()
		return link.pending.byID.count == waiting
	}, soon, time.Millisecond)
	_, err := link.do(link.newCall("die", nil))
	errs := []error{err}
	for range waiting {
		errs = append(errs, <-failed)
	}
	for _, err := range append(errs, link.Err()) {
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.NotErrorIs(t, err, errors.ErrNotSent)
		lost, ok := errors.AsType[*errors.TransporterRequestError](err)
		require.True(t, ok)
		require.Equal(t, "process ended: exit status 3", lost.Message)
		require.Equal(t, "out of cheese", lost.Stderr)
	}

	_, err = link.do(link.newCall("echo", nil))
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorIs(t, err, errors.ErrNotSent)
	require.True(t, errors.SafeToRetry(err))
	require.ErrorIs(t, link.Send(t.Context(), &transporters.Outbound{Frame: []byte("{}")}), errors.ErrNotSent)
	requireClosed(t, link.finished, "the link did not wind up")
}

func TestHalfALineAndDeath(t *testing.T) {
	for _, method := range []string{"half line", "half a result"} {
		link := serve(t, "server")
		_, err := link.do(link.newCall(method, nil))
		require.ErrorIs(t, err, errors.ErrPeerLost, method)
		require.NotErrorIs(t, err, errors.ErrProtocol, method)
		require.ErrorContains(t, err, "exit status 4", method)
		require.EqualValues(t, 1, link.SkippedLines(), method)
	}
}

func TestLastAnswerNeedsNoLineEnd(t *testing.T) {
	link := serve(t, "server")
	_, err := link.do(link.newCall("answer without line end", nil))
	require.NoError(t, err)
	requireClosed(t, link.Done(), "the death was not noticed")
	require.ErrorContains(t, link.Err(), "exit status 4")
}

func TestClosedStdoutCountsAsDeath(t *testing.T) {
	link := serve(t, "deaf")
	_, err := link.do(link.newCall("close stdout", nil))
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorContains(t, err, "closed its stdout")
	requireClosed(t, link.finished, "the process was not ended")
	require.NotEmpty(t, link.child.ExitState())
}

func TestFugitiveGrandchildDoesNotHideTheDeath(t *testing.T) { // P34
	link := serve(t, "server")
	_, err := link.do(link.newCall("fork and die", nil))
	require.ErrorIs(t, err, errors.ErrPeerLost)
	lost, _ := errors.AsType[*errors.TransporterRequestError](err)
	require.Equal(t, "process ended: exit status 6", lost.Message)
	pid, err := strconv.Atoi(strings.TrimPrefix(lost.Stderr, "grandchild "))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}

func TestStartFailures(t *testing.T) {
	t.Run("no such program", func(t *testing.T) {
		link := prepare(t, "", func(c *Config) { c.Command = []string{"./no-such-program", "--token=abcdef"} })
		err := link.Start(t.Context(), link.receive)
		require.ErrorIs(t, err, errors.ErrStartFailed)
		require.ErrorIs(t, err, os.ErrNotExist)
		require.NotContains(t, err.Error(), "abcdef")
		requireClosed(t, link.Done(), "a link that did not start is spent")
		require.ErrorIs(t, link.Err(), errors.ErrStartFailed)
		_, err = link.do(link.newCall("echo", nil))
		require.ErrorIs(t, err, errors.ErrNotSent)
	})
	t.Run("a secret cannot be resolved", func(t *testing.T) {
		link := prepare(t, "", func(c *Config) { c.Env["X"] = config.NewSecret("${MCPCLIENT_NO_SUCH_VARIABLE}") })
		err := link.Start(t.Context(), link.receive)
		require.ErrorIs(t, err, errors.ErrStartFailed)
		require.ErrorContains(t, err, "env.X")
		require.ErrorContains(t, err, "MCPCLIENT_NO_SUCH_VARIABLE")
	})
	t.Run("ends within startup_delay", func(t *testing.T) {
		link := prepare(t, "fails to start", func(c *Config) { c.StartupDelay = config.Of(soon) })
		err := link.Start(t.Context(), link.receive)
		require.ErrorIs(t, err, errors.ErrStartFailed)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		for _, want := range []string{"exit status 3", "see the manual", "Error: no API key"} {
			require.ErrorContains(t, err, want)
		}
	})
	t.Run("the context ends within startup_delay", func(t *testing.T) {
		link := prepare(t, "server", func(c *Config) { c.StartupDelay = config.Of(soon) })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		err := link.Start(ctx, link.receive)
		require.ErrorIs(t, err, errors.ErrStartFailed)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		requireClosed(t, link.finished, "the process was not ended")
	})
	t.Run("twice", func(t *testing.T) {
		link := serve(t, "server")
		require.ErrorContains(t, link.Start(t.Context(), link.receive), "single-use")
		link.must("echo", nil)
	})
	t.Run("after Close", func(t *testing.T) {
		link := prepare(t, "server")
		require.NoError(t, link.Close(t.Context()))
		require.ErrorIs(t, link.Start(t.Context(), link.receive), errors.ErrTransportClosed)
		require.ErrorIs(t, link.Err(), errors.ErrTransportClosed)
	})
	t.Run("before Start", func(t *testing.T) {
		link := prepare(t, "server")
		_, err := link.do(link.newCall("echo", nil))
		require.ErrorIs(t, err, errors.ErrNotSent)
	})
}

func TestStartDelayIsWaited(t *testing.T) {
	link := prepare(t, "server", func(c *Config) { c.StartupDelay = config.Of(50 * time.Millisecond) })
	before := time.Now()
	require.NoError(t, link.Start(t.Context(), link.receive))
	require.GreaterOrEqual(t, time.Since(before), 50*time.Millisecond)
	link.must("echo", nil)
}

func TestProcessTimeout(t *testing.T) {
	link := serve(t, "server", func(c *Config) { c.ProcessTimeout = config.Of(50 * time.Millisecond) })
	_, err := link.do(link.newCall("never", nil))
	require.ErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorContains(t, err, "process_timeout (50ms)")
	requireClosed(t, link.finished, "the process was not ended")
}

func TestCloseFailsExchangesAndEndsTheProcess(t *testing.T) { // P33
	link := serve(t, "server")
	link.must("echo", nil)
	failed := make(chan error, 1)
	never := link.newCall("never", nil)
	go func() {
		_, err := link.do(never)
		failed <- err
	}()
	require.Eventually(t, func() bool { return link.pending.withID(never.ID) != nil && never.accepted.Load() == 1 }, soon, time.Millisecond)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			assert.NoError(t, link.Close(context.Background()))
			assert.NotEmpty(t, link.child.ExitState())
		})
	}
	group.Wait()
	require.ErrorIs(t, <-failed, errors.ErrTransportClosed)
	require.Equal(t, "exit status 0", link.child.ExitState(), "closing stdin suffices")
	_, err := link.do(link.newCall("echo", nil))
	require.ErrorIs(t, err, errors.ErrTransportClosed)
	require.ErrorIs(t, err, errors.ErrNotSent)
}

func TestCloseInsideACallback(t *testing.T) { // Close never waits for an Exchange
	link := serve(t, "server")
	call := link.newCall("progress", map[string]any{"count": 1})
	call.onEvent = func(m mcp.Message) { assert.NoError(t, link.Close(context.Background())) }
	_, err := link.do(call)
	if err != nil { // the answer may have been there already
		require.ErrorIs(t, err, errors.ErrTransportClosed)
	}
	require.Len(t, call.events, 1)
}

func TestCloseRacesWithStart(t *testing.T) {
	for range 20 {
		link := prepare(t, "server")
		var group sync.WaitGroup
		group.Go(func() { _ = link.Start(context.Background(), link.receive) })
		group.Go(func() { assert.NoError(t, link.Close(context.Background())) })
		group.Wait()
		require.NoError(t, link.Close(context.Background()))
		require.ErrorIs(t, link.Err(), errors.ErrTransportClosed)
	}
}

func TestCloseIsBoundByItsContext(t *testing.T) {
	link := serve(t, "stubborn", func(c *Config) { c.ShutdownTimeout = config.Of(time.Minute) })
	link.must("echo", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	before := time.Now()
	require.NoError(t, link.Close(ctx))
	require.Less(t, time.Since(before), soon)
}

func TestNothingIsLeftBehind(t *testing.T) {
	before := descriptors(t)
	for i := range 10 {
		link := serve(t, "server")
		if i%2 == 0 {
			_, _ = link.do(link.newCall("die", nil))
		} else {
			link.must("echo", nil)
		}
		require.NoError(t, link.Close(t.Context()))
		require.Equal(t, syscall.ESRCH, syscall.Kill(link.child.PID(), 0))
	}
	require.LessOrEqual(t, descriptors(t), before)
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	return len(entries)
}
