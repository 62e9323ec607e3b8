package httplink

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// Whatever goes wrong, and even where the server repeats what it got, no secret
// reaches an error, a reply's text or the log.
func TestSecretsStaySecret(t *testing.T) {
	const canary = "canary-7f3a"
	everything := func(r *http.Request) string {
		return fmt.Sprint(r.Header.Get("Authorization"), " ", r.Header.Get("X-Key"), " ", r.Header.Get("X-Call"), " ", r.Header.Get("X-Client"))
	}
	answers := map[string]func(w http.ResponseWriter, r *http.Request){
		"web page": func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "text/html", everything(r)) },
		"no JSON":  func(w http.ResponseWriter, r *http.Request) { reply(w, 200, "application/json", everything(r)) },
		"no answer": func(w http.ResponseWriter, r *http.Request) {
			reply(w, 200, "application/json", fmt.Sprintf(`{"x":%q}`, everything(r)))
		},
		"status": func(w http.ResponseWriter, r *http.Request) { reply(w, 401, "text/plain", everything(r)) },
		"JSON-RPC error": func(w http.ResponseWriter, r *http.Request) {
			reply(w, 400, "application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":%q}}`, everything(r)))
		},
		"JSON-RPC error, 200": func(w http.ResponseWriter, r *http.Request) {
			events(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":%q}}`, everything(r)))
		},
		"bad events": func(w http.ResponseWriter, r *http.Request) { events(w, everything(r), everything(r)) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://user:"+canary+"@example.invalid/x?t="+url.QueryEscape(everything(r)))
			w.WriteHeader(302)
		},
		"bad redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://["+everything(r))
			w.WriteHeader(307)
		},
		"unknown encoding": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", everything(r))
			reply(w, 200, "application/json", "x")
		},
		"odd type": func(w http.ResponseWriter, r *http.Request) { reply(w, 200, everything(r), "x") },
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			received := false
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				received = strings.Count(everything(r), canary) == 4
				answer(w, r)
			})
			testSecrets(t, server.URL, canary)
			assert.True(t, received, "the test must send the secrets")
		})
	}
	t.Run("malformed", func(t *testing.T) {
		testSecrets(t, raw(t, func(conn net.Conn, r *http.Request) { _, _ = io.WriteString(conn, everything(r)+"\r\n\r\n") }), canary)
	})
	t.Run("refused", func(t *testing.T) { testSecrets(t, "http://"+closedPort(t), canary) })
}

func testSecrets(t *testing.T, address, canary string) {
	cfg := Config{
		BaseURL: address + "?key=" + canary,
		Token:   config.LiteralSecret(canary),
		Headers: literals("X-Key", "key "+canary),
		Proxy:   config.LiteralSecret("none"),
	}
	logger, text := logs()
	link, _ := open(t, cfg, WithLogger(logger), WithClient(resty.New().SetHeader("X-Client", canary)))
	ctx := withCall(t.Context(), "", http.Header{"X-Call": {canary}})
	got, err := link.Exchange(ctx, call(), &sink{})
	sendErr := link.Send(ctx, notification())
	terminateErr := link.Terminate(ctx, protocolHeader())
	for _, shown := range []string{
		fmt.Sprint(err, sendErr, terminateErr), fmt.Sprintf("%+v %+v %+v", err, sendErr, terminateErr), text(),
		string(got.Body), string(got.Message.Raw), fmt.Sprint(got.Message.Failure()), fmt.Sprintf("%v %+v %#v", cfg, cfg, cfg),
	} {
		assert.NotContains(t, shown, canary)
	}
	for _, err := range []error{err, sendErr} {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			t.Errorf("the URL can be taken out of %v", outer)
		}
	}
}

// A JSON-RPC error with a secret in it is still the answer.
func TestHiddenSecretsKeepTheAnswer(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, "application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":-5,"message":"bad `+r.Header.Get("Authorization")+`"}}`)
	})
	link, _ := open(t, Config{BaseURL: server.URL, Token: config.LiteralSecret("canary-7f3a")})
	got, err := link.Exchange(t.Context(), call(), &sink{})
	require.NoError(t, err)
	assert.Equal(t, "error -5: bad Bearer ***", got.Message.Failure().Error())
}

// Peer text is bounded and its control characters are escaped (P103).
func TestPeerTextIsBounded(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, "text/html", "\x1b[31m"+strings.Repeat("<b>", 10_000))
	})
	link, _ := open(t, Config{BaseURL: server.URL})
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 1000)
	assert.NotContains(t, err.Error(), "\x1b")
}
