package httplink

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// scripted answers with a body that is written while the bubble's clock runs.
type scripted struct {
	head   time.Duration // before the response begins
	status int
	media  string
	write  func(w io.Writer)
}

func (s *scripted) RoundTrip(request *http.Request) (*http.Response, error) {
	time.Sleep(s.head)
	body, sink := io.Pipe()
	stop := context.AfterFunc(request.Context(), func() { _ = body.CloseWithError(context.Cause(request.Context())) })
	go func() {
		defer stop()
		s.write(sink)
		_ = sink.Close()
	}()
	return &http.Response{
		StatusCode: s.status, Header: http.Header{"Content-Type": {s.media}}, Body: body, ContentLength: -1, Request: request,
	}, nil
}

// settle closes the link and lets the bubble's writers come to their end.
func settle(t *testing.T, link *Link) {
	shut(t, link)
	time.Sleep(2 * time.Hour)
}

// piece is text that is written after a pause.
type piece struct {
	after time.Duration
	text  string
}

func write(pieces ...piece) func(io.Writer) {
	return func(w io.Writer) {
		for _, p := range pieces {
			time.Sleep(p.after)
			if _, err := io.WriteString(w, p.text); err != nil {
				return
			}
		}
	}
}

// read_timeout is the longest silence within a body. It limits neither a body's
// duration nor the time until it begins (P6), is on a call's event stream never
// below the request timeout, and listen streams have their own.
func TestReadTimeout(t *testing.T) {
	const (
		json, stream, listen = "application/json", "text/event-stream", mcp.MethodListen
		event                = "data: " + answer7 + "\n\n"
		second               = time.Second
	)
	for name, test := range map[string]struct {
		media   string
		head    time.Duration
		pieces  []piece
		cfg     Config
		minimum time.Duration
		idle    time.Duration // the call's own request timeout; -1 is off
		method  string
		stalls  time.Duration // 0: it does not
	}{
		"late head":                 {media: json, head: time.Hour, pieces: []piece{{29 * second, answer7}}},
		"slow but alive":            {media: json, pieces: []piece{{29 * second, " "}, {29 * second, " "}, {29 * second, answer7}}},
		"stalled at the start":      {media: json, pieces: []piece{{31 * second, answer7}}, stalls: 30 * second},
		"stalled within":            {media: json, pieces: []piece{{5 * second, answer7[:9]}, {31 * second, answer7[9:]}}, stalls: 35 * second},
		"stalled stream":            {media: stream, pieces: []piece{{0, event[:9]}, {31 * second, event[9:]}}, stalls: 30 * second},
		"R091, P29: comments":       {media: stream, pieces: []piece{{29 * second, ": ping\n\n"}, {29 * second, ":\n"}, {29 * second, event}}},
		"configured":                {media: json, cfg: Config{ReadTimeout: config.Of(second)}, pieces: []piece{{2 * second, answer7}}, stalls: second},
		"off":                       {media: json, cfg: Config{ReadTimeout: config.Off()}, pieces: []piece{{time.Hour, answer7}}},
		"stream below the minimum":  {media: stream, minimum: time.Minute, pieces: []piece{{59 * second, event}}},
		"stream above the minimum":  {media: stream, minimum: time.Minute, pieces: []piece{{61 * second, event}}, stalls: time.Minute},
		"off, with a minimum":       {media: stream, minimum: time.Minute, cfg: Config{ReadTimeout: config.Off()}, pieces: []piece{{time.Hour, event}}},
		"the minimum is not JSON's": {media: json, minimum: time.Minute, pieces: []piece{{31 * second, answer7}}, stalls: 30 * second},
		"a minimum below":           {media: stream, minimum: second, pieces: []piece{{29 * second, event}}},
		"the call's idle time":      {media: stream, idle: time.Minute, pieces: []piece{{59 * second, event}}},
		"above the call's":          {media: stream, idle: time.Minute, pieces: []piece{{61 * second, event}}, stalls: time.Minute},
		"below read_timeout":        {media: stream, idle: second, pieces: []piece{{29 * second, event}}},
		"the call's is off":         {media: stream, idle: -1, pieces: []piece{{time.Hour, event}}},
		"listen, JSON":              {media: json, method: listen, pieces: []piece{{31 * second, answer7}}, stalls: 30 * second},
		"listen has none":           {media: stream, method: listen, pieces: []piece{{time.Hour, event}}},
		"listen has its own": {media: stream, method: listen, cfg: Config{ListenReadTimeout: config.Of(time.Minute)},
			pieces: []piece{{time.Hour, event}}, stalls: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.cfg.BaseURL = "http://127.0.0.1/mcp"
				link := New("test", test.cfg, WithMinimumStreamStall(test.minimum),
					WithTransport(&scripted{head: test.head, status: 200, media: test.media, write: write(test.pieces...)}))
				defer settle(t, link)
				out := call()
				if test.method != "" {
					out.Method = test.method
				}
				ctx := t.Context()
				if test.idle != 0 {
					idle := max(0, test.idle)
					ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.RequestTimeout = &idle })
				}
				begin := time.Now()
				got, err := link.Exchange(ctx, out, &sink{})
				if test.stalls == 0 {
					require.NoError(t, err)
					assert.Equal(t, answer7, strings.TrimSpace(string(got.Message.Raw)))
					return
				}
				require.ErrorIs(t, err, errors.ErrPeerLost)
				assert.ErrorContains(t, err, "(read_timeout)")
				assert.Equal(t, test.stalls, time.Since(begin))
			})
		})
	}
}

