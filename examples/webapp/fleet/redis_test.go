//go:build unix

package fleet

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// redisServer is a real one on loopback, a process of the test's own.
type redisServer struct {
	t                       *testing.T
	binary, folder, address string
	process                 *exec.Cmd
}

// startRedis starts an empty server that ends with the test, and that has on disk
// what it was told: one that forgets logs all users out.
func startRedis(t *testing.T) *redisServer {
	t.Helper()
	s := &redisServer{t: t, folder: t.TempDir()}
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
	s.address = listener.Addr().String()
	require.NoError(t, listener.Close())
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *redisServer) start() {
	s.t.Helper()
	_, port, err := net.SplitHostPort(s.address)
	require.NoError(s.t, err)
	s.process = exec.Command(s.binary, "--port", port, "--bind", "127.0.0.1", "--dir", s.folder, "--save", "", "--appendonly", "yes")
	output, err := os.Create(filepath.Join(s.folder, "output"))
	require.NoError(s.t, err)
	defer func() { _ = output.Close() }()
	s.process.Stdout, s.process.Stderr = output, output
	require.NoError(s.t, s.process.Start())
	require.Eventually(s.t, s.answers, patience, 5*time.Millisecond)
}

// answers reports that it has read what is on disk.
func (s *redisServer) answers() bool {
	conn, err := net.DialTimeout("tcp", s.address, time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte("PING\r\n"))
	answer := make([]byte, 64)
	n, _ := conn.Read(answer)
	return strings.HasPrefix(string(answer[:n]), "+PONG")
}

// kill ends the process at once, as a machine that fails does.
func (s *redisServer) kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	s.process = nil
}
