package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
)

// through serves the server over real connections. What intercept deals with,
// and reports so, does not reach it; a GET has no message.
func through(t *testing.T, server *mcptest.Server, intercept func(w http.ResponseWriter, r *http.Request, m mcp.Message) bool) (url string) {
	t.Helper()
	plain := server.Handler()
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		m, _ := jsonrpc.Scan(body)
		if !intercept(w, r, m) {
			plain.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(endpoint.Close)
	t.Cleanup(server.Close)
	return endpoint.URL
}

func httpSession(t *testing.T, address string, options ...session.Option) *session.Session {
	t.Helper()
	link := httplink.New("peer", httplink.Config{BaseURL: address})
	return newSession(t, link, func(settings *session.Settings) { settings.ConnectBackoff = config.Of(time.Millisecond) }, options...)
}

// gone is the answer of a server that does not know the session.
func gone(w http.ResponseWriter) { http.Error(w, "session not found", http.StatusNotFound) }

func list(t *testing.T, s *session.Session) error {
	t.Helper()
	_, err := s.Request(within(t, 10*time.Second), mcp.MethodListTools, nil, nil)
	return err
}

// TestLateLosersJustRetry: a call of the lost session that hears of the loss
// when another one has already initialized again is sent once more, and nobody
// initializes for it (P79).
func TestLateLosersJustRetry(t *testing.T) {
	const late = 20
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	var waiting atomic.Int32
	release := make(chan struct{})
	s := httpSession(t, through(t, server, func(w http.ResponseWriter, _ *http.Request, m mcp.Message) bool {
		if m.Method != mcp.MethodListPrompts || waiting.Add(1) > late {
			return false
		}
		<-release
		gone(w)
		return true
	}))
	require.NoError(t, list(t, s))
	var calls sync.WaitGroup
	for range late {
		calls.Go(func() {
			_, err := s.Request(within(t, 10*time.Second), mcp.MethodListPrompts, nil, nil)
			assert.NoError(t, err)
		})
	}
	require.Eventually(t, func() bool { return waiting.Load() == late }, 10*time.Second, time.Millisecond)
	server.ForgetSessions()
	require.NoError(t, list(t, s))
	require.Equal(t, 2, server.Count(mcp.MethodInitialize))
	close(release)
	calls.Wait()
	require.Equal(t, 2, server.Count(mcp.MethodInitialize))
	require.EqualValues(t, 1, s.Stats().SessionsLost)
	require.EqualValues(t, 2, s.Stats().Handshakes)
	require.Empty(t, server.Violations())
}

// TestRecoveryRestoresWhatWas: the log level, the subscriptions and the standing
// stream are the new session's, and the old ones are given up (P36, P81).
func TestRecoveryRestoresWhatWas(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly(), mcptest.WithStandaloneStream())
	var streams atomic.Int32 // open ones
	heardOf := make(chan string, 100)
	hear := func(m mcp.Message) { heardOf <- m.Method }
	s := httpSession(t, through(t, server, func(w http.ResponseWriter, r *http.Request, _ mcp.Message) bool {
		if r.Method == http.MethodGet {
			streams.Add(1)
			context.AfterFunc(r.Context(), func() { streams.Add(-1) })
		}
		return false
	}), session.WithHandlers(session.Handlers{Notification: func(_ string, m mcp.Message) { hear(m) }}))
	_, err := s.Request(t.Context(), mcp.MethodSetLevel, map[string]any{"level": "warning"}, nil)
	require.NoError(t, err)
	sub, err := s.Listen(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"demo://greeting"}}, hear)
	require.NoError(t, err)
	for round := 1; round <= 2; round++ {
		server.Await(t, mcp.MethodSubscribe, round)
		require.Eventually(t, func() bool { return streams.Load() == 1 }, 10*time.Second, time.Millisecond, "one stream is open")
		require.Equal(t, 1, server.Sessions())
		for method, notify := range map[string]func(){
			mcp.NotificationResourceUpdated:    func() { server.ResourceUpdated("demo://greeting") },            // subscribed to
			mcp.NotificationToolsListChanged:   func() { server.Notify(mcp.NotificationToolsListChanged, nil) }, // of the subscription
			mcp.NotificationPromptsListChanged: func() { server.Notify(mcp.NotificationPromptsListChanged, nil) },
		} {
			require.Eventually(t, func() bool { // the stream may just be opening
				notify()
				select {
				case got := <-heardOf:
					return got == method
				case <-time.After(10 * time.Millisecond):
					return false
				}
			}, 10*time.Second, time.Millisecond, "round %d: %s", round, method)
			for len(heardOf) > 0 {
				<-heardOf
			}
		}
		require.Equal(t, round, server.Count(mcp.MethodSetLevel))
		require.Equal(t, round, server.Count(mcp.MethodInitialize))
		server.ForgetSessions()
		require.NoError(t, list(t, s))
	}
	server.Await(t, mcp.MethodSubscribe, 3)
	var methods []string // of the last session, with the call that met the loss
	for _, frame := range server.Received() {
		if frame.Method == mcp.MethodInitialize {
			methods = nil
		}
		methods = append(methods, frame.Method)
	}
	require.Equal(t, []string{mcp.MethodInitialize, mcp.NotificationInitialized, mcp.MethodSetLevel}, methods[:3])
	require.ElementsMatch(t, []string{mcp.MethodSubscribe, mcp.MethodListTools}, methods[3:])
	require.NoError(t, sub.Close())
	server.Await(t, mcp.MethodUnsubscribe, 1)
	require.NoError(t, s.Close())
	require.Zero(t, server.Sessions(), "the last session is deleted")
	require.Empty(t, server.Violations())
}

