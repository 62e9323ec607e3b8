package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// wait is the wait of one call for one task. All of it runs in the goroutine
// that made the call.
type wait struct {
	tasks   *tasks
	caller  context.Context
	onEvent transporters.EventFunc
	id      string

	started time.Time
	asked   time.Duration // spent on answering the server
	maxWait time.Duration // 0 is without end

	seen       *mcp.Task // as it was last
	failures   int       // of tasks/get, in a row
	answered   map[string]bool
	onProgress func(mcp.Progress)
	progress   float64 // as it was last reported
}

func (t *tasks) newWait(ctx context.Context, onEvent transporters.EventFunc) *wait {
	w := &wait{tasks: t, caller: ctx, onEvent: onEvent, started: time.Now(), answered: map[string]bool{}}
	options := transporters.CallOptionsOf(ctx)
	w.onProgress = options.OnProgress
	switch {
	case options.MaxRequestTimeout != nil:
		w.maxWait = max(*options.MaxRequestTimeout, 0)
	case t.cfg.MaxWait == 0:
		w.maxWait = defaultMaxWait
	default:
		w.maxWait = max(t.cfg.MaxWait, 0)
	}
	return w
}

// callContext is for the call that may begin a task: it notes how far the call's
// own progress went, so that what follows goes on from there (R132).
func (w *wait) callContext() context.Context {
	if w.onProgress == nil {
		return w.caller
	}
	return transporters.WithCallOptions(w.caller, func(o *transporters.CallOptions) {
		o.OnProgress = func(p mcp.Progress) {
			w.progress = p.Progress
			w.onProgress(p)
		}
	})
}

// taskContext is for the requests about the task, of which there is no progress
// (R291).
func (w *wait) taskContext(ctx context.Context) context.Context {
	if w.onProgress == nil {
		return ctx
	}
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.OnProgress = nil })
}

// run waits until the task has ended. task is what began it, or nil for one that
// is to be asked for first.
func (w *wait) run(task *mcp.Task) (mcp.Result, error) {
	ended := false // on the server's side, as far as is known
	defer func() {
		if !ended {
			w.giveUp() // also where a callback panicked
		}
	}()
	pause := time.Duration(0)
	isComplete := false // what began a task may lack its outcome; tasks/get has it
	for {
		if task == nil {
			isComplete = true
			var err error
			if task, err = w.poll(pause); err != nil {
				ended = w.isUnreachable(err)
				return mcp.Result{}, err
			}
		}
		w.show(task)
		if task.Status.IsTerminal() && (isComplete || hasOutcome(task)) {
			ended = true
			return w.outcome(task)
		}
		if task.Status == mcp.TaskInputRequired {
			if err := w.answer(task); err != nil {
				return mcp.Result{}, err
			}
		}
		pause = pollInterval(task)
		task = nil
	}
}

func hasOutcome(task *mcp.Task) bool {
	return task.Status == mcp.TaskCancelled || task.Result != nil || task.Error != nil
}

func pollInterval(task *mcp.Task) time.Duration {
	if task.PollInterval == 0 {
		return defaultPollInterval
	}
	return max(task.PollInterval, shortestPollInterval)
}

// poll asks for the task after the pause. Failures on the way are passed over a
// few times, since the task is not touched by them.
func (w *wait) poll(pause time.Duration) (*mcp.Task, error) {
	for {
		if err := w.sleep(pause); err != nil {
			return nil, err
		}
		result, err := w.request(mcp.MethodGetTask, nil)
		if err == nil {
			w.failures = 0
			return w.parse(result)
		}
		w.failures++
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		if w.caller.Err() != nil || failure == nil || !isPassing(failure) || w.failures >= maxPollFailures {
			return nil, w.named(err)
		}
		pause = max(pause, failure.RetryAfter, defaultPollInterval<<w.failures)
	}
}

// isPassing reports whether a later attempt may fare better.
func isPassing(failure *errors.TransporterRequestError) bool {
	switch failure.Kind {
	case errors.KindTransport, errors.KindTimeout, errors.KindSession, errors.KindUnavailable:
		return true
	case errors.KindStatus:
		return failure.Status >= 500 || failure.Status == 429
	default:
		return false
	}
}

// isUnreachable reports whether there is no use in cancelling: the server does
// not answer for the task, or this side is closed.
func (w *wait) isUnreachable(err error) bool {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	return ok && (failure.Kind == errors.KindPeer || failure.Kind == errors.KindClosed || w.failures >= maxPollFailures)
}

