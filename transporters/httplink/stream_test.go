package httplink

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	progress70 = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":70,"progress":1}}`
	progress99 = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}}`
	ping       = `{"jsonrpc":"2.0","id":"s1","method":"ping"}`
	logMessage = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`
	answer8    = `{"jsonrpc":"2.0","id":8,"result":{}}`
)

// Everything before the answer is handed on in order; what is not the call's
// own progress also goes to the session (R094, R111).
func TestStreamIsHandedOnInOrder(t *testing.T) {
	sent := []string{progress70, ping, logMessage, progress99, answer8, progress70, answer7}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { events(w, sent...) })
	for _, wantEvents := range []bool{true, false} {
		link, box := open(t, Config{BaseURL: server.URL})
		out := call()
		out.WantEvents = wantEvents
		s := &sink{}
		got, err := link.Exchange(t.Context(), out, s)
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
		assert.Equal(t, 200, got.Status)
		assert.EqualValues(t, 6, s.arrived.Load())
		assert.Equal(t, []string{ping, logMessage, progress99, answer8}, box.all())
		if wantEvents {
			assert.Equal(t, sent[:6], s.delivered)
		} else {
			assert.Empty(t, s.delivered)
		}
	}
}

// P22, P23: what is passed over in silence, and what is reported.
func TestEventsThatAreNoMessages(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		logged int
	}{
		"priming":          {"id: 1\nretry: 10\n\n", 0},
		"empty data":       {"id: 1\ndata:\n\n", 0},
		"comments":         {": ping\n\n: ping\n\n", 0},
		"end mark":         {"data: [DONE]\n\n", 0},
		"another type":     {"event: ping\ndata: {}\n\n", 0},
		"unreadable":       {"data: {oops\n\n", 1},
		"no JSON-RPC":      {"data: {\"a\":1}\n\n", 1},
		"a batch":          {"data: [" + answer8 + "]\n\n", 1},
		"many unreadables": {strings.Repeat("data: nope\n\n", 50), maxFaultsLogged},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				_, _ = io.WriteString(w, test.text+"data: "+answer7+"\n\n")
			})
			logger, text := logs()
			link, box := open(t, Config{BaseURL: server.URL}, WithLogger(logger))
			s := &sink{}
			told := 0
			link.OnFault(func(err error) {
				assert.ErrorIs(t, err, errors.ErrProtocol)
				told++
			})
			got, err := link.Exchange(t.Context(), call(), s)
			require.NoError(t, err)
			assert.Equal(t, answer7, string(got.Message.Raw))
			assert.Empty(t, s.delivered)
			assert.Empty(t, box.all())
			assert.Equal(t, test.logged, told)
			assert.Equal(t, test.logged, strings.Count(text(), "an event is skipped"))
		})
	}
}

// A stream that ends without its answer fails at once. A cut-off event is no
// answer (P23).
func TestStreamWithoutAnswer(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"nothing":       {"", "ended without an answer"},
		"only progress": {"data: " + progress70 + "\n\n", "ended without an answer"},
		"cut off":       {"data: " + answer7, "ended without an answer"},
		"resumable":     {"id: 5\nretry: 1500\ndata: " + progress70 + "\n\n", "take it up again after 1.5s"},
		"unreadable":    {"data: {oops\n\n", "could not be read were skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, test.text)
			})
			link, _ := open(t, Config{BaseURL: server.URL})
			got, err := link.Exchange(t.Context(), call(), &sink{})
			require.ErrorIs(t, err, errors.ErrPeerLost)
			assert.ErrorContains(t, err, test.want)
			assert.Zero(t, got)
			assert.False(t, errors.SafeToRetry(err), "the server may have done the work")
		})
	}
}

// Messages own their bytes: later events do not change them.
func TestMessagesOwnTheirBytes(t *testing.T) {
	var sent []string
	for _, c := range "abcdefghij" {
		sent = append(sent, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`+strings.Repeat(string(c), 500)+`"}}`)
	}
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { events(w, append(sent, answer7)...) })
	link, _ := open(t, Config{BaseURL: server.URL})
	var kept []mcp.Message
	s := &sink{onDeliver: func(m mcp.Message) { kept = append(kept, m) }}
	got, err := link.Exchange(t.Context(), call(), s)
	require.NoError(t, err)
	_, err = link.Exchange(t.Context(), call(), &sink{}) // the event reader is used again
	require.NoError(t, err)
	require.Len(t, kept, len(sent))
	for i, m := range kept {
		assert.Equal(t, sent[i], string(m.Raw))
		assert.Contains(t, sent[i], string(m.Params))
		assert.Equal(t, mcp.NotificationMessage, m.Method)
	}
	assert.Equal(t, answer7, string(got.Message.Raw))
	assert.Equal(t, `{"content":[]}`, string(got.Message.Result))
}

// A callback may call the link again, and Deliver runs in the goroutine of the
// call, so nothing is delivered after its return.
func TestDeliverMayCallAgain(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { events(w, progress70, answer7) })
	link, _ := open(t, Config{BaseURL: server.URL})
	inner := 0
	s := &sink{onDeliver: func(mcp.Message) {
		_, err := link.Exchange(t.Context(), call(), &sink{})
		assert.NoError(t, err)
		inner++
	}}
	_, err := link.Exchange(t.Context(), call(), s)
	require.NoError(t, err)
	assert.Equal(t, 1, inner)
}
