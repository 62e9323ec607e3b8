package httplink

import (
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

// What each status, type and body comes to (R074, H5, H19, P10, P20).
func TestAnswers(t *testing.T) {
	const (
		json     = "application/json"
		notFound = `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`
		noID     = `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"}}`
		nullID   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`
		otherID  = `{"jsonrpc":"2.0","id":8,"result":{}}`
		page     = "<!doctype html><title>Sign in</title>"
	)
	for name, test := range map[string]struct {
		status     int
		media      string
		body       string
		wantAnswer string // raw message of the Reply
		wantBody   string // body of the Reply
		wantErr    error
		wantText   string
	}{
		"200 JSON (R074)":                           {status: 200, media: json, body: answer7, wantAnswer: answer7},
		"P10: parameters and case":                  {status: 200, media: "Application/JSON; Charset=UTF-8", body: answer7, wantAnswer: answer7},
		"broken parameters":                         {status: 200, media: "application/json; charset", body: answer7, wantAnswer: answer7},
		"a parameter that mentions event-stream":    {status: 200, media: `application/json; x="text/event-stream"`, body: answer7, wantAnswer: answer7},
		"a JSON dialect":                            {status: 200, media: "application/vnd.mcp+json", body: answer7, wantAnswer: answer7},
		"201 with an answer":                        {status: 201, media: json, body: answer7, wantAnswer: answer7},
		"P19: id as a string":                       {status: 200, media: json, body: strings.Replace(answer7, "7", `"7"`, 1), wantAnswer: strings.Replace(answer7, "7", `"7"`, 1)},
		"200 JSON error":                            {status: 200, media: json, body: notFound, wantAnswer: notFound},
		"P20: 200 error without id":                 {status: 200, media: json, body: noID, wantAnswer: noID},
		"blanks around":                             {status: 200, media: json, body: "\n " + answer7 + "\n", wantAnswer: answer7},
		"another request's answer":                  {status: 200, media: json, body: otherID, wantErr: errors.ErrProtocol, wantText: "not the answer to this request"},
		"a batch from others (R018)":                {status: 200, media: json, body: "[" + answer7 + "]", wantErr: errors.ErrProtocol, wantText: "2025-03-26"},
		"JSON that is no JSON-RPC":                  {status: 200, media: json, body: `{"message":"hello"}`, wantErr: errors.ErrProtocol, wantText: `body begins "{"message"`},
		"method and result":                         {status: 200, media: json, body: `{"jsonrpc":"2.0","id":7,"method":"x","result":{}}`, wantErr: errors.ErrProtocol},
		"H5: empty JSON body":                       {status: 200, media: json, body: "", wantErr: errors.ErrNotMCP, wantText: "empty"},
		"H5: JSON type, but a page":                 {status: 200, media: json, body: page, wantErr: errors.ErrNotMCP, wantText: "not JSON"},
		"H5: a page":                                {status: 200, media: "text/html; charset=utf-8", body: page, wantErr: errors.ErrNotMCP, wantText: `"text/html; charset=utf-8"`},
		"H5: a page's beginning":                    {status: 200, media: "text/html", body: page, wantErr: errors.ErrNotMCP, wantText: `body begins "<!doctype html>`},
		"H5: empty without a type":                  {status: 200, body: "", wantErr: errors.ErrNotMCP, wantText: "the answer is empty"},
		"H5: no type":                               {status: 200, body: answer7, wantErr: errors.ErrNotMCP, wantText: "no Content-Type"},
		"H19: 202":                                  {status: 202},
		"H19: 204":                                  {status: 204},
		"202 with an answer all the same":           {status: 202, media: json, body: answer7, wantAnswer: answer7},
		"400 modern error":                          {status: 400, media: json, body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"v"}}`, wantAnswer: `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"v"}}`},
		"404 method not found":                      {status: 404, media: json, body: notFound, wantAnswer: notFound},
		"P20: 404 without id":                       {status: 404, media: json, body: noID, wantAnswer: noID},
		"P20: 400 with null id":                     {status: 400, media: json, body: nullID, wantAnswer: nullID},
		"answer under a wrong type":                 {status: 400, media: "text/plain", body: notFound, wantAnswer: notFound},
		"result for this id under an error":         {status: 500, media: json, body: answer7, wantAnswer: answer7},
		"another id under an error":                 {status: 400, media: json, body: otherID, wantBody: otherID},
		"a notification under an error":             {status: 400, media: json, body: `{"jsonrpc":"2.0","method":"x"}`, wantBody: `{"jsonrpc":"2.0","method":"x"}`},
		"400 plain text":                            {status: 400, media: "text/plain", body: "Bad Request: no session", wantBody: "Bad Request: no session"},
		"404 empty":                                 {status: 404},
		"502 page":                                  {status: 502, media: "text/html", body: page, wantBody: page},
		"over-cap error body":                       {status: 503, media: "text/plain", body: strings.Repeat("x", 200<<10), wantBody: strings.Repeat("x", 4<<10)},
		"error status with a stream is not read":    {status: 500, media: "text/event-stream", body: "data: " + answer7 + "\n\n"},
		"405, as servers of HTTP+SSE (1105) answer": {status: 405, media: "text/plain", body: "nope", wantBody: "nope"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Kept", "yes")
				reply(w, test.status, test.media, test.body)
			})
			link, _ := open(t, Config{BaseURL: server.URL + "/mcp"})
			s := &sink{}
			got, err := link.Exchange(t.Context(), call(), s)
			assert.EqualValues(t, 1, s.accepted.Load())
			if test.wantErr != nil {
				require.ErrorIs(t, err, test.wantErr)
				assert.ErrorContains(t, err, test.wantText)
				assert.Zero(t, got)
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok)
				assert.Equal(t, errors.KindProtocol, failure.Kind)
				assert.Equal(t, test.status, failure.Status)
				assert.NotErrorIs(t, err, errors.ErrNotSent)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.status, got.Status)
			assert.Equal(t, "yes", got.Header.Get("X-Kept"))
			assert.Equal(t, test.wantAnswer, string(got.Message.Raw))
			assert.Equal(t, test.wantBody, string(got.Body))
		})
	}
}

// A server of 2025-03-26 may answer with a batch (R018).
func TestBatchOfTheVersionThatHasThem(t *testing.T) {
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":70,"progress":1}}`
	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`
	batch := "[" + progress + "," + answer7 + ", {}, " + log + "]"
	for _, stream := range []bool{false, true} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if stream {
				events(w, batch)
				return
			}
			reply(w, 200, "application/json", batch)
		})
		link, box := open(t, Config{BaseURL: server.URL})
		link.SetVersion(mcp.Version20250326)
		s := &sink{}
		got, err := link.Exchange(t.Context(), call(), s)
		require.NoError(t, err)
		assert.Equal(t, answer7, string(got.Message.Raw))
		assert.Equal(t, []string{progress, log}, s.delivered)
		assert.Equal(t, []string{log}, box.all(), "progress of the call is not for the session's listener")
		assert.EqualValues(t, 2, s.arrived.Load())

		link.SetVersion(mcp.Version20250618)
		_, err = link.Exchange(t.Context(), call(), &sink{})
		require.Error(t, err)
	}
}

// The streams that are no response to a POST may hold batches as well: each part
// goes where it belongs.
func TestBatchOnOtherStreams(t *testing.T) {
	batch := "[" + ping + "," + progress70 + ",{}," + answer7 + "]"
	for name, handler := range map[string]http.HandlerFunc{
		"resumed": primed("id: 1\n\n", func(_ int, w http.ResponseWriter, _ *http.Request) { events(w, batch) }),
		"standing": func(w http.ResponseWriter, r *http.Request) {
			begin(w, "")
			if r.Method == http.MethodGet {
				time.Sleep(time.Second) // the call is on its way
				events(w, batch)
			}
			hold(r)
		},
	} {
		for _, version := range []mcp.Version{mcp.Version20250326, mcp.Version20250618} {
			t.Run(name+", "+string(version), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := inBubble(t, Config{}, handler)
					w.link.SetVersion(version)
					if name == "standing" {
						go func() { _ = w.link.Listen(t.Context(), protocolHeader(), nil) }()
						synctest.Wait()
					}
					s := &sink{}
					got, err := w.link.Exchange(t.Context(), resumable(7), s)
					if version != mcp.Version20250326 {
						require.ErrorIs(t, err, errors.ErrProtocol, "nobody waits for an answer that has come")
						return
					}
					require.NoError(t, err)
					assert.Equal(t, answer7, string(got.Message.Raw))
					assert.Contains(t, s.delivered, progress70)
					synctest.Wait()
					assert.Equal(t, []string{ping}, w.box.all())
					shut(t, w.link)
				})
			})
		}
	}
}

func TestBatchWithoutTheAnswer(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, "application/json", `[{"jsonrpc":"2.0","id":9,"result":{}}]`)
	})
	link, box := open(t, Config{BaseURL: server.URL})
	link.SetVersion(mcp.Version20250326)
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrProtocol)
	assert.Len(t, box.all(), 1, "an answer nobody waits for goes to the session")
}

// R071, R072, P11: what is on the wire.
func TestRequestOnTheWire(t *testing.T) {
	requests := make(chan *http.Request, 3)
	bodies := make(chan string, 3)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body)
		bodies <- string(body[:n])
		requests <- r
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		reply(w, 200, "application/json", answer7)
	})
	link, _ := open(t, Config{BaseURL: server.URL + "/a%2Fb//mcp/?b=2&a=1"})
	out := call()
	_, err := link.Exchange(t.Context(), out, &sink{})
	require.NoError(t, err)
	r := <-requests
	assert.Equal(t, http.MethodPost, r.Method)
	assert.Equal(t, "/a%2Fb//mcp/?b=2&a=1", r.RequestURI, "base_url is used exactly as written")
	assert.Equal(t, string(out.Frame), <-bodies)
	assert.EqualValues(t, len(out.Frame), r.ContentLength, "the length is told")
	assert.Empty(t, r.TransferEncoding)
	assert.Equal(t, []string{"application/json, text/event-stream"}, r.Header["Accept"])
	assert.Equal(t, []string{"application/json"}, r.Header["Content-Type"])
	assert.Equal(t, []string{"2025-11-25"}, r.Header["Mcp-Protocol-Version"])
	assert.Equal(t, []string{"session-1"}, r.Header["Mcp-Session-Id"])
	assert.NotContains(t, r.Header, "Accept-Encoding", "P7: compression is not asked for")
	assert.NotContains(t, r.Header, "Cookie")
	assert.True(t, strings.HasPrefix(r.UserAgent(), "mcpclient/"), r.UserAgent())
	assert.Equal(t, protocolHeader(), out.Header, "the shared header is not written to")

	require.NoError(t, link.Send(t.Context(), notification()))
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, <-bodies)
	<-requests

	require.NoError(t, link.Terminate(t.Context(), protocolHeader()))
	r = <-requests
	assert.Equal(t, http.MethodDelete, r.Method)
	assert.Equal(t, "session-1", r.Header.Get("Mcp-Session-Id"))
	assert.Empty(t, <-bodies)
}
