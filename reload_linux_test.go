package mcpclient_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient"
	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/mcp"
	"github.com/mcp-client-go/mcpclient/mcptest"
)

const (
	reloadCallers = 64
	reloadChanges = 50
)

// The whole of live reload: 64 callers on three servers, two of them processes,
// while the file changes 50 times: to valid and invalid ones, saved in place, by
// renaming, and by symbolic links as Kubernetes swaps them. No call fails, not even
// one of the server that changes; who does not change keeps its process and its
// session.
func TestReloadUnderLoad(t *testing.T) {
	web := mcptest.NewDemoServer(mcptest.LegacyOnly())
	files := newConfigurationFiles(t, mcptest.StartHTTP(t, web))
	files.write(files.valid(0))
	cfg, err := config.Load(files.path)
	require.NoError(t, err)
	client, err := mcpclient.New(cfg)
	require.NoError(t, err)
	require.Empty(t, client.Problems())
	told := make(chan reloaded, 10)
	_, err = client.Watch(t.Context(), cfg, config.WatchOptions{Debounce: 10 * time.Millisecond, Grace: 100 * time.Millisecond},
		func(change mcpclient.Change, err error) { told <- reloaded{change, err} })
	require.NoError(t, err)

	load := startLoad(t, client)
	inForce := 0
	assert.Equal(t, "0", load.generation(t))
	for change := 1; change <= reloadChanges; change++ {
		var wanted string
		switch change % 5 {
		case 0, 1:
			files.write(files.valid(change)) // another environment of the moving server
			inForce, wanted = change, "changed moving; 2 unchanged"
		case 2:
			files.write(strings.Replace(files.valid(change), "type: stdio # moving", "type: studio", 1))
			wanted = "refused moving; 2 unchanged"
		case 3: // what could concern all, or is no YAML
			files.write([]string{"serers: {}\n", "servers: [\n"}[change%2])
			wanted = "refused as a whole"
		case 4:
			files.write(files.valid(inForce) + fmt.Sprintf("# %d\n", change))
			wanted = "3 unchanged"
		}
		found := await(t, told)
		require.Equal(t, wanted, found.change.String(), "change %d: %v", change, found.err)
		assert.Equal(t, wanted == "refused as a whole", found.err != nil)
		switch problems := client.Problems(); change % 5 {
		case 2:
			require.Len(t, problems, 1)
			assert.ErrorContains(t, problems[0], "unknown type; found studio")
			assert.ErrorContains(t, problems[0], "goes on as it was configured before")
		case 3:
			require.Len(t, problems, 2, "what the latest file that could be read had, and why this one is refused")
			assert.ErrorContains(t, problems[len(problems)-1], "the client goes on with the one before")
		default:
			assert.Empty(t, problems)
		}
		assert.Equal(t, strconv.Itoa(inForce), load.generation(t), "change %d", change)
	}
	load.stop()
	assert.Len(t, load.pids("steady"), 1, "the process of an unchanged server is the same throughout")
	assert.Equal(t, 1, web.Count(mcp.MethodInitialize), "so is the session")
	assert.Len(t, load.pids("moving"), 1+2*reloadChanges/5, "each change of the other is another process")
	assert.Empty(t, told, "each change is told once")
	require.NoError(t, client.Close())
	for pid := range load.pids("moving") {
		assert.Eventually(t, func() bool { return !isRunning(pid) }, 10*time.Second, 10*time.Millisecond)
	}
	assert.Empty(t, web.Violations())
	t.Logf("%d calls", load.calls.Load())
}

// configurationFiles is a folder with the configuration of the test, whose file is
// replaced by turns in the ways that files are replaced.
type configurationFiles struct {
	t      *testing.T
	folder string
	path   string
	url    string
	writes int
}

func newConfigurationFiles(t *testing.T, url string) *configurationFiles {
	t.Helper()
	folder := t.TempDir()
	f := &configurationFiles{t: t, folder: folder, path: filepath.Join(folder, "mcp.yaml"), url: url}
	return f
}

// valid is a configuration whose server moving changes with the number.
func (f *configurationFiles) valid(number int) string {
	self, err := os.Executable()
	require.NoError(f.t, err)
	return fmt.Sprintf(`
servers:
  steady:
    type: stdio
    command: [%q]
    env: {%s: serves, GORACE: atexit_sleep_ms=0}
  web: {type: http, base_url: %q}
  moving:
    type: stdio # moving
    command: [%q]
    env: {%s: serves, GORACE: atexit_sleep_ms=0, GENERATION: "%d"}
`, self, childMode, f.url, self, childMode, number)
}

