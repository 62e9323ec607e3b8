package mcpclient_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// parrot, in the environment of a child, says in which way it repeats what it was
// given.
const parrot = "MCPCLIENT_TEST_PARROT"

// playParrot is a server process that repeats its environment and its arguments.
func playParrot() {
	cwd, _ := os.Getwd()
	var echo strings.Builder
	echo.WriteString(strings.Join(os.Args, " ") + " " + cwd)
	for _, name := range []string{"LITERAL_TOKEN", "REFERRED", "INHERITED_API_KEY", "SECRET_FROM_FILE"} {
		echo.WriteString(" " + name + "=" + os.Getenv(name))
	}
	manner := os.Getenv(parrot)
	if strings.Contains(manner, "stderr") {
		for _, level := range []string{"error", "warn", "info", "debug"} {
			fmt.Fprintf(os.Stderr, "%s: %s\n{\"level\":%q,\"msg\":%q}\n", level, echo.String(), level, echo.String())
		}
	}
	switch manner {
	case "stderr, exits":
		os.Exit(3)
	case "stdout, exits":
		fmt.Println(echo.String())
		os.Exit(3)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(lines.Bytes(), &message)
		switch {
		case message.ID == nil:
		case message.Method == mcp.MethodDiscover && manner != "refuses":
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}}\n", message.ID)
		case strings.Contains(manner, "dies"):
			fmt.Fprint(os.Stderr, echo.String())
			os.Exit(4)
		case manner == "rubbish":
			fmt.Printf("%s\n[%q]\n{%q:1}\n{\"jsonrpc\":\"2.0\",\"id\":%s,\"x\":%q}\n", echo.String(), echo.String(), echo.String(), message.ID, echo.String())
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"data\":%q}}\n", echo.String())
			fallthrough
		default:
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-5,\"message\":%q,\"data\":{%q:[%q]}}}\n", message.ID, echo.String(), echo.String(), echo.String())
		}
	}
}

// TestNoSecretOfAProcessIsShown: whatever a server process does with its
// environment, its arguments and its folder, what of them is secret does not
// appear in logs, errors and printed values.
func TestNoSecretOfAProcessIsShown(t *testing.T) {
	for _, manner := range []string{"answers", "refuses", "rubbish", "stderr", "stderr, exits", "stdout, exits", "stderr, dies", "dies", "no such program"} {
		t.Run(manner, func(t *testing.T) {
			c := newCanaries(t)
			t.Setenv("CANARY_REFERRED", c.put("referred to by the environment"))
			t.Setenv("CANARY_ARGUMENT", c.put("argument"))
			t.Setenv("INHERITED_API_KEY", c.put("inherited"))
			folder := t.TempDir() + "/" + strings.ReplaceAll(c.put("folder"), "/", "-")
			require.NoError(t, os.Mkdir(folder, 0o700))
			t.Setenv("CANARY_FOLDER", folder)
			file := t.TempDir() + "/secret"
			require.NoError(t, os.WriteFile(file, []byte(c.put("file")), 0o600))
			self, err := os.Executable()
			require.NoError(t, err)
			if manner == "no such program" {
				self = "/nowhere/program"
			}
			cfg := parse(t, fmt.Sprintf(`servers:
  a:
    type: stdio
    command: ['%s', '--flag=${CANARY_ARGUMENT}']
    args: ['${CANARY_ARGUMENT}', --token, '%s']
    cwd: ${CANARY_FOLDER}
    inherit_env: all
    env: {%s: parrot, %s: '%s', GORACE: atexit_sleep_ms=0, LITERAL_TOKEN: '%s', REFERRED: '${CANARY_REFERRED}', SECRET_FROM_FILE: '${file:%s}'}
    connect_timeout: 10s
    connect_backoff: 1ms
    shutdown_timeout: 1s
`, self, c.put("argument that is written"), childMode, parrot, manner, c.put("literal"), file))
			section, _ := cfg.Server("a")
			c.value("config", cfg)
			c.value("section", section)
			client, err := mcpclient.New(cfg, c.logger())
			require.NoError(t, err)
			defer func() { _ = client.Close() }()
			require.Empty(t, client.Problems())
			connection, err := client.Connect("a")
			require.NoError(t, err)
			for range 2 {
				_, err = connection.Tools(t.Context())
				require.Error(t, err)
				c.error("Tools", err)
				_, err = connection.CallTool(t.Context(), "x", nil, mcpclient.WithTimeout(10*time.Second))
				c.error("CallTool", err)
			}
			c.value("client", client)
			c.value("connection", connection)
			c.error("Close", client.Close())
			if manner == "answers" {
				require.Contains(t, fmt.Sprint(err), "***", "the process repeats its secrets")
			}
			if strings.HasPrefix(manner, "stderr") {
				require.Contains(t, c.log.String(), "***", "the process writes its secrets")
			}
			c.logged("process")
		})
	}
}
