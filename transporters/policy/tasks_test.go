package policy

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
)

const (
	begun   = `{"resultType":"task","taskId":"t-5","status":"working","createdAt":"2026-08-01T09:00:00Z","lastUpdatedAt":"2026-08-01T09:00:00Z","ttlMs":3600000,"pollIntervalMs":2000}`
	working = `{"taskId":"t-5","status":"working","pollIntervalMs":2000}`
	done    = `{"taskId":"t-5","status":"completed","result":{"content":[{"type":"text","text":"14 030 rows"}],"isError":false}}`
	outcome = `{"content":[{"type":"text","text":"14 030 rows"}],"isError":false}`
)

func aboutTask() mcptest.Matcher { return mcptest.ParamsWith(`{"taskId":"t-5"}`) }

func taskStatus(status, more string) string {
	return `{"taskId":"t-5","status":"` + status + `"` + more + `}`
}

// R286: polled no faster than the server says, whose pace may change; without
// one every second.
func TestTaskIsPolledAtTheServersPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := mcptest.NewTransporter(t)
		began := time.Now()
		var polls []time.Duration
		poll := func(result string) {
			peer.Expect("tasks/get", mcptest.Params(`{"taskId":"t-5"}`)).Answer(func(context.Context, mcptest.Received) (any, error) {
				polls = append(polls, time.Since(began))
				return result, nil
			})
		}
		peer.Expect("tools/call").Return(begun)
		poll(taskStatus("working", `,"pollIntervalMs":5000`))
		poll(taskStatus("working", ``))
		poll(taskStatus("working", `,"pollIntervalMs":1`))
		poll(done)
		result, err := Tasks("shop", TasksConfig{})(peer).Request(t.Context(), "tools/call", callNamed("export"), nil)
		require.NoError(t, err)
		assert.Equal(t, outcome, string(result.Raw()))
		assert.Equal(t, []time.Duration{2 * time.Second, 7 * time.Second, 8 * time.Second, 8050 * time.Millisecond}, polls)
	})
}

// R290, R283 and what is nonsense: how a task ends, and whether it is cancelled
// because nobody waits any more.
func TestHowATaskEnds(t *testing.T) {
	for name, test := range map[string]struct {
		begun, status string
		want          string // part of the error; "" is the outcome
		kind          errors.Kind
		cancels       bool
	}{
		"completed":                  {begun, done, "", 0, false},
		"completed at once":          {`{"resultType":"task",` + done[1:], "", "", 0, false},
		"completed, told later":      {`{"resultType":"task","taskId":"t-5","status":"completed"}`, done, "", 0, false},
		"failed":                     {begun, taskStatus("failed", `,"error":{"code":-32603,"message":"disk full","data":{"x":1}}`), `server answered with error -32603: task "t-5": disk full`, errors.KindPeer, false},
		"cancelled":                  {begun, taskStatus("cancelled", `,"statusMessage":"by\u001b an admin"`), `task "t-5": the server cancelled it: by\x1b an admin`, errors.KindProtocol, false},
		"completed without a result": {begun, taskStatus("completed", ""), `task "t-5": it ended without an outcome`, errors.KindProtocol, false},
		"failed without an error":    {begun, taskStatus("failed", ""), "without an outcome", errors.KindProtocol, false},
		"another task":               {begun, `{"taskId":"t-6","status":"working"}`, `task "t-5": the server tells of the task "t-6" instead`, errors.KindProtocol, true},
		"no task":                    {begun, `{}`, `task "t-5": `, errors.KindProtocol, true},
		"no task to begin with":      {`{"resultType":"task"}`, "", "has no taskId", errors.KindProtocol, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer := mcptest.NewTransporter(t)
				peer.Expect("tools/call").Return(test.begun)
				if test.status != "" {
					peer.Expect("tasks/get", aboutTask()).Return(test.status)
				}
				if test.cancels {
					peer.Expect("tasks/cancel", aboutTask())
				}
				result, err := Tasks("shop", TasksConfig{})(peer).Request(t.Context(), "tools/call", callNamed("export"), nil)
				if test.want == "" {
					require.NoError(t, err)
					require.Equal(t, outcome, string(result.Raw()))
					return
				}
				require.ErrorContains(t, err, test.want)
				failure, ok := errors.AsType[*errors.TransporterRequestError](err)
				require.True(t, ok)
				assert.Equal(t, test.kind, failure.Kind)
				assert.Equal(t, "shop", failure.Server)
				assert.False(t, errors.SafeToRetry(err), "the server has begun")
				if name == "failed" {
					assert.JSONEq(t, `{"x":1}`, string(failure.Data))
				}
			})
		})
	}
}

