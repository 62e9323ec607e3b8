package httplink

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// primed answers the POST with a stream that ends after text, and hands every GET
// with its number, from 1, to get.
func primed(text string, get func(n int, w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	gets := 0
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			begin(w, text)
			return
		}
		gets++
		get(gets, w, r)
	}
}

const resumed = "id: ev-2\ndata: " + answer7 + "\n\n"

// R107, R108, P24, B23: the stream is taken up again after exactly the
// server's pause, with the id, the session and the version.
func TestResume(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		pause time.Duration
		id    string
	}{
		"4.2.5":              {"id: ev-1\nretry: 1500\ndata:\n\n", 1500 * time.Millisecond, "ev-1"},
		"B23":                {"id: ev-1\nretry: 700\ndata: \n\n", 700 * time.Millisecond, "ev-1"},
		"no pause given":     {"id: ev-1\n\n", defaultRetry, "ev-1"},
		"retry of its own":   {"retry: 300\n\nid: ev-1\ndata: " + progress70 + "\n\n", 300 * time.Millisecond, "ev-1"},
		"the last one holds": {"id: a\nretry: 300\n\nid: b\nretry: 400\n\n", 400 * time.Millisecond, "b"},
		"no storm":           {"id: ev-1\nretry: 0\n\n", shortestRetry, "ev-1"},
		"no ASCII":           {"id: größe\n\n", defaultRetry, "größe"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, primed(test.text, func(_ int, w http.ResponseWriter, _ *http.Request) { begin(w, resumed) }))
				got, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
				require.NoError(t, err)
				assert.Equal(t, answer7, string(got.Message.Raw))
				assert.Equal(t, 200, got.Status)
				require.Equal(t, []time.Duration{test.pause}, w.moments(http.MethodGet))
				header := w.of(http.MethodGet)[0].header
				assert.Equal(t, test.id, header.Get("Last-Event-ID"))
				assert.Equal(t, []string{"text/event-stream"}, header["Accept"])
				assert.Equal(t, "session-1", header.Get("Mcp-Session-Id"))
				assert.Equal(t, "2025-11-25", header.Get("Mcp-Protocol-Version"))
				assert.NotContains(t, header, "Content-Type")
				assert.Len(t, w.of(http.MethodPost), 1, "the call itself is sent once")
			})
		})
	}
}

// P25, P27: without an id to resume from a broken stream fails at
// once.
func TestNothingToResumeFrom(t *testing.T) {
	for name, text := range map[string]string{
		"no id":                    "retry: 10\ndata: " + progress70 + "\n\n",
		"an empty id resets":       "id: 1\n\nid:\n\n",
		"an id no header can hold": "id: a\x01b\n\n",
		"a huge id":                "id: " + strings.Repeat("x", maxEventID+1) + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, primed(text, func(int, http.ResponseWriter, *http.Request) {}))
				_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
				require.ErrorIs(t, err, errors.ErrPeerLost)
				assert.Empty(t, w.of(http.MethodGet))
			})
		})
	}
}

// A connection that breaks is resumed like one that ends.
func TestResumeAfterABrokenConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				begin(w, "id: ev-1\ndata: "+progress70+"\n\ndata: {\"half")
				panic(http.ErrAbortHandler)
			}
			begin(w, resumed)
		})
		s := &sink{}
		got, err := w.link.Exchange(t.Context(), resumable(7), s)
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
		assert.Equal(t, []string{progress70}, s.delivered)
	})
}

// Attempts are bounded by progress, not by number: a server that lets its
// clients poll (R109) may end the stream as often as it likes.
func TestResumeAsLongAsThereIsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, primed("id: 0\nretry: 200\n\n", func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 20 {
				begin(w, resumed)
				return
			}
			begin(w, fmt.Sprintf("id: %d\n\n", n))
		}))
		_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
		require.NoError(t, err)
		for n, request := range w.of(http.MethodGet) {
			assert.Equal(t, fmt.Sprint(n), request.header.Get("Last-Event-ID"))
			assert.Equal(t, time.Duration(n+1)*200*time.Millisecond, request.after)
		}
	})
}

