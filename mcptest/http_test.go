package mcptest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

// httpClient speaks over HTTP by hand.
type httpClient struct {
	t      *testing.T
	url    string
	client *http.Client
	header http.Header
}

func newHTTPClient(t *testing.T, server *mcptest.Server) *httpClient {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &httpClient{
		t: t, url: mcptest.StartHTTP(t, server), client: &http.Client{Transport: transport}, header: jsonHeader(),
	}
}

type httpReply struct {
	status int
	header http.Header
	body   string
}

// send makes a request with the client's headers, changed by pairs of name and
// value; an empty value removes one.
func (c *httpClient) send(method, body string, changes ...string) httpReply {
	c.t.Helper()
	response := c.open(c.t.Context(), method, body, changes...)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return httpReply{response.StatusCode, response.Header, string(text)}
}

func (c *httpClient) open(ctx context.Context, method, body string, changes ...string) *http.Response {
	c.t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	require.NoError(c.t, err)
	request.Header = c.header.Clone()
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "" {
			request.Header.Del(changes[i])
		} else {
			request.Header.Set(changes[i], changes[i+1])
		}
	}
	response, err := c.client.Do(request)
	require.NoError(c.t, err)
	return response
}

func (c *httpClient) handshake(version mcp.Version) {
	c.t.Helper()
	params := strings.Replace(initializeParams, "2025-11-25", string(version), 1)
	reply := c.send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+params+`}`)
	require.Equal(c.t, 200, reply.status, reply.body)
	require.Contains(c.t, reply.body, `"protocolVersion":"`+string(version)+`"`)
	if id := reply.header.Get(mcp.HeaderSessionID); id != "" {
		c.header.Set(mcp.HeaderSessionID, id)
	}
	if version.HasVersionHeader() {
		c.header.Set(mcp.HeaderProtocolVersion, string(version))
	}
	reply = c.send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.Equal(c.t, httpReply{status: 202}, httpReply{status: reply.status, body: reply.body})
}

const (
	legacyCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`
	modernCall = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},` + modernMeta + `}}`
	slowCall   = `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow","arguments":{"ms":%d,"steps":2},"_meta":{"progressToken":"p"}}}`
)

func modernHeaders(method, name string) []string {
	return []string{mcp.HeaderProtocolVersion, "2026-07-28", mcp.HeaderMethod, method, mcp.HeaderName, name}
}

func TestHTTPLegacyVersions(t *testing.T) {
	for _, version := range mcp.LegacyVersions() {
		t.Run(string(version), func(t *testing.T) {
			server := mcptest.NewDemoServer()
			c := newHTTPClient(t, server)
			c.handshake(version)
			reply := c.send("POST", legacyCall)
			require.Equal(t, 200, reply.status)
			require.Equal(t, "application/json", reply.header.Get("Content-Type"))
			require.JSONEq(t, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hi"}]}}`, reply.body)
			require.Equal(t, 200, c.send("DELETE", "").status)
			require.Equal(t, 404, c.send("POST", legacyCall).status)
			require.Zero(t, server.Sessions())
			require.Empty(t, server.Violations())
		})
	}
}

func TestHTTPModern(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.ModernOnly())
	c := newHTTPClient(t, server)
	reply := c.send("POST", modernCall, modernHeaders("tools/call", "echo")...)
	require.Equal(t, 200, reply.status, reply.body)
	require.Contains(t, reply.body, `"resultType":"complete"`)
	require.Equal(t, 404, c.send("POST", `{"jsonrpc":"2.0","id":3,"method":"ping","params":{`+modernMeta+`}}`, modernHeaders("ping", "")...).status)
	read := `{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"demo://items/Zürich",` + modernMeta + `}}`
	reply = c.send("POST", read, modernHeaders("resources/read", "=?base64?ZGVtbzovL2l0ZW1zL1rDvHJpY2g=?=")...)
	require.Equal(t, 200, reply.status, reply.body)
	require.Contains(t, reply.body, "Item Zürich")
	require.Equal(t, 405, c.send("GET", "").status)
	require.Equal(t, 405, c.send("DELETE", "").status)
	require.Equal(t, []string{"POST"}, c.send("PUT", "").header.Values("Allow"))
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + initializeParams + `}`
	reply = c.send("POST", initialize)
	require.Equal(t, 400, reply.status)
	require.Contains(t, reply.body, "-32022")
	require.Empty(t, server.Violations())
}

