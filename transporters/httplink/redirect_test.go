package httplink

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// H22, P4, P5: only 307 and 308 within the same origin are followed, with
// method, body and headers.
func TestRedirects(t *testing.T) {
	strangers := 0
	stranger := serve(t, func(w http.ResponseWriter, r *http.Request) { strangers++ })
	for status, followed := range map[int]bool{301: false, 302: false, 303: false, 307: true, 308: true} {
		for name, test := range map[string]struct {
			location func(self string) string
			follow   bool
		}{
			"same path":      {func(string) string { return "/final?key=q1secret" }, followed},
			"same origin":    {func(self string) string { return self + "/final" }, followed},
			"another port":   {func(string) string { return stranger.URL + "/final?key=q1secret" }, false},
			"another scheme": {func(self string) string { return "https" + self[len("http"):] + "/final" }, false},
			"another name":   {func(self string) string { return "http://localhost" + self[len("http://127.0.0.1"):] + "/final" }, false},
		} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				requests := 0
				server := serve(t, func(w http.ResponseWriter, r *http.Request) {
					requests++
					if r.URL.Path == "/mcp" {
						w.Header().Set("Location", test.location("http://"+r.Host))
						w.WriteHeader(status)
						return
					}
					body, _ := io.ReadAll(r.Body)
					assert.Equal(t, http.MethodPost, r.Method)
					assert.Equal(t, string(call().Frame), string(body))
					assert.Equal(t, "Bearer canary", r.Header.Get("Authorization"))
					assert.Equal(t, "session-1", r.Header.Get("Mcp-Session-Id"))
					assert.Equal(t, "k", r.Header.Get("X-Api-Key"))
					assert.NotContains(t, r.Header, "Referer")
					reply(w, 200, "application/json", answer7)
				})
				link, _ := open(t, Config{
					BaseURL: server.URL + "/mcp", Token: config.LiteralSecret("canary"), Headers: literals("X-Api-Key", "k"),
				})
				got, err := link.Exchange(t.Context(), call(), &sink{})
				if test.follow {
					require.NoError(t, err)
					assert.Equal(t, answer7, string(got.Message.Raw))
					assert.Equal(t, 2, requests)
					return
				}
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, status, failure.Status)
				assert.Equal(t, errors.KindStatus, failure.Kind)
				assert.ErrorContains(t, err, "/final")
				assert.NotContains(t, err.Error(), "q1secret")
				assert.Equal(t, 1, requests)
			})
		}
	}
	assert.Zero(t, strangers)
}

func TestRedirectsAreBounded(t *testing.T) {
	requests := 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Location", fmt.Sprintf("/%d", requests))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorContains(t, err, fmt.Sprintf("answered with more than %d redirects, the last one to %s/%d", maxRedirects, server.URL, requests))
	require.NotContains(t, err.Error(), "only 307 and 308")
	assert.Equal(t, 1+maxRedirects, requests)
}

func TestRedirectToNowhere(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusFound) })
	link, _ := open(t, Config{BaseURL: server.URL})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorContains(t, err, "nowhere")
}

// A round tripper of the user's need not say what request it answered.
func TestRedirectOfAnUnknownRequest(t *testing.T) {
	link, _ := open(t, Config{BaseURL: "http://127.0.0.1:1"}, WithTransport(roundTripFunc(func(*http.Request) (*http.Response, error) {
		header := http.Header{"Location": {"https://elsewhere.example/"}}
		return &http.Response{StatusCode: 307, Header: header, Body: http.NoBody}, nil
	})))
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorContains(t, err, "redirects from http://127.0.0.1:1 to https://elsewhere.example/; only 307")
}
