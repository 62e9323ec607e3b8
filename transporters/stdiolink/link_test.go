//go:build unix

package stdiolink

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func TestAnswerComesBack(t *testing.T) {
	link := serve(t, "server")
	require.Equal(t, transporters.Traits{Name: "stdio", SilenceIsEvidence: true, CopiesFrames: true, ReleasesCalls: true}, link.Traits())
	call := link.newCall("echo", map[string]any{"text": "hello"})
	reply, err := link.do(call)
	require.NoError(t, err)
	require.Equal(t, "hello", resultText(t, reply))
	require.Zero(t, reply.Status)
	require.EqualValues(t, 1, call.accepted.Load())
	require.Zero(t, call.arrived.Load(), "the answer ends it")
	require.Empty(t, call.events, "the answer is not an event")

	reply, err = link.do(link.newCall("unknown", nil))
	require.NoError(t, err, "an error answer is an answer")
	require.Equal(t, -32601, reply.Message.Failure().Code)
	require.NoError(t, link.Err())
}

func TestManyCallersAtOnce(t *testing.T) {
	link := serve(t, "server")
	var group sync.WaitGroup
	for caller := range 64 {
		group.Go(func() {
			for i := range 50 {
				text := fmt.Sprintf("%d/%d", caller, i)
				call := link.newCall("progress", map[string]any{"text": text, "count": 2})
				reply, err := link.do(call)
				if !assert.NoError(t, err) {
					return
				}
				assert.Equal(t, "done", resultText(t, reply))
				assert.Len(t, call.events, 2)
				for _, event := range call.events {
					progress, ok := mcp.ProgressOf(event.Params)
					assert.True(t, ok)
					assert.Equal(t, text, progress.Message)
				}
			}
		})
	}
	group.Wait()
	require.Empty(t, link.received())
	require.Zero(t, link.SkippedLines())
}

func TestFramesGoOutInTheOrderOfAcceptance(t *testing.T) {
	// The server refuses a line that is not whole, and echoes in order.
	link := serve(t, "server")
	for range 20 {
		for range 50 {
			require.NoError(t, link.Send(t.Context(), &transporters.Outbound{
				Frame: []byte(`{"jsonrpc":"2.0","method":"notifications/ignored","params":{"text":"` + strings.Repeat("x", 100) + `"}}`),
			}))
		}
		require.Equal(t, "y", link.must("echo", map[string]any{"text": "y"}))
	}
}

func TestIDsAreMatchedByValueWhateverTheirType(t *testing.T) { // P19
	link := serve(t, "server")
	_, err := link.do(link.newCall("echo id as string", nil))
	require.NoError(t, err)
}

func TestEventsComeInOrderBeforeTheAnswer(t *testing.T) {
	link := serve(t, "server")
	call := link.newCall("progress", map[string]any{"count": 500})
	_, err := link.do(call)
	require.NoError(t, err)
	require.Len(t, call.events, 500)
	for i, event := range call.events {
		progress, ok := mcp.ProgressOf(event.Params)
		require.True(t, ok)
		require.EqualValues(t, i+1, progress.Progress)
	}
	require.EqualValues(t, 500, call.arrived.Load())
}

func TestTokenThatIsNotTheID(t *testing.T) {
	link := serve(t, "server")
	call := link.newCall("progress", map[string]any{"count": 1})
	call.Frame = bytes.Replace(call.Frame, []byte(`"progressToken":1`), []byte(`"progressToken":777`), 1)
	call.Token = 777
	_, err := link.do(call)
	require.NoError(t, err)
	require.Len(t, call.events, 1)
	require.Empty(t, link.received())
	require.Zero(t, link.pending.byID.count)
	require.Empty(t, link.pending.byToken)
}

func TestEventsNobodyWantsAreNotDelivered(t *testing.T) {
	link := serve(t, "server")
	call := link.newCall("progress", map[string]any{"count": 3})
	call.WantEvents = false
	_, err := link.do(call)
	require.NoError(t, err)
	require.Empty(t, call.events)
	require.EqualValues(t, 3, call.arrived.Load(), "they still count as signs of life")
	require.Empty(t, link.received())
}

func TestSubscriptionMessagesGoToTheirExchange(t *testing.T) { // R063, R222
	link := serve(t, "server")
	call := link.newCall("listen", nil)
	_, err := link.do(call)
	require.NoError(t, err)
	require.Len(t, call.events, 2)
	require.Equal(t, mcp.NotificationAcknowledged, call.events[0].Method)
	require.Equal(t, mcp.NotificationToolsListChanged, call.events[1].Method)
	require.Empty(t, link.received())
}