// Every row is what a client must not send, and the requirement it breaks.
func TestHTTPRefusesWhatAClientMustNotSend(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":` + params + `}`
	}
	modern := modernHeaders("tools/call", "echo")
	tests := []struct {
		name        string
		body        string
		changes     []string
		status      int
		code        string
		requirement string
	}{
		{"no JSON", `{`, nil, 400, "-32700", "R001"},
		{"no envelope", `{"id":1,"method":"ping"}`, nil, 400, "-32600", "R001"},
		{"batch", `[` + legacyCall + `]`, nil, 400, "-32600", "R019"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, "-32600", "R004"},
		{"id fractional", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "-32600", "R003"},
		{"id used again", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 400, "-32600", "R006"},
		{"content type", legacyCall, []string{"Content-Type", "text/plain"}, 415, "-32600", "R071"},
		{"accept", legacyCall, []string{"Accept", "application/json"}, 406, "-32600", "R072"},
		{"no version header", legacyCall, []string{mcp.HeaderProtocolVersion, ""}, 400, "-32600", "R098"},
		{"another version", legacyCall, []string{mcp.HeaderProtocolVersion, "2025-06-18"}, 400, "-32600", "R098"},
		{"mirrored headers", legacyCall, []string{mcp.HeaderMethod, "tools/call"}, 400, "-32600", "1.5"},
		{"initialize with session", `{"jsonrpc":"2.0","id":5,"method":"initialize","params":` + initializeParams + `}`, []string{mcp.HeaderProtocolVersion, ""}, 400, "-32600", "3.2"},
		{"initialize incomplete", `{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`, []string{mcp.HeaderProtocolVersion, "", mcp.HeaderSessionID, ""}, 400, "-32602", "R050"},
		{"modern keys in a session", modernCall, nil, 400, "-32600", "P41"},

		{"modern without header", modernCall, []string{mcp.HeaderProtocolVersion, "", mcp.HeaderSessionID, ""}, 400, "-32020", "R075"},
		{"modern header and body differ", strings.Replace(modernCall, "2026-07-28", "2027-01-01", 1), modern, 400, "-32020", "R075"},
		{"modern without version", call(`{"name":"echo","_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}`), modern, 400, "-32602", "R021"},
		{"modern without params", `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, modernHeaders("tools/list", ""), 400, "-32602", "R021"},
		{"modern without capabilities", call(`{"name":"echo","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), modern, 400, "-32602", "R022"},
		{"modern client info", strings.Replace(modernCall, `{"name":"test","version":"1"}`, `{"name":"test"}`, 1), modern, 400, "-32602", "R023"},
		{"method header missing", modernCall, modernHeaders("", "echo"), 400, "-32020", "R076"},
		{"method header differs", modernCall, modernHeaders("tools/List", "echo"), 400, "-32020", "R076"},
		{"name header missing", modernCall, modernHeaders("tools/call", ""), 400, "-32020", "R077"},
		{"name header differs", modernCall, modernHeaders("tools/call", "Echo"), 400, "-32020", "R077"},
		{"name header broken", modernCall, modernHeaders("tools/call", "=?base64?!?="), 400, "-32020", "R077"},
		{"modern with session", modernCall, modern, 400, "-32600", "R093"},
		{"modern response", `{"jsonrpc":"2.0","id":1,"result":{}}`, modernHeaders("", ""), 400, "-32600", "R009"},
		{"modern cancel", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, modernHeaders("notifications/cancelled", ""), 400, "-32600", "R090"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := mcptest.NewDemoServer()
			c := newHTTPClient(t, server)
			c.handshake(mcp.Version20251125)
			require.Empty(t, server.Violations())
			reply := c.send("POST", test.body, test.changes...)
			require.Equal(t, test.status, reply.status, reply.body)
			require.Contains(t, reply.body, `"code":`+test.code)
			require.Len(t, server.Violations(), 1)
			require.Contains(t, server.Violations()[0], test.requirement+": ")
		})
	}
}

