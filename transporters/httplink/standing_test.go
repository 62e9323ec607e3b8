package httplink

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// numbered hands every GET with its number, from 1, to get, and answers every
// POST.
func numbered(get func(n int, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	gets := 0
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			reply(w, 200, "application/json", answer7)
			return
		}
		gets++
		get(gets, w, r)
	}
}

// listenFor runs Listen for a time.
func listenFor(t *testing.T, w *world, duration time.Duration) error {
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	return w.link.Listen(ctx, protocolHeader(), nil)
}

// R099, R103, R107, R111: the stream's messages go to the session; a stream that
// ends is opened again with its id after exactly the server's pause.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, numbered(func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				begin(w, ": ok\n\nid: a\nretry: 300\ndata:\n\nid: b\ndata: "+ping+"\n\ndata: {oops\n\n")
				return
			}
			begin(w, "data: "+logMessage+"\n\n")
			hold(r)
		}))
		err := listenFor(t, w, time.Hour)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{ping, logMessage}, w.box.all())
		assert.Equal(t, []time.Duration{0, 300 * time.Millisecond}, w.moments(http.MethodGet))
		first, second := w.of(http.MethodGet)[0].header, w.of(http.MethodGet)[1].header
		assert.Equal(t, []string{"text/event-stream"}, first["Accept"])
		assert.Equal(t, "session-1", first.Get("Mcp-Session-Id"))
		assert.Equal(t, "2025-11-25", first.Get("Mcp-Protocol-Version"))
		assert.NotContains(t, first, "Content-Type")
		assert.NotContains(t, first, "Last-Event-Id")
		assert.Equal(t, "b", second.Get("Last-Event-Id"))
		assert.Equal(t, []string{"application/json"}, protocolHeader()["Content-Type"], "the session's header is not changed")
	})
}

// What ends a Listen at once, and what is tried again (R101, R103).
func TestListenStatuses(t *testing.T) {
	for name, test := range map[string]struct {
		status    int
		media     string
		noSession bool
		final     bool
		lost      bool // ErrSessionLost as well
	}{
		"405":                 {status: 405, final: true},
		"400":                 {status: 400, final: true},
		"404 without session": {status: 404, noSession: true, media: "text/html", final: true},
		"404 with session":    {status: 404, final: true, lost: true},
		"406":                 {status: 406, final: true},
		"501":                 {status: 501, final: true},
		"200, no stream":      {status: 200, media: "text/html", final: true},
		"202":                 {status: 202, final: true},
		"204":                 {status: 204, final: true},
		"a redirect":          {status: 302, final: true},
		"409":                 {status: 409},
		"401":                 {status: 401},
		"403":                 {status: 403},
		"429":                 {status: 429},
		"500":                 {status: 500},
		"503":                 {status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, numbered(func(_ int, w http.ResponseWriter, _ *http.Request) {
					if test.status == 204 {
						w.WriteHeader(204)
						return
					}
					reply(w, test.status, test.media, "no")
				}))
				header := protocolHeader()
				if test.noSession {
					delete(header, "Mcp-Session-Id")
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				err := w.link.Listen(ctx, header, nil)
				if !test.final {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					assert.Equal(t, []time.Duration{0, 1e9, 3e9, 7e9}, w.moments(http.MethodGet))
					return
				}
				require.ErrorIs(t, err, transporters.ErrNotOffered)
				assert.Equal(t, test.lost, errors.Is(err, errors.ErrSessionLost))
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok)
				assert.Equal(t, test.status, failure.Status)
				assert.Len(t, w.of(http.MethodGet), 1)
			})
		})
	}
}

// R101: a stream that was open and is then refused with 404 tells for certain
// that the session is lost.
func TestListenLosesTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, numbered(func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				begin(w, "data: "+ping+"\n\n")
				return
			}
			reply(w, 404, "text/plain", "who?")
		}))
		err := listenFor(t, w, time.Hour)
		require.ErrorIs(t, err, errors.ErrSessionLost)
		require.NotErrorIs(t, err, transporters.ErrNotOffered)
		assert.Equal(t, []time.Duration{0, time.Second}, w.moments(http.MethodGet))
	})
}

