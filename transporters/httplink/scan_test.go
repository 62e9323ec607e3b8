package httplink

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// R002: text in an old encoding does not cost the answer it is in, whatever it
// comes on; the log tells it, but not for ever.
func TestInvalidUTF8IsRepaired(t *testing.T) {
	const (
		bad      = `{"jsonrpc":"2.0","id":7,"result":{"content":[],"text":"caf` + "\xe9" + `"}}`
		good     = `{"jsonrpc":"2.0","id":7,"result":{"content":[],"text":"caf` + "\uFFFD" + `"}}`
		badLog   = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + "\xff" + `"}}`
		goodLog  = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + "\uFFFD" + `"}}`
		badError = `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"` + "\xe9" + `"}}`
	)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
		events []string
	}{
		"JSON":              {func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", bad) }, good, nil},
		"JSON, with a mark": {func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, "application/json", "\xef\xbb\xbf"+bad) }, good, nil},
		"batch": {func(w http.ResponseWriter, _ *http.Request) {
			reply(w, 200, "application/json", "["+badLog+","+bad+"]")
		}, good, []string{goodLog}},
		"status":           {func(w http.ResponseWriter, _ *http.Request) { reply(w, 400, "application/json", badError) }, strings.Replace(badError, "\xe9", "\uFFFD", 1), nil},
		"events":           {func(w http.ResponseWriter, _ *http.Request) { events(w, badLog, bad) }, good, []string{goodLog}},
		"a batch as event": {func(w http.ResponseWriter, _ *http.Request) { events(w, "["+badLog+","+bad+"]") }, good, []string{goodLog}},
		"a long event": {func(w http.ResponseWriter, _ *http.Request) {
			events(w, strings.Replace(bad, "caf", strings.Repeat("x", 100_000), 1))
		}, strings.Replace(good, "caf", strings.Repeat("x", 100_000), 1), nil},
		"within an old pair": {func(w http.ResponseWriter, _ *http.Request) {
			events(w, strings.Replace(bad, "\xe9", "\xed\xa0\x80", 1))
		}, good, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, test.answer)
			logger, text := logs()
			link, _ := open(t, Config{BaseURL: server.URL}, WithLogger(logger))
			link.SetVersion(mcp.Version20250326)
			for range 10 {
				s := &sink{}
				got, err := link.Exchange(t.Context(), call(), s)
				require.NoError(t, err)
				require.Equal(t, test.want, string(got.Message.Raw))
				require.Equal(t, test.events, s.delivered)
			}
			assert.Equal(t, maxFaultsLogged, strings.Count(text(), "not valid UTF-8"))
		})
	}
	t.Run("HTTP+SSE", func(t *testing.T) {
		server := serveOld(t, func(s *oldServer, w http.ResponseWriter, _ mcp.Message) {
			w.WriteHeader(http.StatusAccepted)
			s.push <- badLog
			s.push <- bad
		})
		link, box := openSSE(t, Config{BaseURL: server.URL})
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		require.Equal(t, good, string(got.Message.Raw))
		require.Equal(t, []string{goodLog}, box.all())
	})
}