// What a client may well send without knowing better is refused as real servers
// do, and is no violation.
func TestHTTPRefusalsThatAreNoViolations(t *testing.T) {
	probe := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`
	tests := []struct {
		name    string
		options []mcptest.Option
		body    string
		changes []string
		status  int
		want    string
	}{
		{"H10: probe at a legacy server", []mcptest.Option{mcptest.LegacyOnly()}, probe, modernHeaders("server/discover", ""), 400,
			"Bad Request: Unsupported protocol version (supported versions: 2025-11-25,2025-06-18,2025-03-26,2024-11-05)\n"},
		{"R099: no session id", nil, legacyCall, nil, 400, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"}}`},
		{"R101: unknown session", nil, legacyCall, []string{mcp.HeaderSessionID, "x"}, 404, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"}}`},
		{"R039: unknown modern version", nil, strings.Replace(probe, "2026-07-28", "2027-01-01", 1),
			[]string{mcp.HeaderProtocolVersion, "2027-01-01", mcp.HeaderMethod, "server/discover"}, 400,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"2027-01-01"}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := mcptest.NewDemoServer(test.options...)
			reply := newHTTPClient(t, server).send("POST", test.body, test.changes...)
			require.Equal(t, test.status, reply.status)
			require.Equal(t, test.want, reply.body)
			require.Empty(t, server.Violations())
		})
	}
}

func TestHTTPAnswerForms(t *testing.T) {
	slow := fmt.Sprintf(slowCall, 2)
	const result = `{"jsonrpc":"2.0","id":"slow","result":{"content":[{"type":"text","text":"took 2 ms in 2 steps"}]}}`
	progress := func(step int) string {
		return fmt.Sprintf(`event: message
data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":%d,"total":2,"message":"step %d of 2"}}

`, step, step)
	}
	answer := "event: message\ndata: " + result + "\n\n"
	tests := []struct {
		answers mcptest.Answers
		want    string
		kind    string
	}{
		{mcptest.AnswersAuto, progress(1) + progress(2) + answer, "text/event-stream"},
		{mcptest.AnswersEventStream, progress(1) + progress(2) + answer, "text/event-stream"},
		{mcptest.AnswersJSON, result, "application/json"},
	}
	for _, test := range tests {
		c := newHTTPClient(t, mcptest.NewDemoServer(mcptest.WithAnswers(test.answers)))
		if test.answers == mcptest.AnswersEventStream {
			reply := c.send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+initializeParams+`}`)
			require.Equal(t, "text/event-stream", reply.header.Get("Content-Type"))
			require.NotEmpty(t, reply.header.Get(mcp.HeaderSessionID))
			continue
		}
		c.handshake(mcp.Version20251125)
		reply := c.send("POST", slow)
		require.Equal(t, test.kind, reply.header.Get("Content-Type"))
		require.Equal(t, test.want, reply.body)
	}
}

func TestHTTPSessionless(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithoutSessions())
	c := newHTTPClient(t, server)
	c.handshake(mcp.Version20250618)
	require.Empty(t, c.header.Get(mcp.HeaderSessionID))
	require.Equal(t, 200, c.send("POST", legacyCall).status)
	require.Equal(t, 405, c.send("DELETE", "").status)
}

