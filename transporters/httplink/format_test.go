package httplink

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/go-resty/resty/v2"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
)

// Whatever a program prints of a link or its configuration shows no secret.
func TestFormatShowsNoSecret(t *testing.T) {
	cfg := Config{
		BaseURL: "https://user:canary-1@example.com/mcp?key=canary-2#canary-3",
		Token:   config.LiteralSecret("canary-4"),
		Headers: literals("X-Key", "canary-5"),
		Proxy:   config.LiteralSecret("http://u:canary-6@proxy"),
	}
	usable := cfg
	usable.BaseURL = "https://example.com/mcp?key=canary-2"
	client := WithClient(resty.New().SetHeader("X-Other", "canary-7").SetAuthToken("canary-8"))
	link, broken, sse := New("files", usable, client), New("files", cfg), NewSSE("old", usable, client)
	_ = link.headers.merge(t.Context(), nil, http.Header{}) // keeps the values
	for _, value := range []any{
		cfg, &cfg, link, broken, sse, struct{ Config }{cfg}, []Config{cfg}, map[string]any{"x": cfg},
		struct{ Inner *Link }{link}, struct{ Inner *SSELink }{sse}, []any{link, sse},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			require.NotContains(t, fmt.Sprintf(verb, value), "canary", verb)
			require.NotContains(t, fmt.Sprintf(verb, value), fmt.Sprintf("%x", "canary"), verb)
		}
	}
	require.Equal(t, `http link to "files" at https://example.com/mcp`, fmt.Sprintf("%+v", link))
	require.Equal(t, `sse link to "old" at https://example.com/mcp`, fmt.Sprintf("%d", sse))
	require.Contains(t, fmt.Sprint(cfg), "BaseURL:https://example.com/mcp ")
	require.Equal(t, "<nil> <nil>", fmt.Sprint((*Link)(nil), (*SSELink)(nil)))
	shut(t, link)
	shut(t, broken)
	shutSSE(t, sse)
}
