package mcptest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/mcptest/clienttest"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// A tool that reports progress, logs, and sends what it likes.
func ExampleCall() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewServer(mcptest.LegacyOnly())
	server.AddTool(mcp.Tool{Name: "import"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		if call.WantsProgress() {
			call.Progress(1, 2, "half")
		}
		call.Log("info", "reading")
		call.Notify("notifications/example", map[string]int{"rows": 7})
		if _, err := call.Request("ping", nil); err != nil { // on the call's own stream
			return nil, err
		}
		if _, err := call.RequestStandalone("ping", nil); err != nil { // elsewhere, where HTTP has another stream
			return nil, err
		}
		return "imported", nil
	})
	demo := clienttest.Connect(t, clienttest.New(t, clienttest.Servers{"demo": server}), "demo")

	result, err := demo.CallTool(context.Background(), "import", nil,
		mcpclient.OnProgress(func(p mcp.Progress) { fmt.Println(p.Progress, p.Total, p.Message) }))
	fmt.Println(result.Text(), err)
	// Output:
	// 1 2 half
	// imported <nil>
}

// A tool that needs the user, in the modern era: two rounds, one call.
func ExampleInputRequired() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewServer(mcptest.ModernOnly())
	server.AddTool(mcp.Tool{Name: "book"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		if answers := call.InputResponses(); answers != nil {
			return fmt.Sprintf("%s: %s", call.RequestState(), answers["seat"]), nil
		}
		schema := `{"type":"object","properties":{"seat":{"type":"string"}}}`
		return mcptest.InputRequired(mcp.InputRequests{"seat": mcptest.ElicitForm("Which seat?", schema)}, "LX 14"), nil
	})
	client := clienttest.New(t, clienttest.Servers{"flights": server}, mcpclient.WithHandlers(mcpclient.Handlers{
		ElicitForm: func(_ context.Context, server string, form *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println(server, "asks:", form.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"seat": "12A"}}, nil
		},
	}))

	result, err := clienttest.Connect(t, client, "flights").CallTool(context.Background(), "book", nil)
	fmt.Println(result.Text(), err)
	// Output:
	// flights asks: Which seat?
	// LX 14: {"action":"accept","content":{"seat":"12A"}} <nil>
}

// Everything a server can offer.
func ExampleServer() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "old"}, func(context.Context, *mcptest.Call) (any, error) { return "old", nil })
	fmt.Println(server.RemoveTool("old"))
	server.AddResource(mcp.Resource{URI: "notes://today", Name: "today"}, func(context.Context, string) (any, error) { return "rain", nil })
	server.AddResourceTemplate(mcp.ResourceTemplate{URITemplate: "notes://{day}", Name: "day"}, func(_ context.Context, uri string) (any, error) {
		return "what was on " + uri, nil
	})
	server.AddPrompt(mcp.Prompt{Name: "greet"}, func(_ context.Context, arguments map[string]string) (any, error) {
		return "Greet " + arguments["name"], nil
	})
	server.AddCompletion("greet", "name", func(_ context.Context, typed string) ([]string, error) { return []string{typed + "na"}, nil })
	notes := clienttest.Connect(t, clienttest.New(t, clienttest.Servers{"notes": server}), "notes")

	ctx := context.Background()
	for _, uri := range []string{"notes://today", "notes://monday"} {
		read, err := notes.ReadResource(ctx, uri)
		fmt.Println(read.Contents[0].Text, err)
	}
	prompt, err := notes.GetPrompt(ctx, "greet", map[string]string{"name": "Ann"})
	fmt.Println(prompt.Messages[0].Content.Text, err)
	completed, err := notes.Complete(ctx, mcp.CompleteParams{
		Ref: mcp.PromptReference("greet"), Argument: mcp.CompletionArgument{Name: "name", Value: "An"},
	})
	fmt.Println(completed.Values, err)
	// Output:
	// true
	// rain <nil>
	// what was on notes://monday <nil>
	// Greet Ann <nil>
	// [Anna] <nil>
}

// What a server tells on its own, and to whom.
func ExampleServer_Notify() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewDemoServer(mcptest.ModernOnly())
	s := session.New("demo", session.Settings{}, server.HTTPLink())
	t.Cleanup(func() {
		_ = s.Close()
		server.Close()
	})
	arrived := make(chan string)
	filter := mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"demo://greeting"}}
	_, err := s.Listen(context.Background(), filter, func(m mcp.Message) { arrived <- m.Method })
	fmt.Println(err, server.Listens())

	server.Notify("notifications/tools/list_changed", nil)
	fmt.Println(<-arrived)
	server.ResourceUpdated("demo://greeting")
	fmt.Println(<-arrived)
	server.EndListens()
	// Output:
	// <nil> 1
	// notifications/tools/list_changed
	// notifications/resources/updated
}

