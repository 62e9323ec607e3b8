package redis

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
)

func TestMain(m *testing.M) {
	if os.Getenv(replicaMode) != "" {
		playReplica()
		return
	}
	goleak.VerifyTestMain(m)
}

// redisServer is a real one, a process of the test's own on loopback.
type redisServer struct {
	t      testing.TB
	binary string
	folder string
	port   string
	flags  []string
	cmd    *exec.Cmd
}

// startRedis starts an empty server that ends with the test. Without one on the
// machine the test is left out, which REQUIRE_ALL makes a failure.
func startRedis(t testing.TB, flags ...string) *redisServer {
	t.Helper()
	s := &redisServer{t: t, folder: t.TempDir(), flags: flags}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil && s.binary == "" {
			s.binary = path
		}
	}
	if s.binary == "" {
		if os.Getenv("REQUIRE_ALL") != "" {
			t.Fatal("there is no redis-server: scripts/install-redis.sh installs it")
		}
		t.Skip("LEFT OUT: there is no redis-server; scripts/install-redis.sh installs it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.port = fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, listener.Close())
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *redisServer) start() {
	s.t.Helper()
	flags := append([]string{"--port", s.port, "--bind", "127.0.0.1", "--dir", s.folder, "--save", "", "--appendonly", "no"}, s.flags...)
	s.cmd = exec.Command(s.binary, flags...)
	output, err := os.Create(filepath.Join(s.folder, "output"))
	require.NoError(s.t, err)
	defer func() { _ = output.Close() }()
	s.cmd.Stdout, s.cmd.Stderr = output, output
	require.NoError(s.t, s.cmd.Start())
	require.Eventually(s.t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+s.port)
		if err != nil {
			return false
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write([]byte("PING\r\n"))
		answer := make([]byte, 64)
		n, _ := conn.Read(answer)
		return strings.HasPrefix(string(answer[:n]), "+PONG") || strings.HasPrefix(string(answer[:n]), "-NOAUTH")
	}, 30*time.Second, 5*time.Millisecond)
}

// kill ends the process at once, as a machine that fails does.
func (s *redisServer) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// stop has it answer nothing any more, though connections to it stay and are made.
func (s *redisServer) stop() { require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGSTOP)) }

func (s *redisServer) resume() { require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGCONT)) }

func (s *redisServer) url() string { return "redis://127.0.0.1:" + s.port + "/0" }

// testKey is a key for tokens.
func testKey() string { return hex.EncodeToString([]byte(strings.Repeat("k", keyBytes))) }

// section returns the section store of a configuration.
func section(t testing.TB, keys string) *config.Section {
	t.Helper()
	cfg, err := config.Parse("mcp.yaml", []byte("servers: {}\nstore: {type: redis, "+keys+"}"))
	require.NoError(t, err)
	require.Empty(t, cfg.Faults())
	found, ok := cfg.Store()
	require.True(t, ok)
	return found
}

// connect returns the stores of one more program that shares the server.
func (s *redisServer) connect(t testing.TB, keys string) factory.Stores {
	t.Helper()
	text := fmt.Sprintf("url: '%s', key: %s", s.url(), testKey())
	if keys != "" {
		text += ", " + keys
	}
	stores, faults := New(section(t, text), hclog.NewNullLogger())
	require.Empty(t, faults)
	t.Cleanup(func() { require.NoError(t, stores.Close()) })
	return stores
}
