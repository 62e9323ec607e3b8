package mcptest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/auth"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

const discovered = `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`

// A peer frame by frame: statuses, headers, bodies that are no answer.
func ExampleRule() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.On("server/discover").Return(discovered)
	link.On("tools/call").Where(mcptest.ParamsWith(`{"name":"weather"}`)).Delay(time.Millisecond).
		Call(func(frame mcptest.Received) { fmt.Println("asked for", frame.Name) }).
		Notify("notifications/message", `{"level":"info","data":"asking"}`).Progress(1, 1, "").
		Return(`{"content":[{"type":"text","text":"sunny"}]}`)
	link.On("tools/call").Status(http.StatusServiceUnavailable).Header("Retry-After", "7").Body("busy")
	link.On("tools/call").Error(fmt.Errorf("%w: no route", errors.ErrNotSent)).Times(2)
	link.On("tools/call").Answer(func(context.Context, mcptest.Received) (transporters.Reply, error) {
		return transporters.Reply{Status: http.StatusOK, Message: mcptest.ParseMessage(`{"jsonrpc":"2.0","id":5,"result":{}}`)}, nil
	}).Always()

	s := session.New("weather", session.Settings{}, link)
	defer func() { _ = s.Close() }()
	fmt.Println(weather{s}.in(context.Background(), "Bern"))
	_, err := weather{s}.in(context.Background(), "Bern")
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	fmt.Println(failure.Status, failure.RetryAfter)
	for range 2 {
		_, err = weather{s}.in(context.Background(), "Bern")
		fmt.Println(errors.SafeToRetry(err))
	}
	// Output:
	// asked for weather
	// sunny <nil>
	// 503 7s
	// true
	// true
}

// A peer that dies, and one that does not answer.
func ExampleScriptedLink_Die() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	dying := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	dying.On("server/discover").Return(discovered)
	dying.On("tools/list").Die(errors.New("exit status 1"))
	s := session.New("dying", session.Settings{}, dying)
	_, err := s.Request(context.Background(), "tools/list", nil, nil)
	fmt.Println(errors.Is(err, errors.ErrPeerLost))
	dying.Die(errors.New("again")) // does nothing: it is dead
	_ = s.Close()

	silent := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	ready := make(chan struct{})
	silent.On("server/discover").After(ready).Return(discovered)
	silent.On("tools/list").Silence()
	s = session.New("silent", session.Settings{}, silent)
	close(ready)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		silent.Await("tools/list", 1)
		cancel()
	}()
	_, err = s.Request(ctx, "tools/list", nil, nil)
	silent.Await("notifications/cancelled", 1)
	fmt.Println(err, silent.Abandoned())
	_ = s.Close()

	broken := mcptest.NewScriptedLink(t, mcptest.StdioTraits())
	broken.FailStart(errors.ErrStartFailed)
	s = session.New("broken", session.Settings{}, broken)
	_, err = s.Request(context.Background(), "tools/list", nil, nil)
	fmt.Println(errors.Is(err, errors.ErrStartFailed))
	_ = s.Close()
	// Output:
	// true
	// mcp server "silent": tools/list: context canceled [2]
	// true
}

// What a server asks and tells outside of any call.
func ExampleScriptedLink_Inject() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	link := mcptest.NewScriptedLink(t, mcptest.HTTPTraits())
	link.On("server/discover").Status(http.StatusNotFound)
	link.On("initialize").Header("Mcp-Session-Id", "s-1").
		Return(`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`)
	s := session.New("old", session.Settings{}, link)
	_, err := s.ServerInfo(context.Background())
	fmt.Println(err)
	link.Inject(mcptest.ParseMessage(`{"jsonrpc":"2.0","id":"srv-1","method":"ping"}`))
	link.Await("", 1) // the answer
	sent := link.Received()
	fmt.Println(string(sent[len(sent)-1].Raw))
	_ = s.Close()
	fmt.Println(len(link.Terminated()))
	// Output:
	// <nil>
	// {"jsonrpc":"2.0","id":"srv-1","result":{}}
	// 1
}

// Faults drawn from a seed: the same ones each time.
func ExampleNewFaultyLink() {
	server := mcptest.NewDemoServer()
	defer server.Close()
	link := mcptest.NewFaultyLink(server.Link(), mcptest.LinkFaults{
		Seed: 7, Methods: []string{"tools/list"}, Refuse: 0.3, Duplicate: 0.1,
		Latency: time.Microsecond, Jitter: time.Microsecond, LoseRequest: 0, LoseAnswer: 0, Reset: 0, Cut: 0,
	})
	s := session.New("demo", session.Settings{}, link)
	defer func() { _ = s.Close() }()
	failed := 0
	for range 50 {
		if _, err := s.Request(context.Background(), "tools/list", nil, nil); err != nil {
			failed++
		}
	}
	injected := link.Injected()
	fmt.Println(failed > 0, failed <= injected[mcptest.FateRefused], // the session tries once more
		injected[mcptest.FateLostRequest], injected[mcptest.FateLostAnswer], injected[mcptest.FateReset],
		injected[mcptest.FateCut], injected[mcptest.FateDuplicated])
	// Output: true true 0 0 0 0 0
}

// A network that fails beneath a real client.
func ExampleStartFaultyProxy() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewDemoServer()
	proxy := mcptest.StartFaultyProxy(t, mcptest.StartHTTP(t, server), mcptest.NetworkFaults{Seed: 1, Pieces: 5})
	client := clienttest.New(t, clienttest.Servers{"demo": map[string]any{"type": "http", "base_url": proxy.URL()}})
	demo := clienttest.Connect(t, client, "demo")
	call := func() error {
		_, err := demo.CallTool(context.Background(), "echo", map[string]any{"text": "hi"})
		return err
	}
	fmt.Println(call(), "though all of it came in pieces")

	proxy.Refuse(true)
	proxy.Reset()
	fmt.Println(call() != nil, proxy.Connections() > 1)
	proxy.Refuse(false)

	proxy.Stall(true)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := demo.CallTool(ctx, "echo", map[string]any{"text": "hi"})
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	proxy.Stall(false)
	// Output:
	// <nil> though all of it came in pieces
	// true true
	// true
}

// A whole login, without a browser.
func ExampleStartProtected() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	protected := mcptest.StartProtected(t, mcptest.NewDemoServer())
	client := clienttest.New(t, clienttest.Servers{
		"demo": map[string]any{"type": "http", "base_url": protected.URL(), "auth": map[string]any{}},
	}, mcpclient.WithInteraction(func(ctx context.Context, request auth.AuthorizationRequest) (url.Values, error) {
		return protected.Consent(ctx, request.URL)
	}))
	demo := clienttest.Connect(t, client, "demo")
	for range 2 {
		_, err := demo.Tools(context.Background())
		fmt.Println(err)
		protected.Expire(false)
	}
	fmt.Println(protected.Count("challenge"), protected.Count("authorize"), protected.Count("refresh_token"))
	// Output:
	// <nil>
	// <nil>
	// 2 1 1
}

// It stands at the beginning of a test.
func ExampleCheckLeaks() {
	t := new(exampleTB) // the *testing.T of a test
	mcptest.CheckLeaks(t)
	stop := make(chan struct{})
	go func() { <-stop }()
	report := &recordingTB{}
	mcptest.CheckLeaks(report) // the goroutine ran before: it does not count
	report.end()
	fmt.Println(strings.Join(report.failures, ""))
	close(stop)
	t.end()
	// Output:
}

// recordingTB keeps failures.
type recordingTB struct {
	exampleTB
	failures []string
}

func (t *recordingTB) Errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}