// A second drop before a new event resumes from the same id, after a pause that
// grows; five attempts without progress are enough.
func TestResumeWithoutProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, primed("id: ev-1\nretry: 500\n\n", func(_ int, w http.ResponseWriter, _ *http.Request) { begin(w, ": nothing\n\n") }))
		_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
		require.ErrorIs(t, err, errors.ErrPeerLost)
		assert.ErrorContains(t, err, "could not be resumed")
		assert.False(t, errors.SafeToRetry(err), "the request itself was taken")
		assert.Equal(t, []time.Duration{500e6, 1500e6, 3500e6, 7500e6, 15500e6}, w.moments(http.MethodGet))
		for _, request := range w.of(http.MethodGet) {
			assert.Equal(t, "ev-1", request.header.Get("Last-Event-ID"))
		}
	})
}

// What the status of the GET means.
func TestResumeStatuses(t *testing.T) {
	page := func(w http.ResponseWriter) { reply(w, 200, "text/html", "<p>") }
	for name, test := range map[string]struct {
		status  int
		answer  func(http.ResponseWriter)
		session bool
		gets    int
		is, not error
		text    string
	}{
		"405":                {status: 405, session: true, gets: 1, is: errors.ErrPeerLost, not: errors.ErrSessionLost, text: "HTTP status 405: the event stream broke before the answer, and the server cannot resume"},
		"404 with a session": {status: 404, session: true, gets: 1, is: errors.ErrSessionLost, text: "lost the session"},
		"404 without":        {status: 404, gets: 1, is: errors.ErrPeerLost, not: errors.ErrSessionLost, text: "refuses to resume"},
		"400":                {status: 400, session: true, gets: 1, is: errors.ErrPeerLost, text: "HTTP status 400"},
		"401":                {status: 401, session: true, gets: 1, is: errors.ErrPeerLost, text: "HTTP status 401"},
		"501":                {status: 501, session: true, gets: 1, is: errors.ErrPeerLost, text: "HTTP status 501"},
		"202":                {status: 202, session: true, gets: 1, is: errors.ErrPeerLost, text: "HTTP status 202"},
		"503":                {status: 503, session: true, gets: maxResumes, is: errors.ErrPeerLost, text: "HTTP status 503"},
		"409":                {status: 409, session: true, gets: maxResumes, is: errors.ErrPeerLost, text: "HTTP status 409"},
		"a web page":         {answer: page, session: true, gets: 1, is: errors.ErrPeerLost, not: errors.ErrNotMCP, text: "could not be resumed: "},
		// net/http itself repeats a GET for which a kept connection was closed.
		"the connection fails": {answer: func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, session: true, gets: maxResumes + 1, is: errors.ErrPeerLost, text: "could not be resumed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, primed("id: ev-1\n\n", func(_ int, w http.ResponseWriter, _ *http.Request) {
					if test.answer != nil {
						test.answer(w)
						return
					}
					reply(w, test.status, "text/plain", "no")
				}))
				out := resumable(7)
				if !test.session {
					delete(out.Header, "Mcp-Session-Id")
				}
				_, err := w.link.Exchange(t.Context(), out, &sink{})
				require.ErrorIs(t, err, test.is)
				if test.not != nil {
					require.NotErrorIs(t, err, test.not)
				}
				assert.ErrorContains(t, err, test.text)
				require.NotErrorIs(t, err, errors.ErrNotSent)
				assert.False(t, errors.SafeToRetry(err))
				assert.Len(t, w.of(http.MethodGet), test.gets)
			})
		})
	}
}

// A server that is away for a while, so that not even a connection can be had,
// does not make the call look unsent.
func TestResumeWithoutAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *world
		w = inBubble(t, Config{}, func(rw http.ResponseWriter, r *http.Request) {
			begin(rw, "id: ev-1\nretry: 100\n\n")
			go func() { _ = w.server.Close() }()
			hold(r)
		})
		_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
		require.ErrorIs(t, err, errors.ErrPeerLost)
		require.NotErrorIs(t, err, errors.ErrNotSent)
		assert.False(t, errors.SafeToRetry(err))
	})
}

