package stdiolink

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
)

// Whatever a program prints of a link or its configuration shows no secret.
func TestFormatShowsNoSecret(t *testing.T) {
	cfg := Config{
		Command: []string{"server", "canary-1"},
		Args:    []string{"canary-2", "--token=canary-3"},
		Cwd:     "/canary-4",
		Env:     map[string]config.Secret{"NAME": config.LiteralSecret("canary-5"), "OTHER=canary-6": {}},
	}
	link := New("files", cfg, WithSecrets("canary-1"))
	holder := struct{ Config }{cfg}
	for _, value := range []any{cfg, &cfg, link, holder, []Config{cfg}, map[string]any{"x": cfg}, struct{ Inner *Link }{link}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			require.NotContains(t, fmt.Sprintf(verb, value), "canary", verb)
			require.NotContains(t, fmt.Sprintf(verb, value), fmt.Sprintf("%x", "canary"), verb)
		}
	}
	require.Equal(t, "stdio process server with 3 arguments, variables NAME OTHER", fmt.Sprint(cfg))
	require.Equal(t, `stdio link to "files"`, fmt.Sprint(link))
	require.Equal(t, "stdio process", fmt.Sprint(Config{}))
	require.Equal(t, "<nil>", fmt.Sprint((*Link)(nil)))
}
