package soak

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// settleTime is how long goroutines and descriptors may take to go after the
// client was closed. Processes must be gone at once.
const settleTime = 2 * time.Second

// inventory is what there was before a run.
type inventory struct {
	goroutines goleak.Option
	files      map[string]string
}

func takeInventory(t *testing.T) inventory {
	t.Helper()
	warm, err := net.Listen("tcp", "127.0.0.1:0") // opens the runtime's own descriptors
	require.NoError(t, err)
	require.NoError(t, warm.Close())
	require.Empty(t, descendants(t), "of an earlier test")
	return inventory{goroutines: goleak.IgnoreCurrent(), files: openFiles(t)}
}

// check fails the test for everything that is left. started holds the processes
// that the client started; one of them must be gone and waited for. What they
// started in turn has come to this program: it must have ended, and is waited
// for here.
func (i inventory) check(t *testing.T, started map[int]bool) {
	t.Helper()
	for _, p := range descendants(t) {
		switch {
		case started[p.id]:
			t.Errorf("left behind: child %v", p)
		case !p.ended:
			t.Errorf("left behind: orphan %v", p)
			_ = syscall.Kill(p.id, syscall.SIGKILL)
		}
		_, err := syscall.Wait4(p.id, nil, 0, nil)
		assert.NoError(t, err, "%v", p)
	}
	assert.NoError(t, goleak.Find(i.goroutines))
	assert.Eventually(t, func() bool { return len(i.newFiles(t)) == 0 }, settleTime, 20*time.Millisecond, "descriptors are left")
	assert.Empty(t, i.newFiles(t))
}

func (i inventory) newFiles(t *testing.T) []string {
	var opened []string
	for number, target := range openFiles(t) {
		if i.files[number] != target {
			opened = append(opened, number+": "+target)
		}
	}
	return opened
}

// openFiles returns what each descriptor of this program leads to. The runtime's
// own are left out.
func openFiles(t *testing.T) map[string]string {
	const folder = "/proc/self/fd"
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	files := map[string]string{}
	for _, entry := range entries {
		target, err := os.Readlink(filepath.Join(folder, entry.Name()))
		if err != nil || strings.HasPrefix(target, "anon_inode:[event") {
			continue // the descriptor of the listing itself, or the runtime's
		}
		files[entry.Name()] = target
	}
	return files
}

// descendant is a process whose parent is this program.
type descendant struct {
	id    int
	name  string
	ended bool // and not waited for
}

func (d descendant) String() string {
	return fmt.Sprintf("process %d (%s), zombie: %v", d.id, d.name, d.ended)
}

// descendants lists the processes whose parent is this program: those it
// started, and the orphans among their children.
func descendants(t *testing.T) []descendant {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	var found []descendant
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		status, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it ended meanwhile
		}
		begin, end := strings.IndexByte(string(status), '('), strings.LastIndexByte(string(status), ')')
		fields := strings.Fields(string(status[end+1:])) // state, parent, ...
		if parent, err := strconv.Atoi(fields[1]); err == nil && parent == os.Getpid() {
			found = append(found, descendant{id, string(status[begin+1 : end]), fields[0] == "Z" || fields[0] == "X"})
		}
	}
	return found
}
