package httplink

import (
	"bytes"
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// FuzzExchange: whatever a server answers, the link does not panic, and what it
// takes for the answer is one; every error says what it is.
func FuzzExchange(f *testing.F) {
	for _, body := range []string{
		answer7, "[" + answer7 + "]", "data: " + answer7 + "\n\n", "data: [DONE]\n\ndata: {}\n\nid: 1\ndata:\n\n", "<html>", "",
		`{"jsonrpc":"2.0","id":"7","error":null,"result":null}`, `{"jsonrpc":"2.0","error":{"code":1}}`, "data: [" + progress70 + "]\n\n",
	} {
		for _, media := range []string{"application/json", "text/event-stream", "text/html", "", "a/b+json;x"} {
			f.Add(200, media, []byte(body), true)
			f.Add(404, media, []byte(body), false)
		}
	}
	f.Fuzz(func(t *testing.T, status int, media string, body []byte, batches bool) {
		if status < 100 || status > 999 {
			return
		}
		transport := roundTripFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status, Header: http.Header{"Content-Type": {media}}, Request: r,
				Body: readCloser{bytes.NewReader(body)}, ContentLength: -1,
			}, nil
		})
		link := New("fuzz", Config{BaseURL: "http://127.0.0.1/", MaxResponseBytes: 1 << 16}, WithTransport(transport))
		defer func() { require.NoError(t, link.Close(context.Background())) }()
		if batches {
			link.SetVersion(mcp.Version20250326)
		}
		got, err := link.Exchange(t.Context(), call(), &sink{})
		if err != nil {
			_, ok := errors.AsType[*errors.TransporterRequestError](err)
			require.True(t, ok, "%T", err)
			assert.Zero(t, got)
			return
		}
		assert.LessOrEqual(t, len(got.Body), replyBodyBytes)
		if !got.Message.IsZero() {
			require.Equal(t, mcp.KindResponse, got.Message.Kind())
			id, ok := got.Message.ID.Uint64()
			require.True(t, ok && id == 7 || got.Message.Error != nil)
		}
	})
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// An address that is taken is one to which the client talks as it is written, without
// a password and a fragment; one that is not is refused with a reason.
func FuzzEndpoints(f *testing.F) {
	for _, text := range []string{"https://example.com/mcp?a=b", "http://[::1]:80/", "example.com", "https://a:b@example.com", "https://example.com/#x", "unix:/tmp/x", " https://a", "http://:80", "https://é/"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		taken, fault := parseEndpoint(text)
		if fault != nil {
			require.NotEmpty(t, fault.message)
			return
		}
		if taken.socket == "" {
			require.Equal(t, text, taken.target)
			require.NotEmpty(t, taken.url.Hostname())
			require.Nil(t, taken.url.User)
			require.Empty(t, taken.url.Fragment)
		}
	})
}