// No storm: refusals, and streams with nothing in them, make the pause grow to
// 30 s; a message makes it short again.
func TestListenMakesNoStorm(t *testing.T) {
	seconds := func(list ...int) (moments []time.Duration) {
		for _, s := range list {
			moments = append(moments, time.Duration(s)*time.Second)
		}
		return moments
	}
	for name, test := range map[string]struct {
		get  func(n int, w http.ResponseWriter, r *http.Request)
		want []time.Duration
	}{
		"refused": {func(_ int, w http.ResponseWriter, _ *http.Request) { reply(w, 503, "", "") }, seconds(0, 1, 3, 7, 15, 31, 61, 91)},
		"empty":   {func(_ int, w http.ResponseWriter, _ *http.Request) { begin(w, "") }, seconds(0, 1, 3, 7, 15, 31, 61, 91)},
		"retry: 0": {func(_ int, w http.ResponseWriter, _ *http.Request) { begin(w, "id: 1\nretry: 0\n\n") },
			append([]time.Duration{0}, shortestRetry, shortestRetry+2e9, shortestRetry+6e9, shortestRetry+14e9, shortestRetry+30e9, shortestRetry+60e9, shortestRetry+90e9)},
		"a long pause wanted": {func(_ int, w http.ResponseWriter, _ *http.Request) { begin(w, "retry: 40000\n\n") }, seconds(0, 40, 80)},
		"Retry-After": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "40")
			reply(w, 429, "", "")
		}, seconds(0, 40, 80)},
		"a message": {func(n int, w http.ResponseWriter, r *http.Request) {
			switch n {
			case 5:
				begin(w, "data: "+ping+"\n\n")
			case 7:
				begin(w, "")
				hold(r)
			default:
				reply(w, 409, "", "")
			}
		}, seconds(0, 1, 3, 7, 15, 16, 17)},
		"a long life": {func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 4 {
				begin(w, "")
				time.Sleep(longestBackoff)
				return
			}
			reply(w, 503, "", "")
		}, seconds(0, 1, 3, 7, 38, 39, 41, 45, 53, 69, 99)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, numbered(test.get))
				require.ErrorIs(t, listenFor(t, w, 100*time.Second), context.DeadlineExceeded)
				assert.Equal(t, test.want, w.moments(http.MethodGet))
			})
		})
	}
}

// A server that does not know the event id any more gets one more GET, without.
func TestListenForgetsARefusedID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, numbered(func(n int, w http.ResponseWriter, r *http.Request) {
			switch {
			case n == 1:
				begin(w, "id: old\ndata: "+ping+"\n\n")
			case r.Header.Get("Last-Event-Id") != "":
				reply(w, 400, "text/plain", "unknown event id")
			default:
				begin(w, "data: "+logMessage+"\n\n")
				hold(r)
			}
		}))
		require.ErrorIs(t, listenFor(t, w, time.Minute), context.DeadlineExceeded)
		assert.Len(t, w.of(http.MethodGet), 3)
		assert.Equal(t, []string{ping, logMessage}, w.box.all())
	})
}

// B13, C09: a GET that hangs, with headers or without, harms no call; it ends
// with ctx, or with the link.
func TestListenThatHangs(t *testing.T) {
	for name, head := range map[string]func(http.ResponseWriter){
		"no headers": func(http.ResponseWriter) {},
		"no events":  func(w http.ResponseWriter) { begin(w, "") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, numbered(func(_ int, w http.ResponseWriter, r *http.Request) {
					head(w)
					hold(r)
				}))
				ended := make(chan error, 2)
				ctx, cancel := context.WithCancelCause(t.Context())
				go func() { ended <- w.link.Listen(ctx, protocolHeader(), nil) }()
				synctest.Wait()
				_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
				require.NoError(t, err)
				assert.Zero(t, time.Since(w.began))

				reason := errors.New("not needed any more")
				cancel(reason)
				require.Equal(t, reason, <-ended)

				go func() { ended <- w.link.Listen(t.Context(), protocolHeader(), nil) }()
				synctest.Wait()
				shut(t, w.link)
				require.ErrorIs(t, <-ended, errors.ErrTransportClosed)
				require.ErrorIs(t, w.link.Listen(t.Context(), protocolHeader(), nil), errors.ErrTransportClosed)
				assert.Len(t, w.of(http.MethodGet), 2)
			})
		})
	}
}

// listen_read_timeout bounds the silence of the stream, its headers included.
func TestListenReadTimeout(t *testing.T) {
	for name, head := range map[string]func(http.ResponseWriter){
		"no headers": func(http.ResponseWriter) {},
		"no events":  func(w http.ResponseWriter) { begin(w, "") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{ListenReadTimeout: config.Of(time.Minute)}, numbered(func(_ int, w http.ResponseWriter, r *http.Request) {
					head(w)
					hold(r)
				}))
				require.ErrorIs(t, listenFor(t, w, 100*time.Second), context.DeadlineExceeded)
				assert.Equal(t, []time.Duration{0, 61 * time.Second}, w.moments(http.MethodGet))
			})
		})
	}
}

