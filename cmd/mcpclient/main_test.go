package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram, in the environment of this test program, makes it the program.
const asProgram = "MCPCLIENT_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	// The demo server is this executable with that argument, in an environment
	// that holds no variable of ours.
	if os.Getenv(asProgram) != "" || len(os.Args) == 2 && os.Args[1] == "demo-server" {
		leaveAtOnce()
		main()
		return
	}
	if os.Getenv(asBrowser) != "" {
		os.Exit(browse(os.Args[1]))
	}
	goleak.VerifyTestMain(m)
}

// leaveAtOnce keeps the race detector from sleeping for a second before the
// process exits, which only a variable of the environment can tell it.
func leaveAtOnce() {
	const variable = "GORACE"
	if self, err := os.Executable(); err == nil && os.Getenv(variable) == "" {
		_ = syscall.Exec(self, os.Args, append(os.Environ(), variable+"=atexit_sleep_ms=0"))
	}
}

// outcome is what one run left.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs the program in this process, with the built-in configuration unless
// the arguments name another.
func run(t *testing.T, arguments ...string) outcome {
	t.Helper()
	return runWith(t, t.Context(), "", arguments...)
}

func runWith(t *testing.T, ctx context.Context, stdin string, arguments ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := &program{stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr, executable: os.Executable, lookupEnv: noVariables}
	code := p.run(ctx, arguments)
	return outcome{code, stdout.String(), stderr.String()}
}

func TestAsARealProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	program := func(arguments ...string) *exec.Cmd {
		command := exec.Command(self, arguments...)
		command.Env = append(os.Environ(), asProgram+"=1")
		command.Dir = t.TempDir()
		return command
	}
	t.Run("the first command of the README", func(t *testing.T) {
		output, err := program("call", "demo", "echo", "text=hello").Output()
		require.NoError(t, err)
		assert.Equal(t, "hello\n", string(output))
	})
	t.Run("exit codes", func(t *testing.T) {
		for want, arguments := range map[int][]string{
			0: {"version"}, 1: {"call", "demo", "fail"}, 2: {"call", "demo"}, 3: {"call", "demo", "nope"},
		} {
			command := program(arguments...)
			_ = command.Run()
			assert.Equal(t, want, command.ProcessState.ExitCode(), arguments)
		}
	})
	t.Run("an interrupt ends it cleanly", func(t *testing.T) {
		command := program("call", "demo", "slow", "ms=60000", "steps=600", "--verbose")
		var stderr watched
		stderr.saw = make(chan struct{})
		command.Stderr = &stderr
		require.NoError(t, command.Start())
		select {
		case <-stderr.saw: // progress: the call is running
		case <-time.After(30 * time.Second):
			_ = command.Process.Kill()
			_ = command.Wait()
			t.Fatal("no progress")
		}
		begun := time.Now()
		require.NoError(t, command.Process.Signal(syscall.SIGINT))
		_ = command.Wait()
		assert.Less(t, time.Since(begun), 5*time.Second)
		assert.Equal(t, exitInterrupted, command.ProcessState.ExitCode())
		assert.Contains(t, stderr.text.String(), "mcpclient: interrupted")
	})
}

// watched tells when the first progress report was written.
type watched struct {
	text strings.Builder
	saw  chan struct{}
	told bool
}

func (w *watched) Write(data []byte) (int, error) {
	w.text.Write(data)
	if !w.told && strings.Contains(w.text.String(), "slow: 1 of 600") {
		w.told = true
		close(w.saw)
	}
	return len(data), nil
}

// screen is a terminal that is both stdout and stderr, and stdin if something is
// typed.
type screen struct {
	mu    sync.Mutex
	shown bytes.Buffer
	typed io.Reader
}

// Columns makes it a terminal.
func (s *screen) Columns() int { return 100 }

func (s *screen) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.Write(data)
}

func (s *screen) Read(data []byte) (int, error) { return s.typed.Read(data) }

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// onTerminal runs the program where somebody looks on.
func onTerminal(t *testing.T, arguments ...string) (code int, shown *screen) {
	t.Helper()
	return onTerminalTyping(t, "", arguments...)
}

// onTerminalTyping runs the program where somebody looks on and has typed ahead.
func onTerminalTyping(t *testing.T, typed string, arguments ...string) (code int, shown *screen) {
	t.Helper()
	shown = &screen{typed: strings.NewReader(typed)}
	p := &program{stdin: shown, stdout: shown, stderr: shown, executable: os.Executable, lookupEnv: noVariables}
	code = p.run(t.Context(), arguments)
	return code, shown
}

func noVariables(string) (string, bool) { return "", false }
