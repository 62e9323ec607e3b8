package mcptest_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
	"github.com/mcp-client-go/mcpclient/transporters"
	"github.com/mcp-client-go/mcpclient/transporters/httplink"
	"github.com/mcp-client-go/mcpclient/transporters/session"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// recordFrom makes TestServerEverything record instead of replay: it is the path
// of the program of server-everything (make cassettes).
var recordFrom = flag.String("record-everything", "", "record the cassettes anew, from this program of server-everything")

// Calls to server-everything, which Node runs, were recorded over stdio and over
// HTTP. They replay without Node, byte for byte: every event, result and error is
// what its caller got then, by the digests that were taken of it then.
func TestServerEverything(t *testing.T) {
	for name, connect := range map[string]func(*testing.T, string) transporters.Transporter{
		"stdio": everythingOverStdio, "http": everythingOverHTTP,
	} {
		t.Run(name, func(t *testing.T) {
			cassette := filepath.Join("testdata", "everything-"+name+".jsonl")
			digests := filepath.Join("testdata", "everything-"+name+".digests")
			if *recordFrom != "" {
				recorder := mcptest.NewRecorder(cassette)
				got := callEverything(t, recorder.Wrap(connect(t, *recordFrom)))
				require.NoError(t, recorder.Save())
				require.NoError(t, os.WriteFile(digests, []byte(got), 0o644))
			}
			want, err := os.ReadFile(digests)
			require.NoError(t, err)
			require.Equal(t, string(want), callEverything(t, mcptest.Replay(t, cassette)))
		})
	}
}

// callEverything makes calls of every kind and returns a line with digests of
// what came of each. get-env and what tells of the machine is left out.
func callEverything(t *testing.T, transporter transporters.Transporter) string {
	var lines strings.Builder
	call := func(action string, params any) {
		encoded, err := mcp.ParamsOf(params)
		require.NoError(t, err)
		var events, reports int
		digest := sha256.New()
		ctx := transporters.WithCallOptions(t.Context(), func(o *transporters.CallOptions) {
			o.OnProgress = func(mcp.Progress) { reports++ }
		})
		result, err := transporter.Request(ctx, action, encoded, func(m mcp.Message) {
			events++
			_, _ = fmt.Fprintf(digest, "%s\n", m.Raw)
		})
		_, _ = fmt.Fprintf(&lines, "%s %s events=%d progress=%d %x result=%d %x error=%v\n", action, encoded.Raw(),
			events, reports, digest.Sum(nil)[:8], len(result.Raw()), sha256.Sum256(result.Raw()), err)
	}
	tool := func(name string, arguments any) {
		call("tools/call", map[string]any{"name": name, "arguments": arguments})
	}
	none := map[string]any{}
	call("tools/list", nil)
	tool("echo", map[string]any{"message": "grüezi <&> \U0001F600 \u2028 \"quoted\" \\ back"})
	tool("get-sum", map[string]any{"a": 2, "b": 40})
	tool("get-sum", map[string]any{"a": "two"})
	tool("get-tiny-image", none)
	tool("get-structured-content", map[string]any{"location": "Chicago"})
	tool("get-annotated-message", map[string]any{"messageType": "error", "includeImage": true})
	tool("get-resource-links", map[string]any{"count": 3})
	tool("trigger-long-running-operation", map[string]any{"duration": 0.2, "steps": 4})
	tool("no-such-tool", none)
	call("no/such/method", nil)
	call("resources/templates/list", nil)
	call("resources/list", nil)
	call("resources/read", mcp.URIParams("demo://resource/dynamic/text/1"))
	call("resources/read", mcp.URIParams("demo://resource/dynamic/blob/2"))
	call("resources/read", mcp.URIParams("demo://nothing"))
	call("prompts/list", nil)
	call("prompts/get", mcp.NameParams("simple-prompt", nil))
	call("prompts/get", mcp.NameParams("args-prompt", map[string]string{"city": "Bern"}))
	return lines.String()
}

func everythingOverStdio(t *testing.T, program string) transporters.Transporter {
	return everythingSession(t, stdiolink.New("everything", stdiolink.Config{Command: []string{"node", program}}))
}

// everythingOverHTTP starts the server on a free port of the loopback interface,
// where a script that is loaded before it keeps it.
func everythingOverHTTP(t *testing.T, program string) transporters.Transporter {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	command := exec.Command("node", "--require", "../peers/loopback.cjs", program, "streamableHttp")
	command.Env = append(os.Environ(), "PORT="+port)
	output, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	ready := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(output); lines.Scan(); {
			if strings.Contains(lines.Text(), "listening on port") {
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("server-everything did not start within a minute")
	}
	return everythingSession(t, httplink.New("everything", httplink.Config{BaseURL: "http://127.0.0.1:" + port + "/mcp"}))
}

func everythingSession(t *testing.T, link transporters.Link) transporters.Transporter {
	s := session.New("everything", session.Settings{}, link)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err := s.ServerInfo(context.Background())
	require.NoError(t, err)
	return s
}
