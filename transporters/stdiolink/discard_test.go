//go:build unix

package stdiolink

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// A call whose answer has come but cannot be used fails at once, not at its
// deadline.
func TestUnusableAnswersFailTheirCallAtOnce(t *testing.T) { // R001
	for name, text := range map[string]string{
		"text behind it":             `{"jsonrpc":"2.0","id":ID,"result":{}} done`,
		"two on one line":            `{"jsonrpc":"2.0","id":998,"result":{}}{"jsonrpc":"2.0","id":ID,"result":{}}`,
		"the first of two":           `{"jsonrpc":"2.0","id":ID,"result":{}} {"jsonrpc":"2.0","id":998,"result":{}}`,
		"a batch":                    `[{"jsonrpc":"2.0","id":998,"result":{}},{"jsonrpc":"2.0","id":ID,"result":{}}]`,
		"a broken batch":             `[{"jsonrpc":"2.0","id":998,"result":{}},{"jsonrpc":"2.0","id":ID,"result":{}}`,
		"a method and a result":      `{"jsonrpc":"2.0","id":ID,"method":"x","result":{}}`,
		"a method and an error":      `{"jsonrpc":"2.0","id":ID,"method":"x","error":{"code":1,"message":"m"}}`,
		"a result and an error":      `{"jsonrpc":"2.0","id":ID,"result":{},"error":{}}`,
		"no version":                 `{"id":ID,"result":{}}`,
		"another version":            `{"jsonrpc":"1.0","id":ID,"result":{}}`,
		"neither result nor error":   `{"jsonrpc":"2.0","id":ID}`,
		"the id twice":               `{"jsonrpc":"2.0","id":ID,"id":ID,"result":{}}`,
		"no JSON number":             `{"jsonrpc":"2.0","result":{"value":NaN},"id":ID}`,
		"a control character":        "{\"jsonrpc\":\"2.0\",\"result\":\"a\tb\",\"id\":ID}",
		"a bad escape":               `{"jsonrpc":"2.0","result":"\d","id":ID}`,
		"the beginning of an answer": `{"jsonrpc":"2.0","id":ID,"result":{`,
		"a trailing comma":           `{"jsonrpc":"2.0","id":ID,"result":{},}`,
	} {
		t.Run(name, func(t *testing.T) {
			link := serve(t, "server")
			_, err := link.do(link.newCall("unusable", map[string]any{"text": text}))
			require.ErrorIs(t, err, errors.ErrProtocol)
			failure, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok)
			assert.Equal(t, errors.KindProtocol, failure.Kind)
			assert.False(t, errors.SafeToRetry(err), "the server has done something")
			assert.EqualValues(t, 1, link.SkippedLines())
			assert.Equal(t, "alive", link.must("echo", map[string]any{"text": "alive"}))
		})
	}
	t.Run("nested too deeply", func(t *testing.T) {
		link := serve(t, "server")
		_, err := link.do(link.newCall("deep", nil))
		require.ErrorIs(t, err, errors.ErrProtocol)
	})
}

// Lines that mention an id without being an answer hurt nobody.
func TestWhatIsNoAnswerFailsNoCall(t *testing.T) {
	for name, line := range map[string]string{
		"a log line":           `{"level":30,"id":1,"msg":"started"}`,
		"our request, cut off": `{"jsonrpc":"2.0","id":1,"method":"never","params":{`,
		"our request, broken":  `{"jsonrpc":"2.0","id":1,"method":"never","result":null,}`,
		"an id within":         `{"jsonrpc":"2.0","data":{"id":1},"result":{}} x`,
		"another type of id":   `{"jsonrpc":"2.0","id":[1],"result":{}}`,
		"no quotes":            `{id:1,result:2}`,
	} {
		t.Run(name, func(t *testing.T) {
			link, e := routed(t)
			link.take([]byte(line), false)
			assert.Empty(t, e.settled)
			assert.EqualValues(t, 1, link.SkippedLines())
		})
	}
}

// routed is a link, not started, in which call 1 is running.
func routed(t *testing.T) (*Link, *exchange) {
	t.Helper()
	link := New("test", Config{})
	link.receive = func(transporters.Link, mcp.Message) {}
	e, _, _ := link.pending.add(&transporters.Outbound{ID: 1, Token: 1, Method: mcp.MethodCallTool}, silentSink{}, DefaultEventBytes)
	return link, e
}

func TestByteOrderMarkBeforeAnyLine(t *testing.T) {
	link := serve(t, "server")
	for range 2 {
		_, err := link.do(link.newCall("unusable", map[string]any{"text": "\ufeff" + `{"jsonrpc":"2.0","id":ID,"result":{}}`}))
		require.NoError(t, err)
	}
	require.Zero(t, link.SkippedLines())
}

