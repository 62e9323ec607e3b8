package mcptest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

func TestSessionOverARealProcess(t *testing.T) {
	versions := []string{"both", string(mcp.Version20260728)}
	for _, version := range mcp.LegacyVersions() {
		versions = append(versions, string(version))
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			executable, err := os.Executable()
			require.NoError(t, err)
			var log strings.Builder
			link := stdiolink.New("demo", stdiolink.Config{
				Command: []string{executable}, Env: map[string]config.Secret{
					serveVariable: config.LiteralSecret(version),
					"GORACE":      config.LiteralSecret("atexit_sleep_ms=0"), // else each exit takes a second under -race
				},
			}, stdiolink.WithLogger(hclog.New(&hclog.LoggerOptions{Output: &log, Level: hclog.Trace})))
			s := session.New("demo", session.Settings{}, link)
			exerciseSession(t, s)
			require.NoError(t, s.Close())
			require.NotContains(t, log.String(), "violations:")
		})
	}
}

// A program that serves with this package must not carry package testing: its
// flags would be the program's.
func TestNoPackageTesting(t *testing.T) {
	dependencies, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	list := strings.Fields(string(dependencies))
	require.Contains(t, list, "net/http")
	require.NotContains(t, list, "testing")
	require.NotContains(t, list, "github.com/stretchr/testify/require")
}
