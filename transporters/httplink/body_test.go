package httplink

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

func bigAnswer(size int) string {
	return `{"jsonrpc":"2.0","id":7,"result":{"text":"` + strings.Repeat("x", size) + `"}}`
}

func compress(encoding, text string) string {
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if encoding == "deflate" {
		w = zlib.NewWriter(&b)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// Compression is not asked for and always understood.
func TestCompressedAnswers(t *testing.T) {
	for _, encoding := range []string{"gzip", "X-GZIP", "deflate", "identity"} {
		for _, media := range []string{"application/json", "text/event-stream"} {
			t.Run(encoding+" "+media, func(t *testing.T) {
				text := answer7
				if media == "text/event-stream" {
					text = "data: " + answer7 + "\n\n"
				}
				server := serve(t, func(w http.ResponseWriter, r *http.Request) {
					assert.Empty(t, r.Header.Get("Accept-Encoding"))
					w.Header().Set("Content-Encoding", encoding)
					if encoding != "identity" {
						text = compress(strings.ToLower(encoding), text)
					}
					reply(w, 200, media, text)
				})
				link, _ := open(t, Config{BaseURL: server.URL})
				got, err := link.Exchange(t.Context(), call(), &sink{})
				require.NoError(t, err)
				assert.Equal(t, answer7, string(got.Message.Raw))
			})
		}
	}
}

func TestCompressedStreamIsReadAsItComes(t *testing.T) {
	seen := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = io.WriteString(zip, "data: "+progress70+"\n\n")
		_ = zip.Flush()
		w.(http.Flusher).Flush()
		<-seen // the answer follows only when the progress has been delivered
		_, _ = io.WriteString(zip, "data: "+answer7+"\n\n")
		_ = zip.Close()
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	s := &sink{}
	s.onDeliver = func(mcp.Message) { close(seen) }
	got, err := link.Exchange(t.Context(), call(), s)
	require.NoError(t, err)
	assert.Equal(t, answer7, string(got.Message.Raw))
}

func TestUnknownContentEncoding(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		reply(w, 200, "application/json", "\x0b\x02")
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrProtocol)
	assert.ErrorContains(t, err, `"br"`)
}

// 16 MiB pass, as JSON with and without a length and as one event.
func TestLargeAnswers(t *testing.T) {
	big := bigAnswer(16 << 20)
	for _, form := range []string{"length", "chunked", "event", "gzip"} {
		t.Run(form, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch form {
				case "length":
					w.Header().Set("Content-Length", fmt.Sprint(len(big)))
					reply(w, 200, "application/json", big)
				case "chunked":
					reply(w, 200, "application/json", big)
				case "event":
					events(w, progress70, big)
				case "gzip":
					w.Header().Set("Content-Encoding", "gzip")
					reply(w, 200, "application/json", compress("gzip", big))
				}
			})
			link, _ := open(t, Config{BaseURL: server.URL})
			got, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			require.Len(t, got.Message.Raw, len(big))
			assert.True(t, bytes.Equal([]byte(big), got.Message.Raw))
		})
	}
}

// max_response_bytes bounds a buffered body, decompressed, and one event, but
// not a whole stream.
func TestMaxResponseBytes(t *testing.T) {
	const limit = 10_000
	fits, over := bigAnswer(limit-len(bigAnswer(0))), bigAnswer(limit)
	require.Len(t, fits, limit)
	for name, test := range map[string]struct {
		write func(w http.ResponseWriter, body string)
		fits  string
	}{
		"length": {func(w http.ResponseWriter, body string) {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			reply(w, 200, "application/json", body)
		}, fits},
		"chunked": {func(w http.ResponseWriter, body string) {
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			_, _ = io.WriteString(w, body)
		}, fits},
		"gzip bomb": {func(w http.ResponseWriter, body string) {
			w.Header().Set("Content-Encoding", "gzip")
			reply(w, 200, "application/json", compress("gzip", body))
		}, fits},
		"event": {func(w http.ResponseWriter, body string) { events(w, body) }, bigAnswer(limit - 100)},
		"many events": {func(w http.ResponseWriter, body string) {
			if body != over {
				for range 100 {
					events(w, logMessage, strings.Replace(bigAnswer(limit/2), `"id":7`, `"id":8`, 1))
				}
			}
			events(w, body)
		}, answer7},
	} {
		t.Run(name, func(t *testing.T) {
			var body string
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				test.write(w, body)
			})
			link, _ := open(t, Config{BaseURL: server.URL, MaxResponseBytes: limit})
			body = test.fits
			got, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			assert.Equal(t, test.fits, string(got.Message.Raw))
			body = over
			_, err = link.Exchange(t.Context(), call(), &sink{})
			require.ErrorIs(t, err, errors.ErrMessageTooLarge)
			assert.ErrorContains(t, err, "max_response_bytes")
			assert.ErrorContains(t, err, "10000")
		})
	}
}