func (w *wait) parse(result mcp.Result) (*mcp.Task, error) {
	task, err := mcp.ParseTask(result)
	switch {
	case err != nil:
		return nil, w.failed(errors.KindProtocol, err.Error(), errors.ErrProtocol)
	case task.ID != w.id:
		return nil, w.failed(errors.KindProtocol, fmt.Sprintf("the server tells of the task \"%s\" instead", errors.PeerText(task.ID, maxShown)), errors.ErrProtocol)
	default:
		return task, nil
	}
}

// outcome turns a task that has ended into the result of the call.
func (w *wait) outcome(task *mcp.Task) (mcp.Result, error) {
	switch {
	case task.Status == mcp.TaskCancelled:
		return mcp.Result{}, w.failed(errors.KindProtocol, w.status("the server cancelled it", task), errors.ErrProtocol)
	case task.Status == mcp.TaskFailed && task.Error != nil:
		failure := w.failed(errors.KindPeer, errors.PeerText(task.Error.Message, maxTaskText), nil)
		failure.Code, failure.Data = task.Error.Code, task.Error.Data
		return mcp.Result{}, failure
	case task.Status == mcp.TaskCompleted && task.Result != nil:
		return mcp.NewResult(task.Result), nil
	default:
		return mcp.Result{}, w.failed(errors.KindProtocol, w.status("it ended without an outcome", task), errors.ErrProtocol)
	}
}

// maxTaskText bounds, in bytes, what an error shows of a task's own words.
const maxTaskText = 1000

func (w *wait) status(text string, task *mcp.Task) string {
	if task.StatusMessage == "" {
		return text
	}
	return text + ": " + errors.PeerText(task.StatusMessage, maxTaskText)
}

// show reports a status that is new.
func (w *wait) show(task *mcp.Task) {
	last := w.seen
	w.seen = task
	isNew := last == nil || last.Status != task.Status
	if isNew && w.tasks.cfg.OnTask != nil {
		w.tasks.cfg.OnTask(w.caller, w.tasks.server, task)
	}
	if w.onProgress != nil && task.StatusMessage != "" && (isNew || last.StatusMessage != task.StatusMessage) {
		w.progress++
		w.onProgress(mcp.Progress{Progress: w.progress, Message: task.StatusMessage})
	}
}

// answer answers what the task asks for, each key once (R287).
func (w *wait) answer(task *mcp.Task) error {
	open := mcp.InputRequests{}
	for key, request := range task.InputRequests {
		if !w.answered[key] {
			open[key] = request
		}
	}
	if len(open) == 0 {
		return nil // the server has not got round to the answers yet
	}
	if len(w.answered)+len(open) > maxTaskInputs {
		return w.failed(errors.KindProtocol, fmt.Sprintf("it asks for more than %d things", maxTaskInputs), errors.ErrProtocol)
	}
	responses, err := w.ask(open)
	if err != nil {
		return w.named(err)
	}
	for key, request := range open {
		if responses[key] == nil {
			return w.failed(errors.KindProtocol, fmt.Sprintf("it asks for %s, which nothing here answers", errors.PeerText(request.Method, maxShown)), errors.ErrProtocol)
		}
		w.answered[key] = true
	}
	if _, err := w.request(mcp.MethodUpdateTask, responses); err != nil {
		return w.named(err)
	}
	return nil
}

// ask has the requests answered; the time that takes does not count.
func (w *wait) ask(requests mcp.InputRequests) (mcp.InputResponses, error) {
	if w.tasks.cfg.Answer == nil {
		return nil, nil
	}
	began := time.Now()
	defer func() { w.asked += time.Since(began) }()
	return w.tasks.cfg.Answer(w.caller, requests)
}

// request makes a request about the task.
func (w *wait) request(method string, responses mcp.InputResponses) (mcp.Result, error) {
	params, err := taskParams(w.id)
	if err == nil && responses != nil {
		params, err = params.With("inputResponses", responses)
	}
	if err != nil {
		return mcp.Result{}, w.tasks.failure(method, errors.KindParams, err.Error(), errors.ErrInvalidParams)
	}
	ctx, cancel := w.bounded()
	defer cancel()
	result, err := w.tasks.next.Request(w.taskContext(ctx), method, params, w.onEvent)
	if err != nil && w.caller.Err() == nil && ctx.Err() != nil {
		return result, w.tooLong()
	}
	return result, err
}
