package pool_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/pool"
)

func TestLeastLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{}, 3)
		var done []<-chan ended
		for range 9 {
			done = append(done, call(t.Context(), p, "x"))
			synctest.Wait()
		}
		for _, f := range fakes {
			_, most := f.count()
			assert.Equal(t, 3, most, f.name)
		}
		fakes[1].finish()
		synctest.Wait()
		done = append(done, call(t.Context(), p, "y"))
		synctest.Wait()
		assert.Equal(t, "y", fakes[1].calls[len(fakes[1].calls)-1], "it has the fewest now")
		for _, f := range fakes {
			close(f.release)
		}
		for _, d := range done {
			require.NoError(t, (<-d).err)
		}
	})
}

// Processes are started as they are needed.
func TestOneCallAfterTheOtherUsesOneInstance(t *testing.T) {
	p, fakes := newPool(t, pool.Config{}, 3)
	for _, f := range fakes {
		f.serve = answers
		f.become(transporters.StateIdle)
	}
	fakes[1].become(transporters.StateReady)
	for range 5 {
		assert.Equal(t, "b", instanceOf(t, <-call(t.Context(), p, "x")), "the one that is ready")
	}
}

func TestWhichInstanceIsFit(t *testing.T) {
	for name, test := range map[string]struct {
		states []transporters.State
		want   string
	}{
		"ready before starting":           {[]transporters.State{transporters.StateStarting, transporters.StateReady}, "b"},
		"starting before reconnecting":    {[]transporters.State{transporters.StateReconnecting, transporters.StateStarting}, "b"},
		"reconnecting before exhausted":   {[]transporters.State{transporters.StateExhausted, transporters.StateReconnecting}, "b"},
		"idle before reconnecting":        {[]transporters.State{transporters.StateReconnecting, transporters.StateIdle}, "b"},
		"the first of all that are spent": {[]transporters.State{transporters.StateExhausted, transporters.StateExhausted}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, len(test.states))
			for i, state := range test.states {
				fakes[i].serve = answers
				fakes[i].become(state)
			}
			assert.Equal(t, test.want, instanceOf(t, <-call(t.Context(), p, "x")))
			info, err := p.ServerInfo(t.Context())
			require.NoError(t, err)
			assert.Equal(t, test.want, info.Instructions)
		})
	}
}

func TestACallThatWasNotSentGoesToAnotherInstance(t *testing.T) {
	for name, test := range map[string]struct {
		kind errors.Kind
		err  error
	}{
		"cannot be started": {errors.KindTransport, errors.ErrStartFailed},
		"is being replaced": {errors.KindUnavailable, errors.ErrReconnecting},
		"does not get up":   {errors.KindTimeout, errors.ErrConnectTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, fakes := newPool(t, pool.Config{}, 2)
				fakes[0].serve, fakes[1].serve = refuses(test.kind, test.err), answers
				assert.Equal(t, "b", instanceOf(t, <-call(t.Context(), p, "x")))
				assert.Equal(t, "b", instanceOf(t, <-call(t.Context(), p, "x")))
				calls, _ := fakes[0].count()
				assert.Equal(t, 1, calls, "who refused rests")
				stats := p.Stats()
				assert.Equal(t, []uint64{2, 0, 2}, []uint64{stats.Requests, stats.Failures, stats.Latency.Count()}, "one call, however often it was tried")
				time.Sleep(time.Second)
				assert.Equal(t, "b", instanceOf(t, <-call(t.Context(), p, "x")))
				calls, _ = fakes[0].count()
				assert.Equal(t, 2, calls, "and is given another chance")
			})
		})
	}
}

