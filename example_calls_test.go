package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// showTools shows what a server has.
func showTools(ctx context.Context, demo *mcpclient.Connection) error {
	tools, err := demo.Tools(ctx) // every page, in the server's order
	if err != nil {
		return err
	}
	for tool := range tools.Only("add", "echo").Values() {
		fmt.Println(tool.Name + ": " + tool.Description)
	}
	return nil
}

// addTwo calls a tool and decodes its structured content.
func addTwo(ctx context.Context, demo *mcpclient.Connection) (int, error) {
	result, err := demo.CallTool(ctx, "add", map[string]any{"a": 2, "b": 3})
	if err != nil {
		return 0, err // there is no result: who failed and why is in the error
	}
	for block := range result.Content() { // text, images, audio, resources
		fmt.Println(block.Type)
	}
	sum, err := mcpclient.Decode[struct{ Sum int }](result) // an error if the tool reported one
	return sum.Sum, err
}

// explain says what an error means to those who made the call.
func explain(err error) string {
	failure, isCall := errors.AsType[*errors.TransporterRequestError](err)
	switch {
	case !isCall:
		return "not a failed call"
	case errors.Is(err, context.Canceled): // the caller's own context, never one of ours
		return "nobody waits any longer"
	case errors.Is(err, errors.ErrRequestTimeout):
		return failure.Server + " is too slow"
	case failure.Kind == errors.KindPeer: // it answered, with an error
		return fmt.Sprintf("%s refused %s with code %d", failure.Server, failure.Action, failure.Code)
	case errors.SafeToRetry(err): // it surely did not do the work
		return "try again"
	default:
		return "it may have happened, or not"
	}
}

// A connection is called from any number of goroutines.
func ExampleConnection_CallTool() {
	demo, closeDemo := startDemo("demo", "")
	defer closeDemo()
	ctx := context.Background()

	fmt.Println(showTools(ctx, demo))
	fmt.Println(addTwo(ctx, demo))
	_, err := demo.CallTool(ctx, "no_such_tool", nil)
	fmt.Println(explain(err))
	// Output:
	// echo: Returns the text it was given.
	// add: Adds two numbers.
	// <nil>
	// text
	// 5 <nil>
	// demo refused tools/call with code -32602
}

// callSlowly shows how a call gets on. Each report restarts request_timeout.
func callSlowly(ctx context.Context, demo *mcpclient.Connection) (*mcp.CallToolResult, error) {
	show := func(p mcp.Progress) { fmt.Println(p.Progress, "of", p.Total) }
	return demo.CallTool(ctx, "slow", map[string]any{"ms": 40, "steps": 2}, mcpclient.OnProgress(show))
}

// callInTime gives one call other limits than the configuration does.
func callInTime(ctx context.Context, demo *mcpclient.Connection) error {
	_, err := demo.CallTool(ctx, "slow", map[string]any{"ms": 60000, "steps": 1},
		mcpclient.WithTimeout(100*time.Millisecond), // silence
		mcpclient.WithMaxTimeout(time.Minute))       // its whole life
	return err
}

// A call that reports progress lives on, one that is silent ends.
func ExampleWithTimeout() {
	demo, closeDemo := startDemo("demo", "")
	defer closeDemo()

	result, err := callSlowly(context.Background(), demo)
	fmt.Println(result.Text(), err)
	err = callInTime(context.Background(), demo)
	fmt.Println(errors.Is(err, errors.ErrRequestTimeout), errors.Is(err, context.DeadlineExceeded))
	// Output:
	// 1 of 2
	// 2 of 2
	// took 40 ms in 2 steps <nil>
	// true false
}

// listenToStates hears of every death and every replacement.
func listenToStates(server *mcpclient.Connection, log *log.Logger) {
	server.OnState(func(_ mcpclient.Source, change mcpclient.StateChange) {
		log.Print("was ", change.From, ", is ", change.To)
	})
	server.OnError(func(_ mcpclient.Source, err error) {
		log.Print("gone: ", err) // with the exit status and what it wrote to stderr
	})
}