func TestHTTPForgetSessions(t *testing.T) {
	server := mcptest.NewDemoServer()
	c := newHTTPClient(t, server)
	c.handshake(mcp.Version20251125)
	require.Equal(t, 1, server.Sessions())
	server.ForgetSessions()
	require.Equal(t, 404, c.send("POST", legacyCall).status)
	c.header = jsonHeader()
	c.handshake(mcp.Version20251125)
	require.Equal(t, 200, c.send("POST", legacyCall).status)
	require.Equal(t, 2, server.Count(mcp.MethodInitialize))
}

func TestHTTPHandshakeOrder(t *testing.T) {
	server := mcptest.NewDemoServer()
	c := newHTTPClient(t, server)
	reply := c.send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+initializeParams+`}`)
	c.header.Set(mcp.HeaderSessionID, reply.header.Get(mcp.HeaderSessionID))
	c.header.Set(mcp.HeaderProtocolVersion, "2025-11-25")
	require.Equal(t, 400, c.send("POST", legacyCall).status)
	require.Equal(t, []string{"R052: tools/call before notifications/initialized"}, server.Violations())
	require.Equal(t, 200, c.send("POST", `{"jsonrpc":"2.0","id":3,"method":"ping"}`).status, "ping is always allowed")
}

// R090 and R105: a closed stream cancels in the modern era only.
func TestHTTPDisconnecting(t *testing.T) {
	modern := `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"slow","arguments":{"ms":60000},` + modernMeta + `}}`
	t.Run("modern", func(t *testing.T) {
		server := mcptest.NewDemoServer()
		c := newHTTPClient(t, server)
		ctx, cancel := context.WithCancel(t.Context())
		disconnectDuring(ctx, cancel, server, c, modern, modernHeaders("tools/call", "slow"))
		require.Eventually(t, func() bool { return len(server.Cancelled()) == 1 }, 5*time.Second, time.Millisecond)
		require.Equal(t, mcp.StringID("slow"), server.Cancelled()[0])
	})
	t.Run("legacy", func(t *testing.T) {
		server := mcptest.NewDemoServer()
		finished := make(chan error, 1)
		server.AddTool(mcp.Tool{Name: "until"}, func(ctx context.Context, _ *mcptest.Call) (any, error) {
			select {
			case <-ctx.Done():
				finished <- context.Cause(ctx)
			case <-time.After(50 * time.Millisecond):
				finished <- nil
			}
			return nil, nil
		})
		c := newHTTPClient(t, server)
		c.handshake(mcp.Version20251125)
		ctx, cancel := context.WithCancel(t.Context())
		call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"until"}}`
		disconnectDuring(ctx, cancel, server, c, call, nil)
		require.NoError(t, <-finished)
		require.Empty(t, server.Cancelled())
	})
}

func disconnectDuring(ctx context.Context, cancel func(), server *mcptest.Server, c *httpClient, body string, changes []string) {
	c.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		request, _ := http.NewRequestWithContext(ctx, "POST", c.url, strings.NewReader(body))
		request.Header = c.header.Clone()
		for i := 0; i < len(changes); i += 2 {
			request.Header.Set(changes[i], changes[i+1])
		}
		if response, err := c.client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	server.Await(c.t, mcp.MethodCallTool, 1)
	cancel()
	<-done
}

func TestHTTPStandaloneStream(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.WithStandaloneStream())
	c := newHTTPClient(t, server)
	c.handshake(mcp.Version20251125)
	stream := c.open(t.Context(), "GET", "")
	defer func() { _ = stream.Body.Close() }()
	require.Equal(t, 200, stream.StatusCode)
	require.Equal(t, 409, c.send("GET", "").status)
	server.Notify(mcp.NotificationToolsListChanged, nil)
	lines := bufio.NewReader(stream.Body)
	require.Equal(t, "event: message\n", readLine(t, lines))
	require.Equal(t, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", readLine(t, lines))
	server.ForgetSessions()
	_, err := io.ReadAll(lines)
	require.NoError(t, err, "the stream ends with its session")
}

func readLine(t *testing.T, lines *bufio.Reader) string {
	t.Helper()
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	return line
}