func TestACallThatMayHaveBeenSentGoesNowhereElse(t *testing.T) {
	for name, err := range map[string]error{
		"lost":        &errors.TransporterRequestError{Kind: errors.KindTransport, Err: errors.ErrPeerLost},
		"answered":    &errors.TransporterRequestError{Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered, Code: -32603},
		"bad params":  &errors.TransporterRequestError{Kind: errors.KindParams, Delivery: errors.DeliveryNotSent},
		"denied":      &errors.TransporterRequestError{Kind: errors.KindDenied, Delivery: errors.DeliveryNotSent},
		"no version":  &errors.TransporterRequestError{Kind: errors.KindVersion, Delivery: errors.DeliveryNotSent},
		"closed":      &errors.TransporterRequestError{Kind: errors.KindClosed, Delivery: errors.DeliveryNotSent, Err: errors.ErrTransportClosed},
		"out of time": &errors.TransporterRequestError{Kind: errors.KindTimeout, Delivery: errors.DeliveryNotSent, Err: errors.ErrRequestTimeout},
		"untyped":     errors.New("what is this?"),
	} {
		t.Run(name, func(t *testing.T) {
			p, fakes := newPool(t, pool.Config{}, 2)
			fakes[0].serve = func(context.Context, string) error { return err }
			_, got := p.Request(t.Context(), "x", nil, nil)
			assert.Equal(t, err, got)
			calls, _ := fakes[1].count()
			assert.Zero(t, calls)
			stats := p.Stats()
			assert.Equal(t, []uint64{1, 1}, []uint64{stats.Requests, stats.Failures})
			assert.EqualValues(t, 1, stats.FailuresByKind.Of(transporters.KindOf(err)))
			assert.Equal(t, transporters.FailureOf("x", err).Text, stats.LastFailure.Text)
		})
	}
}

func TestWhereAllRefuseTheLastSaysWhy(t *testing.T) {
	p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 3)
	for _, f := range fakes {
		f.serve = refuses(errors.KindTransport, errors.ErrStartFailed)
	}
	_, err := p.Request(t.Context(), "x", nil, nil)
	require.ErrorIs(t, err, errors.ErrStartFailed)
	for _, f := range fakes {
		calls, _ := f.count()
		assert.Equal(t, 1, calls, "each is tried once")
	}
	_, err = p.ServerInfo(t.Context())
	require.ErrorIs(t, err, errors.ErrStartFailed)
}

// A call that waited, or was tried before, has the rest of its ceiling only.
func TestTheCeilingCountsFromTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxRequestTimeout: time.Minute}, 2)
		fakes[0].serve = func(ctx context.Context, action string) error {
			time.Sleep(20 * time.Second)
			return refuses(errors.KindTransport, errors.ErrStartFailed)(ctx, action)
		}
		fakes[1].serve = answers
		assert.Equal(t, "b", instanceOf(t, <-call(t.Context(), p, "x")))
		assert.Nil(t, fakes[0].options[0].MaxRequestTimeout, "the session's own will do")
		assert.Equal(t, 40*time.Second, *fakes[1].options[0].MaxRequestTimeout)
	})
}

func TestRequestsAboutATaskGoToTheInstanceThatHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{}, 3)
		hasTask := newTaskInstance(fakes[1])
		p = pool.New("files", pool.Config{}, fakes[0], hasTask, fakes[2])
		defer func() { _ = p.Close() }()
		fakes[0].serve, fakes[2].serve = answers, answers
		fakes[0].become(transporters.StateReconnecting)
		fakes[2].become(transporters.StateReconnecting)
		_, err := p.Request(t.Context(), mcp.MethodCallTool, map[string]string{"name": "long"}, nil)
		require.NoError(t, err)

		fakes[1].become(transporters.StateReconnecting)
		fakes[0].become(transporters.StateReady)
		for _, action := range []string{mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask} {
			_, err = p.Request(t.Context(), action, mcp.TaskParams("t-1"), nil)
			require.NoError(t, err)
		}
		assert.Equal(t, []string{mcp.MethodCallTool, mcp.MethodGetTask, mcp.MethodUpdateTask, mcp.MethodCancelTask}, hasTask.seen)
		_, err = p.Request(t.Context(), mcp.MethodGetTask, mcp.TaskParams("of somebody else"), nil)
		require.NoError(t, err)
		assert.Len(t, fakes[0].calls, 1, "of a task that is not known any instance may tell")
	})
}

// taskInstance answers tool calls with a task.
type taskInstance struct {
	*fake
	seen []string
}

func newTaskInstance(f *fake) *taskInstance { return &taskInstance{fake: f} }

