package mcpclient_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// heldBase answers "hold" when it is released or closed, all else at once.
type heldBase struct {
	transporters.Base // nil: what is not here is not called
	release           chan struct{}
	closed            chan struct{}
	once              sync.Once
	running           sync.WaitGroup
	failing           error // of Close
}

func (b *heldBase) Request(_ context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
	b.running.Add(1)
	defer b.running.Done()
	if action == "hold" {
		select {
		case <-b.release:
		case <-b.closed:
			return mcp.Result{}, errors.ErrTransportClosed
		}
	}
	return mcp.NewResult([]byte(`{}`)), nil
}

func (b *heldBase) State() transporters.State { return transporters.StateReady }
func (b *heldBase) Stats() transporters.Stats { return transporters.Stats{} }

func (b *heldBase) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.failing
}

func (b *heldBase) Shutdown(ctx context.Context) error {
	drained := make(chan struct{})
	go func() { b.running.Wait(); close(drained) }()
	select {
	case <-drained:
		return b.Close()
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), b.Close())
	}
}

func (b *heldBase) isClosed() bool {
	select {
	case <-b.closed:
		return true
	default:
		return false
	}
}

// holder is a factory with the type held; bases holds what was opened.
type holder struct {
	*factory.TransporterFactory
	mu    sync.Mutex
	bases []*heldBase
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	h := &holder{TransporterFactory: factory.New()}
	require.NoError(t, h.Register("held", func(section *config.Section, _ factory.Build) (factory.Blueprint, []errors.Fault) {
		var keys struct {
			Generation int  `config:"generation"`
			Failing    bool `config:"failing"`
		}
		faults := section.Decode(&keys)
		return factory.Blueprint{Open: func(factory.Caller) (transporters.Base, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			base := &heldBase{release: make(chan struct{}), closed: make(chan struct{})}
			if keys.Failing {
				base.failing = errors.New("it hurt")
			}
			h.bases = append(h.bases, base)
			return base, nil
		}}, faults
	}))
	return h
}

func (h *holder) client(t *testing.T, options ...mcpclient.Option) *mcpclient.Client {
	t.Helper()
	client, err := mcpclient.New(generation(t, 1), append(options, mcpclient.WithFactory(h.TransporterFactory))...)
	require.NoError(t, err)
	return client
}

// generation is a configuration whose server a changes with its number.
func generation(t *testing.T, number int) *config.Config {
	t.Helper()
	return parse(t, fmt.Sprintf("servers:\n  a: {type: held, generation: %d}\n  b: {type: held}\n", number))
}

// hold begins a call that is held.
func hold(t *testing.T, client *mcpclient.Client, name string) chan error {
	t.Helper()
	connection := handle(t, client, name)
	result := make(chan error, 1)
	go func() {
		_, err := connection.Request(context.Background(), "hold", nil, nil)
		result <- err
	}()
	synctest.Wait()
	return result
}

// Calls that run when their server is changed or removed finish where they began.
func TestRunningCallsFinishOnTheOldServer(t *testing.T) {
	for _, next := range []string{"servers:\n  a: {type: held, generation: 2}\n", "servers: {}\n"} {
		synctest.Test(t, func(t *testing.T) {
			h := newHolder(t)
			client := h.client(t)
			defer func() { require.NoError(t, client.Close()) }()
			running := hold(t, client, "a")
			_, err := client.Apply(parse(t, next))
			require.NoError(t, err)
			time.Sleep(9 * time.Minute)
			assert.False(t, h.bases[0].isClosed())
			close(h.bases[0].release)
			require.NoError(t, <-running)
			synctest.Wait()
			assert.True(t, h.bases[0].isClosed(), "closed with its last call")
		})
	}
}

func TestTheDrainTimeoutEndsRunningCalls(t *testing.T) {
	for _, next := range []string{"servers:\n  a: {type: held, generation: 2}\n", "servers: {}\n"} {
		synctest.Test(t, func(t *testing.T) {
			h := newHolder(t)
			client := h.client(t, mcpclient.WithDrainTimeout(time.Minute))
			defer func() { require.NoError(t, client.Close()) }()
			begun := time.Now()
			running := hold(t, client, "a")
			_, err := client.Apply(parse(t, next))
			require.NoError(t, err)
			assert.Zero(t, time.Since(begun), "Apply waits for no call")
			require.ErrorIs(t, <-running, errors.ErrTransportClosed)
			assert.Equal(t, time.Minute, time.Since(begun))
		})
	}
}

// Close and Shutdown reach what is still draining.
func TestEndingAClientThatDrains(t *testing.T) {
	begin := func(t *testing.T) (*holder, *mcpclient.Client, [2]chan error) {
		h := newHolder(t)
		client := h.client(t)
		changed, removed := hold(t, client, "a"), hold(t, client, "b")
		_, err := client.Apply(parse(t, "servers:\n  a: {type: held, generation: 2}\n"))
		require.NoError(t, err)
		return h, client, [2]chan error{changed, removed}
	}
	t.Run("Close", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, client, running := begin(t)
			begun := time.Now()
			require.NoError(t, client.Close())
			for _, result := range running {
				require.ErrorIs(t, <-result, errors.ErrTransportClosed)
			}
			assert.Zero(t, time.Since(begun))
		})
	})
	t.Run("Shutdown", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h, client, running := begin(t)
			ended := make(chan error, 1)
			go func() { ended <- client.Shutdown(context.Background()) }()
			synctest.Wait()
			_, err := client.Apply(generation(t, 3))
			require.ErrorIs(t, err, errors.ErrTransportClosed)
			for i, result := range running {
				assert.Empty(t, ended)
				close(h.bases[i].release)
				require.NoError(t, <-result)
				synctest.Wait()
			}
			require.NoError(t, <-ended)
		})
	})
	t.Run("Shutdown gives up with its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, client, running := begin(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			require.ErrorIs(t, client.Shutdown(ctx), context.DeadlineExceeded)
			for _, result := range running {
				require.ErrorIs(t, <-result, errors.ErrTransportClosed)
			}
		})
	})
}

func TestRemoveServerWaitsForRunningCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHolder(t)
		client := h.client(t)
		running := hold(t, client, "a")
		ended := make(chan error, 1)
		go func() { ended <- client.RemoveServer(context.Background(), "a") }()
		synctest.Wait()
		assert.Equal(t, []string{"b"}, client.Servers())
		assert.Empty(t, ended)
		_, err := client.AddServer("a", map[string]any{"type": "held"})
		require.NoError(t, err, "its name is free at once")
		close(h.bases[0].release)
		require.NoError(t, <-running)
		require.NoError(t, <-ended)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		running = hold(t, client, "b")
		require.ErrorIs(t, client.RemoveServer(ctx, "b"), context.DeadlineExceeded)
		require.ErrorIs(t, <-running, errors.ErrTransportClosed)

		running = hold(t, client, "a")
		go func() { ended <- client.RemoveServer(context.Background(), "a") }()
		synctest.Wait()
		require.NoError(t, client.Close())
		require.ErrorIs(t, <-running, errors.ErrTransportClosed)
		require.NoError(t, <-ended, "Close reaches a server that is being removed")
	})
}

// Close does not wait for a constructor of the program's own that a change calls.
func TestCloseDoesNotWaitForAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHolder(t)
		building, built := make(chan struct{}, 1), make(chan struct{})
		var blocks atomic.Bool
		client := h.client(t, mcpclient.Use(func(next transporters.Transporter) transporters.Transporter {
			if blocks.Load() {
				building <- struct{}{}
				<-built
			}
			return next
		}))
		running := hold(t, client, "b")
		blocks.Store(true)
		applied := make(chan error, 1)
		go func() {
			_, err := client.Apply(generation(t, 2))
			applied <- err
		}()
		<-building
		require.NoError(t, client.Close())
		require.ErrorIs(t, <-running, errors.ErrTransportClosed)
		close(built)
		require.ErrorIs(t, <-applied, errors.ErrTransportClosed)
		require.Len(t, h.bases, 1)
		_, err := handle(t, client, "a").Request(t.Context(), "x", nil, nil)
		require.ErrorIs(t, err, errors.ErrTransportClosed)
	})
}

func TestAServerThatDoesNotEndCleanlyIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHolder(t)
		var logged bytes.Buffer
		client := h.client(t, mcpclient.WithSlog(slog.New(slog.NewTextHandler(&logged, nil))))
		apply(t, client, "servers:\n  c: {type: held, failing: true}\n")
		_, err := handle(t, client, "c").Request(t.Context(), "x", nil, nil)
		require.NoError(t, err)
		apply(t, client, "servers:\n  d: {type: held}\n  e: {type: held, bogus: 1}\n")
		synctest.Wait()
		require.NoError(t, client.Close())
		assert.Contains(t, logged.String(), "the configuration has changed")
		assert.Contains(t, logged.String(), `change="added d; removed c; refused e"`)
		assert.Contains(t, logged.String(), "it hurt")
		assert.Contains(t, logged.String(), "bogus: unknown key")
	})
}

// Callers of a server that stays notice nothing of the others' changes; those of a
// server that changes are served by one configuration or the other.
func TestCallsDuringManyChanges(t *testing.T) {
	h := newHolder(t)
	client := h.client(t)
	stop := make(chan struct{})
	var calls sync.WaitGroup
	for i := range 8 {
		connection := handle(t, client, []string{"a", "b"}[i%2])
		calls.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, err := connection.Request(t.Context(), "x", nil, nil)
					assert.NoError(t, err)
				}
			}
		})
	}
	for i := range 200 {
		change, err := client.Apply(generation(t, i+2))
		require.NoError(t, err)
		require.Equal(t, "changed a; 1 unchanged", change.String())
	}
	close(stop)
	calls.Wait()
	require.NoError(t, client.Close())
	for _, base := range h.bases {
		assert.True(t, base.isClosed())
	}
}

// Everything that can be done to a client, at once, until it is closed.
func TestEverythingAtOnce(t *testing.T) {
	h := newHolder(t)
	client := h.client(t)
	var work sync.WaitGroup
	repeat := func(do func(i int)) {
		work.Go(func() {
			for i := range 200 {
				do(i)
			}
		})
	}
	for range 2 {
		repeat(func(i int) { _, _ = client.Apply(generation(t, i)) })
		repeat(func(i int) {
			name := fmt.Sprint("x", i%3)
			if connection, err := client.AddServer(name, map[string]any{"type": "held"}); err == nil {
				_, _ = connection.Request(t.Context(), "x", nil, nil)
			}
			_ = client.RemoveServer(t.Context(), name)
		})
		repeat(func(int) {
			for _, name := range client.Servers() {
				if connection, err := client.Connect(name); err == nil {
					_, err = connection.Request(t.Context(), "x", nil, nil)
					assert.True(t, err == nil || errors.Is(err, errors.ErrTransportClosed), "%v", err)
					_, _, _ = connection.State(), connection.Stats(), connection.Authorizer()
				}
			}
			_ = client.Problems()
		})
	}
	repeat(func(i int) {
		if i == 190 {
			assert.NoError(t, client.Close())
		}
	})
	work.Wait()
	require.NoError(t, client.Close())
	for _, base := range h.bases {
		assert.True(t, base.isClosed())
	}
}