// TestSessionsThatNeverLast: a subscription to a server that forgets each session
// at once makes no storm of handshakes.
func TestSessionsThatNeverLast(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	var forgetful atomic.Bool
	s := httpSession(t, through(t, server, func(w http.ResponseWriter, _ *http.Request, m mcp.Message) bool {
		if !forgetful.Load() || m.Method != mcp.MethodSubscribe {
			return false
		}
		gone(w)
		return true
	}))
	_, err := s.Listen(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"demo://greeting"}}, func(mcp.Message) {})
	require.NoError(t, err)
	forgetful.Store(true)
	server.ForgetSessions()
	require.NoError(t, list(t, s))
	time.Sleep(300 * time.Millisecond)
	// At the start, at the loss, and for a subscription that tries at once and
	// then makes a pause.
	require.LessOrEqual(t, server.Count(mcp.MethodInitialize), 3)
}

// TestRecoveryThatFails: where initializing again fails, all who wait for it are
// told the same, and that their calls were not taken; the next call tries anew.
func TestRecoveryThatFails(t *testing.T) {
	const callers = 20
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	var refuse atomic.Bool
	var refused, lost atomic.Int32
	everybodyHere := make(chan struct{})
	s := httpSession(t, through(t, server, func(w http.ResponseWriter, _ *http.Request, m mcp.Message) bool {
		switch {
		case !refuse.Load():
			return false
		case m.Method == mcp.MethodListTools:
			if lost.Add(1) == callers {
				close(everybodyHere)
			}
			<-everybodyHere
			gone(w)
		case m.Method == mcp.MethodInitialize:
			time.Sleep(50 * time.Millisecond) // until they have all heard of the loss
			refused.Add(1)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			return false
		}
		return true
	}))
	require.NoError(t, list(t, s))
	refuse.Store(true)
	var calls sync.WaitGroup
	for range callers {
		calls.Go(func() {
			err := list(t, s)
			assert.ErrorIs(t, err, errors.ErrSessionLost)
			assert.ErrorIs(t, err, errors.ErrNotSent)
			assert.True(t, errors.SafeToRetry(err))
			failure, _ := errors.AsType[*errors.TransporterRequestError](err)
			assert.Equal(t, 503, failure.Status)
			assert.Equal(t, 7*time.Second, failure.RetryAfter)
		})
	}
	calls.Wait()
	require.LessOrEqual(t, refused.Load(), int32(2), "one handshake for all, or one more for somebody late")
	refuse.Store(false)
	require.Eventually(t, func() bool { return list(t, s) == nil }, 10*time.Second, time.Millisecond)
	require.Equal(t, 2, server.Count(mcp.MethodInitialize))
	require.EqualValues(t, 1, s.Stats().SessionsLost)
}