func TestSlowCallbackOverflowsItsQueue(t *testing.T) {
	link := prepare(t, "server")
	link.eventBytes = 10_000
	require.NoError(t, link.Start(t.Context(), link.receive))
	call := link.newCall("progress", map[string]any{"count": 200})
	call.onEvent = func(mcp.Message) { link.must("echo", nil) } // longer than an event takes
	_, err := link.do(call)
	require.ErrorIs(t, err, errors.ErrDeliveryDropped)
	require.Equal(t, "alive", link.must("echo", map[string]any{"text": "alive"}))
}

func TestCallbackMayCallAndMayNotOutliveTheExchange(t *testing.T) {
	link := serve(t, "server")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	call := link.newCall("progress", map[string]any{"count": 50})
	call.onEvent = func(mcp.Message) {
		require.Equal(t, "inner", link.must("echo", map[string]any{"text": "inner"}))
		cancel(why)
	}
	_, err := link.Exchange(ctx, &call.Outbound, call)
	if err != nil { // the answer may have been quicker
		require.ErrorIs(t, err, why)
		require.Len(t, call.events, 1)
	}
}

func TestEverythingElseGoesToTheSession(t *testing.T) {
	link := serve(t, "server")
	require.Equal(t, "asked", link.must("ask", nil))
	require.Equal(t, []string{"ping", "notifications/message"}, link.received())
}

func TestContextEndsTheExchange(t *testing.T) { // R119, R120
	link := serve(t, "server")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("changed my mind")
	call := link.newCall("progress", map[string]any{"count": 1})
	call.onEvent = func(mcp.Message) {}
	never := link.newCall("never", nil)
	failed := make(chan error, 1)
	go func() {
		_, err := link.Exchange(ctx, &never.Outbound, never)
		failed <- err
	}()
	link.must("echo", nil)
	cancel(why)
	require.ErrorIs(t, <-failed, why)

	// The late answer is nobody's, and does no harm.
	late := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":{}}`, never.ID)
	require.NoError(t, link.Send(t.Context(), &transporters.Outbound{Frame: []byte(late)}))
	link.must("echo", nil)
	require.Equal(t, []string{"answer " + strconv.FormatUint(never.ID, 10)}, link.received())

	_, err := link.Exchange(ctx, &call.Outbound, call)
	require.ErrorIs(t, err, why)
	require.ErrorIs(t, err, errors.ErrNotSent)
	require.Zero(t, call.accepted.Load())
}

func TestSameIDTwiceIsRefused(t *testing.T) { // R005
	link := serve(t, "server")
	ctx, cancel := context.WithCancel(t.Context())
	first := link.newCall("never", nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = link.Exchange(ctx, &first.Outbound, first)
	}()
	link.must("echo", nil)
	second := &call{Outbound: first.Outbound}
	_, err := link.do(second)
	require.ErrorIs(t, err, errors.ErrNotSent)
	require.ErrorContains(t, err, "id 1")
	cancel()
	<-done
}

func TestLineEndInAFrameIsRefused(t *testing.T) { // R059
	link := serve(t, "server")
	err := link.Send(t.Context(), &transporters.Outbound{Frame: []byte("{}\n{}")})
	require.ErrorIs(t, err, errors.ErrNotSent)
	link.must("echo", nil)
}

func TestNoiseIsSkippedAndCounted(t *testing.T) { // P31, S16
	link := serve(t, "server")
	require.Equal(t, "quiet", link.must("noise", nil))
	require.EqualValues(t, 7, link.SkippedLines())
	require.Empty(t, link.received())
	log := link.log.String()
	require.Contains(t, log, "Welcome!")
	require.Contains(t, log, "[WARN]  line skipped: not valid JSON")
}

func TestBatches(t *testing.T) { // R018
	t.Run("from a server of 2025-03-26", func(t *testing.T) {
		link := serve(t, "server")
		link.SetVersion(mcp.Version20250326)
		_, err := link.do(link.newCall("batch", nil))
		require.NoError(t, err)
		link.must("echo", nil) // behind the whole batch
		require.Equal(t, []string{"notifications/message"}, link.received())
		require.EqualValues(t, 1, link.SkippedLines(), "one element is no message")
	})
	t.Run("from another", func(t *testing.T) {
		link := serve(t, "server")
		link.SetVersion(mcp.Version20251125)
		_, err := link.do(link.newCall("batch", nil))
		require.ErrorIs(t, err, errors.ErrProtocol, "an answer has come: nobody waits for another one")
		require.ErrorContains(t, err, "2025-03-26")
		require.Contains(t, link.log.String(), "2025-03-26")
		require.EqualValues(t, 1, link.SkippedLines())
		require.Empty(t, link.received())
	})
}

