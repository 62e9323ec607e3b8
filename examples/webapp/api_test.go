package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/operations"
)

// withScripts is all pages of a backend with one server, and asks as a script does
// for which somebody is signed in.
func withScripts(t *testing.T, server *mcptest.Transporter) func(method, path, accept, body string) *httptest.ResponseRecorder {
	t.Helper()
	client, err := mcpclient.New(nil, mcpclient.WithTransporter("demo", server))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	demo, err := client.Connect("demo")
	require.NoError(t, err)
	site, err := operations.New(client)
	require.NoError(t, err)
	app := testApp(demo)
	pages := handler(app, &directory{client: client, sessions: app.sessions}, api{client}, site)
	return func(method, path, accept, body string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, path, strings.NewReader(body))
		request.Header.Set("Accept", accept)
		signIn(app, "ada", request)
		answer := httptest.NewRecorder()
		pages.ServeHTTP(answer, request)
		return answer
	}
}

func TestScriptsCallTools(t *testing.T) {
	server := mcptest.NewTransporter(t)
	server.Expect("tools/call").Progress(1, 2, "half").Return(json.RawMessage(`{"content":[{"type":"text","text":"hello"}]}`))
	server.Expect("tools/call").Return(json.RawMessage(`{"content":[]}`))
	server.Expect("tools/list").Return(json.RawMessage(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`))
	ask := withScripts(t, server)

	answer := ask(http.MethodPost, "/api/demo/tools/echo", "text/event-stream", `{"text":"hello"}`)
	assert.Equal(t, "text/event-stream", answer.Header().Get("Content-Type"))
	assert.Regexp(t, `(?s)^event: progress\ndata: .*"half".*\n\nevent: result\ndata: .*"hello".*\n\n$`, answer.Body.String())
	answer = ask(http.MethodPost, "/api/demo/tools/echo?timeout=1s", "", "")
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.JSONEq(t, `{"content":[]}`, answer.Body.String())
	answer = ask(http.MethodGet, "/api/demo/tools", "", "")
	assert.Contains(t, answer.Body.String(), `"name":"echo"`)
}

// A script is told what kind of failure it was, and whether it may ask again.
func TestScriptsAreToldOfFailures(t *testing.T) {
	server := mcptest.NewTransporter(t)
	for _, failed := range []errors.TransporterRequestError{
		{Kind: errors.KindTimeout, Err: errors.ErrRequestTimeout},
		{Kind: errors.KindAuth, Err: errors.ErrAuthRequired, Delivery: errors.DeliveryRefused},
		{Kind: errors.KindTransport, Err: errors.ErrNotSent},
	} {
		server.Expect(mcp.MethodReadResource).Error(&failed)
	}
	ask := withScripts(t, server)
	for _, want := range []struct {
		status int
		kind   string
		again  bool
	}{{http.StatusGatewayTimeout, "timeout", false}, {http.StatusForbidden, "authorization", true}, {http.StatusBadGateway, "transport failure", true}} {
		answer := ask(http.MethodGet, "/api/demo/resource?uri=demo://greeting", "", "")
		assert.Equal(t, want.status, answer.Code)
		var told failure
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &told))
		assert.Equal(t, want.kind, told.Kind)
		assert.Equal(t, want.again, told.Again, want.kind)
	}
}

func TestScriptsThatAskForWhatIsNotThere(t *testing.T) {
	ask := withScripts(t, mcptest.NewTransporter(t))
	assert.Equal(t, http.StatusNotFound, ask(http.MethodGet, "/api/nobody/tools", "", "").Code)
	assert.Equal(t, http.StatusBadRequest, ask(http.MethodPost, "/api/demo/tools/echo", "", "{").Code)
	for _, timeout := range []string{"soon", "0", "0s", "-1s", "31s", "1000000h"} { // 0 would lift the limits of the configuration
		assert.Equal(t, http.StatusBadRequest, ask(http.MethodPost, "/api/demo/tools/echo?timeout="+timeout, "", "{}").Code, timeout)
	}
}

// Profiles are served only where the operator says so.
func TestProfiles(t *testing.T) {
	for value, status := range map[string]int{"": http.StatusNotFound, "1": http.StatusOK} {
		t.Setenv(profilesVariable, value)
		ask := withScripts(t, mcptest.NewTransporter(t))
		assert.Equal(t, status, ask(http.MethodGet, "/debug/pprof/goroutine?debug=1", "", "").Code)
	}
}