// callAgain makes a call whose process dies, and another one once the process is
// replaced.
func callAgain(ctx context.Context, server *mcpclient.Connection) (string, error) {
	_, err := server.CallTool(ctx, "crash", nil)
	if !errors.Is(err, errors.ErrPeerLost) || errors.SafeToRetry(err) {
		return "", err
	}
	// The tool may have done its work: to call it once more is the program's
	// decision. Any other call need not wait for long.
	if err := server.WaitForState(ctx, transporters.StateReady); err != nil {
		return "", err
	}
	result, err := server.CallTool(ctx, "echo", map[string]any{"text": "here again"})
	return result.Text(), err
}

// The process of a supervised server is replaced when it dies.
func ExampleConnection_OnState() {
	server, closeServer := startDemo("crashes", "supervision: {max_restarts: 3, restart_delay: 1ms}")
	defer closeServer()
	listenToStates(server, log.New(io.Discard, "", 0))

	text, err := callAgain(context.Background(), server)
	fmt.Println(text, err, server.Stats().Restarts)
	// Output: here again <nil> 1
}

// handlers answer what servers ask their users.
func handlers() mcpclient.Handlers {
	return mcpclient.Handlers{
		ElicitForm: func(ctx context.Context, server string, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println(server, "asks:", request.Message)
			return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
		},
	}
}

// reloadOnChange hears of changed lists, from servers of both eras, also after a
// restart or a lost session.
func reloadOnChange(ctx context.Context, server *mcpclient.Connection, reload func()) (*mcpclient.Subscription, error) {
	filter := mcp.SubscriptionFilter{ToolsListChanged: true}
	return server.Listen(ctx, filter, func(mcp.Message) { reload() }) // in order, one at a time; it may make calls
}

// forUser makes calls for the user that a request belongs to: a session of the
// user's own, and the user's token.
func forUser(r *http.Request) context.Context {
	ctx := mcpclient.WithPrincipal(r.Context(), r.Header.Get("X-User")) // whom your own session says it is
	return mcpclient.WithToken(ctx, r.Header.Get("X-User-Token"))
}

// countCalls is around all calls, outside every policy.
func countCalls(count func(action string)) mcpclient.Option {
	return mcpclient.Use(func(next transporters.Transporter) transporters.Transporter {
		return transporters.TransporterFunc(func(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
			count(action)
			return next.Request(ctx, action, params, onEvent)
		})
	})
}

// What a program adds to a configuration when it makes its client.
func ExampleNew() {
	client, err := mcpclient.New(mustParse(demoConfiguration("demo", "")),
		mcpclient.WithHandlers(handlers()),
		countCalls(func(action string) { fmt.Println("->", action) }))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	demo, err := client.Connect("demo")
	if err != nil {
		log.Fatal(err)
	}
	subscription, err := reloadOnChange(context.Background(), demo, func() {})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = subscription.Close() }()
	request, err := http.NewRequest(http.MethodGet, "/", nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := demo.CallTool(forUser(request), "echo", map[string]any{"text": "hello"})
	fmt.Println(result.Text(), err)
	// Output:
	// -> tools/call
	// hello <nil>
}

// demoConfiguration is that of a server which is this test program.
func demoConfiguration(mode, more string) string {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	command, err := json.Marshal([]string{self})
	if err != nil {
		log.Fatal(err)
	}
	return fmt.Sprintf("servers:\n  demo:\n    type: stdio\n    command: %s\n    env: {%s: %s, GORACE: atexit_sleep_ms=0}\n    %s\n",
		command, childMode, mode, more)
}

// startDemo connects to a server in a process of its own.
func startDemo(mode, more string) (*mcpclient.Connection, func()) {
	cfg := mustParse(demoConfiguration(mode, more))
	client, err := mcpclient.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	demo, err := client.Connect("demo")
	if err != nil {
		log.Fatal(err)
	}
	return demo, func() { _ = client.Close() }
}
