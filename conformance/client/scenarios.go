package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// inputs is what one scenario puts in.
type inputs struct {
	steps    []step
	handlers mcpclient.Handlers
	auth     map[string]any // the section auth; nil: none
}

// scenarios is every scenario of the suite that this client takes part in.
// A new scenario, or one for which the library has learned something, is a line
// here.
func scenarios(suite suiteContext) map[string]inputs {
	table := map[string]inputs{
		"initialize":       {steps: []step{listTools}},
		"request-metadata": {steps: []step{listTools}},
		"tools_call": {steps: []step{
			listTools,
			callTool("add_numbers", `{"a":5,"b":3}`, answering("The sum of 5 and 3 is 8")),
		}},
		"sse-retry": {steps: []step{
			listTools,
			callTool("test_reconnection", `{}`),
		}},

		"json-schema-ref-no-deref":         {steps: []step{listTools}},
		"json-schema-2020-12-preservation": {steps: []step{echoInputSchema("json_schema_2020_12_tool", "json_schema_echo")}},

		"http-standard-headers":     {steps: []step{callEveryTool(`{}`), readEveryResource, getEveryPrompt}},
		"http-custom-headers":       {steps: append([]step{listTools}, suite.calls()...)},
		"http-invalid-tool-headers": {steps: []step{callEveryTool(`{"region":"us-west1"}`)}},

		"elicitation-sep1034-client-defaults": {
			steps:    []step{listTools, callTool("test_client_elicitation_defaults", `{}`)},
			handlers: mcpclient.Handlers{ElicitForm: accepting(nil)},
		},
		"sep-2322-client-request-state": {
			steps: []step{
				callTool("test_mrtr_echo_state", `{}`),
				callTool("test_mrtr_no_state", `{}`),
				callTool("test_mrtr_unrelated", `{}`),
				callTool("test_mrtr_no_result_type", `{}`),
			},
			handlers: mcpclient.Handlers{ElicitForm: accepting(map[string]any{"confirmed": true})},
		},
	}
	for _, name := range authorized() {
		table["auth/"+name] = inputs{
			steps: []step{listTools, callTool("test-tool", `{}`)},
			auth:  suite.authorization(name),
		}
	}
	return table
}

// accepting is a user who accepts every form with this content.
func accepting(content any) func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: content}, nil
	}
}

// authorized names the scenarios in which the server wants a token. All of them
// have the same tool; what differs is the authorization server.
func authorized() []string {
	return []string{
		"metadata-default", "metadata-var1", "metadata-var2", "metadata-var3",
		"basic-cimd", "pre-registration",
		"scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined",
		"scope-step-up", "scope-retry-limit",
		"token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none",
		"2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback",
		"resource-mismatch", "metadata-issuer-mismatch",
		"offline-access-scope", "offline-access-not-supported",
		"authorization-server-migration",
		"iss-supported", "iss-not-advertised",
		"iss-supported-missing", "iss-wrong-issuer", "iss-unexpected", "iss-normalized",
		// Extensions.
		"client-credentials-basic", "client-credentials-jwt",
		"enterprise-managed-authorization", "wif-jwt-bearer",
		"dpop", "dpop-nonce",
	}
}

// suiteContext is what the suite gives some scenarios beside their name, in
// MCP_CONFORMANCE_CONTEXT.
type suiteContext struct {
	// ToolCalls are calls to make, their arguments byte for byte.
	ToolCalls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
	credentials
}

// parseSuiteContext reads the context; empty text gives the zero value.
func parseSuiteContext(text string) (suiteContext, error) {
	var result suiteContext
	if text == "" {
		return result, nil
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return result, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	return result, nil
}

// calls returns a step for each of the given calls.
func (c suiteContext) calls() []step {
	steps := make([]step, len(c.ToolCalls))
	for i, call := range c.ToolCalls {
		steps[i] = callTool(call.Name, string(call.Arguments))
	}
	return steps
}
