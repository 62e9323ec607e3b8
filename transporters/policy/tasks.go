package policy

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// How tasks work (R283-R291). A server may answer tools/call with a task instead
// of a result, once the client has said that it understands them. The policy
// then waits for the task in the goroutine that made the call: it asks
// tasks/get at the pace that the server sets, answers what the task asks for by
// tasks/update, and returns the result as if it had come at once. Every one of
// these requests has its own timeouts; the whole has the ceiling of the policy.
//
// Who stops waiting before the task has ended has it cancelled by tasks/cancel,
// in the background, unless Keep is set. A task that is not cancelled outlives
// the connection: Close and Shutdown end the wait with ErrTransportClosed, but
// not the task. Its id, which OnTask tells, is all that is needed to wait for it
// again (Resume).

// TasksConfig says how tasks are waited for. The zero value waits for an hour
// and answers nothing.
type TasksConfig struct {
	// MaxWait bounds the wait for one task, the time in which people are asked
	// not counted. A call's own MaxRequestTimeout replaces it. 0 means an hour;
	// negative means no bound but the caller's context.
	MaxWait time.Duration
	// Keep leaves a task running when the wait for it ends early.
	Keep bool
	// OnTask, if not nil, sees a task when it begins and whenever its status
	// changes, in the goroutine that made the call. It is where an id is stored
	// for a later Resume (R286).
	OnTask func(ctx context.Context, server string, task *mcp.Task)
	// Answer answers what a task asks for: under each key the bare result
	// (R287). Nil, or a result without one of the keys, fails the call.
	Answer func(ctx context.Context, requests mcp.InputRequests) (mcp.InputResponses, error)
	// Background runs f on a goroutine that somebody waits for, or returns
	// false. Where it is nil or returns false, f runs before the call returns;
	// it takes at most 5 seconds.
	Background func(f func()) bool
	// Life ends the waits, however long the server wants them to be: with
	// ErrTransportClosed. Where it is nil the next tasks/get notices.
	Life context.Context
	// Logger gets what goes wrong in the background; nil discards.
	Logger hclog.Logger
}

const (
	defaultMaxWait = time.Hour
	// defaultPollInterval is for servers that name none, shortestPollInterval
	// for those that name next to none.
	defaultPollInterval  = time.Second
	shortestPollInterval = 50 * time.Millisecond
	// maxPollFailures is how many tasks/get in a row may fail on the way.
	maxPollFailures = 5
	// maxTaskInputs bounds what one task may ask for in all.
	maxTaskInputs = 256
	cancelTimeout = 5 * time.Second
)

// Tasks returns the policy that waits for the tasks of the extension
// io.modelcontextprotocol/tasks. The session must announce the extension. A call
// made with HandOverInput gets the task itself.
//
// A task that failed gives its error, kind KindPeer; one that was cancelled,
// that asks for what cannot be answered, or that says nonsense, an error of kind
// KindProtocol; the end of the wait ErrRequestTimeout or the error of the
// caller's context. All name the task.
func Tasks(server string, cfg TasksConfig) transporters.Wrapper {
	if cfg.Logger == nil {
		cfg.Logger = hclog.NewNullLogger()
	}
	return func(next transporters.Transporter) transporters.Transporter {
		return &tasks{server: server, cfg: cfg, next: next}
	}
}

type tasks struct {
	server string
	cfg    TasksConfig
	next   transporters.Transporter
}

// Request waits for the task if one comes back.
func (t *tasks) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	if resumed := resumptionOf(ctx); resumed != nil && action == mcp.MethodGetTask {
		return t.resume(ctx, resumed, onEvent)
	}
	if action != mcp.MethodCallTool || transporters.CallOptionsOf(ctx).HandOverInput {
		return t.next.Request(ctx, action, params, onEvent)
	}
	w := t.newWait(ctx, onEvent)
	result, err := t.next.Request(w.callContext(), action, params, onEvent)
	if err != nil || result.Type() != mcp.ResultTask {
		return result, err
	}
	task, err := mcp.ParseTask(result)
	if err != nil {
		return mcp.Result{}, t.failure(action, errors.KindProtocol, "the task: "+err.Error(), errors.ErrProtocol)
	}
	w.id = task.ID
	return w.run(task)
}

func (t *tasks) resume(ctx context.Context, resumed *resumption, onEvent transporters.EventFunc) (mcp.Result, error) {
	resumed.taken = true
	w := t.newWait(ctx, onEvent)
	w.id = resumed.id
	return w.run(nil)
}

func (t *tasks) failure(action string, kind errors.Kind, message string, err error) *errors.TransporterRequestError {
	return &errors.TransporterRequestError{
		Server: t.server, Action: action, Kind: kind, Delivery: errors.DeliveryAnswered, Message: message, Err: err,
	}
}

// Resume waits for the task with the id, begun by an earlier call or an earlier
// program, through a chain with the Tasks policy, and returns the result of the
// call that began it. Without that policy it fails, kind KindParams.
func Resume(ctx context.Context, chain transporters.Transporter, server, id string) (mcp.Result, error) {
	params, err := taskParams(id)
	if err != nil {
		return mcp.Result{}, &errors.TransporterRequestError{
			Server: server, Action: mcp.MethodGetTask, Kind: errors.KindParams, Delivery: errors.DeliveryNotSent, Err: err,
		}
	}
	resumed := &resumption{id: id}
	result, err := chain.Request(context.WithValue(ctx, resumptionKey{}, resumed), mcp.MethodGetTask, params, nil)
	if err == nil && !resumed.taken {
		return mcp.Result{}, &errors.TransporterRequestError{
			Server: server, Action: mcp.MethodGetTask, Kind: errors.KindParams, Delivery: errors.DeliveryAnswered,
			Message: "the task was not waited for: the client is made without WithTasks",
		}
	}
	return result, err
}

// resumption travels in the context from Resume to the policy.
type resumption struct {
	id    string
	taken bool // by the policy, in the goroutine of Resume
}

type resumptionKey struct{}

func resumptionOf(ctx context.Context) *resumption {
	resumed, _ := ctx.Value(resumptionKey{}).(*resumption)
	return resumed
}

func taskParams(id string) (*mcp.Params, error) {
	if id == "" {
		return nil, errors.New("a task needs an id")
	}
	return mcp.ParamsOf(map[string]string{"taskId": id})
}
