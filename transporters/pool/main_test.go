package pool_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is an instance whose calls end when the test says so.
type fake struct {
	name  string
	serve func(ctx context.Context, action string) error // nil: until finish

	mu      sync.Mutex
	state   transporters.State
	running int
	most    int
	calls   []string
	options []*transporters.CallOptions
	release chan struct{}
	closed  int
	stats   transporters.Stats
}

func newFake(name string) *fake {
	return &fake{name: name, state: transporters.StateReady, release: make(chan struct{})}
}

func (f *fake) Request(ctx context.Context, action string, params any, onEvent transporters.EventFunc) (mcp.Result, error) {
	f.mu.Lock()
	f.running++
	f.most = max(f.most, f.running)
	f.calls = append(f.calls, action)
	f.options = append(f.options, transporters.CallOptionsOf(ctx))
	serve := f.serve
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.running--
	}()
	if serve != nil {
		if err := serve(ctx, action); err != nil {
			return mcp.Result{}, err
		}
		return mcp.NewResult([]byte(`{"instance":"` + f.name + `"}`)), nil
	}
	select {
	case <-f.release:
		return mcp.NewResult([]byte(`{"instance":"` + f.name + `"}`)), nil
	case <-ctx.Done():
		return mcp.Result{}, context.Cause(ctx)
	}
}

func (f *fake) ServerInfo(ctx context.Context) (transporters.ServerInfo, error) {
	_, err := f.Request(ctx, "", nil, nil)
	return transporters.ServerInfo{Instructions: f.name}, err
}

func (f *fake) State() transporters.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

func (f *fake) become(state transporters.State) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = state
}

func (f *fake) Stats() transporters.Stats { return f.stats }

func (f *fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	f.state = transporters.StateClosed
	select {
	case <-f.release:
	default:
		close(f.release)
	}
	return errors.New(f.name + " closed badly")
}

func (f *fake) Shutdown(context.Context) error { return f.Close() }

// count returns how many calls came, and how many ran at the same time.
func (f *fake) count() (calls, most int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls), f.most
}

// finish lets one call return.
func (f *fake) finish() { f.release <- struct{}{} }

// answers makes an instance answer at once.
func answers(context.Context, string) error { return nil }

// refuses makes an instance refuse every call, unsent.
func refuses(kind errors.Kind, err error) func(context.Context, string) error {
	return func(context.Context, string) error {
		return &errors.TransporterRequestError{Kind: kind, Delivery: errors.DeliveryNotSent, Err: err}
	}
}

// newPool returns a pool of so many fakes, closed at the test's end.
func newPool(t *testing.T, cfg pool.Config, instances int) (*pool.Pool, []*fake) {
	t.Helper()
	var fakes []*fake
	var bases []transporters.Base
	for i := range instances {
		f := newFake(string(rune('a' + i)))
		fakes = append(fakes, f)
		bases = append(bases, f)
	}
	p := pool.New("files", cfg, bases...)
	t.Cleanup(func() { _ = p.Close() })
	return p, fakes
}

// ended is how a call ended.
type ended struct {
	result mcp.Result
	err    error
}

// call makes a call in a goroutine.
func call(ctx context.Context, p *pool.Pool, action string) <-chan ended {
	done := make(chan ended, 1)
	go func() {
		result, err := p.Request(ctx, action, nil, nil)
		done <- ended{result, err}
	}()
	return done
}

// instanceOf returns which instance answered.
func instanceOf(t *testing.T, e ended) string {
	t.Helper()
	require.NoError(t, e.err)
	var answer struct{ Instance string }
	require.NoError(t, e.result.Decode(&answer))
	return answer.Instance
}