func TestIDsWrittenByFloatingPointLibraries(t *testing.T) {
	link := serve(t, "server")
	for _, id := range []string{"ID.0", "ID.000", "IDe0", "ID0e-1"} {
		_, err := link.do(link.newCall("unusable", map[string]any{"text": `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`}))
		require.NoError(t, err, id)
	}
}

// An error without an id is for the one call it can be for (P20).
func TestErrorsWithoutID(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}`,
	} {
		link, only := routed(t)
		link.take([]byte(line), false)
		require.Len(t, only.settled, 1)
		require.Equal(t, -32700, only.answer.Failure().Code)
		require.Zero(t, link.pending.byID.count)

		link, first := routed(t)
		second, _, _ := link.pending.add(&transporters.Outbound{ID: 2, Method: mcp.MethodCallTool}, silentSink{}, DefaultEventBytes)
		link.take([]byte(line), false)
		require.Empty(t, first.settled, "it may be for the other one")
		require.Empty(t, second.settled)

		link, handshake := routed(t)
		probe, _, _ := link.pending.add(&transporters.Outbound{ID: 2, Method: mcp.MethodDiscover}, silentSink{}, DefaultEventBytes)
		link.take([]byte(line), false)
		require.Empty(t, handshake.settled)
		require.Len(t, probe.settled, 1, "what an old server cannot read is the probe")
	}
	link, e := routed(t)
	link.take([]byte(`{"jsonrpc":"2.0","result":{}}`), false)
	require.Empty(t, e.settled, "a result needs an id")
}

// A callback that panics leaves nothing behind.
func TestPanicOfACallback(t *testing.T) {
	link := serve(t, "server")
	call := link.newCall("unusable", map[string]any{ // an event, and no answer
		"text": `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}`,
	})
	call.Token = 77
	call.onEvent = func(mcp.Message) { panic("oops") }
	require.PanicsWithValue(t, "oops", func() { _, _ = link.do(call) })
	require.Equal(t, "alive", link.must("echo", map[string]any{"text": "alive"}))
	link.pending.mu.Lock()
	defer link.pending.mu.Unlock()
	require.Zero(t, link.pending.byID.count)
	require.Empty(t, link.pending.byToken)
}

// An overflow is told as soon as the callback returns, not after all that waits.
func TestOverflowIsToldBetweenEvents(t *testing.T) {
	link := prepare(t, "server")
	link.eventBytes = 10_000
	require.NoError(t, link.Start(t.Context(), link.receive))
	call := link.newCall("progress", map[string]any{"count": 200})
	call.onEvent = func(mcp.Message) {
		require.Eventually(t, func() bool { return link.pending.withID(call.ID) == nil }, soon, time.Millisecond)
	}
	_, err := link.do(call)
	require.ErrorIs(t, err, errors.ErrDeliveryDropped)
	require.LessOrEqual(t, len(call.events), 1)
}

// No secret that a process was given comes back in an error, however it is
// written there.
func TestSecretsInErrorsOfTheServer(t *testing.T) { // P104
	const canary, word = "CANARY/canary<123", "/srv/p0sitional"
	link := prepare(t, "server", func(c *Config) {
		c.Env["MY_SETTING"] = config.LiteralSecret(canary)
		c.Args = []string{"--root=" + word}
	})
	WithSecrets(word)(link.Link)
	require.NoError(t, link.Start(t.Context(), link.receive))
	for name, text := range map[string]string{
		"as it is":     canary,
		"solidus":      `CANARY\/canary<123`,
		"code point":   `CANARY/canary\u003c123`,
		"code points":  `\u0043\u0041\u004e\u0041\u0052\u0059\u002F\u0063\u0061\u006e\u0061\u0072\u0079\u003C\u0031\u0032\u0033`,
		"JSON in JSON": `{\"x\":\"CANARY\\/canary\\u003c123\"}`,
		"an argument":  word,
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := link.do(link.newCall("unusable", map[string]any{
				"text": `{"jsonrpc":"2.0","id":ID,"error":{"code":7,"message":"bad ` + text + `","data":{"` + text + `":["x` + text + `"],"n":1}}}`,
			}))
			require.NoError(t, err)
			failure := reply.Message.Failure()
			require.Equal(t, 7, failure.Code)
			require.Contains(t, failure.Error(), "***")
			require.Contains(t, string(failure.Data), `"n":1`)
			for _, shown := range []string{failure.Error(), string(failure.Data), string(reply.Message.Raw)} {
				require.NotRegexp(t, `(?i)canary|123|0043|p0sitional`, shown)
			}
		})
	}
	require.NotContains(t, link.log.String(), word, "nor in the log of the start")
}
