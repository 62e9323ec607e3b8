package httplink

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

// keyring is an authorizer whose tokens are t1, t2, ...; each challenge brings the
// next one.
type keyring struct {
	serial  atomic.Int32
	decide  func(ctx context.Context, attempt, status int) (bool, error) // nil: always again
	refuse  error                                                        // of Authorize
	mu      sync.Mutex
	methods []string
	told    []string
}

func newKeyring() *keyring {
	k := &keyring{}
	k.serial.Store(1)
	return k
}

func (k *keyring) Authorize(_ context.Context, method, _ string, header http.Header) error {
	k.mu.Lock()
	k.methods = append(k.methods, method)
	k.mu.Unlock()
	header.Set("Authorization", fmt.Sprintf("Bearer canary-t%d", k.serial.Load()))
	return k.refuse
}

func (k *keyring) Challenged(ctx context.Context, attempt, status int, response, sent http.Header) (bool, error) {
	k.mu.Lock()
	k.told = append(k.told, fmt.Sprintf("%d %d %s %s", attempt, status, sent.Get("Authorization"), response.Get("Dpop-Nonce")))
	k.mu.Unlock()
	if k.decide != nil {
		return k.decide(ctx, attempt, status)
	}
	k.serial.Add(1)
	return true, nil
}

// wanting answers requests without the token by 401.
func wanting(token string, then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.Header().Set("Www-Authenticate", `Bearer scope="x"`)
			reply(w, http.StatusUnauthorized, "text/plain", "token wanted")
			return
		}
		then(w, r)
	}
}

func TestAuthorizerIsAskedForEveryRequest(t *testing.T) { // R112, R268
	var bodies []string
	server := serve(t, wanting("canary-t2", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		switch r.Method {
		case http.MethodPost:
			reply(w, 200, "application/json", answer7)
		case http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	keys := newKeyring()
	link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(keys))
	answer, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.JSONEq(t, answer7, string(answer.Message.Raw))
	require.NoError(t, link.Send(t.Context(), notification()))
	require.ErrorIs(t, link.Listen(t.Context(), protocolHeader(), func() {}), transporters.ErrNotOffered)
	require.NoError(t, link.Terminate(t.Context(), protocolHeader()))
	assert.Equal(t, []string{"POST", "POST", "POST", "GET", "DELETE"}, keys.methods)
	assert.Equal(t, string(call().Frame), bodies[0], "the same request, complete")
	assert.Equal(t, []string{"1 401 Bearer canary-t1 "}, keys.told)
}

func TestAuthorizerLosesToTheCallAndTheConfiguration(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  Config
		call string
		want string
	}{
		"configured": {Config{Token: config.LiteralSecret("static")}, "", "Bearer static"},
		"header":     {Config{Headers: map[string]config.Secret{"authorization": config.LiteralSecret("Basic x")}}, "", "Basic x"},
		"call":       {Config{}, "of-the-call", "Bearer of-the-call"},
	} {
		t.Run(name, func(t *testing.T) {
			var seen string
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				seen = r.Header.Get("Authorization")
				w.WriteHeader(http.StatusUnauthorized)
			})
			test.cfg.BaseURL = server.URL
			keys := newKeyring()
			link, _ := open(t, test.cfg, WithAuthorizer(keys))
			ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) { o.Token = test.call })
			reply, err := link.Exchange(ctx, call(), &sink{})
			require.NoError(t, err)
			assert.Equal(t, http.StatusUnauthorized, reply.Status)
			assert.Equal(t, test.want, seen)
			assert.Empty(t, keys.methods, "a token that is refused starts nothing of its own accord")
			assert.Empty(t, keys.told)
		})
	}
}

func TestAuthorizerLeavesTheAnswer(t *testing.T) {
	server := serve(t, wanting("nobody has it", nil))
	keys := newKeyring()
	keys.decide = func(context.Context, int, int) (bool, error) { return false, nil }
	link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(keys))
	answer, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, answer.Status)
	assert.Equal(t, "token wanted", string(answer.Body))
	assert.Equal(t, `Bearer scope="x"`, answer.Header.Get("Www-Authenticate"))
}

