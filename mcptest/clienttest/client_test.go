package clienttest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
)

// Every kind of server, side by side, through the same constructor.
func TestServersOfEveryKind(t *testing.T) {
	mcptest.CheckLeaks(t)
	script := mcptest.NewTransporter(t)
	script.Expect("tools/call").Return(`{"content":[{"type":"text","text":"scripted"}]}`)
	client := clienttest.New(t, clienttest.Servers{
		"memory":   mcptest.NewDemoServer(),
		"legacy":   mcptest.NewDemoServer(mcptest.LegacyOnly()),
		"http":     clienttest.Configured{Server: mcptest.NewDemoServer(), HTTP: true},
		"loopback": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer())},
		"process":  mcptest.Process(t, "demo"),
		"old":      mcptest.Process(t, "old"),
		"scripted": script,
	})
	require.Len(t, client.Servers(), 7)
	for _, name := range client.Servers() {
		want := "echo"
		if name == "scripted" {
			want = "scripted"
		}
		result, err := clienttest.Connect(t, client, name).CallTool(t.Context(), "echo", map[string]any{"text": "echo"})
		require.NoError(t, err, name)
		assert.Equal(t, want, result.Text(), name)
	}
}

func TestKeysOfTheConfigurationApply(t *testing.T) {
	server := mcptest.NewDemoServer()
	client := clienttest.New(t, clienttest.Servers{
		"demo": clienttest.Configured{Server: server, Keys: map[string]any{"tools": map[string]any{"deny": []string{"echo"}}}},
	})
	_, err := clienttest.Connect(t, client, "demo").CallTool(t.Context(), "echo", nil)
	require.ErrorIs(t, err, errors.ErrToolDenied)
	assert.Zero(t, server.Count("tools/call"))
}

// A deadline passes in no time: nothing waits for the network or a process.
func TestTimePassesInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := clienttest.New(t, clienttest.Servers{
			"demo": clienttest.Configured{
				Server: mcptest.NewDemoServer(mcptest.WithDelay("tools/call", time.Hour)),
				Keys:   map[string]any{"request_timeout": "90s"},
			},
		})
		began := time.Now()
		_, err := clienttest.Connect(t, client, "demo").CallTool(t.Context(), "echo", map[string]any{"text": "late"})
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		assert.Equal(t, 90*time.Second, time.Since(began))
	})
}

func TestAKilledServerServesTheNextCall(t *testing.T) {
	server := mcptest.NewDemoServer()
	demo := clienttest.Connect(t, clienttest.New(t, clienttest.Servers{"demo": server}), "demo")
	for range 3 {
		_, err := demo.Tools(t.Context())
		require.NoError(t, err)
		server.Kill(errors.New("out of memory"))
	}
}

func TestSupervisionApplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.NewDemoServer(mcptest.LegacyOnly())
		client := clienttest.New(t, clienttest.Servers{"demo": clienttest.Configured{
			Server: server, Keys: map[string]any{"supervision": map[string]any{"max_restarts": 1}},
		}})
		demo := clienttest.Connect(t, client, "demo")
		for restarts := range 2 {
			require.NoError(t, demo.Ping(t.Context()))
			server.Kill(nil)
			time.Sleep(time.Second)
			assert.Equal(t, min(restarts+2, 2), server.Count("initialize"))
		}
		require.ErrorIs(t, demo.Ping(t.Context()), errors.ErrSupervisionExhausted)
	})
}

// A form in the modern era takes two rounds, of which the caller sees nothing.
func TestInputRequired(t *testing.T) {
	server := mcptest.NewServer(mcptest.ModernOnly())
	server.AddTool(mcp.Tool{Name: "book"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		if call.InputResponses() == nil {
			return mcptest.InputRequired(mcp.InputRequests{
				"seat": mcptest.ElicitForm("Which seat?", `{"type":"object","properties":{"seat":{"type":"string"}}}`),
			}, "round-1"), nil
		}
		return fmt.Sprintf("%s after %s", call.InputResponses()["seat"], call.RequestState()), nil
	})
	client := clienttest.New(t, clienttest.Servers{"flights": server}, mcpclient.WithHandlers(mcpclient.Handlers{
		ElicitForm: func(_ context.Context, _ string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			assert.Equal(t, "Which seat?", request.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"seat": "12A"}}, nil
		},
	}))
	result, err := clienttest.Connect(t, client, "flights").CallTool(t.Context(), "book", nil)
	require.NoError(t, err)
	assert.Equal(t, `{"action":"accept","content":{"seat":"12A"}} after round-1`, result.Text())
	assert.Equal(t, 2, server.Count("tools/call"))
}