// TestACallerLeavesARecovery: who does not want to wait any longer goes; the
// handshake is the connection's, and the others get their answers.
func TestACallerLeavesARecovery(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	begun, release := make(chan struct{}), make(chan struct{})
	var handshakes atomic.Int32
	s := httpSession(t, through(t, server, func(_ http.ResponseWriter, _ *http.Request, m mcp.Message) bool {
		if m.Method == mcp.MethodInitialize && handshakes.Add(1) == 2 {
			close(begun)
			<-release
		}
		return false
	}))
	require.NoError(t, list(t, s))
	server.ForgetSessions()
	ctx, cancel := context.WithCancel(t.Context())
	left, stayed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Request(ctx, mcp.MethodListTools, nil, nil)
		left <- err
	}()
	<-begun
	go func() { stayed <- list(t, s) }()
	cancel()
	err := <-left
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, errors.SafeToRetry(err), "it was refused, and not sent again")
	close(release)
	require.NoError(t, <-stayed)
	require.EqualValues(t, 2, handshakes.Load())
}

// TestALostSessionOfAnUpgradedServer: the server has lost its sessions because a
// newer one has taken its place, which knows no handshake.
func TestALostSessionOfAnUpgradedServer(t *testing.T) {
	old, fresh := mcptest.NewDemoServer(mcptest.LegacyOnly()), mcptest.NewDemoServer(mcptest.ModernOnly())
	t.Cleanup(fresh.Close)
	var upgraded atomic.Bool
	replacement := fresh.Handler()
	s := httpSession(t, through(t, old, func(w http.ResponseWriter, r *http.Request, _ mcp.Message) bool {
		if upgraded.Load() {
			if r.Header.Get(mcp.HeaderSessionID) != "" {
				gone(w)
				return true
			}
			replacement.ServeHTTP(w, r)
		}
		return upgraded.Load()
	}))
	require.NoError(t, list(t, s))
	upgraded.Store(true)
	require.NoError(t, list(t, s))
	info, err := s.ServerInfo(t.Context())
	require.NoError(t, err)
	require.Equal(t, mcp.EraModern, info.Era)
	require.NoError(t, list(t, s))
	require.Empty(t, fresh.Violations())
}

// TestStandingStreamDoesNoHarm: whatever becomes of the GET, no call notices, and
// no session is taken for lost (R103).
func TestStandingStreamDoesNoHarm(t *testing.T) {
	status := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	for name, get := range map[string]func(http.ResponseWriter, *http.Request){
		"405": status(405), "404": status(404), "400": status(400), "409": status(409), "401": status(401), "500": status(500), "503": status(503),
		"a page": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, statusPage) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://example.com/", http.StatusFound)
		},
		"no headers":                func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"no events":                 endlessSilence,
		"dropped before the header": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"dropped at once":           func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", statusStream) },
		"dropped, to be asked again at once": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", statusStream)
			_, _ = io.WriteString(w, "id: 1\nretry: 0\n\n")
		},
		"rubbish": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", statusStream)
			_, _ = io.WriteString(w, "data: {oops\n\ndata: [1]\n\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := mcptest.NewDemoServer(mcptest.LegacyOnly())
			var gets atomic.Int32
			s := httpSession(t, through(t, server, func(w http.ResponseWriter, r *http.Request, _ mcp.Message) bool {
				if r.Method != http.MethodGet {
					return false
				}
				gets.Add(1)
				get(w, r)
				return true
			}), session.WithHandlers(session.Handlers{Notification: func(string, mcp.Message) {}}))
			for range 50 {
				require.NoError(t, list(t, s))
			}
			require.Eventually(t, func() bool { return gets.Load() > 0 }, 10*time.Second, time.Millisecond)
			for range 50 {
				require.NoError(t, list(t, s))
			}
			require.LessOrEqual(t, gets.Load(), int32(4), "no storm")
			require.EqualValues(t, 1, s.Stats().Handshakes)
			require.Zero(t, s.Stats().SessionsLost)
			require.NoError(t, s.Close())
			require.Empty(t, server.Violations())
		})
	}
}

