package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/factory"
	"github.com/mcp-client-go/mcpclient/internal/process"
	"github.com/mcp-client-go/mcpclient/transporters/stdiolink"
)

// npmKillsPerMinute is how many processes of a server from npm must have been
// killed in a run. They take half a second to start.
const npmKillsPerMinute = 5

// TestSoakNpm: servers that others wrote, killed from outside.
func TestSoakNpm(t *testing.T) {
	length, full := duration(t)
	if !full {
		t.Skip("SOAK is not set: servers from npm take too long to start for a short run")
	}
	files := filesFolder(t)
	for name, test := range map[string]struct {
		program string
		args    []string
		make    maker
	}{
		"everything": {"@modelcontextprotocol/server-everything/dist/index.js", nil, echo},
		"filesystem": {"@modelcontextprotocol/server-filesystem/dist/index.js", []string{files}, readFile(files)},
	} {
		t.Run(name, func(t *testing.T) {
			command := npmCommand(t, test.program, test.args...)
			wantKills := max(int(npmKillsPerMinute*length.Minutes()), 2)
			before := takeInventory(t)
			s := section(t, "", nil, raisedBudget())
			s["command"], s["env"] = command, map[string]any{}
			s["health_check"] = map[string]any{"interval": "250ms", "timeout": "2s", "failures": 1}
			var k killer
			client, connection := connect(t, s, mcpclient.WithFactory(factory.New(
				factory.WithStdioOptions(stdiolink.WithStarter(k.start)))))
			ctx, stop := context.WithTimeout(context.Background(), 3*length+time.Minute)
			defer stop()
			go k.run(ctx, connection, wantKills, stop)
			begun := time.Now()
			records := run(connection, test.make, func() bool { return ctx.Err() == nil })
			took := time.Since(begun)
			require.NoError(t, client.Close())

			noted := journals{ends: k.ends, processes: k.started}
			report(t, took, records, noted)
			assert.Equal(t, wantKills, noted.kills(), "too few kills")
			assert.GreaterOrEqual(t, 2*count(records, "answered"), len(records), "less than half of the calls were answered")
			checkRecords(t, records)
			before.check(t, noted.processes)
		})
	}
}

// npmCommand returns the command of a server below peers/servers. Where the
// servers are not installed the test is skipped, by name; with REQUIRE_ALL it
// fails.
func npmCommand(t *testing.T, program string, args ...string) []string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "peers", "servers", "node_modules", program))
	require.NoError(t, err)
	_, installed := os.Stat(path)
	node, found := exec.LookPath("node")
	if installed == nil && found == nil {
		return append([]string{node, path}, args...)
	}
	missing := fmt.Sprintf("%s is not installed (it needs Node; make test installs it)", program)
	if os.Getenv("REQUIRE_ALL") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return nil
}

// echo has server-everything repeat the call's id.
func echo(ctx context.Context, connection *mcpclient.Connection, r *record) error {
	r.once = true
	result, err := connection.CallTool(ctx, "echo", map[string]string{"message": r.id})
	if err == nil {
		r.compare(result.Text(), "Echo: "+r.id)
	}
	return err
}

// fileCount is how many files there are to be read.
const fileCount = 100

// filesFolder returns a folder with files of different content.
func filesFolder(t *testing.T) string {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for i := range fileCount {
		name := fmt.Sprint(i)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(answer("file-"+name, 50*i)), 0o600))
	}
	return folder
}

// readFile has server-filesystem read one of the files.
func readFile(folder string) maker {
	return func(ctx context.Context, connection *mcpclient.Connection, r *record) error {
		r.once = true
		i := rand.N(fileCount)
		name := fmt.Sprint(i)
		result, err := connection.CallTool(ctx, "read_text_file", map[string]string{"path": filepath.Join(folder, name)})
		if err == nil {
			r.compare(result.Text(), answer("file-"+name, 50*i))
		}
		return err
	}
}

// killer starts processes, and kills the newest one whenever it serves.
type killer struct {
	ends map[string]int

	mu      sync.Mutex
	newest  int
	started map[int]bool
}

// start is the Starter of the link.
func (k *killer) start(ctx context.Context, spec process.Spec) (process.Child, error) {
	child, err := process.Start(ctx, spec)
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.started == nil {
			k.started = map[int]bool{}
		}
		k.newest = child.PID()
		k.started[k.newest] = true
	}
	return child, err
}

// run kills so many processes, each 50 to 200 ms after it answered, and then
// lets the callers stop.
func (k *killer) run(ctx context.Context, connection *mcpclient.Connection, kills int, stop func()) {
	defer stop()
	ways := map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP, "terminated": syscall.SIGTERM}
	k.ends = map[string]int{}
	for last := 0; kills > 0 && ctx.Err() == nil; {
		pid := k.serving(ctx, connection, last)
		time.Sleep(50*time.Millisecond + rand.N(150*time.Millisecond))
		for name, signal := range ways { // maps have no order
			if pid != 0 && syscall.Kill(pid, signal) == nil {
				k.ends[name]++
				kills--
				last = pid
			}
			break
		}
	}
}

// serving waits until a process other than the last one answers, and returns its
// id; 0 if that did not succeed.
func (k *killer) serving(ctx context.Context, connection *mcpclient.Connection, last int) int {
	if connection.Ping(ctx) != nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.newest == last {
		return 0
	}
	return k.newest
}
