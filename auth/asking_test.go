package auth

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/authtest"
	"github.com/mcp-client-go/mcpclient/internal/pause"
)

// watch is the clock of a call.
type watch struct {
	mu              sync.Mutex
	stopped, resume int
	paused          chan struct{}
}

func (w *watch) Pause() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped++
	close(w.paused)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.resume++
	}
}

func (w *watch) counts() (stopped, resumed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopped, w.resume
}

// The clocks of all who wait for a user stand still while the user is asked.
func TestClocksStandStillWhileAUserIsAsked(t *testing.T) { // P53
	w := authtest.New(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	a := authorizer(t, w, defaults(nil), WithInteraction(func(ctx context.Context, request AuthorizationRequest) (url.Values, error) {
		close(asked)
		<-answer
		return w.Consent(ctx, request.URL)
	}))
	p := a.Principal("")
	var watches []*watch
	var all sync.WaitGroup
	call := func() {
		clock := &watch{paused: make(chan struct{})}
		watches = append(watches, clock)
		all.Go(func() {
			_, err := w.Call(pause.With(context.Background(), clock), p, "/mcp")
			assert.NoError(t, err)
		})
	}
	call()
	call()
	<-asked
	call() // comes when the user is being asked already
	for _, clock := range watches {
		<-clock.paused
		_, resumed := clock.counts()
		assert.Zero(t, resumed)
	}
	close(answer)
	all.Wait()
	for _, clock := range watches {
		stopped, resumed := clock.counts()
		assert.Equal(t, 1, stopped)
		assert.Equal(t, 1, resumed)
	}
}

func TestUsersHaveATimeLimitOfTheirOwn(t *testing.T) {
	w := authtest.New(t)
	a := authorizer(t, w, defaults(func(c *Config) { c.ConsentTimeout = config.Of(20 * time.Millisecond) }),
		WithInteraction(func(ctx context.Context, _ AuthorizationRequest) (url.Values, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}))
	_, err := w.Call(t.Context(), a.Principal(""), "/mcp")
	require.ErrorIs(t, err, errors.ErrAuthorizationDenied)
	require.ErrorContains(t, err, "nobody answered for 20ms (auth.consent_timeout)")

	now := &clock{time.Now()}
	a = authorizer(t, w, defaults(func(c *Config) { c.ConsentTimeout = config.Of(time.Minute) }), WithClock(now.time))
	flow, err := a.Begin(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, now.now.Add(time.Minute), flow.Expires)
}