func endlessSilence(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", statusStream)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// TestStandingStreamTellsOfTheLoss: a stream that was open and is refused with
// 404 afterwards says that the session is gone (R101): no call is sent to it any
// more, and the next one initializes.
func TestStandingStreamTellsOfTheLoss(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	listed := make(chan struct{})
	var gets atomic.Int32
	s := httpSession(t, through(t, server, func(w http.ResponseWriter, r *http.Request, _ mcp.Message) bool {
		if r.Method != http.MethodGet {
			return false
		}
		switch gets.Add(1) {
		case 1:
			w.Header().Set("Content-Type", statusStream)
			_, _ = io.WriteString(w, "id: 1\nretry: 50\n\n")
		case 2:
			select {
			case <-listed: // lest the session is lost before it was used
			case <-r.Context().Done():
			}
			server.ForgetSessions()
			gone(w)
		default:
			endlessSilence(w, r)
		}
		return true
	}), session.WithHandlers(session.Handlers{Notification: func(string, mcp.Message) {}}))
	require.NoError(t, list(t, s))
	close(listed)
	require.Eventually(t, func() bool { return s.Stats().SessionsLost == 1 }, 10*time.Second, time.Millisecond)
	require.NoError(t, list(t, s))
	require.EqualValues(t, 2, s.Stats().Handshakes)
	require.Equal(t, 2, server.Count(mcp.MethodListTools), "none was sent in vain")
	require.Eventually(t, func() bool { return gets.Load() == 3 }, 10*time.Second, time.Millisecond, "the new session has its stream")
	require.Empty(t, server.Violations())
}

// TestABatchIsTakenApart: a server of 2025-03-26 answers with an array; what it
// asks in it is answered, what it reports is heard (R018, R111).
func TestABatchIsTakenApart(t *testing.T) {
	for _, media := range []string{statusJSON, statusStream} {
		server := mcptest.NewDemoServer(mcptest.LegacyOnly(mcp.Version20250326))
		answers := make(chan string, 10)
		s := httpSession(t, through(t, server, func(w http.ResponseWriter, r *http.Request, m mcp.Message) bool {
			switch {
			case m.Method == mcp.MethodCallTool:
				batch := `[{"jsonrpc":"2.0","id":"s-1","method":"ping"},{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` +
					string(progressToken(m)) + `,"progress":1}},` + `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"content":[]}},{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}]`
				w.Header().Set("Content-Type", media)
				if media == statusStream {
					batch = statusEvents(batch)
				}
				_, _ = io.WriteString(w, batch)
			case m.Kind() == mcp.KindResponse:
				answers <- string(m.Raw)
				w.WriteHeader(http.StatusAccepted)
			default:
				return false
			}
			return true
		}))
		var seen []string
		_, err := s.Request(within(t, 10*time.Second), mcp.MethodCallTool, map[string]any{"name": "echo"}, func(m mcp.Message) { seen = append(seen, m.Method) })
		require.NoError(t, err)
		require.Equal(t, "", seen[len(seen)-1], "the answer is the last")
		slices.Sort(seen)
		require.Equal(t, []string{"", mcp.NotificationMessage, mcp.NotificationProgress, mcp.MethodPing}, seen)
		require.JSONEq(t, `{"jsonrpc":"2.0","id":"s-1","result":{}}`, <-answers)
	}
}

// progressToken is what the request wants its progress to be reported under.
func progressToken(m mcp.Message) json.RawMessage {
	var params struct {
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &params)
	return params.Meta.ProgressToken
}

// TestClosedWhileSubscribingAgain: a subscription that is closed before the new
// session has answered does not stay behind in it.
func TestClosedWhileSubscribingAgain(t *testing.T) {
	server := mcptest.NewDemoServer(mcptest.LegacyOnly())
	begun, release := make(chan struct{}), make(chan struct{})
	var subscribed atomic.Int32
	s := httpSession(t, through(t, server, func(_ http.ResponseWriter, _ *http.Request, m mcp.Message) bool {
		if m.Method == mcp.MethodSubscribe && subscribed.Add(1) == 2 {
			close(begun)
			<-release
		}
		return false
	}))
	sub, err := s.Listen(t.Context(), mcp.SubscriptionFilter{ResourceSubscriptions: []string{"demo://greeting"}}, func(mcp.Message) {})
	require.NoError(t, err)
	server.ForgetSessions()
	require.NoError(t, list(t, s))
	<-begun
	require.NoError(t, sub.Close())
	close(release)
	server.Await(t, mcp.MethodUnsubscribe, 1)
}