// write makes the text what stands at the path, in one of three ways.
func (f *configurationFiles) write(text string) {
	f.writes++
	switch f.writes % 3 {
	case 1:
		f.swap(text)
	case 2: // as many editors save
		require.NoError(f.t, os.WriteFile(f.path+"~", []byte(text), 0o600))
		require.NoError(f.t, os.Rename(f.path+"~", f.path))
	default:
		require.NoError(f.t, os.WriteFile(f.path, []byte(text), 0o600))
	}
}

// swap does what Kubernetes does: mcp.yaml is a link to ..data/mcp.yaml, and
// ..data a link to the folder of one version, over which the next one is renamed.
func (f *configurationFiles) swap(text string) {
	in := func(name string) string { return filepath.Join(f.folder, name) }
	version := fmt.Sprintf("..version-%d", f.writes)
	require.NoError(f.t, os.Mkdir(in(version), 0o700))
	require.NoError(f.t, os.WriteFile(in(version+"/mcp.yaml"), []byte(text), 0o600))
	require.NoError(f.t, os.Symlink(version, in("..data_tmp")))
	require.NoError(f.t, os.Rename(in("..data_tmp"), in("..data")))
	if target, err := os.Readlink(f.path); err != nil || target != "..data/mcp.yaml" {
		require.NoError(f.t, os.Symlink("..data/mcp.yaml", in("link")))
		require.NoError(f.t, os.Rename(in("link"), f.path))
	}
}

// reloadLoad is callers that call until they are stopped, and complain of every
// failure.
type reloadLoad struct {
	client  *mcpclient.Client
	cancel  context.CancelFunc
	callers sync.WaitGroup
	calls   atomic.Int64

	mu   sync.Mutex
	seen map[string]map[int]bool // pids by server
}

func startLoad(t *testing.T, client *mcpclient.Client) *reloadLoad {
	t.Helper()
	l := &reloadLoad{client: client, seen: map[string]map[int]bool{"steady": {}, "moving": {}}}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	t.Cleanup(l.stop)
	for i := range reloadCallers {
		name := []string{"steady", "web", "moving"}[i%3]
		connection := handle(t, client, name) // once: it follows
		l.callers.Go(func() {
			for ctx.Err() == nil {
				l.call(t, name, connection)
				time.Sleep(5 * time.Millisecond) // the machine is others' as well
			}
		})
	}
	return l
}

func (l *reloadLoad) call(t *testing.T, name string, connection *mcpclient.Connection) {
	l.calls.Add(1)
	if name == "web" {
		result, err := connection.CallTool(context.Background(), "slow", map[string]int{"ms": 10, "steps": 1})
		if assert.NoError(t, err) {
			assert.Contains(t, result.Text(), "took 10 ms")
		}
		return
	}
	result, err := connection.CallTool(context.Background(), "pid", nil)
	if !assert.NoError(t, err, name) {
		return
	}
	pid, err := strconv.Atoi(result.Text())
	assert.NoError(t, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[name][pid] = true
}

// generation asks the process that serves moving now.
func (l *reloadLoad) generation(t *testing.T) string {
	t.Helper()
	l.call(t, "moving", handle(t, l.client, "moving"))
	result, err := handle(t, l.client, "moving").CallTool(t.Context(), "generation", nil)
	require.NoError(t, err)
	return result.Text()
}

func (l *reloadLoad) pids(server string) map[int]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen[server]
}

func (l *reloadLoad) stop() {
	l.cancel()
	l.callers.Wait()
}

// A call that runs when its server changes finishes in the process in which it
// began, which ends after it.
func TestARunningCallKeepsItsProcess(t *testing.T) {
	files := newConfigurationFiles(t, "http://127.0.0.1:1")
	client, err := mcpclient.New(parse(t, files.valid(1)))
	require.NoError(t, err)
	defer func() { require.NoError(t, client.Close()) }()
	moving := handle(t, client, "moving")
	pid := func() int {
		result, err := moving.CallTool(t.Context(), "pid", nil)
		require.NoError(t, err)
		number, err := strconv.Atoi(result.Text())
		require.NoError(t, err)
		return number
	}
	before := pid()
	changed := false
	result, err := moving.CallTool(t.Context(), "slow", map[string]int{"ms": 300, "steps": 3}, mcpclient.OnProgress(func(mcp.Progress) {
		if changed {
			return
		}
		changed = true
		assert.Equal(t, "changed moving; 2 unchanged", apply(t, client, files.valid(2)).String())
		assert.NotEqual(t, before, pid(), "calls that begin now go to the new one")
		assert.True(t, isRunning(before))
	}))
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Contains(t, result.Text(), "3 steps")
	assert.Eventually(t, func() bool { return !isRunning(before) }, 10*time.Second, 10*time.Millisecond)
}
