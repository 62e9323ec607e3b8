//go:build unix

package stdiolink_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
	"github.com/mcp-client-go/mcpclient/transporters/supervise"
)

const callers, each = 24, 100 // calls

// TestFates: calls of every fate, one beside the other, over calls, timers and
// exchanges that are used again. Each gets what is its own, or an error of its own
// kind, whatever becomes of the others, and whatever comes late.
func TestFates(t *testing.T) {
	s := newFateful(t)
	var tally sync.Map
	var wait sync.WaitGroup
	for caller := range callers {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), 7))
			for n := range each {
				fate := fateOf(random)
				outcome := (&fateful{t: t, fate: fate, secret: fmt.Sprintf("secret-%d-%d", caller, n)}).run(s, random)
				tally.Store(fate+": "+outcome, true)
			}
		})
	}
	wait.Wait()
	for _, certain := range []string{"answer: answer", "progress: answer", "long: answer", "panic: panic", "refuse: peer error", "silence: timeout", "cancel: canceled"} {
		assert.Contains(t, keysOf(&tally), certain)
	}
	require.Zero(t, s.Stats().InFlight)
}

func keysOf(tally *sync.Map) (keys []string) {
	tally.Range(func(key, _ any) bool {
		keys = append(keys, key.(string))
		return true
	})
	return keys
}

func newFateful(t *testing.T) *session.Session {
	cfg := stdiolink.Config{
		Command:         []string{os.Args[0]},
		Env:             map[string]config.Secret{"MCPCLIENT_TEST_SERVER": config.LiteralSecret("fates")},
		ShutdownTimeout: config.Of(100 * time.Millisecond),
	}
	link := supervise.New("fates", &supervise.Config{MaxRestarts: 1000, RestartDelay: config.Of(time.Millisecond), WaitForReconnect: config.Of(20 * time.Second)},
		func(context.Context) (transporters.Link, error) { return stdiolink.New("fates", cfg), nil },
		supervise.WithTraits(stdiolink.Traits()))
	settings := session.DefaultSettings()
	settings.Protocol = "2025-11-25"
	s := session.New("fates", settings, link, session.WithOwnedMessages())
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func fateOf(random *rand.Rand) string {
	if random.IntN(800) == 0 {
		return "die"
	}
	all := []string{"answer", "answer", "answer", "slow", "progress", "progress", "long", "refuse", "late", "silence", "cancel", "abort", "panic", "stop"}
	return all[random.IntN(len(all))]
}

// fateful is one call.
type fateful struct {
	t            *testing.T
	fate, secret string
	last         float64
	over         atomic.Bool
}

var errStop, errPanic = errors.New("stopped by its own callback"), errors.New("a callback panicked")

func (f *fateful) run(s *session.Session, random *rand.Rand) (outcome string) {
	defer f.over.Store(true)
	ctx, cancel := context.WithCancelCause(f.t.Context())
	defer cancel(nil)
	ctx = transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) {
		limit := 20 * time.Second
		if f.fate == "silence" || f.fate == "late" {
			limit = 15 * time.Millisecond
		}
		o.RequestTimeout = &limit
		if f.fate == "progress" || f.fate == "panic" || f.fate == "stop" {
			o.OnProgress = func(p mcp.Progress) { f.report(p, cancel) }
		}
	})
	if f.fate == "cancel" {
		defer time.AfterFunc(time.Duration(random.IntN(2000))*time.Microsecond, func() { cancel(errStop) }).Stop()
	}
	if f.fate == "abort" { // somebody, perhaps, and at any time
		s.Abort(mcp.NumberID(uint64(random.IntN(callers * each))))
	}
	result, err := f.request(ctx, s)
	switch {
	case errors.Is(err, errPanic):
		assert.Equal(f.t, "panic", f.fate)
		return "panic"
	case err != nil:
		return f.failed(err)
	}
	var decoded mcp.CallToolResult
	require.NoError(f.t, result.Decode(&decoded))
	want := f.secret
	if f.fate == "long" {
		want = strings.Repeat(f.secret+"\n", 20_000/len(f.secret))
	}
	assert.Equal(f.t, want, decoded.Text())
	assert.NotContains(f.t, []string{"silence", "refuse", "die"}, f.fate)
	return "answer"
}

func (f *fateful) request(ctx context.Context, s *session.Session) (result mcp.Result, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			assert.Equal(f.t, errPanic, recovered)
			err = errPanic
		}
	}()
	return s.Request(ctx, mcp.MethodCallTool, map[string]any{"name": "fate", "arguments": map[string]any{"fate": f.fate, "secret": f.secret}}, nil)
}

func (f *fateful) report(p mcp.Progress, cancel context.CancelCauseFunc) {
	assert.False(f.t, f.over.Load(), "no report after the call")
	assert.Equal(f.t, f.secret, p.Message)
	assert.Equal(f.t, f.last+1, p.Progress, "in order")
	f.last = p.Progress
	switch {
	case f.fate == "panic" && p.Progress == 3:
		panic(errPanic)
	case f.fate == "stop" && p.Progress == 3:
		cancel(errStop)
	}
}

// failed holds that a call fails for a reason that it can have.
func (f *fateful) failed(err error) (outcome string) {
	failure, ok := errors.AsType[*errors.TransporterRequestError](err)
	require.True(f.t, ok, "%v", err)
	switch {
	case errors.Is(err, errors.ErrAborted), errors.Is(err, errors.ErrPeerLost), errors.Is(err, errors.ErrReconnecting), errors.Is(err, errors.ErrNotSent): // others did that
	case errors.Is(err, errStop):
		assert.Contains(f.t, []string{"cancel", "stop"}, f.fate)
		assert.ErrorIs(f.t, err, context.Canceled)
	case errors.Is(err, errors.ErrRequestTimeout):
		assert.Contains(f.t, []string{"silence", "late"}, f.fate)
	case failure.Kind == errors.KindPeer:
		assert.Equal(f.t, "refuse", f.fate)
		assert.Contains(f.t, err.Error(), f.secret)
	default:
		assert.Fail(f.t, "another fate's failure", "%s: %v", f.fate, err)
	}
	return failure.Kind.String()
}
