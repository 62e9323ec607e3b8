package clitest

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everythingProgram is the path of server-everything. Where it is not installed
// the test is skipped, by name; with REQUIRE_ALL it fails.
func everythingProgram(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("../peers/servers/node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	require.NoError(t, err)
	_, installed := os.Stat(program)
	_, node := exec.LookPath("node")
	if installed == nil && node == nil {
		return program
	}
	missing := "server-everything is not installed (it needs Node; make test installs it)"
	if os.Getenv("REQUIRE_ALL") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// startEverything starts server-everything over streamable HTTP and returns its
// address.
func startEverything(t *testing.T) string {
	t.Helper()
	program := everythingProgram(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, listener.Close())

	server := exec.Command("node", "--require", "./loopback.cjs", program, "streamableHttp")
	server.Dir = "../peers"
	server.Env = append(os.Environ(), "PORT="+port)
	stderr, err := server.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	ready := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if strings.Contains(lines.Text(), "listening on port") {
				ready <- lines.Text()
			}
		}
	}()
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("server-everything did not get ready")
	}
	return fmt.Sprintf("http://127.0.0.1:%s/mcp", port)
}