func TestAuthorizationIsBounded(t *testing.T) {
	server := serve(t, wanting("nobody has it", nil))
	keys := newKeyring()
	link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(keys))
	answer, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, answer.Status)
	assert.Len(t, keys.told, maxAuthorizations)
}

func TestAuthorizersThatFail(t *testing.T) {
	server := serve(t, wanting("nobody has it", nil))
	plain := errors.New("no key for this door")
	complete := &errors.TransporterRequestError{Kind: errors.KindAuth, Delivery: errors.DeliveryRefused, Status: 401, Err: errors.ErrAuthRequired}
	keys := newKeyring()
	link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(keys))
	keys.refuse = plain
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, plain)
	require.ErrorIs(t, err, errors.ErrNotSent)
	keys.refuse = nil
	keys.decide = func(context.Context, int, int) (bool, error) { return false, complete }
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrAuthRequired)
	failure, _ := errors.AsType[*errors.TransporterRequestError](err)
	assert.Same(t, complete, failure)
}

// A user may take minutes: the call's context and the link end the wait, and no
// connection is held.
func TestWaitingForAUser(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(wanting("nobody has it", nil))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	waiting := make(chan struct{}, 2)
	keys := newKeyring()
	keys.decide = func(ctx context.Context, _, _ int) (bool, error) {
		waiting <- struct{}{}
		<-ctx.Done()
		return false, context.Cause(ctx)
	}
	link := New("test", Config{BaseURL: server.URL}, WithAuthorizer(keys))
	require.NoError(t, link.Start(t.Context(), nil))
	result := make(chan error, 1)
	begin := func(ctx context.Context) {
		go func() {
			_, err := link.Exchange(ctx, call(), &sink{})
			result <- err
		}()
		<-waiting
	}
	ctx, cancel := context.WithCancel(t.Context())
	begin(ctx)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	begin(t.Context())
	shut(t, link)
	require.ErrorIs(t, <-result, errors.ErrTransportClosed)
	assert.EqualValues(t, 1, connections.Load(), "the connection was free for the second call")
}

func TestNoncesAreToldOf(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Dpop-Nonce", "n1")
		reply(w, 200, "application/json", answer7)
	})
	keys := newKeyring()
	keys.decide = func(_ context.Context, _, status int) (bool, error) { return status != 200, nil }
	link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(keys))
	answer, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.JSONEq(t, answer7, string(answer.Message.Raw))
	assert.Equal(t, []string{"1 200 Bearer canary-t1 n1"}, keys.told)
}

// Tokens of an authorizer are secrets as the configured ones are.
func TestTokensOfAnAuthorizerStaySecret(t *testing.T) { // P104
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("Authorization"), "t1") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		token := r.Header.Get("Authorization")
		reply(w, 400, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"%s, and canary-t1"}}`, token))
	})
	logger, logged := logs()
	link, _ := open(t, Config{BaseURL: server.URL}, WithAuthorizer(newKeyring()), WithLogger(logger))
	answer, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.NotContains(t, string(answer.Message.Raw), "canary")
	assert.NotContains(t, string(answer.Body), "canary")
	require.Error(t, link.Send(t.Context(), notification()))
	assert.NotContains(t, link.Send(t.Context(), notification()).Error(), "canary")
	assert.NotContains(t, logged(), "canary")
}

// The standing stream waits for an authorization as for anything that may pass.
func TestTheStandingStreamOutlivesAMissingAuthorization(t *testing.T) {
	var opened atomic.Int32
	server := serve(t, wanting("canary-t2", func(w http.ResponseWriter, r *http.Request) {
		opened.Add(1)
		events(w, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	}))
	keys := newKeyring()
	keys.decide = func(_ context.Context, _, status int) (bool, error) {
		keys.serial.Store(2) // somebody authorizes meanwhile
		return false, &errors.TransporterRequestError{Kind: errors.KindAuth, Delivery: errors.DeliveryRefused, Status: status, Err: errors.ErrAuthRequired}
	}
	link, box := open(t, Config{BaseURL: server.URL}, WithAuthorizer(keys))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- link.Listen(ctx, protocolHeader(), func() {}) }()
	require.Eventually(t, func() bool { return len(box.all()) > 0 }, 10*time.Second, 5*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	assert.Positive(t, opened.Load())
}
