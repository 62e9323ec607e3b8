package policy

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// switched is a server that can be switched off: requests then fail on their way.
type switched struct {
	mu    sync.Mutex
	fails error
	takes time.Duration
	seen  []string
}

func (s *switched) set(fails error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = fails
}

func (s *switched) take() (seen []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, s.seen = s.seen, nil
	return seen
}

func (s *switched) Request(ctx context.Context, action string, _ any, onEvent transporters.EventFunc) (mcp.Result, error) {
	s.mu.Lock()
	s.seen = append(s.seen, action)
	err := s.fails
	s.mu.Unlock()
	if onEvent != nil {
		onEvent(mcp.Message{})
	}
	if s.takes > 0 {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return mcp.Result{}, failureOf(errors.KindCanceled, errors.DeliveryUnknown, ctx.Err())
		}
	}
	if err != nil {
		return mcp.Result{}, err
	}
	return mcp.NewResult([]byte(`{}`)), nil
}

func dead() error {
	return &errors.TransporterRequestError{Server: "s", Kind: errors.KindTransport, Delivery: errors.DeliveryNotSent,
		Message: "connection refused", Err: errors.ErrNotSent, Stderr: "a long story"}
}

func ask(ctx context.Context, chain transporters.Transporter, action string) error {
	_, err := chain.Request(ctx, action, nil, nil)
	return err
}

// Transport failures open the circuit, nothing else does.
func TestVerdictOf(t *testing.T) {
	peerError := &errors.TransporterRequestError{Kind: errors.KindPeer, Delivery: errors.DeliveryAnswered, Code: -32603}
	for name, test := range map[string]struct {
		err  error
		want verdict
	}{
		"a result":               {nil, healthy},
		"a JSON-RPC error":       {peerError, healthy},
		"connection refused":     {dead(), onTheWay},
		"did not start":          {failureOf(errors.KindTransport, errors.DeliveryNotSent, errors.ErrStartFailed), onTheWay},
		"peer lost":              {failureOf(errors.KindTransport, errors.DeliveryUnknown, errors.ErrPeerLost), onTheWay},
		"our timeout":            {failureOf(errors.KindTimeout, errors.DeliveryUnknown, errors.ErrRequestTimeout), onTheWay},
		"connect timeout":        {failureOf(errors.KindTimeout, errors.DeliveryNotSent, errors.Join(errors.ErrConnectTimeout, errors.ErrRequestTimeout)), onTheWay},
		"502":                    {status(502, 0), onTheWay},
		"503":                    {status(503, time.Second), onTheWay},
		"504":                    {status(504, 0), onTheWay},
		"500":                    {status(500, 0), healthy},
		"429":                    {status(429, time.Second), healthy},
		"404":                    {status(404, 0), healthy},
		"wants authorization":    {failureOf(errors.KindAuth, errors.DeliveryRefused, errors.ErrAuthRequired), healthy},
		"forgot the session":     {failureOf(errors.KindSession, errors.DeliveryRefused, errors.ErrSessionLost), healthy},
		"speaks nonsense":        {failureOf(errors.KindProtocol, errors.DeliveryUnknown, errors.ErrProtocol), healthy},
		"speaks another version": {failureOf(errors.KindVersion, errors.DeliveryRefused, errors.ErrVersionMismatch), healthy},
		"talks too much":         {failureOf(errors.KindUnavailable, errors.DeliveryUnknown, errors.ErrDeliveryDropped), healthy},
		"the caller gave up":     {failureOf(errors.KindCanceled, errors.DeliveryUnknown, context.Canceled), noEvidence},
		"the caller's deadline":  {failureOf(errors.KindTimeout, errors.DeliveryUnknown, context.DeadlineExceeded), noEvidence},
		"limited":                {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrLimited), noEvidence},
		"being replaced":         {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrReconnecting), noEvidence},
		"budget spent":           {failureOf(errors.KindUnavailable, errors.DeliveryNotSent, errors.ErrSupervisionExhausted), noEvidence},
		"closed":                 {failureOf(errors.KindClosed, errors.DeliveryNotSent, errors.ErrTransportClosed), noEvidence},
		"denied":                 {failureOf(errors.KindDenied, errors.DeliveryNotSent, errors.ErrToolDenied), noEvidence},
		"bad params":             {failureOf(errors.KindParams, errors.DeliveryNotSent, errors.ErrInvalidParams), noEvidence},
		"bare cancellation":      {context.Canceled, noEvidence},
		"a panic":                {errPanicked, noEvidence},
		"of an unknown kind":     {errors.New("x"), onTheWay},
	} {
		assert.Equal(t, test.want, verdictOf(test.err), name)
	}
}

