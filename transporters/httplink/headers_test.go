package httplink

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/transporters"
)

func literals(pairs ...string) map[string]config.Secret {
	m := make(map[string]config.Secret)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = config.LiteralSecret(pairs[i+1])
	}
	return m
}

func withCall(ctx context.Context, token string, header http.Header) context.Context {
	return transporters.WithCallOptions(ctx, func(o *transporters.CallOptions) { o.Token, o.Header = token, header })
}

// echoHeaders is a server that hands over the headers it gets.
func echoHeaders(t *testing.T) (url string, headers chan http.Header) {
	headers = make(chan http.Header, 1)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Host", r.Host)
		headers <- r.Header
		reply(w, 200, "application/json", answer7)
	})
	return server.URL, headers
}

// The protocol's headers win over everything; below them the call's own,
// then the configured ones; headers go before tokens.
func TestHeaderPrecedence(t *testing.T) {
	for name, test := range map[string]struct {
		cfg    Config
		token  string
		header http.Header
		want   map[string]string // "" means absent
	}{
		"nothing": {want: map[string]string{"Authorization": "", "Mcp-Session-Id": "session-1"}},
		"token (R112)": {
			cfg:  Config{Token: config.LiteralSecret("t1")},
			want: map[string]string{"Authorization": "Bearer t1"},
		},
		"headers before token": {
			cfg:  Config{Token: config.LiteralSecret("t1"), Headers: literals("authorization", "Basic eA==", "X-Team", "platform")},
			want: map[string]string{"Authorization": "Basic eA==", "X-Team": "platform"},
		},
		"the call's token before everything configured": {
			cfg:   Config{Token: config.LiteralSecret("t1"), Headers: literals("Authorization", "Basic eA==")},
			token: "t2",
			want:  map[string]string{"Authorization": "Bearer t2"},
		},
		"the call's header before its token": {
			cfg:    Config{Token: config.LiteralSecret("t1"), Headers: literals("X-Team", "platform")},
			token:  "t2",
			header: http.Header{"authorization": {"Custom c"}, "x-team": {"web"}},
			want:   map[string]string{"Authorization": "Custom c", "X-Team": "web"},
		},
		"protocol headers cannot be replaced": {
			cfg:    Config{Headers: literals("Mcp-Session-Id", "evil", "accept", "text/plain", "Content-Type", "text/plain", "mcp-protocol-version", "0")},
			header: http.Header{"Mcp-Session-Id": {"evil"}, "content-type": {"a/b"}, "Content-Length": {"1"}},
			want:   map[string]string{"Mcp-Session-Id": "session-1", "Accept": "application/json, text/event-stream", "Content-Type": "application/json", "Mcp-Protocol-Version": "2025-11-25"},
		},
		"nor added where the protocol sets none": {
			cfg:    Config{Headers: literals("Mcp-Method", "evil", "Mcp-Param-X", "evil")},
			header: http.Header{"Mcp-Name": {"evil"}, "mcp-param-y": {"evil"}, "Last-Event-ID": {"evil"}},
			want:   map[string]string{"Mcp-Method": "", "Mcp-Name": "", "Mcp-Param-X": "", "Mcp-Param-Y": "", "Last-Event-Id": ""},
		},
		"an empty token is none": {cfg: Config{Token: config.NewSecret("${NO_SUCH_VARIABLE:-}")}, want: map[string]string{"Authorization": ""}},
		"host and agent":         {cfg: Config{Headers: literals("Host", "virtual.example", "User-Agent", "me/1")}, want: map[string]string{"Host": "virtual.example", "User-Agent": "me/1"}},
	} {
		t.Run(name, func(t *testing.T) {
			url, headers := echoHeaders(t)
			test.cfg.BaseURL = url
			link, _ := open(t, test.cfg)
			_, err := link.Exchange(withCall(t.Context(), test.token, test.header), call(), &sink{})
			require.NoError(t, err)
			got := <-headers
			for name, want := range test.want {
				if want == "" {
					assert.NotContains(t, got, name)
					continue
				}
				assert.Equal(t, []string{want}, got[name])
			}
		})
	}
}

// Secrets are resolved for each request, so that rotation needs no restart.
func TestSecretsRotate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("old\n"), 0o600))
	url, headers := echoHeaders(t)
	link, _ := open(t, Config{BaseURL: url, Token: config.NewSecret("${file:" + file + "}")})
	for _, token := range []string{"old", "new"} {
		require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
		for range 2 {
			_, err := link.Exchange(t.Context(), call(), &sink{})
			require.NoError(t, err)
			assert.Equal(t, "Bearer "+token, (<-headers).Get("Authorization"))
		}
	}
	require.NoError(t, os.WriteFile(file, []byte("a\r\nX-Injected: 1"), 0o600))
	_, err := link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
	assert.ErrorContains(t, err, "header Authorization")
	assert.NotContains(t, err.Error(), "X-Injected")
	require.NoError(t, os.Remove(file))
	_, err = link.Exchange(t.Context(), call(), &sink{})
	require.ErrorIs(t, err, errors.ErrNotSent)
}

// P2: what a call brings cannot break a header.
func TestHeadersOfACallAreChecked(t *testing.T) {
	link, _ := open(t, Config{BaseURL: "http://" + closedPort(t)})
	for name, ctx := range map[string]context.Context{
		"token": withCall(t.Context(), "canary\r\nX: 1", nil),
		"value": withCall(t.Context(), "", http.Header{"X-A": {"canary\nX: 1"}}),
		"name":  withCall(t.Context(), "", http.Header{"X A": {"canary"}}),
	} {
		_, err := link.Exchange(ctx, call(), &sink{})
		require.ErrorIs(t, err, errors.ErrInvalidParams, name)
		require.ErrorIs(t, err, errors.ErrNotSent, name)
		assert.NotContains(t, err.Error(), "canary")
	}
}

// What links a request to a trace stands below everything else.
func TestTraceHeadersStandBelowEverything(t *testing.T) {
	url, headers := echoHeaders(t)
	link, _ := open(t, Config{BaseURL: url, Headers: literals("X-B3-Traceid", "configured")})
	ctx := withCall(t.Context(), "", http.Header{"Tracestate": {"call=1"}})
	ctx = transporters.WithTraceHeader(ctx, http.Header{
		"traceparent": {"00-a"}, "Tracestate": {"trace=1"}, "X-B3-Traceid": {"trace"},
		"Mcp-Session-Id": {"evil"}, "Accept": {"evil"}, "authorization": {"evil"}, "User-Agent": {"evil"}, "Baggage": {"a\r\nb: c"},
	})
	_, err := link.Exchange(ctx, call(), &sink{})
	require.NoError(t, err)
	got := <-headers
	assert.Equal(t, "00-a", got.Get("Traceparent"))
	assert.Equal(t, "call=1", got.Get("Tracestate"))
	assert.Equal(t, "configured", got.Get("X-B3-Traceid"))
	assert.Equal(t, "session-1", got.Get("Mcp-Session-Id"))
	for _, name := range []string{"Authorization", "Baggage", "B"} {
		assert.Empty(t, got.Get(name), name)
	}
	assert.NotContains(t, got.Get("User-Agent")+got.Get("Accept"), "evil")
}
