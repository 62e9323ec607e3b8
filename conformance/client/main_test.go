package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// adder serves add_numbers as the suite does, with what the sum is off by.
func adder(offBy int) *mcptest.Server {
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "add_numbers"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		var numbers struct{ A, B int }
		if err := call.Decode(&numbers); err != nil {
			return nil, err
		}
		return fmt.Sprintf("The sum of %d and %d is %d", numbers.A, numbers.B, numbers.A+numbers.B+offBy), nil
	})
	return server
}

func serve(t *testing.T, server *mcptest.Server) (url string) {
	t.Helper()
	t.Cleanup(server.Close)
	return mcptest.StartHTTP(t, server)
}

func TestAScenarioThatWorks(t *testing.T) {
	require.NoError(t, play(t.Context(), "tools_call", "", serve(t, adder(0))))
}

// The exit status depends on what came back, not only on what was sent.
func TestAWrongAnswerIsAFailure(t *testing.T) {
	require.ErrorContains(t, play(t.Context(), "tools_call", "", serve(t, adder(1))), "The sum of 5 and 3 is 9")
}

func TestAToolThatReportsAnErrorIsAFailure(t *testing.T) {
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "test-tool"}, func(context.Context, *mcptest.Call) (any, error) {
		return nil, errors.New("out of order")
	})
	require.ErrorContains(t, play(t.Context(), "auth/metadata-default", "", serve(t, server)), "out of order")
}

// Whatever a step ends with, the steps after it are taken.
func TestEveryStepIsTaken(t *testing.T) {
	server := mcptest.NewServer()
	called := 0
	server.AddTool(mcp.Tool{Name: "test_mrtr_no_result_type"}, func(context.Context, *mcptest.Call) (any, error) {
		called++
		return "done", nil
	})
	err := play(t.Context(), "sep-2322-client-request-state", "", serve(t, server))
	require.ErrorContains(t, err, "test_mrtr_echo_state")
	require.ErrorContains(t, err, "test_mrtr_unrelated")
	require.NotContains(t, err.Error(), "test_mrtr_no_result_type")
	require.Equal(t, 1, called)
}

func TestGivenCallsAreMadeByteForByte(t *testing.T) {
	server := mcptest.NewServer()
	var arguments json.RawMessage
	server.AddTool(mcp.Tool{Name: "given"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		return "done", call.Decode(&arguments)
	})
	const calls = `{"name":"http-custom-headers","toolCalls":[{"name":"given","arguments":{"float_val":3.140,"none":null}}]}`
	require.NoError(t, play(t.Context(), "http-custom-headers", calls, serve(t, server)))
	require.Equal(t, `{"float_val":3.140,"none":null}`, string(arguments))

	require.ErrorContains(t, play(t.Context(), "http-custom-headers", "{", "http://127.0.0.1:9"), "MCP_CONFORMANCE_CONTEXT")
}

func TestEverythingThatIsListedIsUsed(t *testing.T) {
	server := mcptest.NewServer()
	server.AddTool(mcp.Tool{Name: "first"}, func(context.Context, *mcptest.Call) (any, error) { return "done", nil })
	server.AddTool(mcp.Tool{Name: "second"}, func(context.Context, *mcptest.Call) (any, error) { return "done", nil })
	server.AddResource(mcp.Resource{URI: "file:///a", Name: "a"}, func(context.Context, string) (any, error) { return "text", nil })
	server.AddPrompt(mcp.Prompt{Name: "greet"}, func(context.Context, map[string]string) (any, error) { return "hello", nil })
	require.NoError(t, play(t.Context(), "http-standard-headers", "", serve(t, server)))
	require.Equal(t, 2, server.Count(mcp.MethodCallTool))
	require.Equal(t, 1, server.Count(mcp.MethodReadResource))
	require.Equal(t, 1, server.Count(mcp.MethodGetPrompt))
}

func TestTheSchemaIsEchoedByteForByte(t *testing.T) {
	const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"a":{"$anchor":"x"}}}`
	server := mcptest.NewServer()
	done := func(context.Context, *mcptest.Call) (any, error) { return "done", nil }
	server.AddTool(mcp.Tool{Name: "json_schema_2020_12_tool", InputSchema: json.RawMessage(schema)}, done)
	var echoed struct{ Schema json.RawMessage }
	server.AddTool(mcp.Tool{Name: "json_schema_echo"}, func(_ context.Context, call *mcptest.Call) (any, error) {
		return "done", call.Decode(&echoed)
	})
	url := serve(t, server)
	require.NoError(t, play(t.Context(), "json-schema-2020-12-preservation", "", url))
	require.Equal(t, schema, string(echoed.Schema))

	server.RemoveTool("json_schema_2020_12_tool")
	require.ErrorContains(t, play(t.Context(), "json-schema-2020-12-preservation", "", url), "json_schema_2020_12_tool")
}

func TestAnUnknownScenarioIsAFailure(t *testing.T) {
	require.ErrorContains(t, play(t.Context(), "tools_calls", "", "http://127.0.0.1:9"), `"tools_calls"`)
	require.Error(t, play(t.Context(), "", "", "http://127.0.0.1:9"))
}

func TestAServerThatIsNotThereIsAFailure(t *testing.T) {
	require.Error(t, play(t.Context(), "initialize", "", "http://127.0.0.1:9"))
}