func breaking3(next transporters.Transporter) transporters.Transporter {
	return Breaker("s", BreakerConfig{Failures: 3, OpenFor: config.Of(30 * time.Second), Probes: 1}, nil)(next)
}

func TestBreakerOpensAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &switched{}
		var log bytes.Buffer
		chain := Breaker("s", BreakerConfig{Failures: 3, OpenFor: config.Of(30 * time.Second), Probes: 1}, logTo(&log))(server)
		call := func() error { return callTool(t.Context(), chain, "t") }

		server.set(dead())
		require.ErrorIs(t, call(), errors.ErrNotSent)
		require.ErrorIs(t, call(), errors.ErrNotSent)
		server.set(&errors.TransporterRequestError{Kind: errors.KindPeer, Code: -32603})
		require.Error(t, call())
		server.set(dead())
		require.ErrorIs(t, call(), errors.ErrNotSent)
		require.ErrorIs(t, call(), errors.ErrNotSent)
		require.ErrorIs(t, call(), errors.ErrNotSent, "an answer, be it an error, had ended the row")
		server.take()

		time.Sleep(10 * time.Second)
		err := call()
		require.ErrorIs(t, err, errors.ErrCircuitOpen)
		assert.EqualError(t, err, `mcp server "s": tools/call: 3 requests in a row failed on their way, the last one: connection refused; the server is tried again in 20.001s: circuit open`)
		assert.NotErrorIs(t, err, errors.ErrPeerLost)
		failure, _ := errors.AsType[*errors.TransporterRequestError](err)
		assert.Equal(t, errors.KindUnavailable, failure.Kind)
		assert.True(t, errors.SafeToRetry(err))
		assert.Empty(t, server.take(), "nothing is sent")
		assert.Equal(t, 20*time.Second+time.Millisecond, failure.RetryAfter)

		time.Sleep(failure.RetryAfter)
		require.ErrorIs(t, call(), errors.ErrCircuitOpen, "the server is still away")
		assert.Equal(t, []string{"ping"}, server.take(), "a ping goes before a request that does something")
		require.ErrorIs(t, call(), errors.ErrCircuitOpen)
		assert.Empty(t, server.take())

		time.Sleep(30*time.Second + time.Millisecond)
		server.set(nil)
		require.NoError(t, call())
		assert.Equal(t, []string{"ping", "tools/call"}, server.take())
		require.NoError(t, call())
		assert.Equal(t, []string{"tools/call"}, server.take(), "it is closed")
		assert.Equal(t, 1, strings.Count(log.String(), "is closed"))
		assert.Equal(t, 2, strings.Count(log.String(), "is open"))
		assert.NotContains(t, log.String(), "long story")
	})
}

// A request of a caller that only reads tries the server itself.
func TestBreakerLetsAReadingRequestTry(t *testing.T) {
	for _, action := range []string{"tools/list", "resources/read", "ping"} {
		synctest.Test(t, func(t *testing.T) {
			server := &switched{fails: dead()}
			chain := breaking3(server)
			for range 3 {
				require.Error(t, ask(t.Context(), chain, action))
			}
			time.Sleep(31 * time.Second)
			server.take()
			require.ErrorIs(t, ask(t.Context(), chain, action), errors.ErrNotSent, "it is told why itself")
			require.ErrorIs(t, ask(t.Context(), chain, action), errors.ErrCircuitOpen, "open again, for another time")
			time.Sleep(31 * time.Second)
			server.set(failureOf(errors.KindPeer, errors.DeliveryAnswered, nil))
			require.Error(t, ask(t.Context(), chain, action))
			server.set(nil)
			require.NoError(t, callTool(t.Context(), chain, "t"), "an error answer has closed it")
			assert.Equal(t, []string{action, action, "tools/call"}, server.take())
		})
	}
}

