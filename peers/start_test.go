package peers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
)

// startTimeout bounds the start of a server, on a slow machine.
const startTimeout = 60 * time.Second

// goSDKServer is the path of the built command gosdkserver.
var goSDKServer string

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "peers")
	if err != nil {
		panic(err)
	}
	goSDKServer = filepath.Join(directory, "gosdkserver")
	build := exec.Command("go", "build", "-o", goSDKServer, "./gosdkserver")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building gosdkserver: %v\n%s", err, output)
		os.Exit(1)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.RemoveAll(directory)
	os.Exit(code)
}

// nodeServer returns the path of a server's program below servers/node_modules.
// Where the servers are not installed the test is skipped, by name; with
// REQUIRE_ALL it fails.
func nodeServer(t *testing.T, path string) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join("servers", "node_modules", path))
	require.NoError(t, err)
	_, installed := os.Stat(program)
	_, node := exec.LookPath("node")
	if installed == nil && node == nil {
		return program
	}
	missing := fmt.Sprintf("%s is not installed (it needs Node; make test installs it)", path)
	if os.Getenv("REQUIRE_ALL") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

const (
	everythingProgram = "@modelcontextprotocol/server-everything/dist/index.js"
	filesystemProgram = "@modelcontextprotocol/server-filesystem/dist/index.js"
	memoryProgram     = "@modelcontextprotocol/server-memory/dist/index.js"
)

// newClient returns a client of one server, closed at the test's end.
func newClient(t *testing.T, section map[string]any) *mcpclient.Connection {
	t.Helper()
	cfg, err := config.FromServers(map[string]any{"peer": section})
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	require.Empty(t, client.Problems())
	connection, err := client.Connect("peer")
	require.NoError(t, err)
	return connection
}

// process is a server that a test started.
type process struct {
	command *exec.Cmd
	output  *lines
	stop    sync.Once
}

// startProcess starts a server and waits until it printed a line that holds
// ready, which it returns. The process is killed at the test's end.
func startProcess(t *testing.T, ready string, environment []string, command ...string) (*process, string) {
	t.Helper()
	p := &process{command: exec.Command(command[0], command[1:]...), output: &lines{wanted: ready, found: make(chan string, 1)}}
	p.command.Env = append(os.Environ(), environment...)
	p.command.Stdout, p.command.Stderr = p.output, p.output
	require.NoError(t, p.command.Start())
	t.Cleanup(p.kill)
	select {
	case line := <-p.output.found:
		return p, line
	case <-time.After(startTimeout):
		t.Fatalf("%v did not get ready; it printed:\n%s", command, p.output.text())
		return nil, ""
	}
}

func (p *process) kill() {
	p.stop.Do(func() {
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
}

// lines looks for a line in what a process prints.
type lines struct {
	mu      sync.Mutex
	wanted  string
	found   chan string
	printed strings.Builder
	partial string
}

func (l *lines) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.printed.Write(data)
	reader := bufio.NewReader(strings.NewReader(l.partial + string(data)))
	for {
		line, err := reader.ReadString('\n')
		if err == io.EOF {
			l.partial = line
			return len(data), nil
		}
		if l.wanted != "" && strings.Contains(line, l.wanted) {
			l.wanted = ""
			l.found <- strings.TrimSpace(line)
		}
	}
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.printed.String()
}

// freePort returns a port of the loopback interface that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}
