package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
)

const (
	// deadline is that of each call. It is far longer than a replacement takes:
	// a call that meets it was forgotten, not unlucky.
	deadline = 30 * time.Second
	// lateness is how long after its deadline a call may return on a machine that
	// does other things as well.
	lateness = 2 * time.Second
)

// record is what became of one call.
type record struct {
	id      string
	once    bool // it must reach one process at most
	took    time.Duration
	outcome string // answered, or which error it was
	wrong   string // what must not be; "" if all is well
	err     error
}

// caller makes one call after the other.
type caller struct {
	number     int
	connection *mcpclient.Connection
	make       maker
	made       int
	records    []record
}

// maker makes a call and compares its answer with what it must be.
type maker func(ctx context.Context, connection *mcpclient.Connection, r *record) error

// call makes one call, of a kind that chance decides, and records its end.
func (c *caller) call(ctx context.Context) record {
	c.made++
	r := record{id: fmt.Sprintf("%d-%d", c.number, c.made)}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	cancelled := rand.N(20) == 0
	if cancelled {
		stop := time.AfterFunc(rand.N(20*time.Millisecond), cancel)
		defer stop.Stop()
	}
	begun := time.Now()
	r.err = c.make(ctx, c.connection, &r)
	r.took = time.Since(begun)
	r.judge(cancelled)
	if r.took > deadline+lateness {
		r.wrong = fmt.Sprintf("returned after %v, its deadline was %v", r.took, deadline)
	}
	c.records = append(c.records, r)
	return r
}

// workOrRead calls the tool of this program's server, or reads its resource.
func workOrRead(ctx context.Context, connection *mcpclient.Connection, r *record) error {
	if r.once = rand.N(10) < 7; r.once {
		return work(ctx, connection, r)
	}
	return read(ctx, connection, r)
}

// work calls the tool. Its answer and everything that is delivered with it must
// bear the call's id.
func work(ctx context.Context, connection *mcpclient.Connection, r *record) error {
	arguments := workArguments{Call: r.id, Ms: rand.N(60), Size: 40}
	if rand.N(50) == 0 {
		arguments.Size = 256 << 10
	}
	var options []mcpclient.CallOption
	if rand.N(4) == 0 {
		options = append(options, mcpclient.OnProgress(func(p mcp.Progress) {
			if p.Message != r.id {
				r.wrong = "got the progress of " + p.Message
			}
		}))
	}
	result, err := connection.CallTool(ctx, "work", arguments, options...)
	if err == nil {
		r.compare(result.Text(), answer(r.id, arguments.Size))
	}
	return err
}

// read reads a resource, which may be asked for again if the process dies.
func read(ctx context.Context, connection *mcpclient.Connection, r *record) error {
	result, err := connection.ReadResource(ctx, "soak://item/"+r.id)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, contents := range result.Contents {
		text.WriteString(contents.Text)
	}
	r.compare(text.String(), answer(r.id, 0))
	return nil
}

func (r *record) compare(got, want string) {
	if got != want {
		r.wrong = fmt.Sprintf("got the answer %.40q, want %.40q", got, want)
	}
}

// judge names the outcome. An error must be of the type that callers are
// promised, and one of those that a dying process can cause.
func (r *record) judge(cancelled bool) {
	_, typed := errors.AsType[*errors.TransporterRequestError](r.err)
	switch {
	case r.err == nil:
		r.outcome = "answered"
	case !typed:
		r.outcome, r.wrong = "other", fmt.Sprintf("the error has type %T: %v", r.err, r.err)
	case errors.Is(r.err, errors.ErrSupervisionExhausted):
		r.outcome = "exhausted"
	case errors.Is(r.err, errors.ErrReconnecting):
		r.outcome = "refused while reconnecting"
	case errors.Is(r.err, context.Canceled):
		r.outcome = "cancelled"
		if !cancelled {
			r.wrong = fmt.Sprintf("nobody cancelled it: %v", r.err)
		}
	case errors.Is(r.err, context.DeadlineExceeded) || errors.Is(r.err, errors.ErrRequestTimeout):
		r.outcome, r.wrong = "timed out", fmt.Sprintf("forgotten until its deadline: %v", r.err)
	case errors.Is(r.err, errors.ErrTransportClosed):
		r.outcome, r.wrong = "closed", fmt.Sprintf("nobody closed it: %v", r.err)
	case errors.Is(r.err, errors.ErrPeerLost) && errors.SafeToRetry(r.err):
		r.outcome = "process lost, not sent"
	case errors.Is(r.err, errors.ErrPeerLost):
		r.outcome = "process lost"
	default:
		r.outcome, r.wrong = "other", fmt.Sprintf("an error that a dying process does not cause: %v", r.err)
	}
}