// While the server is tried everybody else fails at once.
func TestBreakerTriesOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &switched{fails: dead()}
		chain := Breaker("s", BreakerConfig{Failures: 1, OpenFor: config.Of(time.Second), Probes: 1}, nil)(server)
		require.Error(t, ask(t.Context(), chain, "tools/list"))
		time.Sleep(1001 * time.Millisecond)
		server.set(nil)
		server.takes = time.Second
		server.take()
		var trying sync.WaitGroup
		trying.Go(func() { assert.NoError(t, callTool(t.Context(), chain, "t")) })
		synctest.Wait()
		for range 10 {
			err := ask(t.Context(), chain, "tools/list")
			require.ErrorIs(t, err, errors.ErrCircuitOpen)
			assert.ErrorContains(t, err, "the server is tried again just now")
			failure, _ := errors.AsType[*errors.TransporterRequestError](err)
			assert.Equal(t, time.Second, failure.RetryAfter)
		}
		trying.Wait()
		assert.Equal(t, []string{"ping", "tools/call"}, server.take())
	})
}

// As many as configured must get through before all do.
func TestBreakerTriesAsOftenAsConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &switched{fails: dead()}
		chain := Breaker("s", BreakerConfig{Failures: 1, OpenFor: config.Of(time.Second), Probes: 3}, nil)(server)
		require.Error(t, ask(t.Context(), chain, "tools/list"))
		time.Sleep(1001 * time.Millisecond)
		server.set(nil)
		server.take()
		require.NoError(t, ask(t.Context(), chain, "tools/list"))
		require.NoError(t, callTool(t.Context(), chain, "t"))
		assert.Equal(t, []string{"tools/list", "ping", "ping", "tools/call"}, server.take())
		require.NoError(t, callTool(t.Context(), chain, "t"))
		assert.Equal(t, []string{"tools/call"}, server.take())
	})
}

// That callers give up, and that callbacks panic, neither opens the circuit nor
// keeps it open.
func TestBreakerTakesNoEvidenceFromCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &switched{takes: time.Minute}
		chain := Breaker("s", BreakerConfig{Failures: 1, OpenFor: config.Of(time.Second), Probes: 1}, nil)(server)
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			require.ErrorIs(t, callTool(ctx, chain, "t"), context.DeadlineExceeded)
			cancel()
			assert.Panics(t, func() {
				_, _ = chain.Request(t.Context(), "tools/call", nil, func(mcp.Message) { panic("x") })
			})
		}
		server.takes = 0
		require.NoError(t, callTool(t.Context(), chain, "t"), "it was never open")

		server.set(dead())
		require.Error(t, callTool(t.Context(), chain, "t"))
		time.Sleep(1001 * time.Millisecond)
		server.set(nil)
		server.takes = time.Minute
		server.take()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := callTool(ctx, chain, "t")
		require.ErrorIs(t, err, context.DeadlineExceeded, "the caller gave up during the ping")
		assert.True(t, errors.SafeToRetry(err), "the request itself was not sent")
		assert.ErrorContains(t, err, `mcp server "s": tools/call: `)
		assert.Panics(t, func() {
			_, _ = chain.Request(t.Context(), "tools/list", nil, func(mcp.Message) { panic("x") })
		}, "the next one may try at once")
		server.takes = 0
		require.NoError(t, callTool(t.Context(), chain, "t"))
		assert.Equal(t, []string{"ping", "tools/list", "ping", "tools/call"}, server.take())
	})
}

// The ping that tries the server has no progress to show, and is not waited for
// longer than it takes to know.
func TestBreakerBoundsItsPing(t *testing.T) {
	var silences []time.Duration
	next := transporters.TransporterFunc(func(ctx context.Context, action string, _ any, _ transporters.EventFunc) (mcp.Result, error) {
		options := transporters.CallOptionsOf(ctx)
		if action != mcp.MethodPing {
			return mcp.Result{}, dead()
		}
		assert.Nil(t, options.OnProgress)
		assert.Equal(t, "alice", options.Principal)
		silences = append(silences, *options.RequestTimeout)
		return mcp.Result{}, nil
	})
	for _, own := range []time.Duration{-1, 0, time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			chain := Breaker("s", BreakerConfig{Failures: 1, OpenFor: config.Of(time.Second), Probes: 1}, nil)(next)
			ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
				o.Principal, o.OnProgress = "alice", func(mcp.Progress) {}
				if own >= 0 {
					o.RequestTimeout = &own
				}
			})
			require.Error(t, callTool(ctx, chain, "t"))
			time.Sleep(1001 * time.Millisecond)
			require.ErrorIs(t, callTool(ctx, chain, "t"), errors.ErrNotSent)
		})
	}
	assert.Equal(t, []time.Duration{probeSilence, probeSilence, time.Second, probeSilence}, silences)
}

func TestBreakerIsOffUnlessConfigured(t *testing.T) {
	var next switched
	assert.Same(t, &next, Breaker("s", BreakerConfig{Probes: 1}, nil)(&next))
}