// What is no task passes untouched, and so does a task that the caller wants to
// drive itself.
func TestTasksLeavesTheRestAlone(t *testing.T) {
	peer := mcptest.NewTransporter(t)
	peer.Expect("tools/call").Return(outcome)
	peer.Expect("tools/call").Return(begun)
	peer.Expect("tasks/get").Return(working)
	chain := Tasks("shop", TasksConfig{})(peer)
	result, err := chain.Request(t.Context(), "tools/call", callNamed("export"), nil)
	require.NoError(t, err)
	require.Equal(t, outcome, string(result.Raw()))
	driving := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.HandOverInput = true })
	result, err = chain.Request(driving, "tools/call", callNamed("export"), nil)
	require.NoError(t, err)
	require.Equal(t, begun, string(result.Raw()))
	result, err = chain.Request(t.Context(), "tasks/get", json.RawMessage(`{"taskId":"t-5"}`), nil)
	require.NoError(t, err)
	require.Equal(t, working, string(result.Raw()))
}

// R287: each key is answered once, however often it is asked for; the time that
// takes does not count.
func TestTaskInputIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(keys ...string) string {
			requests := mcp.InputRequests{}
			for _, key := range keys {
				requests[key] = mcp.InputRequest{Method: "elicitation/create"}
			}
			encoded, _ := json.Marshal(requests)
			return taskStatus("input_required", `,"inputRequests":`+string(encoded))
		}
		peer := mcptest.NewTransporter(t)
		peer.Expect("tools/call").Return(begun)
		peer.Expect("tasks/get").Return(ask("a", "b"))
		peer.Expect("tasks/update", mcptest.Params(`{"taskId":"t-5","inputResponses":{"a":{"n":"a"},"b":{"n":"b"}}}`))
		peer.Expect("tasks/get").Return(ask("a", "b"))
		peer.Expect("tasks/get").Return(ask("b", "c"))
		peer.Expect("tasks/update", mcptest.Params(`{"taskId":"t-5","inputResponses":{"c":{"n":"c"}}}`))
		peer.Expect("tasks/get").Return(done)
		cfg := TasksConfig{MaxWait: time.Minute, Answer: func(_ context.Context, requests mcp.InputRequests) (mcp.InputResponses, error) {
			time.Sleep(time.Hour) // a person
			responses := mcp.InputResponses{}
			for key := range requests {
				responses[key] = json.RawMessage(`{"n":"` + key + `"}`)
			}
			return responses, nil
		}}
		result, err := Tasks("shop", cfg)(peer).Request(t.Context(), "tools/call", callNamed("export"), nil)
		require.NoError(t, err)
		require.Equal(t, outcome, string(result.Raw()))
	})
}

// What cannot be answered fails the call, and the task is cancelled (R216).
func TestTaskInputThatNobodyAnswers(t *testing.T) {
	refusal := &errors.TransporterRequestError{Kind: errors.KindCanceled, Message: "the handler of elicitation/create failed", Err: errors.New("closed the window")}
	many := mcp.InputRequests{}
	for i := range maxTaskInputs + 1 {
		many[string(rune('0'+i))] = mcp.InputRequest{Method: "elicitation/create"}
	}
	tooMany := wait{tasks: &tasks{}, id: "t-5"}
	require.ErrorContains(t, tooMany.answer(&mcp.Task{InputRequests: many}), "it asks for more than 256 things")

	for name, test := range map[string]struct {
		answer func(context.Context, mcp.InputRequests) (mcp.InputResponses, error)
		want   string
	}{
		"no handlers":     {nil, `task "t-5": it asks for elicitation/create, which nothing here answers`},
		"a key left out":  {func(context.Context, mcp.InputRequests) (mcp.InputResponses, error) { return mcp.InputResponses{}, nil }, "which nothing here answers"},
		"a handler fails": {func(context.Context, mcp.InputRequests) (mcp.InputResponses, error) { return nil, refusal }, `task "t-5": the handler of elicitation/create failed: closed the window`},
		"a plain error":   {func(context.Context, mcp.InputRequests) (mcp.InputResponses, error) { return nil, errors.New("no") }, `task "t-5": what it asks for could not be answered: no`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer := mcptest.NewTransporter(t)
				peer.Expect("tools/call").Return(begun)
				peer.Expect("tasks/get").Return(taskStatus("input_required", `,"inputRequests":{"a":{"method":"elicitation/create"}}`))
				peer.Expect("tasks/cancel", aboutTask())
				_, err := Tasks("shop", TasksConfig{Answer: test.answer})(peer).Request(t.Context(), "tools/call", callNamed("export"), nil)
				require.ErrorContains(t, err, test.want)
			})
		})
	}
}

