package policy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/policy"
)

// logged returns what is logged of one request.
func logged(t *testing.T, level hclog.Level, cfg policy.PayloadConfig, params, result string, failure error) string {
	t.Helper()
	var log bytes.Buffer
	next := transporters.TransporterFunc(func(_ context.Context, _ string, params any, _ transporters.EventFunc) (mcp.Result, error) {
		_, err := mcp.ParamsOf(params)
		require.NoError(t, err)
		return mcp.NewResult([]byte(result)), failure
	})
	chain := policy.Payloads("peer", cfg, hclog.New(&hclog.LoggerOptions{Level: level, Output: &log}))(next)
	got, err := chain.Request(t.Context(), "tools/call", json.RawMessage(params), nil)
	require.ErrorIs(t, err, failure)
	if failure == nil {
		require.Equal(t, result, string(got.Raw()), "what the caller gets is untouched")
	}
	return log.String()
}

// TestPayloadsAreLoggedOnRequest only, and at level debug only.
func TestPayloadsAreLoggedOnRequest(t *testing.T) {
	on := policy.PayloadConfig{LogPayloads: true}
	const params, result = `{"name":"echo","arguments":{"text":"hello"}}`, `{"content":[{"type":"text","text":"world"}]}`
	assert.Empty(t, logged(t, hclog.Trace, policy.PayloadConfig{}, params, result, nil))
	assert.Empty(t, logged(t, hclog.Info, on, params, result, nil))
	text := logged(t, hclog.Debug, on, params, result, nil)
	for _, want := range []string{"[DEBUG]", "request: server=peer action=tools/call", "hello", "world", "took=", "bytes=44"} {
		assert.Contains(t, text, want)
	}
	text = logged(t, hclog.Debug, on, params, "", errors.ErrPeerLost)
	assert.Contains(t, text, "request failed")
}

// TestPayloadsHaveNoSecrets that can be known as such.
func TestPayloadsHaveNoSecrets(t *testing.T) {
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.hunter2sig"
	for name, payload := range map[string]string{
		"authorization":     `{"headers":{"Authorization":"hunter2"}}`,
		"a token":           `{"access_token":"hunter2"}`,
		"a password":        `{"a":[{"userPassword":"hunter2"}]}`,
		"an API key":        `{"X-API-Key":"hunter2"}`,
		"a list of secrets": `{"client_secrets":["hunter2"]}`,
		"an object":         `{"credentials":{"user":"hunter2"}}`,
		"a cookie":          `{"Set-Cookie":"a=hunter2"}`,
		"a bearer token":    `{"text":"call it with Bearer hunter2hunter2"}`,
		"a web token":       `{"text":"it is ` + jwt + ` now"}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := logged(t, hclog.Debug, policy.PayloadConfig{LogPayloads: true}, payload, payload, nil)
			assert.NotContains(t, text, "hunter2")
			assert.Equal(t, 2, strings.Count(text, "***"))
		})
	}
	text := logged(t, hclog.Debug, policy.PayloadConfig{LogPayloads: true}, `{"maxTokens":100}`, `{"sum":3}`, nil)
	assert.Contains(t, text, "100", "a number is no secret")
}

// TestPayloadsAreBounded and have no control characters (P103).
func TestPayloadsAreBounded(t *testing.T) {
	on := policy.PayloadConfig{LogPayloads: true}
	long := `{"text":"` + strings.Repeat("a", 100_000) + `"}`
	list := `{"list":[` + strings.Repeat(`"bbbbbbbbb",`, 50_000) + `"end"]}`
	huge := `{"text":"` + strings.Repeat("a", 2<<20) + `"}`
	for _, payload := range []string{long, list, huge} {
		text := logged(t, hclog.Debug, on, payload, payload, nil)
		assert.Less(t, len(text), 2*5000)
		assert.Equal(t, 2, strings.Count(text, "\n"))
	}
	text := logged(t, hclog.Debug, on, `{"text":"\u001b[31mred\u202e\n"}`, `{}`, nil)
	assert.NotContains(t, text, "\x1b")
	assert.NotContains(t, text, "\u202e")
}