func TestInvalidUTF8IsRepaired(t *testing.T) { // R002
	link := serve(t, "server")
	require.Equal(t, "caf\uFFFD", link.must("latin1", nil))
	require.Contains(t, link.log.String(), "not valid UTF-8")
}

func TestUnusableAnswerFailsItsCallAtOnce(t *testing.T) { // R001
	link := serve(t, "server")
	_, err := link.do(link.newCall("no version", nil))
	require.ErrorIs(t, err, errors.ErrProtocol)
	require.ErrorContains(t, err, `"jsonrpc" is missing`)
	link.must("echo", nil)
}

func TestCarriageReturnIsPartOfTheLineEnd(t *testing.T) {
	link := serve(t, "server")
	_, err := link.do(link.newCall("carriage return", nil))
	require.NoError(t, err)
}

func TestLargeMessages(t *testing.T) {
	link := serve(t, "server")
	large := strings.Repeat("y", 3<<20)
	require.Equal(t, large, link.must("echo", map[string]any{"text": large}))
	for range 2 {
		require.Len(t, link.must("large", map[string]any{"count": 12 << 20}), 12<<20)
		require.Equal(t, "small", link.must("echo", map[string]any{"text": "small"}))
	}
}

func TestLineBeyondTheLimitEndsTheLink(t *testing.T) { // P101
	link := serve(t, "server")
	other := link.newCall("never", nil)
	failed := make(chan error, 1)
	go func() {
		_, err := link.do(other)
		failed <- err
	}()
	_, err := link.do(link.newCall("large", map[string]any{"count": 40 << 20}))
	for _, err := range []error{err, <-failed, link.Err()} {
		require.ErrorIs(t, err, errors.ErrMessageTooLarge)
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.ErrorContains(t, err, "33554432")
	}
	requireClosed(t, link.finished, "the process was not ended")
}

func TestEnvironmentAndArguments(t *testing.T) {
	t.Setenv("MCPCLIENT_TEST_INHERITED", "no")
	t.Setenv("MCPCLIENT_TEST_VALUE", "resolved")
	link := serve(t, "server", func(c *Config) {
		c.Args = []string{"-any"}
		c.Env["FROM_CONFIG"] = config.NewSecret("${MCPCLIENT_TEST_VALUE}")
	})
	require.Equal(t, "resolved", link.must("environment", map[string]any{"text": "FROM_CONFIG"}))
	require.Empty(t, link.must("environment", map[string]any{"text": "MCPCLIENT_TEST_INHERITED"}))
	require.NotEmpty(t, link.must("environment", map[string]any{"text": "PATH"}))
}

func TestStderrGoesToTheLog(t *testing.T) { // R061, R062
	link := serve(t, "server", func(c *Config) { c.Env["SOME_TOKEN"] = config.LiteralSecret("hunter2hunter2") })
	for _, text := range []string{"all well", "WARNING: disk is full", "fatal: no", "debug: x", "my hunter2hunter2", "\x1b[31mred\x1b[0m\a"} {
		link.must("stderr", map[string]any{"text": text})
	}
	require.NoError(t, link.Close(t.Context()))
	log := link.log.String()
	for _, want := range []string{
		`[INFO]  stderr: server=test line="all well"`,
		`[WARN]  stderr: server=test line="WARNING: disk is full"`,
		`[ERROR] stderr: server=test line="fatal: no"`,
		`[DEBUG] stderr: server=test line="debug: x"`,
		`line="my ***"`, `line=red\x07`,
	} {
		require.Contains(t, log, want)
	}
	require.NotContains(t, log, "hunter2")
}

func TestStderrFloodDoesNotFillTheLog(t *testing.T) {
	link := serve(t, "server")
	link.must("stderr", map[string]any{"text": strings.Repeat("line\n", 10_000)})
	require.NoError(t, link.Close(t.Context()))
	log := link.log.String()
	require.Less(t, strings.Count(log, "line=line"), 2*stderrPerWindow+1)
	require.Contains(t, log, "some were left out")
}

func TestWaitForSIGKILL(t *testing.T) {
	link := serve(t, "stubborn")
	link.must("echo", nil)
	require.NoError(t, link.Close(t.Context()))
	require.Equal(t, "signal: killed", link.child.ExitState())
	require.Equal(t, syscall.ESRCH, syscall.Kill(link.child.PID(), 0))
}
