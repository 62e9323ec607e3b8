package session_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

const begunTask = `{"resultType":"task","taskId":"t","status":"working","pollIntervalMs":1}`

// R283-R285, R287, R289: with the extension announced on every request, a task
// answers tools/call, and what it asks for goes through the handlers.
func TestATaskOverTheWire(t *testing.T) {
	link := modernLink(t)
	link.On("tools/call").Return(begunTask)
	link.On("tasks/get").Return(`{"resultType":"complete","taskId":"t","status":"input_required","pollIntervalMs":1,"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}`)
	link.On("tasks/update").Return(`{"resultType":"complete"}`)
	link.On("tasks/get").Return(`{"resultType":"complete","taskId":"t","status":"completed","result":{"content":[]}}`)
	handlers := session.Handlers{ElicitForm: func(context.Context, string, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ElicitDecline}, nil
	}}
	s := newSession(t, link, nil, session.WithExtension(mcp.ExtensionTasks, nil), session.WithHandlers(handlers))
	chain := policy.Tasks("peer", policy.TasksConfig{Answer: s.AnswerInput})(s)
	result, err := chain.Request(t.Context(), "tools/call", mcp.NameParams("export", nil), nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[]}`, string(result.Raw()))

	assert.Equal(t, []string{"server/discover", "tools/call", "tasks/get", "tasks/update", "tasks/get"}, methods(link))
	for _, sent := range link.Received()[1:] {
		assert.Contains(t, string(sent.Params), `"extensions":{"io.modelcontextprotocol/tasks":{}}`, "R285")
		if sent.Method != "tools/call" {
			assert.Equal(t, "t", sent.Header.Get(mcp.HeaderName), "R289")
		}
		if sent.Method == "tasks/update" {
			assert.Contains(t, string(sent.Params), `"inputResponses":{"k":{"action":"decline"}}`)
		}
	}
}

// R284, R274: a task that nobody asked for, or in answer to anything else.
func TestTasksThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		action  string
		options []session.Option
		want    string
	}{
		"not announced": {"tools/call", nil, "an extension that was not announced"},
		"elsewhere":     {"prompts/get", []session.Option{session.WithExtension(mcp.ExtensionTasks, nil)}, "where that is not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			link := modernLink(t)
			link.On(test.action).Return(begunTask)
			s := newSession(t, link, nil, test.options...)
			_, err := s.Request(t.Context(), test.action, mcp.NameParams("x", nil), nil)
			require.ErrorIs(t, err, errors.ErrProtocol)
			require.ErrorContains(t, err, test.want)
		})
	}
}
