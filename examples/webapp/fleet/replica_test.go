//go:build unix

package fleet

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds what the test waits for, where nothing is said of how long it may
// take.
const patience = time.Minute

// build builds the example, as anybody would.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "webapp")
	command := exec.Command("go", "build", "-o", program, ".")
	command.Dir, command.Env = "..", append(os.Environ(), "GOWORK=off")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return program
}

// replica is one process of the backend.
type replica struct {
	t       *testing.T
	url     string
	process *exec.Cmd
	browser *http.Client // whose connections are to it
	log     string       // a file
	dead    atomic.Bool
	busy    sync.WaitGroup // requests that the rotation gave it
}

// startReplica starts a process, and returns when it can be asked.
func startReplica(t *testing.T, program string, environment []string, browser *http.Client) *replica {
	t.Helper()
	file, err := filepath.Abs("../fleet.yaml")
	require.NoError(t, err)
	r := &replica{t: t, browser: browser, process: exec.Command(program, "-listen", "127.0.0.1:0", "-config", file)}
	r.process.Env = append(os.Environ(), environment...)
	log, err := os.CreateTemp(t.TempDir(), "log")
	require.NoError(t, err)
	defer func() { _ = log.Close() }()
	r.log, r.process.Stderr = log.Name(), log
	output, err := r.process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, r.process.Start())
	t.Cleanup(func() {
		r.stop()
		if t.Failed() {
			r.showLog()
		}
	})
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	r.url = strings.TrimSpace(strings.TrimPrefix(line, "serving on "))
	answer, err := browser.Get(r.url + "/readyz")
	require.NoError(t, err)
	_ = answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	return r
}

// stop asks the process to end, which it must do well and in time.
func (r *replica) stop() {
	if r.dead.Swap(true) {
		return
	}
	r.browser.CloseIdleConnections() // for one that was never used http.Server.Shutdown waits 5 s
	_ = r.process.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(patience, func() { _ = r.process.Process.Kill() })
	defer late.Stop()
	assert.NoError(r.t, r.process.Wait())
}

// kill ends the process at once.
func (r *replica) kill() {
	r.dead.Store(true)
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
}

// showLog shows the end of what the process had to say.
func (r *replica) showLog() {
	const enough = 4 << 10
	text, _ := os.ReadFile(r.log)
	r.t.Logf("%s:\n%s", r.url, text[max(0, len(text)-enough):])
}