// P28: an answer that comes on the standing stream finds its call, also before
// the POST has headers; events come at once and in order.
func TestStandingStreamServesCalls(t *testing.T) {
	for name, head := range map[string]func(http.ResponseWriter){
		"no headers": func(http.ResponseWriter) {},
		"no events":  func(w http.ResponseWriter) { begin(w, "") },
		"an event":   func(w http.ResponseWriter) { begin(w, "data: "+progress70+"\n\n") },
		"a break":    func(w http.ResponseWriter) { begin(w, "id: 1\nretry: 3600000\n\n") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodGet {
						begin(w, "")
						time.Sleep(time.Second)
						begin(w, "data: "+progress99+"\n\ndata: "+progress70+"\n\n")
						time.Sleep(time.Second)
						begin(w, "data: "+answer7+"\n\ndata: "+answer7+"\n\n")
						hold(r)
						return
					}
					head(w)
					if name != "a break" {
						hold(r)
					}
				})
				go func() { _ = w.link.Listen(t.Context(), protocolHeader(), nil) }()
				synctest.Wait()
				var moments []time.Duration
				s := &sink{onDeliver: func(mcp.Message) { moments = append(moments, time.Since(w.began)) }}
				got, err := w.link.Exchange(t.Context(), resumable(7), s)
				require.NoError(t, err)
				assert.Equal(t, answer7, string(got.Message.Raw))
				assert.Equal(t, 2*time.Second, time.Since(w.began))
				if name == "an event" {
					assert.Equal(t, []time.Duration{0, time.Second}, moments)
				} else {
					assert.Equal(t, []time.Duration{time.Second}, moments)
				}
				synctest.Wait()
				assert.Equal(t, []string{progress99, answer7}, w.box.all(), "what is nobody's, and what came twice")
				shut(t, w.link)
			})
		})
	}
}

// A call that was begun before the standing stream gets its events with its own
// next one.
func TestEventsOfOtherStreamsAreNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const second = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":70,"progress":2}}`
		w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				begin(w, "data: "+progress70+"\n\n")
				hold(r)
				return
			}
			time.Sleep(time.Minute)
			events(w, second, answer7)
		})
		time.AfterFunc(time.Second, func() { _ = w.link.Listen(t.Context(), protocolHeader(), nil) })
		s := &sink{}
		_, err := w.link.Exchange(t.Context(), resumable(7), s)
		require.NoError(t, err)
		assert.Equal(t, []string{progress70, second}, s.delivered)
		shut(t, w.link)
	})
}

// The same over real connections: nothing is left behind.
func TestListenOverRealConnections(t *testing.T) {
	opened := make(chan struct{}, 8)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			reply(w, 200, "application/json", answer7)
			return
		}
		begin(w, "data: "+ping+"\n\n")
		opened <- struct{}{}
		<-r.Context().Done()
	})
	link, box := open(t, Config{BaseURL: server.URL})
	ended := make(chan error, 1)
	go func() { ended <- link.Listen(context.Background(), protocolHeader(), nil) }()
	<-opened
	_, err := link.Exchange(t.Context(), resumable(7), &sink{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(box.all()) == 1 }, 5*time.Second, time.Millisecond)
	shut(t, link)
	require.ErrorIs(t, <-ended, errors.ErrTransportClosed)
}

// A server that is not there is tried again, not reported.
func TestListenWithoutAServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	logger, text := logs()
	link, _ := open(t, Config{BaseURL: "http://" + address + "/mcp"}, WithLogger(logger))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- link.Listen(ctx, protocolHeader(), nil) }()
	require.Eventually(t, func() bool { return text() != "" }, 5*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	assert.Contains(t, text(), "the standing stream is down")
	assert.NotContains(t, text(), "session-1")
}

// tried comes once, when the first attempt is decided: with the headers of the
// stream or of a refusal, with a failure, or with the end.
func TestListenTellsOfItsFirstAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		get  http.HandlerFunc
		want time.Duration
	}{
		"a stream":     {func(w http.ResponseWriter, r *http.Request) { begin(w, ""); hold(r) }, time.Second},
		"not offered":  {func(w http.ResponseWriter, r *http.Request) { reply(w, 405, "", "") }, time.Second},
		"temporarily":  {func(w http.ResponseWriter, r *http.Request) { reply(w, 503, "", "") }, time.Second},
		"a web page":   {func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "text/html", "") }, time.Second},
		"broken":       {func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, time.Second},
		"broken later": {func(w http.ResponseWriter, r *http.Request) { begin(w, "") }, time.Second},
		"no headers":   {func(w http.ResponseWriter, r *http.Request) { hold(r) }, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(time.Second)
					test.get(w, r)
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var moments []time.Duration
				_ = w.link.Listen(ctx, protocolHeader(), func() { moments = append(moments, time.Since(w.began)) })
				require.Equal(t, []time.Duration{test.want}, moments)
				shut(t, w.link)
			})
		})
	}
	t.Run("a closed link", func(t *testing.T) {
		link := New("test", Config{BaseURL: worldURL})
		shut(t, link)
		count := 0
		require.ErrorIs(t, link.Listen(t.Context(), nil, func() { count++ }), errors.ErrTransportClosed)
		require.Equal(t, 1, count)
	})
}