// unusableAnswers are answers to request 7 that cannot be used.
func unusableAnswers() map[string]string {
	return map[string]string{
		"text behind it":        answer7 + " done",
		"two in one event":      answer8 + answer7,
		"a batch":               "[" + answer8 + "," + answer7 + "]",
		"a method and a result": `{"jsonrpc":"2.0","id":7,"method":"x","result":{}}`,
		"result and error":      `{"jsonrpc":"2.0","id":7,"result":{},"error":{}}`,
		"no version":            `{"id":7,"result":{}}`,
		"neither":               `{"jsonrpc":"2.0","id":7}`,
		"the id twice":          `{"jsonrpc":"2.0","id":7,"id":7,"result":{}}`,
		"as a string":           `{"jsonrpc":"1.0","id":"7","result":{}}`,
		"no JSON number":        `{"jsonrpc":"2.0","result":{"value":NaN},"id":7}`,
		"cut off":               `{"jsonrpc":"2.0","id":7,"result":{`,
		"nested too deeply":     `{"jsonrpc":"2.0","id":7,"result":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
	}
}

func requireUnusable(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, errors.ErrProtocol)
	require.NotErrorIs(t, err, errors.ErrPeerLost)
	require.ErrorContains(t, err, "the answer cannot be used")
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(t, ok)
	require.Equal(t, errors.KindProtocol, failure.Kind)
	require.False(t, errors.SafeToRetry(err), "the server has done something")
}

// R001: a call whose answer has come but cannot be used fails at once, although
// its stream stays open.
func TestUnusableAnswersFailTheirCallAtOnce(t *testing.T) {
	for name, text := range unusableAnswers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
					begin(w, "id: 1\ndata: "+text+"\n\n")
					hold(r)
				})
				for _, legacy := range []bool{false, true} {
					out := call()
					out.Resumable = legacy
					_, err := w.link.Exchange(t.Context(), out, &sink{})
					requireUnusable(t, err)
					require.Zero(t, time.Since(w.began))
				}
				require.Empty(t, w.of(http.MethodGet), "there is nothing to be resumed")
				require.Empty(t, w.link.pending.byID)
				shut(t, w.link)
			})
		})
	}
}

// So does one whose answer comes on another stream: the standing one, that of
// another call, a resumed one.
func TestUnusableAnswersOnOtherStreams(t *testing.T) {
	for name, text := range unusableAnswers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						begin(w, "")
						time.Sleep(time.Second)
						begin(w, "data: "+text+"\n\n")
					}
					hold(r)
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() { _ = w.link.Listen(ctx, protocolHeader(), nil) }()
				_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
				requireUnusable(t, err)
				require.Equal(t, time.Second, time.Since(w.began))
				shut(t, w.link)
			})
		})
	}
	t.Run("of another call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			posts := 0
			w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
				if posts++; posts == 2 {
					begin(w, "data: "+answer7+" done\n\ndata: "+answer8+"\n\n")
				}
				hold(r)
			})
			failed := make(chan error, 1)
			go func() {
				_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
				failed <- err
			}()
			synctest.Wait()
			got, err := w.link.Exchange(t.Context(), resumable(8), &sink{})
			require.NoError(t, err)
			require.Equal(t, answer8, string(got.Message.Raw))
			requireUnusable(t, <-failed)
			shut(t, w.link)
		})
	})
	t.Run("resumed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := inBubble(t, Config{}, primed("id: 1\n\n", func(_ int, w http.ResponseWriter, r *http.Request) {
				begin(w, "data: "+answer7+" done\n\n")
				hold(r)
			}))
			_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
			requireUnusable(t, err)
			require.Len(t, w.of(http.MethodGet), 1)
			shut(t, w.link)
		})
	})
	t.Run("HTTP+SSE", func(t *testing.T) {
		server := serveOld(t, func(s *oldServer, w http.ResponseWriter, _ mcp.Message) {
			w.WriteHeader(http.StatusAccepted)
			s.push <- answer7 + " done"
		})
		link, _ := openSSE(t, Config{BaseURL: server.URL})
		_, err := link.Exchange(t.Context(), call(), &sink{})
		requireUnusable(t, err)
		require.NoError(t, link.Err(), "the link lives on")
	})
}

// What mentions an id without being an answer hurts nobody.
func TestWhatIsNoAnswerFailsNoCall(t *testing.T) {
	for name, text := range map[string]string{
		"a log line":           `{"level":30,"id":7,"msg":"started"}`,
		"our request, cut off": `{"jsonrpc":"2.0","id":7,"method":"never","params":{`,
		"an id within":         `{"jsonrpc":"2.0","data":{"id":7},"result":{}} x`,
		"another type of id":   `{"jsonrpc":"2.0","id":[7],"result":{}}`,
		"another id":           answer8 + " done",
		"no quotes":            `{id:7,result:2}`,
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) { events(w, text, answer7) })
			link, _ := open(t, Config{BaseURL: server.URL})
			for _, out := range []bool{false, true} {
				request := call()
				request.Resumable = out
				got, err := link.Exchange(t.Context(), request, &sink{})
				require.NoError(t, err)
				require.Equal(t, answer7, string(got.Message.Raw))
			}
		})
	}
}