// The end of the caller's context or of the wait cancels the task, R288, beside
// the call and on behalf of the same principal; with Keep it goes on.
func TestEndOfTheWaitCancelsTheTask(t *testing.T) {
	for name, test := range map[string]struct {
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		cfg   TasksConfig
		own   time.Duration // the call's MaxRequestTimeout
		want  error
		kind  errors.Kind
		after time.Duration
		keeps bool
	}{
		"the caller cancels": {ctx: cancelledAfter(5 * time.Second), want: context.Canceled, kind: errors.KindCanceled, after: 5 * time.Second},
		"the caller's deadline": {ctx: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 3*time.Second)
		}, want: context.DeadlineExceeded, kind: errors.KindTimeout, after: 3 * time.Second},
		"the wait's own bound":     {cfg: TasksConfig{MaxWait: 9 * time.Second}, want: errors.ErrRequestTimeout, kind: errors.KindTimeout, after: 9 * time.Second},
		"the default bound":        {want: errors.ErrRequestTimeout, kind: errors.KindTimeout, after: time.Hour},
		"the call's bound":         {cfg: TasksConfig{MaxWait: time.Hour}, own: 7 * time.Second, want: errors.ErrRequestTimeout, kind: errors.KindTimeout, after: 7 * time.Second},
		"no bound but the context": {cfg: TasksConfig{MaxWait: -1}, ctx: cancelledAfter(2 * time.Hour), want: context.Canceled, kind: errors.KindCanceled, after: 2 * time.Hour},
		"kept":                     {cfg: TasksConfig{Keep: true}, ctx: cancelledAfter(5 * time.Second), want: context.Canceled, kind: errors.KindCanceled, after: 5 * time.Second, keeps: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer := mcptest.NewTransporter(t)
				peer.Expect("tools/call").Return(begun)
				peer.Expect("tasks/get").Always().Return(working)
				if !test.keeps {
					peer.Expect("tasks/cancel", aboutTask()).Answer(func(ctx context.Context, _ mcptest.Received) (any, error) {
						options := transporters.CallOptionsOf(ctx)
						assert.Equal(t, "alice", options.Principal)
						assert.Nil(t, options.MaxRequestTimeout)
						require.NoError(t, ctx.Err())
						deadline, ok := ctx.Deadline()
						assert.True(t, ok)
						assert.Equal(t, cancelTimeout, time.Until(deadline))
						return nil, nil
					})
				}
				var background sync.WaitGroup
				cfg := test.cfg
				cfg.Background = func(f func()) bool { background.Go(f); return true }
				ctx := as(t.Context(), "alice")
				if test.own > 0 {
					ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.MaxRequestTimeout = &test.own })
				}
				if test.ctx != nil {
					var cancel context.CancelFunc
					ctx, cancel = test.ctx(ctx)
					defer cancel()
				}
				began := time.Now()
				_, err := Tasks("shop", cfg)(peer).Request(ctx, "tools/call", callNamed("export"), nil)
				assert.Equal(t, test.after, time.Since(began))
				require.ErrorIs(t, err, test.want)
				require.ErrorContains(t, err, `task "t-5"`)
				failure, _ := errors.AsType[*errors.TransporterRequestError](err)
				assert.Equal(t, test.kind, failure.Kind)
				assert.False(t, errors.SafeToRetry(err))
				background.Wait()
			})
		})
	}
}

func cancelledAfter(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(d, cancel)
		return ctx, cancel
	}
}

// A tasks/get that hangs ends with the wait, and the cancel is bounded even
// where there is no background.
func TestASilentServerHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := mcptest.NewTransporter(t)
		peer.Expect("tools/call").Return(begun)
		peer.Expect("tasks/get").Silence()
		peer.Expect("tasks/cancel").Silence()
		began := time.Now()
		_, err := Tasks("shop", TasksConfig{MaxWait: 10 * time.Second})(peer).Request(t.Context(), "tools/call", callNamed("export"), nil)
		require.ErrorIs(t, err, errors.ErrRequestTimeout)
		require.NotErrorIs(t, err, context.DeadlineExceeded, "that is for the caller's own deadline")
		require.ErrorContains(t, err, `task "t-5": it has not ended within 10s`)
		assert.Equal(t, 10*time.Second+cancelTimeout, time.Since(began))
	})
}

