//go:build unix

package redis

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/internal/masterkey"
)

func TestMain(m *testing.M) {
	// The client of a cluster looks for its nodes again after a second, closed or not.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*call).DelayDo.func1"))
}

// redisServer is a real one, a process of the test's own on loopback.
type redisServer struct {
	t      testing.TB
	binary string
	folder string
	port   string
	flags  []string
	cmd    *exec.Cmd
	shown  string // its URL, of several; "" is of its port
}

// startRedis starts an empty server that ends with the test. Without one on the
// machine the test is left out, which REQUIRE_ALL makes a failure.
func startRedis(t testing.TB, flags ...string) *redisServer {
	t.Helper()
	s := newRedis(t, flags...)
	s.start()
	if s.isCluster() { // of one node, which has all there is
		require.Equal(s.t, "+OK\r\n", s.command("CLUSTER ADDSLOTSRANGE 0 16383"))
		s.awaits("CLUSTER INFO", "cluster_state:ok")
	}
	return s
}

// newRedis is startRedis without the start.
func newRedis(t testing.TB, flags ...string) *redisServer {
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
	s.port = freePort(t)
	if s.isCluster() { // or else it takes one that is 10,000 higher, which there may not be
		s.flags = append(s.flags, "--cluster-port", freePort(t))
	}
	t.Cleanup(s.kill)
	return s
}

func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

func (s *redisServer) start() {
	s.t.Helper()
	s.run(append([]string{"--port", s.port, "--bind", "127.0.0.1", "--dir", s.folder, "--save", "", "--appendonly", "no"}, s.flags...)...)
	require.Eventually(s.t, func() bool {
		answer := s.command("PING")
		return strings.HasPrefix(answer, "+PONG") || strings.HasPrefix(answer, "-NOAUTH")
	}, 30*time.Second, 5*time.Millisecond)
}

func (s *redisServer) run(arguments ...string) {
	s.t.Helper()
	s.cmd = exec.Command(s.binary, arguments...)
	output, err := os.Create(filepath.Join(s.folder, "output"))
	require.NoError(s.t, err)
	defer func() { _ = output.Close() }()
	s.cmd.Stdout, s.cmd.Stderr = output, output
	require.NoError(s.t, s.cmd.Start())
}

// awaits waits until what the line is answered with has all of these.
func (s *redisServer) awaits(line string, parts ...string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		answer := s.command(line)
		for _, part := range parts {
			if !strings.Contains(answer, part) {
				return false
			}
		}
		return true
	}, 30*time.Second, 10*time.Millisecond, "%s: %s", line, parts)
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

func (s *redisServer) url() string {
	if s.shown != "" {
		return s.shown
	}
	url := "redis://127.0.0.1:" + s.port
	if s.isCluster() {
		return url + "?addr=127.0.0.1:" + s.port
	}
	return url + "/0"
}

func (s *redisServer) isCluster() bool { return slices.Contains(s.flags, "--cluster-enabled") }

// command sends one line and returns what comes back.
func (s *redisServer) command(line string) string {
	conn, err := net.Dial("tcp", "127.0.0.1:"+s.port)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte(line + "\r\n"))
	answer := make([]byte, 4096)
	n, _ := conn.Read(answer)
	return string(answer[:n])
}

// testKey is a key for tokens.
func testKey() string { return hex.EncodeToString([]byte(strings.Repeat("k", masterkey.Bytes))) }

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
	return openStores(t, text, hclog.NewNullLogger())
}

// openStores returns the stores of a configuration, which end with the test.
func openStores(t testing.TB, keys string, logger hclog.Logger) factory.Stores {
	t.Helper()
	stores, faults := New(section(t, keys), logger)
	require.Empty(t, faults)
	t.Cleanup(func() { require.NoError(t, stores.Close()) })
	return stores
}