// What a server saw, and what its client did wrong.
func ExampleServer_Received() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewDemoServer(mcptest.LegacyOnly(), mcptest.WithReceivedLimit(100), mcptest.WithStandaloneStream())
	demo := clienttest.Connect(t, clienttest.New(t, clienttest.Servers{
		"demo": clienttest.Configured{Server: server, HTTP: true},
	}), "demo")

	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		server.Await(t, "tools/call", 1)
		cancel()
	}()
	_, err := demo.CallTool(ctx, "slow", map[string]any{"ms": 60_000})
	fmt.Println(err)
	server.Await(t, "notifications/cancelled", 1)
	fmt.Println(len(server.Cancelled()), server.Sessions())
	server.ForgetSessions() // as a restart does
	fmt.Println(demo.Ping(context.Background()), server.Count("initialize"))
	fmt.Println(server.Received()[0].Method, server.Violations())
	// Output:
	// mcp server "demo": tools/call: context canceled
	// 1 1
	// <nil> 2
	// server/discover []
}

// A process that dies, without a process.
func ExampleServer_Kill() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	demo := clienttest.Connect(t, clienttest.New(t, clienttest.Servers{"demo": server}), "demo")
	for range 2 {
		fmt.Println(demo.Ping(context.Background()))
		server.Kill(fmt.Errorf("out of memory"))
	}
	fmt.Println(server.Count("initialize"))
	// Output:
	// <nil>
	// <nil>
	// 2
}

// Servers as they come: of one era, slow, paged, without this or that.
func ExampleOption() {
	for _, option := range []mcptest.Option{
		mcptest.ModernOnly(), mcptest.LegacyOnly(mcp.Version20250618), mcptest.WithVersions(mcp.Version20251125, mcp.Version20250618),
		mcptest.WithImplementation(mcp.Implementation{Name: "notes", Version: "2"}), mcptest.WithInstructions("Be brief."),
		mcptest.WithoutCapability("logging"), mcptest.WithoutSessions(),
		mcptest.WithAnswers(mcptest.AnswersAuto), mcptest.WithAnswers(mcptest.AnswersJSON), mcptest.WithAnswers(mcptest.AnswersEventStream),
		mcptest.WithPageSize(2), mcptest.WithEmptyCursor(), mcptest.WithTTL(time.Minute), mcptest.WithDelay("tools/list", time.Millisecond),
	} {
		server := mcptest.NewDemoServer(option)
		s := session.New("demo", session.Settings{}, server.HTTPLink())
		result, err := s.Request(context.Background(), "tools/list", nil, nil)
		var page struct{ Tools []json.RawMessage }
		fmt.Print(result.Decode(&page) == nil, err, len(page.Tools), "; ")
		_ = s.Close()
		server.Close()
	}
	// Output: true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 5; true <nil> 2; true <nil> 5; true <nil> 5; true <nil> 5;
}

// Over the loopback interface, by itself or within a program's own server.
func ExampleStartHTTP() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	own := mcptest.NewDemoServer()
	mounted := httptest.NewServer(own.Handler())
	t.Cleanup(func() {
		own.Close()
		mounted.Close()
	})
	client := clienttest.New(t, clienttest.Servers{
		"started": map[string]any{"type": "http", "base_url": mcptest.StartHTTP(t, mcptest.NewDemoServer())},
		"mounted": map[string]any{"type": "http", "base_url": mounted.URL},
	})
	for _, name := range client.Servers() {
		result, err := clienttest.Connect(t, client, name).CallTool(context.Background(), "echo", map[string]any{"text": name})
		fmt.Println(result.Text(), err)
	}
	// Output:
	// mounted <nil>
	// started <nil>
}

// A real process: the test binary itself, see ServeProcess.
func ExampleProcess() {
	t := new(exampleTB) // the *testing.T of a test
	defer t.end()
	section := mcptest.Process(t, "demo")
	section["supervision"] = map[string]any{"max_restarts": 2}
	client := clienttest.New(t, clienttest.Servers{"demo": section})
	result, err := clienttest.Connect(t, client, "demo").CallTool(context.Background(), "echo", map[string]any{"text": "hi"})
	fmt.Println(result.Text(), err)
	// Output: hi <nil>
}

// It stands at the beginning of TestMain.
func ExampleServeProcess() {
	mcptest.ServeProcess(map[string]func() *mcptest.Server{
		"demo": func() *mcptest.Server { return mcptest.NewDemoServer() },
	})
	fmt.Println("this process was not asked to be a server")
	// Output: this process was not asked to be a server
}

// Lines that come in halves, and an end within one.
func ExampleWithStdioFaults() {
	server := mcptest.NewDemoServer(mcptest.WithStdioFaults(mcptest.StdioFaults{Seed: 1, Pieces: 4, CutAfter: 30}))
	defer server.Close()
	in, client := io.Pipe() // a client that does not close its end
	defer func() { _ = client.Close() }()
	go func() { _, _ = io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n") }()
	var out bytes.Buffer
	err := server.ServeStdio(context.Background(), in, &out)
	fmt.Println(out.String(), err)
	// Output: {"jsonrpc":"2.0","id":1,"resul writing to client: cut as asked, in the middle of the output
}