func (i *taskInstance) Request(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
	i.seen = append(i.seen, action)
	return mcp.NewResult([]byte(`{"resultType":"task","taskId":"t-1","status":"working"}`)), nil
}

func TestTheLogLevelGoesToAll(t *testing.T) {
	p, fakes := newPool(t, pool.Config{}, 3)
	for _, f := range fakes {
		f.serve = answers
	}
	_, err := p.Request(t.Context(), mcp.MethodSetLevel, nil, nil)
	require.NoError(t, err)
	for _, f := range fakes {
		assert.Equal(t, []string{mcp.MethodSetLevel}, f.calls, f.name)
	}
	fakes[2].serve = refuses(errors.KindTransport, errors.ErrStartFailed)
	_, err = p.Request(t.Context(), mcp.MethodSetLevel, nil, nil)
	require.ErrorIs(t, err, errors.ErrStartFailed)
}

func TestStateIsThatOfTheLiveliest(t *testing.T) {
	p, fakes := newPool(t, pool.Config{}, 2)
	ascending := []transporters.State{
		transporters.StateExhausted, transporters.StateIdle, transporters.StateStarting,
		transporters.StateReconnecting, transporters.StateReady,
	}
	for i, livelier := range ascending {
		for _, other := range ascending[:i+1] {
			fakes[0].become(livelier)
			fakes[1].become(other)
			assert.Equal(t, livelier, p.State(), "%v beside %v", livelier, other)
		}
	}
}

func TestStatsAreSummed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 2)
		fakes[0].stats = transporters.Stats{Handshakes: 1, SessionsLost: 2, Orphans: 3, Requests: 100}
		fakes[1].stats = transporters.Stats{Handshakes: 10, SessionsLost: 20, Orphans: 30, InFlight: 100}
		for range 3 {
			call(t.Context(), p, "x")
		}
		synctest.Wait()
		assert.Equal(t, transporters.Stats{InFlight: 3, Queued: 1, Requests: 3, Handshakes: 11, SessionsLost: 22, Orphans: 33}, p.Stats(),
			"who waits for a place is in flight")
	})
}

func TestCloseEndsAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 2)
		running := []<-chan ended{call(t.Context(), p, "x"), call(t.Context(), p, "x")}
		synctest.Wait()
		inLine := call(t.Context(), p, "x")
		synctest.Wait()
		err := p.Close()
		require.ErrorContains(t, err, "a closed badly")
		require.ErrorContains(t, err, "b closed badly")
		assert.Equal(t, err, p.Close(), "idempotent")
		for _, r := range running {
			require.NoError(t, (<-r).err)
		}
		waited := <-inLine
		require.ErrorIs(t, waited.err, errors.ErrTransportClosed)
		assert.True(t, errors.SafeToRetry(waited.err))
		assert.Equal(t, transporters.StateClosed, p.State())
		_, err = p.Request(t.Context(), "x", nil, nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		assert.EqualError(t, err, `mcp server "files": x: transport closed`)
		_, err = p.ServerInfo(t.Context())
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		for _, f := range fakes {
			assert.Equal(t, 1, f.closed)
		}
		assert.Zero(t, p.Stats().InFlight)
	})
}

func TestShutdownDrainsTheLineToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, fakes := newPool(t, pool.Config{MaxInFlight: 1}, 1)
		first := call(t.Context(), p, "x")
		synctest.Wait()
		inLine := call(t.Context(), p, "y")
		synctest.Wait()
		down := make(chan error, 1)
		go func() { down <- p.Shutdown(context.Background()) }()
		synctest.Wait()
		_, err := p.Request(t.Context(), "late", nil, nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
		fakes[0].finish()
		require.NoError(t, (<-first).err)
		synctest.Wait()
		fakes[0].finish()
		require.NoError(t, (<-inLine).err)
		require.ErrorContains(t, <-down, "a closed badly")
		require.ErrorContains(t, p.Shutdown(t.Context()), "a closed badly", "idempotent")
		assert.Equal(t, 1, fakes[0].closed)
	})
}

func TestShutdownIsBoundByItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config{}, 2)
		running := call(t.Context(), p, "x")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, p.Shutdown(ctx), context.DeadlineExceeded)
		<-running
	})
}
