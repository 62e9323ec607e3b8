package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// The program of these tests is the server of the configuration as well.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "demo-server" {
		_ = start(context.Background(), "demo-server", "", "")
		return
	}
	goleak.VerifyTestMain(m)
}

// fake is a server in a test: the app takes anything that calls tools.
type fake func(ctx context.Context, tool string, arguments any) (*mcp.CallToolResult, error)

func (f fake) CallTool(ctx context.Context, tool string, arguments any, _ ...mcpclient.CallOption) (*mcp.CallToolResult, error) {
	return f(ctx, tool, arguments)
}

func testApp(tools mcpclient.ToolCaller) *app { return newApp(tools, newSessions("")) }

// result is what a server answers.
func result(t *testing.T, text string) *mcp.CallToolResult {
	t.Helper()
	answer := new(mcp.CallToolResult)
	require.NoError(t, json.Unmarshal([]byte(text), answer))
	return answer
}

// A sum is computed by the tool, for the user who asks.
func TestSum(t *testing.T) {
	var user string
	app := testApp(fake(func(ctx context.Context, tool string, arguments any) (*mcp.CallToolResult, error) {
		user = transporters.CallOptionsOf(ctx).Principal
		assert.Equal(t, "add", tool)
		assert.Equal(t, map[string]float64{"a": 19, "b": 23}, arguments)
		return result(t, `{"content":[],"structuredContent":{"sum":42}}`), nil
	}))
	answer := post(app, "ada", "/sum", url.Values{"a": {"19"}, "b": {"23"}})
	assert.Equal(t, http.StatusOK, answer.Code)
	assert.Contains(t, answer.Body.String(), "<output>42</output>")
	assert.Equal(t, "ada", user)
}

// The browser is told that there was no answer, the log why.
func TestSumWithoutAServer(t *testing.T) {
	app := testApp(fake(func(context.Context, string, any) (*mcp.CallToolResult, error) {
		return nil, errors.New("connection refused")
	}))
	answer := post(app, "ada", "/sum", url.Values{"a": {"1"}, "b": {"2"}})
	assert.Equal(t, http.StatusBadGateway, answer.Code)
	assert.Contains(t, answer.Body.String(), "The server does not answer.")
	assert.NotContains(t, answer.Body.String(), "connection refused")
}

// Progress reaches the browser as it comes. Here the fake stands behind a real
// connection, and says step by step what the server does.
func TestProgress(t *testing.T) {
	server := mcptest.NewTransporter(t)
	goOn := make(chan struct{})
	server.Expect("tools/call").Progress(1, 4, "a quarter").After(goOn).
		Return(map[string]any{"content": []any{map[string]any{"type": "text", "text": "all done"}}})
	app := testApp(mcpclient.NewConnection("demo", server))
	reports := watch(t, app, "ada")
	assert.Empty(t, <-reports)

	require.Equal(t, http.StatusSeeOther, post(app, "ada", "/reports", url.Values{"steps": {"4"}}).Code)
	until(t, reports, run{ID: "1", Steps: 4, Progress: 0.25, Message: "a quarter", State: "running"})
	close(goOn)
	until(t, reports, run{ID: "1", Steps: 4, Progress: 1, Message: "all done", State: "done"})
	assert.NoError(t, app.runs.wait(t.Context()))
}

func TestOnlyUsersGetIn(t *testing.T) {
	app := testApp(fake(func(context.Context, string, any) (*mcp.CallToolResult, error) {
		t.Error("a call for nobody")
		return nil, errors.New("no")
	}))
	for _, path := range []string{"/sum", "/reports"} {
		assert.Equal(t, http.StatusUnauthorized, post(app, "", path, url.Values{"a": {"1"}, "b": {"2"}, "steps": {"1"}}).Code)
	}
	forged := &http.Cookie{Name: sessionCookie, Value: "YWRh." + newSessions("").sign("ada")}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.AddCookie(forged)
	assert.Empty(t, app.sessions.userOf(request), "another key signed it")
}

// Each user sees their own reports, and can have only so many made at once.
func TestReportsAreBounded(t *testing.T) {
	app := testApp(fake(func(ctx context.Context, _ string, _ any) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}))
	for range maxRunning {
		require.Equal(t, http.StatusSeeOther, post(app, "ada", "/reports", url.Values{"steps": {"4"}}).Code)
	}
	assert.Equal(t, http.StatusTooManyRequests, post(app, "ada", "/reports", url.Values{"steps": {"4"}}).Code)
	assert.Equal(t, http.StatusUnprocessableEntity, post(app, "ada", "/reports", url.Values{"steps": {"1000"}}).Code)
	assert.Equal(t, http.StatusSeeOther, post(app, "bob", "/reports", url.Values{"steps": {"4"}}).Code)
	theirs, _ := app.runs.now("bob")
	assert.Len(t, theirs, 1)

	// At the end those who look are let go, and what does not finish is cancelled.
	reports := watch(t, app, "ada")
	<-reports
	app.runs.close()
	for range reports {
	}
	assert.Error(t, app.runs.begin("ada", 1))
	late, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, app.runs.wait(late), context.Canceled)
}

// post sends a form as a user, "" being nobody.
func post(app *app, user, path string, form url.Values) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	signIn(app, user, request)
	answer := httptest.NewRecorder()
	mux := http.NewServeMux()
	app.register(mux)
	mux.ServeHTTP(answer, request)
	return answer
}

func signIn(app *app, user string, request *http.Request) {
	if user == "" {
		return
	}
	page := httptest.NewRecorder()
	form := httptest.NewRequest(http.MethodPost, "/session", strings.NewReader(url.Values{"name": {user}}.Encode()))
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	app.sessions.signIn(page, form)
	for _, cookie := range page.Result().Cookies() {
		request.AddCookie(cookie)
	}
}

// until waits until the page shows this report, and no other.
func until(t *testing.T, reports <-chan []run, wanted run) {
	t.Helper()
	for list := range reports {
		if len(list) == 1 && list[0] == wanted {
			return
		}
	}
	t.Fatalf("the stream ended before it told of %v", wanted)
}

// watch reads a user's stream, as the page does.
func watch(t *testing.T, app *app, user string) <-chan []run {
	t.Helper()
	mux := http.NewServeMux()
	app.register(mux)
	server := httptest.NewServer(mux)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/reports/events", nil)
	require.NoError(t, err)
	signIn(app, user, request)
	answer, err := server.Client().Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	lists := make(chan []run, 100)
	go func() {
		defer close(lists)
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			if data, isData := strings.CutPrefix(lines.Text(), "data: "); isData {
				var list []run
				if json.Unmarshal([]byte(data), &list) == nil {
					lists <- list
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = answer.Body.Close()
		server.Close()
	})
	return lists
}
