package operations_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/operations"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func ExampleNew() {
	recorder := &operations.Recorder{}
	server := transporters.TransporterFunc(func(context.Context, string, any, transporters.EventFunc) (mcp.Result, error) {
		return mcp.NewResult([]byte(`{"content":[],"isError":true}`)), nil
	})
	client, err := mcpclient.New(nil, mcpclient.WithTransporter("demo", server), mcpclient.WithHooks(recorder))
	if err != nil {
		panic(err)
	}
	defer func() { _ = client.Close() }()
	site, err := operations.New(client, operations.WithRecorder(recorder), operations.Required("demo"))
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", site.Healthz())
	mux.Handle("GET /readyz", site.Readyz())
	mux.Handle("GET /debug/mcp", site.Page()) // behind your access control

	demo, _ := client.Connect("demo")
	_, _ = demo.CallTool(context.Background(), "echo", nil)
	for _, call := range site.Snapshot().Failing {
		fmt.Println(call.Server, call.Action, call.Name, call.Kind)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	fmt.Println("ready:", answer.Code)
	site.Close()
	answer = httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	fmt.Println("shutting down:", answer.Code)
	// Output:
	// demo tools/call echo tool
	// ready: 200
	// shutting down: 503
}