// The same form in the legacy era is a request of the server within the call.
func TestElicitationInTheLegacyEra(t *testing.T) {
	server := mcptest.NewServer(mcptest.LegacyOnly())
	server.AddTool(mcp.Tool{Name: "book"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		form := mcptest.ElicitForm("Which seat?", `{"type":"object","properties":{"seat":{"type":"string"}}}`)
		answer, err := call.Request(form.Method, form.Params)
		return string(answer), err
	})
	client := clienttest.New(t, clienttest.Servers{
		"memory": server, "http": clienttest.Configured{Server: server, HTTP: true},
	}, mcpclient.WithHandlers(mcpclient.Handlers{
		ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}))
	for _, name := range client.Servers() {
		result, err := clienttest.Connect(t, client, name).CallTool(t.Context(), "book", nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"action":"decline"}`, result.Text())
	}
}

// fake is a test that fails without failing this one.
type fake struct {
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (f *fake) Helper() {}

func (f *fake) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fake) Fatalf(format string, args ...any) { f.Errorf(format, args...) }
func (f *fake) Cleanup(function func())           { f.cleanups = append(f.cleanups, function) }

func (f *fake) end() string {
	for i := len(f.cleanups) - 1; i >= 0; i-- {
		f.cleanups[i]()
	}
	return strings.Join(f.failures, "\n")
}

func TestFaultsFailTheTest(t *testing.T) {
	for name, test := range map[string]struct {
		servers clienttest.Servers
		want    string
	}{
		"an unknown key": {clienttest.Servers{"demo": clienttest.Configured{
			Server: mcptest.NewDemoServer(), Keys: map[string]any{"request_timout": "1s"}}}, `did you mean "request_timeout"`},
		"not a section": {clienttest.Servers{"demo": make(chan int)}, "no client: "},
		"supervision": {clienttest.Servers{"demo": clienttest.Configured{
			Server: mcptest.NewDemoServer(), Keys: map[string]any{"supervision": map[string]any{"max_restarts": 0}}}}, "supervision.max_restarts"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			clienttest.New(f, test.servers)
			assert.Contains(t, f.end(), test.want)
		})
	}
	f := &fake{}
	clienttest.Connect(f, clienttest.New(f, clienttest.Servers{}), "nobody")
	assert.Contains(t, f.end(), "no connection: ")
}

func TestViolationsFailTheTest(t *testing.T) {
	f := &fake{}
	server := mcptest.NewDemoServer()
	clienttest.New(f, clienttest.Servers{"demo": server})
	var out strings.Builder
	require.NoError(t, server.ServeStdio(t.Context(), strings.NewReader("noise\n"), &out))
	assert.Contains(t, f.end(), `server "demo": the client broke the protocol: `)
}

func TestLeaksAreFound(t *testing.T) {
	f := &fake{}
	mcptest.CheckLeaks(f)
	release, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		<-release
	}()
	assert.Contains(t, f.end(), "TestLeaksAreFound")
	close(release)
	<-ended

	f = &fake{}
	mcptest.CheckLeaks(f)
	assert.Empty(t, f.end())
}

func TestAnUnknownProcess(t *testing.T) {
	client := clienttest.New(t, clienttest.Servers{"x": mcptest.Process(t, "nobody")})
	_, err := clienttest.Connect(t, client, "x").Tools(t.Context())
	require.ErrorIs(t, err, errors.ErrStartFailed)
	assert.ErrorContains(t, err, `this binary has no server "nobody"`)
}
