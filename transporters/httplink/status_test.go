package httplink

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// forever writes a body that has no end.
func forever(status int, media, piece string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, strings.Repeat(piece, 1000))
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// TestStatusOfNotifications is the table of what an answer means for a message
// that wants none (R097): any 2xx is success, whatever comes with it. A DELETE
// (R102) differs only where the server has no session to end.
func TestStatusOfNotifications(t *testing.T) {
	fixed := func(status int, media, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			if status == 204 || status == 205 {
				w.WriteHeader(status)
				return
			}
			reply(w, status, media, body)
		}
	}
	const json, noID = "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}}`
	for name, test := range map[string]struct {
		answer   http.HandlerFunc
		status   int // of the failure; 0: success
		kind     errors.Kind
		text     string
		toDelete bool // success for a DELETE
	}{
		"202 without a body":              {answer: fixed(202, "", "")},
		"202 with a body":                 {answer: fixed(202, "text/plain", "Accepted")},
		"202 with an answer":              {answer: fixed(202, json, answer7)},
		"200 without a body":              {answer: fixed(200, "", "")},
		"200 with JSON":                   {answer: fixed(200, json, answer7)},
		"200 with an error":               {answer: fixed(200, json, noID)},
		"200 with a page":                 {answer: fixed(200, "text/html", "<p>")},
		"200 with an event stream":        {answer: fixed(200, "text/event-stream", "data: {oops\n\n")},
		"200 with an endless stream":      {answer: forever(200, "text/event-stream", ": \n")},
		"200 with an endless page":        {answer: forever(200, "text/html", "<p>")},
		"200 with an unknown encoding":    {answer: fixed(200, json, "\x01", "Content-Encoding", "br")},
		"201":                             {answer: fixed(201, "", "")},
		"204":                             {answer: fixed(204, "", "")},
		"205":                             {answer: fixed(205, "", "")},
		"206":                             {answer: fixed(206, "", "")},
		"299":                             {answer: fixed(299, "", "")},
		"307 within the origin":           {answer: again(fixed(202, "", ""))},
		"302":                             {answer: fixed(302, "", "", "Location", "/x"), status: 302, kind: errors.KindStatus, text: "redirects"},
		"307 to another origin":           {answer: fixed(307, "", "", "Location", "http://example.com/"), status: 307, kind: errors.KindStatus, text: "redirects"},
		"304":                             {answer: fixed(304, "", ""), status: 304, kind: errors.KindStatus},
		"400 with an error without id":    {answer: fixed(400, json, noID), status: 400, kind: errors.KindStatus, text: `"message":"no"`},
		"401":                             {answer: fixed(401, "", ""), status: 401, kind: errors.KindAuth},
		"401 with an unknown encoding":    {answer: fixed(401, json, "\x01", "Content-Encoding", "br"), status: 401, kind: errors.KindAuth},
		"403":                             {answer: fixed(403, "", ""), status: 403, kind: errors.KindStatus},
		"403 with a challenge":            {answer: fixed(403, "", "", "Www-Authenticate", "Bearer"), status: 403, kind: errors.KindAuth},
		"R101: 404":                       {answer: fixed(404, "", ""), status: 404, kind: errors.KindStatus, toDelete: true},
		"R102: 405":                       {answer: fixed(405, "", ""), status: 405, kind: errors.KindStatus, toDelete: true},
		"429":                             {answer: fixed(429, "", ""), status: 429, kind: errors.KindStatus},
		"500 with a page":                 {answer: fixed(500, "text/html", "<p>"), status: 500, kind: errors.KindStatus, text: "<p>"},
		"500 with an endless page":        {answer: forever(500, "text/html", "<p>"), status: 500, kind: errors.KindStatus, text: "<p><p>"},
		"500 with a stream, not read":     {answer: fixed(500, "text/event-stream", "data: oops\n\n"), status: 500, kind: errors.KindStatus},
		"500 with an endless stream":      {answer: forever(500, "text/event-stream", ": \n"), status: 500, kind: errors.KindStatus},
		"503 with a body beyond all caps": {answer: fixed(503, "text/plain", strings.Repeat("x", 1<<20)), status: 503, kind: errors.KindStatus, text: "xxx"},
	} {
		t.Run(name, func(t *testing.T) {
			link, box := open(t, Config{BaseURL: serve(t, test.answer).URL, MaxResponseBytes: 1000})
			begin := time.Now()
			for what, err := range map[string]error{
				"notification": link.Send(t.Context(), notification()),
				"DELETE":       link.Terminate(t.Context(), protocolHeader()),
			} {
				if test.status == 0 || what == "DELETE" && test.toDelete {
					require.NoError(t, err, what)
					continue
				}
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok, "%s: %v", what, err)
				assert.Equal(t, test.status, failure.Status, what)
				assert.Equal(t, test.kind, failure.Kind, what)
				assert.Equal(t, test.kind == errors.KindAuth, errors.Is(err, errors.ErrAuthRequired), what)
				assert.ErrorContains(t, err, test.text, what)
				assert.Less(t, len(err.Error()), 1000, what)
			}
			assert.Less(t, time.Since(begin), defaultReadTimeout, "nobody waits for the end of a body")
			assert.Empty(t, box.all(), "what it brings is nobody's")
		})
	}
}

// again redirects the first request to the same place.
func again(then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			w.Header().Set("Location", "?again")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		then(w, r)
	}
}