// A tasks/get that fails on the way is asked again, more slowly; an answer that
// says no is final, and there is nothing to cancel.
func TestPollingSurvivesFailuresOnTheWay(t *testing.T) {
	lost := &errors.TransporterRequestError{Server: "shop", Action: "tasks/get", Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent, Err: errors.ErrPeerLost}
	busy := &errors.TransporterRequestError{Server: "shop", Action: "tasks/get", Kind: errors.KindStatus, Status: 503, RetryAfter: 30 * time.Second}
	for name, test := range map[string]struct {
		failures []error
		want     string
		after    time.Duration
	}{
		"a few":              {[]error{lost, lost, busy}, "", 2*time.Second + 2*time.Second + 4*time.Second + 30*time.Second},
		"too many":           {slices.Repeat([]error{lost}, maxPollFailures), `task "t-5": peer lost`, (2 + 2 + 4 + 8 + 16) * time.Second},
		"an unknown task":    {[]error{&errors.TransporterRequestError{Kind: errors.KindPeer, Code: -32602, Message: "no such task"}}, `error -32602: task "t-5": no such task`, 2 * time.Second},
		"a closed client":    {[]error{&errors.TransporterRequestError{Kind: errors.KindClosed, Err: errors.ErrTransportClosed}}, `task "t-5": transport closed`, 2 * time.Second},
		"a refusal, not 5xx": {[]error{&errors.TransporterRequestError{Kind: errors.KindStatus, Status: 404}, errors.New("the cancel fails too")}, "HTTP status 404", 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer := mcptest.NewTransporter(t)
				peer.Expect("tools/call").Return(begun)
				for i, failure := range test.failures {
					action := "tasks/get"
					if name == "a refusal, not 5xx" && i == 1 {
						action = "tasks/cancel"
					}
					peer.Expect(action).Error(failure)
				}
				if test.want == "" {
					peer.Expect("tasks/get").Return(done)
				}
				began := time.Now()
				_, err := Tasks("shop", TasksConfig{})(peer).Request(t.Context(), "tools/call", callNamed("export"), nil)
				assert.Equal(t, test.after, time.Since(began))
				if test.want == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, test.want)
				assert.False(t, errors.SafeToRetry(err), "that the question was not sent does not undo the call")
			})
		})
	}
}

// A new status message is progress that goes on from the call's own (R132);
// tasks/get asks for none (R291). OnTask sees each status once.
func TestTaskStatusIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := mcptest.NewTransporter(t)
		peer.Expect("tools/call").Progress(2.5, 0, "starting").Return(begun)
		for _, message := range []string{"reading", "reading", "writing"} {
			peer.Expect("tasks/get").Answer(func(ctx context.Context, _ mcptest.Received) (any, error) {
				assert.Nil(t, transporters.CallOptionsOf(ctx).OnProgress)
				return taskStatus("working", `,"statusMessage":"`+message+`"`), nil
			})
		}
		peer.Expect("tasks/get").Return(done)
		var reports []mcp.Progress
		var statuses []mcp.TaskStatus
		cfg := TasksConfig{OnTask: func(_ context.Context, server string, task *mcp.Task) {
			assert.Equal(t, "shop", server)
			assert.Equal(t, "t-5", task.ID)
			statuses = append(statuses, task.Status)
		}}
		ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
			o.OnProgress = func(p mcp.Progress) { reports = append(reports, p) }
		})
		var events []string
		_, err := Tasks("shop", cfg)(peer).Request(ctx, "tools/call", callNamed("export"), func(m mcp.Message) { events = append(events, m.Method) })
		require.NoError(t, err)
		assert.Equal(t, []mcp.Progress{{Progress: 2.5, Message: "starting"}, {Progress: 3.5, Message: "reading"}, {Progress: 4.5, Message: "writing"}}, reports)
		assert.Equal(t, []mcp.TaskStatus{mcp.TaskWorking, mcp.TaskCompleted}, statuses)
		assert.Len(t, events, 6, "progress, and the answers to the call and to each tasks/get")
	})
}

// A callback that panics does not leave the task running.
func TestAPanicCancelsTheTask(t *testing.T) {
	peer := mcptest.NewTransporter(t)
	peer.Expect("tools/call").Return(begun)
	peer.Expect("tasks/cancel", aboutTask())
	chain := Tasks("shop", TasksConfig{OnTask: func(context.Context, string, *mcp.Task) { panic("mine") }})(peer)
	require.PanicsWithValue(t, "mine", func() { _, _ = chain.Request(t.Context(), "tools/call", callNamed("export"), nil) })
}

// A task is picked up by its id, by another program (R286).
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer := mcptest.NewTransporter(t)
		peer.Expect("tasks/get", mcptest.Params(`{"taskId":"t-5"}`)).Return(working)
		peer.Expect("tasks/get").Return(done)
		chain := Tasks("shop", TasksConfig{})(peer)
		began := time.Now()
		result, err := Resume(t.Context(), chain, "shop", "t-5")
		require.NoError(t, err)
		assert.Equal(t, outcome, string(result.Raw()))
		assert.Equal(t, 2*time.Second, time.Since(began), "the first question is asked at once")

		_, err = Resume(t.Context(), chain, "shop", "")
		require.ErrorContains(t, err, "a task needs an id")

		peer.Expect("tasks/get").Return(working)
		_, err = Resume(t.Context(), peer, "shop", "t-5")
		require.ErrorContains(t, err, "the client is made without WithTasks")
	})
}
