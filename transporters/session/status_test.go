package session_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// statusAnswer is what the server says to a tools/call. ID in the body stands for
// the call's id.
type statusAnswer struct {
	status int
	media  string
	body   string
	header http.Header
	write  func(w http.ResponseWriter, r *http.Request) // instead of all that
}

// statusOutcome is what the caller gets.
type statusOutcome struct {
	answered bool // the result; else a *errors.TransporterRequestError with these:
	kind     errors.Kind
	delivery errors.Delivery
	code     int
	is       error
	text     string // part of the error
	attempts int    // POSTs of the call; 0 is 1
}

const (
	statusJSON   = "application/json"
	statusStream = "text/event-stream"
	statusResult = `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`
	statusPage   = "<!doctype html><title>Sign in</title>"
)

func statusEvents(data ...string) string { return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n" }

// TestEveryStatus is the table of what an answer's status, type and body mean to
// the caller of a request, over real connections, in both eras.
func TestEveryStatus(t *testing.T) {
	rpc := func(id, rest string) string { return `{"jsonrpc":"2.0",` + id + rest + `}` }
	const failure = `"error":{"code":-32602,"message":"no such tool"}`
	named, nameless := rpc(`"id":ID,`, failure), rpc("", failure)
	answered := statusOutcome{answered: true}
	peer := statusOutcome{kind: errors.KindPeer, delivery: errors.DeliveryAnswered, code: -32602, text: "no such tool"}
	bare := func(text string) statusOutcome { return statusOutcome{kind: errors.KindStatus, text: text} }
	broken := func(text string) statusOutcome {
		return statusOutcome{kind: errors.KindProtocol, is: errors.ErrProtocol, text: text}
	}
	foreign := func(text string) statusOutcome {
		return statusOutcome{kind: errors.KindProtocol, is: errors.ErrNotMCP, text: text}
	}
	unauthorized := statusOutcome{kind: errors.KindAuth, delivery: errors.DeliveryRefused, is: errors.ErrAuthRequired}
	taken := broken("took the request for a notification")
	challenge := http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="x"`}}
	for name, test := range map[string]struct {
		answer         statusAnswer
		both           statusOutcome
		legacy, modern *statusOutcome // where they differ
		config         func(*httplink.Config)
	}{
		"R074: 200 with JSON":                           {answer: statusAnswer{200, statusJSON, statusResult, nil, nil}, both: answered},
		"R074: 200 with an event stream":                {answer: statusAnswer{200, statusStream, statusEvents(statusResult), nil, nil}, both: answered},
		"P10: an upper-case type, with a parameter":     {answer: statusAnswer{200, "Text/Event-Stream; Charset=UTF-8", statusEvents(statusResult), nil, nil}, both: answered},
		"P10: a parameter mentions event-stream":        {answer: statusAnswer{200, `application/json; x="text/event-stream"`, statusResult, nil, nil}, both: answered},
		"200 with an error":                             {answer: statusAnswer{200, statusJSON, named, nil, nil}, both: peer},
		"P20: 200 with an error without id":             {answer: statusAnswer{200, statusJSON, nameless, nil, nil}, both: peer},
		"206 with JSON":                                 {answer: statusAnswer{206, statusJSON, statusResult, nil, nil}, both: answered},
		"H5: 200 without a body":                        {answer: statusAnswer{200, statusJSON, "", nil, nil}, both: foreign("the body is empty")},
		"H5: 200 with a page":                           {answer: statusAnswer{200, "text/html", statusPage, nil, nil}, both: foreign(`"text/html"`)},
		"H5: 200, not JSON":                             {answer: statusAnswer{200, statusJSON, statusPage, nil, nil}, both: foreign("not JSON")},
		"200 with a scalar":                             {answer: statusAnswer{200, statusJSON, "17", nil, nil}, both: broken("body begins")},
		"200 with another request's answer":             {answer: statusAnswer{200, statusJSON, rpc(`"id":4711,`, `"result":{}`), nil, nil}, both: broken("not the answer to this request")},
		"R018: 200 with a batch":                        {answer: statusAnswer{200, statusJSON, "[" + statusResult + "]", nil, nil}, both: broken("2025-03-26")},
		"P27: 200 with a stream that ends":              {answer: statusAnswer{200, statusStream, ": hello\n\n", nil, nil}, both: statusOutcome{kind: errors.KindTransport, is: errors.ErrPeerLost, text: "ended without an answer"}},
		"H19: 202":                                      {answer: statusAnswer{202, "", "", nil, nil}, both: taken},
		"H19: 202 with a text":                          {answer: statusAnswer{202, "text/plain", "Accepted", nil, nil}, both: taken},
		"H19: 202 with a stream, which is not read":     {answer: statusAnswer{202, statusStream, statusEvents(statusResult), nil, nil}, both: taken},
		"H19: 204":                                      {answer: statusAnswer{204, "", "", nil, nil}, both: taken},
		"H19: 205":                                      {answer: statusAnswer{205, "", "", nil, nil}, both: taken},
		"400 with this id's error":                      {answer: statusAnswer{400, statusJSON, named, nil, nil}, both: peer},
		"400 with -32021":                               {answer: statusAnswer{400, statusJSON, rpc(`"id":ID,`, `"error":{"code":-32021,"message":"x"}`), nil, nil}, both: statusOutcome{kind: errors.KindPeer, delivery: errors.DeliveryAnswered, code: -32021}},
		"R039: 400 with -32022":                         {answer: statusAnswer{400, statusJSON, rpc(`"id":ID,`, `"error":{"code":-32022,"message":"x","data":{"supported":["2026-07-28"]}}`), nil, nil}, both: statusOutcome{kind: errors.KindPeer, delivery: errors.DeliveryAnswered, code: -32022}, modern: &statusOutcome{answered: true, attempts: 2}},
		"R086: 400 with -32020":                         {answer: statusAnswer{400, statusJSON, rpc(`"id":ID,`, `"error":{"code":-32020,"message":"x"}`), nil, nil}, both: statusOutcome{kind: errors.KindPeer, delivery: errors.DeliveryAnswered, code: -32020}, modern: &statusOutcome{answered: true, attempts: 2}},
		"500 with this id's result":                     {answer: statusAnswer{500, statusJSON, statusResult, nil, nil}, both: answered},
		"500 with this id's error":                      {answer: statusAnswer{500, statusJSON, named, nil, nil}, both: peer},
		"500 with this id's error of 300 KiB":           {answer: statusAnswer{500, statusJSON, rpc(`"id":ID,`, `"error":{"code":-32602,"message":"no such tool","data":"`+strings.Repeat("x", 300<<10)+`"}`), nil, nil}, both: peer},
		"500 with this id's error under another type":   {answer: statusAnswer{500, "text/plain", named, nil, nil}, both: peer},
		"P19: 500 with this id's error, the id a text":  {answer: statusAnswer{500, statusJSON, strings.Replace(named, "ID", `"ID"`, 1), nil, nil}, both: peer},
		"P20: 500 with an error without id":             {answer: statusAnswer{500, statusJSON, nameless, nil, nil}, both: peer},
		"500 with another request's error":              {answer: statusAnswer{500, statusJSON, rpc(`"id":4711,`, failure), nil, nil}, both: bare(`body begins "{"jsonrpc"`)},
		"500 with this id, but without an outcome":      {answer: statusAnswer{500, statusJSON, rpc(`"id":ID`, ""), nil, nil}, both: bare("HTTP status 500")},
		"500 with this id, a result and a method":       {answer: statusAnswer{500, statusJSON, rpc(`"id":ID,`, `"method":"x","result":{}`), nil, nil}, both: bare("HTTP status 500")},
		"500 with this id, a result and an error":       {answer: statusAnswer{500, statusJSON, rpc(`"id":ID,"result":{},`, failure), nil, nil}, both: bare("HTTP status 500")},
		"500 with this id, but without a version":       {answer: statusAnswer{500, statusJSON, `{"id":ID,` + failure + `}`, nil, nil}, both: bare("HTTP status 500")},
		"500 with a scalar":                             {answer: statusAnswer{500, statusJSON, "17", nil, nil}, both: bare(`body begins "17"`)},
		"500 with a page":                               {answer: statusAnswer{500, "text/html", statusPage, nil, nil}, both: bare("Sign in")},
		"500 without a body":                            {answer: statusAnswer{500, "", "", nil, nil}, both: bare("HTTP status 500: Internal Server Error")},
		"500 with an event stream, which is not read":   {answer: statusAnswer{500, statusStream, statusEvents(statusResult), nil, nil}, both: bare("HTTP status 500")},
		"500 with a stream that does not end":           {answer: statusAnswer{write: endless(500, statusStream, statusEvents("x"))}, both: bare("HTTP status 500")},
		"500 with a text that does not end":             {answer: statusAnswer{write: endless(500, "text/plain", "why ")}, both: bare(`body begins "why why`)},
		"500 with JSON that does not end":               {answer: statusAnswer{write: endless(500, statusJSON, "[[[[")}, both: bare(`body begins "[[[[`), config: limited},
		"500 with JSON beyond max_response_bytes":       {answer: statusAnswer{500, statusJSON, rpc(`"id":ID,"x":"`+strings.Repeat("x", 300<<10)+`",`, failure), nil, nil}, both: bare(`body begins "{"jsonrpc"`), config: limited},
		"500 with a length beyond max_response_bytes":   {answer: statusAnswer{500, statusJSON, `["` + strings.Repeat("x", 300<<10), http.Header{"Content-Length": {"99999999"}}, nil}, both: bare("HTTP status 500"), config: limited},
		"R266: 401 with a challenge":                    {answer: statusAnswer{401, "", "", challenge, nil}, both: unauthorized},
		"401 without a challenge":                       {answer: statusAnswer{401, "text/plain", "who?", nil, nil}, both: unauthorized},
		"401 with this id's error":                      {answer: statusAnswer{401, statusJSON, named, nil, nil}, both: statusOutcome{kind: errors.KindAuth, delivery: errors.DeliveryRefused, is: errors.ErrAuthRequired, code: -32602, text: "no such tool"}},
		"401 with an unknown encoding":                  {answer: statusAnswer{401, statusJSON, "\x01", http.Header{"Content-Encoding": {"br"}}, nil}, both: unauthorized},
		"500 with an unknown encoding":                  {answer: statusAnswer{500, statusJSON, "\x01", http.Header{"Content-Encoding": {"br"}}, nil}, both: bare("HTTP status 500")},
		"200 with an unknown encoding":                  {answer: statusAnswer{200, statusJSON, "\x01", http.Header{"Content-Encoding": {"br"}}, nil}, both: broken(`"br"`)},
		"R101: 404 with an unknown encoding":            {answer: statusAnswer{404, statusJSON, "\x01", http.Header{"Content-Encoding": {"br"}}, nil}, both: bare("HTTP status 404"), legacy: &statusOutcome{answered: true, attempts: 2}},
		"R266: 403 with a challenge":                    {answer: statusAnswer{403, "", "", challenge, nil}, both: unauthorized},
		"H16: 403 without a challenge":                  {answer: statusAnswer{403, "text/plain", "Origin", nil, nil}, both: bare("HTTP status 403: Forbidden")},
		"R101, P43: 404":                                {answer: statusAnswer{404, "text/plain", "no session", nil, nil}, both: bare("HTTP status 404"), legacy: &statusOutcome{answered: true, attempts: 2}},
		"R101, P43: 404 with an error without id":       {answer: statusAnswer{404, statusJSON, nameless, nil, nil}, both: peer, legacy: &statusOutcome{answered: true, attempts: 2}},
		"P42: 404 with -32601":                          {answer: statusAnswer{404, statusJSON, rpc(`"id":ID,`, `"error":{"code":-32601,"message":"x"}`), nil, nil}, both: statusOutcome{kind: errors.KindPeer, delivery: errors.DeliveryAnswered, code: -32601}},
		"405":                                           {answer: statusAnswer{405, "", "", http.Header{"Allow": {"GET"}}, nil}, both: bare("HTTP status 405: Method Not Allowed")},
		"R088, P76: 413":                                {answer: statusAnswer{413, "text/plain", "too much", nil, nil}, both: bare("HTTP status 413: Request Entity Too Large")},
		"R088, P76: 431":                                {answer: statusAnswer{431, "text/plain", "too much", nil, nil}, both: bare("HTTP status 431: Request Header Fields Too Large")},
		"H18: 429":                                      {answer: statusAnswer{429, "", "", nil, nil}, both: bare("HTTP status 429: Too Many Requests")},
		"H18: 503":                                      {answer: statusAnswer{503, "", "", nil, nil}, both: bare("HTTP status 503: Service Unavailable")},
		"H22: 302":                                      {answer: statusAnswer{302, "", "", http.Header{"Location": {"/elsewhere"}}, nil}, both: bare("redirects")},
		"H22: 308 to another origin":                    {answer: statusAnswer{308, "", "", http.Header{"Location": {"https://example.com/"}}, nil}, both: bare("redirects")},
		"H22: 307 within the origin":                    {answer: statusAnswer{307, "", "", http.Header{"Location": {"?again"}}, nil}, both: statusOutcome{answered: true, attempts: 2}},
		"a status of no meaning":                        {answer: statusAnswer{799, "text/plain", "x", nil, nil}, both: bare("HTTP status 799")},
		"101":                                           {answer: statusAnswer{write: rawAnswer("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")}, both: bare("HTTP status 101")},
		"103, then 200":                                 {answer: statusAnswer{write: hinted}, both: answered},
		"response headers are bounded":                  {answer: statusAnswer{200, statusJSON, statusResult, http.Header{"X-Long": {strings.Repeat("x", 300<<10)}}, nil}, both: statusOutcome{kind: errors.KindTransport, is: errors.ErrPeerLost, text: "header"}},
		"long response headers":                         {answer: statusAnswer{200, statusJSON, statusResult, http.Header{"X-Long": {strings.Repeat("x", 100<<10)}}, nil}, both: answered},
		"R093: a session id that a modern server gives": {answer: statusAnswer{200, statusJSON, statusResult, http.Header{mcp.HeaderSessionID: {"s"}}, nil}, both: answered},
	} {
		for _, legacy := range []bool{true, false} {
			era, want := "modern", test.both
			if legacy {
				era = "legacy"
			}
			if legacy && test.legacy != nil {
				want = *test.legacy
			} else if !legacy && test.modern != nil {
				want = *test.modern
			}
			t.Run(name+", "+era, func(t *testing.T) {
				s, attempts := statusSession(t, legacy, test.config, test.answer)
				result, err := s.Request(within(t, 20*time.Second), mcp.MethodCallTool, map[string]any{"name": "echo"}, nil)
				require.EqualValues(t, max(1, want.attempts), attempts.Load())
				require.EqualValues(t, 1, s.Stats().Requests)
				if want.answered {
					require.NoError(t, err)
					require.Contains(t, string(result.Raw()), `"content":[]`)
					return
				}
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok, "%T: %v", err, err)
				require.ErrorContains(t, err, want.text)
				require.Equal(t, want.kind, failure.Kind, err)
				require.Equal(t, want.delivery, failure.Delivery, err)
				require.Equal(t, want.code, failure.Code, err)
				if want.is != nil {
					require.ErrorIs(t, err, want.is)
				}
				if test.answer.status > 299 {
					require.Equal(t, test.answer.status, failure.Status, "the status is told in any case: %v", err)
				}
				require.Less(t, len(err.Error()), 2000)
				require.NoError(t, statusAgain(t, s), "the session works on")
			})
		}
	}
}