// Bodies that break off: the request may have been carried out.
func TestBrokenBodies(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"before the status":     {"", "closed the connection"},
		"within the head":       {"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n", "closed the connection"},
		"not HTTP":              {"SSH-2.0-OpenSSH_9.9\r\n\r\n", "malformed HTTP"},
		"within a sized body":   {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"", "after 10 of 100 bytes"},
		"within a chunked body": {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"js\r\n", "after 4 bytes"},
		"a broken chunk":        {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "invalid"},
		"within a stream":       {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndata\r\n", "closed the connection"},
		"broken gzip":           {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\nabcdefghijklmnopqrst", "gzip: invalid header"},
	} {
		t.Run(name, func(t *testing.T) {
			address := raw(t, func(conn net.Conn, _ *http.Request) { _, _ = io.WriteString(conn, test.text) })
			link, _ := open(t, Config{BaseURL: address})
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.ErrorIs(t, err, errors.ErrPeerLost)
			assert.ErrorContains(t, err, test.want)
			assert.NotErrorIs(t, err, errors.ErrNotSent)
			failure, _ := errors.AsType[*errors.TransporterRequestError](err)
			assert.Equal(t, errors.KindTransport, failure.Kind)
		})
	}
}

// A broken error body does not hide the status.
func TestBrokenErrorBodyKeepsTheStatus(t *testing.T) {
	address := raw(t, func(conn net.Conn, _ *http.Request) {
		_, _ = io.WriteString(conn, "HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nshort")
	})
	link, _ := open(t, Config{BaseURL: address})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, 503, got.Status)
	assert.Equal(t, "short", string(got.Body))
}

// A long body of unknown length is read into memory of about its size once one like
// it has come, and does not cost later ones anything that are shorter.
func TestLongBodiesOfUnknownLength(t *testing.T) {
	size := 1 << 20
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text := bigAnswer(size)
		_, _ = io.WriteString(w, text[:10])
		w.(http.Flusher).Flush() // now the length is not told
		_, _ = io.WriteString(w, text[10:])
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	ask := func() []byte {
		got, err := link.Exchange(t.Context(), call(), &sink{})
		require.NoError(t, err)
		require.Equal(t, bigAnswer(size), string(got.Message.Raw))
		return got.Message.Raw
	}
	ask()
	for range 2 {
		raw := ask()
		require.Equal(t, int64(len(raw)), link.longBody.Load())
		require.Equal(t, int64(len(raw)+len(raw)/8), link.grownSize(longBody), "one step from there")
	}
	require.Equal(t, int64(2*firstBuffer), link.grownSize(firstBuffer))
	size = 100
	ask()
	require.Greater(t, link.longBody.Load(), int64(1<<20), "a short one is none of them")
	link.longBody.Store(100 * longBody)
	require.Equal(t, int64(32*longBody), link.grownSize(longBody), "not all at once")
	require.Less(t, cap(clipped(make([]byte, longBody+1, 3*longBody))), 2*longBody, "what was too much is not kept with the message")
	require.Equal(t, 2*longBody, cap(clipped(make([]byte, longBody+1, 2*longBody))), "what is little is not worth a copy")
	size = longBody + 100
	ask()
}
