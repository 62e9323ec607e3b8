package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
)

// worker does the jobs of a queue, some at once.
type worker struct {
	tools  mcpclient.ToolCaller
	queue  *queue
	atOnce int
	pause  time.Duration // before a job's second try; doubles with each further one
}

// maxTries is how often a job is tried.
const maxTries = 5

// run returns when there is nothing left to do, or after ctx ended. What is at hand
// then is finished: its calls have their own limit (request_timeout).
func (w *worker) run(ctx context.Context) {
	var working sync.WaitGroup
	for range w.atOnce {
		working.Go(func() {
			for {
				job, ok := w.queue.take(ctx)
				if !ok {
					return
				}
				w.do(context.WithoutCancel(ctx), job)
				if ctx.Err() != nil {
					return
				}
			}
		})
	}
	working.Wait()
}

// do tries a job once.
func (w *worker) do(ctx context.Context, job job) {
	result, err := w.tools.CallTool(ctx, "work", map[string]any{"text": job.Text})
	switch {
	case err == nil && !result.IsError:
		w.queue.done()
	case err == nil: // the tool ran and failed: it would fail again
		slog.Error("the tool refuses a job", "job", job.ID, "reason", result.Text())
		w.queue.giveUp()
	case job.Tries+1 < maxTries && mayTryAgain(job, err):
		slog.Info("a job is tried again", "job", job.ID, "error", err)
		w.queue.putBack(job, w.pause<<job.Tries)
	default:
		slog.Error("a job is given up", "job", job.ID, "tries", job.Tries+1, "error", err)
		w.queue.giveUp()
	}
}

// mayTryAgain reports whether another try can help, and does no harm. A call that
// was lost with its server may have done its work: only what may be done twice is
// tried again then.
func mayTryAgain(job job, err error) bool {
	switch {
	case errors.SafeToRetry(err):
		return true
	case errors.Is(err, errors.ErrPeerLost), errors.Is(err, errors.ErrRequestTimeout):
		return job.Repeatable
	default:
		return false
	}
}