func limited(cfg *httplink.Config) { cfg.MaxResponseBytes = 100 << 10 }

// endless answers with a body without an end.
func endless(status int, media, piece string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, strings.Repeat(piece, 1000))
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func rawAnswer(text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = buffer.WriteString(text)
		_ = buffer.Flush()
		_ = conn.Close()
	}
}

func hinted(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Link", "</x>; rel=preload")
	w.WriteHeader(http.StatusEarlyHints)
	w.Header().Set("Content-Type", statusJSON)
	_, _ = io.WriteString(w, strings.Replace(statusResult, "ID", r.Header.Get("X-Id"), 1))
}

// statusSession opens a session with a server of one era, whose first tools/call
// is answered like this.
func statusSession(t *testing.T, legacy bool, configure func(*httplink.Config), answer statusAnswer) (*session.Session, *atomic.Int32) {
	t.Helper()
	era := mcptest.ModernOnly()
	if legacy {
		era = mcptest.LegacyOnly()
	}
	server := mcptest.NewServer(era)
	server.AddTool(mcp.Tool{Name: "echo"}, func(context.Context, *mcptest.Call) (any, error) { return nil, nil })
	var attempts atomic.Int32
	address := through(t, server, func(w http.ResponseWriter, r *http.Request, m mcp.Message) bool {
		if m.Method != mcp.MethodCallTool || attempts.Add(1) > 1 {
			return false
		}
		r.Header.Set("X-Id", string(m.ID))
		answer.serve(w, r)
		return true
	})
	cfg := httplink.Config{BaseURL: address}
	if configure != nil {
		configure(&cfg)
	}
	s := newSession(t, httplink.New("peer", cfg), nil)
	_, err := s.ServerInfo(t.Context())
	require.NoError(t, err)
	return s, &attempts
}

func (a statusAnswer) serve(w http.ResponseWriter, r *http.Request) {
	if a.write != nil {
		a.write(w, r)
		return
	}
	w.Header()["Content-Type"] = nil
	if a.media != "" {
		w.Header().Set("Content-Type", a.media)
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, strings.ReplaceAll(a.body, "ID", r.Header.Get("X-Id")))
}

// statusAgain makes a call that the server answers.
func statusAgain(t *testing.T, s *session.Session) error {
	_, err := s.Request(within(t, 10*time.Second), mcp.MethodCallTool, map[string]any{"name": "echo"}, nil)
	return err
}