// Nobody's timer runs over a whole transfer, not even that of a user's client:
// what trickles may trickle for a day, whichever way it was opened (P6, P29).
func TestATransferMayTakeADay(t *testing.T) {
	const day, pause = 24 * time.Hour, 29 * time.Second
	trickle := func(first, again, last string) func(io.Writer) {
		return func(w io.Writer) {
			pieces := []piece{{0, first}}
			for range int(day / pause) {
				pieces = append(pieces, piece{pause, again})
			}
			write(append(pieces, piece{pause, last})...)(w)
		}
	}
	exchange := func(t *testing.T, link *Link) { // also of a legacy server
		for _, out := range []*transporters.Outbound{call(), resumable(7)} {
			begin := time.Now()
			got, err := link.Exchange(t.Context(), out, &sink{})
			require.NoError(t, err)
			require.Equal(t, answer7, strings.TrimSpace(string(got.Message.Raw)))
			require.Greater(t, time.Since(begin), day)
		}
	}
	for name, test := range map[string]struct {
		transport *scripted
		run       func(t *testing.T, link *Link)
	}{
		"JSON":   {&scripted{status: 200, media: "application/json", write: trickle(" ", " ", answer7)}, exchange},
		"stream": {&scripted{status: 200, media: "text/event-stream", write: trickle(":\n", ":\n", "data: "+answer7+"\n\n")}, exchange},
		"standing stream": {&scripted{status: 200, media: "text/event-stream", write: trickle(":\n", ":\n", "data: "+ping+"\n\n")}, func(t *testing.T, link *Link) {
			ctx, cancel := context.WithTimeout(t.Context(), day)
			defer cancel()
			require.ErrorIs(t, link.Listen(ctx, protocolHeader(), nil), context.DeadlineExceeded)
		}},
		"HTTP+SSE": {&scripted{status: 200, media: "text/event-stream", write: trickle("event: endpoint\ndata: /m\n\n", ":\n", "")}, func(t *testing.T, link *Link) {
			older, err := link.Legacy(t.Context(), nil)
			require.NoError(t, err)
			begin := time.Now()
			<-older.Done()
			require.Greater(t, time.Since(begin), day)
		}},
	} {
		for whose, option := range map[string]Option{
			"ours":    WithTransport(test.transport),
			"a users": WithClient(resty.NewWithClient(&http.Client{Timeout: time.Second, Transport: test.transport}).SetTimeout(time.Second)),
		} {
			t.Run(name+", "+whose, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					link := New("test", Config{BaseURL: worldURL}, option)
					test.run(t, link)
					shut(t, link)
					time.Sleep(2 * day)
				})
			})
		}
	}
}

// The time that a callback takes is not silence of the peer.
func TestSlowCallbackIsNoStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := New("test", Config{BaseURL: "http://127.0.0.1/mcp"}, WithTransport(&scripted{
			status: 200, media: "text/event-stream",
			write: write(piece{0, "data: " + progress70 + "\n\n"}, piece{20 * time.Second, "data: " + answer7 + "\n\n"}),
		}))
		defer settle(t, link)
		s := &sink{onDeliver: func(mcp.Message) { time.Sleep(time.Hour) }}
		_, err := link.Exchange(t.Context(), call(), s)
		require.NoError(t, err)
	})
}

// A stalled error body does not hide the status.
func TestStalledErrorBodyKeepsTheStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := New("test", Config{BaseURL: "http://127.0.0.1/mcp"}, WithTransport(&scripted{
			status: 500, media: "text/plain", write: write(piece{0, "begin"}, piece{time.Hour, "end"}),
		}))
		defer settle(t, link)
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		assert.Equal(t, 500, got.Status)
		assert.Equal(t, "begin", string(got.Body))
	})
}

// The same over real connections, which the stall must break.
func TestStalledConnection(t *testing.T) {
	for name, begin := range map[string]string{
		"JSON":   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 48\r\n\r\n{",
		"stream": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {",
	} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan struct{})
			address := raw(t, func(conn net.Conn, _ *http.Request) {
				_, _ = io.WriteString(conn, begin)
				waitClosed(conn)
				close(closed)
			})
			link, _ := open(t, Config{BaseURL: address, ReadTimeout: config.Of(100 * time.Millisecond)})
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.ErrorIs(t, err, errors.ErrPeerLost)
			assert.ErrorContains(t, err, "stalled: nothing came for 100ms (read_timeout)")
			<-closed
		})
	}
}

// One timer serves reads of many exchanges with limits of their own, and the time of
// each counts from its own beginning.
func TestTimerOfManyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timers stallTimers
		timer := timers.get()
		link := &Link{}
		read := func(limit, takes time.Duration) *exchange {
			x := &exchange{link: link, stall: limit}
			timer.start(x, limit)
			time.Sleep(takes)
			synctest.Wait()
			timer.stop()
			return x
		}
		for _, step := range []struct{ limit, takes time.Duration }{
			{time.Minute, 0}, {time.Minute, 59 * time.Second}, {time.Minute, 59 * time.Second},
			{time.Second, 999 * time.Millisecond}, {time.Hour, 59 * time.Minute}, {time.Second, 0}, {time.Minute, 2 * time.Second},
		} {
			assert.NoError(t, read(step.limit, step.takes).reason(), "%v of %v", step.takes, step.limit)
			time.Sleep(10 * time.Second) // what passes between two reads is nobody's
			assert.ErrorIs(t, read(step.limit, step.limit).reason(), errStalled, "%v", step.limit)
			assert.NoError(t, read(step.limit, step.takes).reason(), "%v of %v", step.takes, step.limit)
		}
	})
}
