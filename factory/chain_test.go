package factory

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// scriptedBase is a base that plays a script and answers input requests.
type scriptedBase struct {
	*fakeBase
	script *mcptest.Transporter
}

func (b scriptedBase) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { // a session's close ends its requests
		select {
		case <-b.closed:
			cancel(errors.ErrTransportClosed)
		case <-ctx.Done():
		}
	}()
	return b.script.Request(ctx, action, params, onEvent)
}

func (b scriptedBase) AnswerInput(_ context.Context, requests mcp.InputRequests) (mcp.InputResponses, error) {
	responses := mcp.InputResponses{}
	for key := range requests {
		responses[key] = json.RawMessage(`{"roots":[]}`)
	}
	return responses, nil
}

// makeScripted makes the chain of a server whose base plays the script.
func makeScripted(t *testing.T, script *mcptest.Transporter, keys string, options ...Option) *Made {
	t.Helper()
	f := New(options...)
	require.NoError(t, f.Register("scripted", scriptedType(script)))
	made, err := f.With().Make(section(t, "servers:\n  s:\n    type: scripted\n"+keys))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, made.Slot.Close()) })
	return made
}

// scriptedType constructs servers whose base plays the script.
func scriptedType(script *mcptest.Transporter) Constructor {
	var o opener
	return func(*config.Section, Build) (Blueprint, []errors.Fault) {
		return Blueprint{
			IdentityHeaders: []string{"X-User"},
			Open: func(caller Caller) (transporters.Base, error) {
				base, err := o.open(caller)
				return scriptedBase{base.(*fakeBase), script}, err
			},
		}, nil
	}
}

func TestOutputValidationIsAKey(t *testing.T) {
	const list = `{"tools":[{"name":"order","outputSchema":{"type":"object"}}]}`
	for name, test := range map[string]struct {
		keys  string
		fails bool
	}{
		"strict": {"    output_validation: strict\n", true},
		"warn":   {"    output_validation: warn\n", false},
		"off":    {"    output_validation: off\n", false},
		"absent": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			script := mcptest.NewTransporter(t)
			script.Expect("tools/list").Return(list)
			script.Expect("tools/call").Return(`{"structuredContent":[]}`)
			made := makeScripted(t, script, test.keys)
			_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
			_, err = made.Head.Request(t.Context(), "tools/call", mcp.NameParams("order", nil), nil)
			if test.fails {
				require.ErrorContains(t, err, "must be object, found an array")
				return
			}
			require.NoError(t, err)
		})
	}
	faults := New().Check(section(t, "servers:\n  s:\n    type: stdio\n    command: [x]\n    output_validation: on\n"))
	require.Len(t, faults, 1)
	assert.Contains(t, faults[0].String(), "output_validation")

	t.Setenv("MCP_FACTORY_TEST_MODE", "hidden")
	faults = New().Check(section(t, "servers:\n  s:\n    type: stdio\n    command: [x]\n    output_validation: ${MCP_FACTORY_TEST_MODE}\n"))
	require.Len(t, faults, 1)
	assert.NotContains(t, faults[0].String(), "hidden")
}

// Callers whom an identity header tells apart share no schemas either.
func TestOutputValidationKnowsIdentityHeaders(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Return(`{"tools":[{"name":"order","outputSchema":{"type":"object"}}]}`)
	script.Expect("tools/call").Times(2).Return(`{"structuredContent":[]}`)
	made := makeScripted(t, script, "    output_validation: strict\n")
	from := func(user string) context.Context {
		return transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
			o.Header = map[string][]string{"X-User": {user}}
		})
	}
	_, err := made.Head.Request(from("alice"), "tools/list", nil, nil)
	require.NoError(t, err)
	_, err = made.Head.Request(from("bob"), "tools/call", mcp.NameParams("order", nil), nil)
	require.NoError(t, err)
	_, err = made.Head.Request(from("alice"), "tools/call", mcp.NameParams("order", nil), nil)
	require.ErrorContains(t, err, "must be object")
}

func TestMetaHookReachesEveryRequest(t *testing.T) {
	script := mcptest.NewTransporter(t)
	script.Expect("tools/list").Answer(func(ctx context.Context, _ mcptest.Received) (any, error) {
		assert.Equal(t, map[string]any{"baggage": "a=1"}, transporters.CallOptionsOf(ctx).Meta)
		return nil, nil
	})
	hook := func(context.Context) map[string]any { return map[string]any{"baggage": "a=1"} }
	made := makeScripted(t, script, "", WithMetaHook(hook))
	_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
}

// A task is waited for, its questions are answered by the base, and its result is
// checked like any other.
func TestTasksAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/list").Return(`{"tools":[{"name":"order","outputSchema":{"type":"object"}}]}`)
		script.Expect("tools/call").Return(`{"resultType":"task","taskId":"t","status":"working"}`)
		script.Expect("tasks/get").Return(`{"taskId":"t","status":"input_required","inputRequests":{"k":{"method":"roots/list"}}}`)
		script.Expect("tasks/update", mcptest.Params(`{"taskId":"t","inputResponses":{"k":{"roots":[]}}}`))
		script.Expect("tasks/get").Return(`{"taskId":"t","status":"completed","result":{"structuredContent":[]}}`)
		made := makeScripted(t, script, "    output_validation: strict\n", WithTasks(policy.TasksConfig{}))
		_, err := made.Head.Request(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		_, err = made.Head.Request(t.Context(), "tools/call", mcp.NameParams("order", nil), nil)
		require.ErrorContains(t, err, `the structuredContent of tool "order" does not fit`)
	})
}

// The cancel of a task runs beside the call, and the slot's Close ends it and
// waits for it.
func TestSlotOwnsTheCancelOfATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := mcptest.NewTransporter(t)
		script.Expect("tools/call").Return(`{"resultType":"task","taskId":"t","status":"working"}`)
		var ended bool
		script.Expect("tasks/cancel").Answer(func(ctx context.Context, _ mcptest.Received) (any, error) {
			<-ctx.Done()
			ended = true
			return nil, context.Cause(ctx)
		})
		made := makeScripted(t, script, "", WithTasks(policy.TasksConfig{}))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := made.Head.Request(ctx, "tools/call", mcp.NameParams("order", nil), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 100*time.Millisecond, time.Since(began), "the call does not wait for the cancel")
		synctest.Wait()
		require.NoError(t, made.Slot.Close())
		assert.True(t, ended, "Close waited")
		assert.Equal(t, 100*time.Millisecond, time.Since(began))
		assert.False(t, made.Slot.background(func() { t.Error("ran after Close") }))
	})
}

// The policies of a section that says nothing of them add next to nothing to a
// call.
func TestTheDefaultChainAllocates(t *testing.T) {
	var o opener
	slot := NewSlot("s", Blueprint{Open: o.open}, 0)
	t.Cleanup(func() { require.NoError(t, slot.Close()) })
	params := mcp.NameParams("echo", nil)
	measure := func(head transporters.Transporter) float64 {
		return testing.AllocsPerRun(500, func() {
			if _, err := head.Request(t.Context(), mcp.MethodCallTool, params, nil); err != nil {
				t.Error(err)
			}
		})
	}
	common, _, faults := New().read(section(t, "servers:\n  s: {type: stdio, command: [x]}\n"))
	require.Empty(t, faults)
	chain := New().chain("s", common, slot, hclog.NewNullLogger()).head
	require.NotEqual(t, transporters.Transporter(slot), chain)
	assert.LessOrEqual(t, measure(chain)-measure(slot), 4.0)
}
