package day

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// backend is the example webapp, a process.
type backend struct {
	t       *testing.T
	site    string
	process *exec.Cmd
	log     string
	client  *http.Client // for looking at it
	// frozenSince is when its child processes were stopped; nil if they are not.
	frozenSince atomic.Pointer[time.Time]
}

// buildBackend builds the example, as its users do.
func buildBackend(t *testing.T) string {
	binary := filepath.Join(t.TempDir(), "webapp")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "examples", "webapp")
	build.Env = append(os.Environ(), "GOWORK=off")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return binary
}

// freeAddress is one where nobody listens.
func freeAddress(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func newBackend(t *testing.T, address string) *backend {
	return &backend{t: t, site: "http://" + address, client: &http.Client{
		Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true},
	}}
}

// start runs the backend until the test ends, or stop.
func (b *backend) start(binary, file string) {
	b.log = filepath.Join(b.t.TempDir(), "log")
	log, err := os.Create(b.log)
	require.NoError(b.t, err)
	defer func() { _ = log.Close() }()
	b.process = exec.Command(binary, "-listen", strings.TrimPrefix(b.site, "http://"), "-config", file)
	b.process.Env = append(os.Environ(), "WEBAPP_PROFILES=1")
	b.process.Stdout, b.process.Stderr = log, log
	b.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(b.t, b.process.Start())
	b.t.Cleanup(func() { _ = b.process.Process.Kill() }) // too late as a rule
	require.Eventually(b.t, func() bool {
		code, _ := b.get("/healthz")
		return code == http.StatusOK
	}, 30*time.Second, 20*time.Millisecond, "the backend does not serve; its log is %s", b.log)
}

// stop ends it as operators do, and waits until it has ended.
func (b *backend) stop() (took time.Duration, err error) {
	begun := time.Now()
	if err := b.process.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- b.process.Wait() }()
	select {
	case err := <-ended:
		return time.Since(begun), err
	case <-time.After(time.Minute):
		_ = b.process.Process.Kill()
		<-ended
		return time.Since(begun), fmt.Errorf("it did not end within a minute of SIGTERM")
	}
}

// get asks one of its pages; status 0 is no answer, the text is then why.
func (b *backend) get(path string) (int, string) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, b.site+path, nil)
	if err != nil {
		return 0, err.Error()
	}
	response, err := b.client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

// vitals are what must not grow.
type vitals struct {
	Heap       float64 // bytes in use after two collections: pools outlive one
	Goroutines int
	Files      int // open descriptors
	Children   int // processes
}

func (v vitals) String() string {
	return fmt.Sprintf("%.1f MB heap, %d goroutines, %d descriptors, %d child processes", v.Heap/1e6, v.Goroutines, v.Files, v.Children)
}

// vitals measures, of descriptors those that are no connection from this test.
func (b *backend) vitals() (v vitals, err error) {
	b.get("/debug/pprof/heap?gc=1&debug=1")
	code, heap := b.get("/debug/pprof/heap?gc=1&debug=1")
	found := regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)`).FindStringSubmatch(heap)
	if code != http.StatusOK || found == nil {
		return v, fmt.Errorf("the heap profile: status %d: %.200s", code, heap)
	}
	v.Heap, err = strconv.ParseFloat(found[1], 64)
	if err != nil {
		return v, err
	}
	code, goroutines := b.get("/debug/pprof/goroutine?debug=1")
	if _, err = fmt.Sscanf(goroutines, "goroutine profile: total %d", &v.Goroutines); err != nil {
		return v, fmt.Errorf("the goroutine profile: status %d: %.200s", code, goroutines)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.process.Process.Pid))
	v.Files, v.Children = len(files), len(b.children())
	return v, err
}

// children lists its child processes that live, stopped ones included.
func (b *backend) children() []int { live, _ := childrenOf(b.process.Process.Pid); return live }

// childrenOf lists the processes of a parent: those that live, and those that have
// ended and were not waited for.
func childrenOf(parent int) (live, ended []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for word := range bytes.FieldsSeq(text) {
			pid, err := strconv.Atoi(string(word))
			if err != nil {
				continue
			}
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil {
				continue // it has ended meanwhile
			}
			_, rest, _ := strings.Cut(string(status), ") ")
			if strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X") {
				ended = append(ended, pid)
			} else {
				live = append(live, pid)
			}
		}
	}
	return live, ended
}

// snapshot is what of the debug page is compared.
type snapshot struct {
	Servers []struct {
		Name  string
		State string
		Stats struct {
			InFlight     int64 `json:"in_flight"`
			Requests     uint64
			Failures     uint64
			ByKind       map[string]uint64 `json:"failures_by_kind"`
			Handshakes   uint64
			Restarts     uint64
			SessionsLost uint64                 `json:"sessions_lost"`
			LastFailure  struct{ At time.Time } `json:"last_failure"`
		}
		Faults []string
		Config []setting
	}
	Problems []string
}

// setting is a key of the configuration, on the page.
type setting struct{ Key, Value string }

func (b *backend) snapshot() (snapshot, error) {
	code, text := b.get("/debug/mcp?format=json")
	var taken snapshot
	if code != http.StatusOK {
		return taken, fmt.Errorf("status %d: %.200s", code, text)
	}
	return taken, json.Unmarshal([]byte(text), &taken)
}