// A refusal that passes, with the pause it asks for.
func TestResumeAfterARefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, primed("id: ev-1\nretry: 100\n\n", func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				w.Header().Set("Retry-After", "7")
				reply(w, 503, "text/plain", "busy")
				return
			}
			begin(w, resumed)
		}))
		_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{100e6, 7100e6}, w.moments(http.MethodGet))
	})
}

// conformance 2.3: a server that replays only what was sent before the GET, and
// leaves a GET that came too early without headers, is asked again; how long is
// up to the caller.
func TestSilentResumeIsAskedAgain(t *testing.T) {
	for name, head := range map[string]func(http.ResponseWriter){
		"no headers": func(http.ResponseWriter) {},
		"no events":  func(w http.ResponseWriter) { begin(w, "") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, primed("id: ev-1\nretry: 100\n\n", func(n int, w http.ResponseWriter, r *http.Request) {
					if n < 9 {
						head(w)
						hold(r)
						return
					}
					begin(w, resumed)
				}))
				_, err := w.link.Exchange(t.Context(), resumable(7), &sink{})
				require.NoError(t, err)
				moments := w.moments(http.MethodGet)
				require.Len(t, moments, 9)
				assert.Equal(t, 100*time.Millisecond+firstPatience+100*time.Millisecond, moments[1])
				assert.Equal(t, lastPatience+100*time.Millisecond, moments[3]-moments[2])
			})
		})
	}
}

// The caller's end and the link's end the waiting and the reading.
func TestResumeEnds(t *testing.T) {
	for name, after := range map[string]time.Duration{"waiting": 100 * time.Millisecond, "reading": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := inBubble(t, Config{}, primed("id: ev-1\n\n", func(_ int, w http.ResponseWriter, r *http.Request) {
					begin(w, "")
					hold(r)
				}))
				reason := errors.New("enough")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(after, func() { cancel(reason) })
				_, err := w.link.Exchange(ctx, resumable(7), &sink{})
				require.Equal(t, reason, err)
				assert.Equal(t, after, time.Since(w.began))

				time.AfterFunc(after, func() { shut(t, w.link) })
				_, err = w.link.Exchange(t.Context(), resumable(7), &sink{})
				require.ErrorIs(t, err, errors.ErrTransportClosed)
				assert.Equal(t, 2*after, time.Since(w.began))
			})
		})
	}
}

// What comes on the resumed stream belongs to the call; an error without id is
// only the POST's.
func TestResumedStreamIsTheCalls(t *testing.T) {
	const orphan = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}`
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, primed("id: 1\n\n", func(_ int, w http.ResponseWriter, _ *http.Request) {
			events(w, progress70, ping, orphan, logMessage, answer7)
		}))
		s := &sink{}
		got, err := w.link.Exchange(t.Context(), resumable(7), s)
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
		assert.Equal(t, []string{progress70, ping, orphan, logMessage}, s.delivered)
		assert.Equal(t, []string{ping, orphan, logMessage}, w.box.all())
	})
}

// Several broken streams are resumed each by its own id (P25), and an answer that
// comes on the stream of another call finds its own (P28).
func TestAnswerOnTheStreamOfAnotherCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := inBubble(t, Config{}, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				begin(w, "id: "+r.Header.Get("Mcp-Name")+"\n\n")
				return
			}
			begin(w, "")
			if r.Header.Get("Last-Event-ID") == "8" {
				time.Sleep(time.Second)
				events(w, progress70, answer7, answer8)
			}
			hold(r)
		})
		var wait sync.WaitGroup
		for id := range uint64(2) {
			wait.Go(func() {
				out := resumable(7 + id)
				out.Header.Set("Mcp-Name", fmt.Sprint(7+id))
				s := &sink{}
				got, err := w.link.Exchange(t.Context(), out, s)
				assert.NoError(t, err)
				n, _ := got.Message.ID.Uint64()
				assert.Equal(t, 7+id, n)
				assert.Len(t, s.delivered, int(1-id), "progress goes to whom it is for")
			})
		}
		wait.Wait()
		assert.Empty(t, w.box.all())
		assert.Equal(t, 2*time.Second, time.Since(w.began))
	})
}
