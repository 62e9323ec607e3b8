//go:build unix

package process

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-client-go/mcpclient/errors"
)

// soon bounds what should happen at once, on a busy machine.
const soon = 10 * time.Second

func start(t *testing.T, role string, change ...func(*Spec)) Child {
	t.Helper()
	spec := Spec{Command: []string{os.Args[0]}, Env: []string{childRole + "=" + role}}
	for _, f := range change {
		f(&spec)
	}
	child, err := Start(t.Context(), spec)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = child.Stdout().Close()
		assert.NoError(t, child.Shutdown(context.Background(), 0))
		assertGone(t, child.PID())
	})
	return child
}

func ended(t *testing.T, child Child) {
	t.Helper()
	select {
	case <-child.Done():
	case <-time.After(soon):
		require.FailNow(t, "the process did not end")
	}
}

// assertGone checks that there is no process of this number: not even a zombie.
func assertGone(t *testing.T, pid int) {
	t.Helper()
	assert.Eventually(t, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }, soon, 5*time.Millisecond,
		"process %d is still there", pid)
}

func readLine(t *testing.T, child Child) (string, *bufio.Reader) {
	t.Helper()
	reader := bufio.NewReader(child.Stdout())
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), reader
}

func TestWhatIsWrittenComesBackAndClosingStdinEndsIt(t *testing.T) {
	child := start(t, "echo")
	require.Positive(t, child.PID())
	require.Empty(t, child.ExitState())
	_, err := io.WriteString(child.Stdin(), "hello\n")
	require.NoError(t, err)
	line, reader := readLine(t, child)
	require.Equal(t, "hello", line)

	require.NoError(t, child.Shutdown(t.Context(), soon))
	require.Equal(t, "exit status 0", child.ExitState())
	_, err = reader.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

func TestExitTellsStatusAndStderr(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	child := start(t, "fail", func(spec *Spec) {
		spec.Stderr = func(line string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line)
		}
	})
	ended(t, child)
	require.Equal(t, "exit status 3", child.ExitState())
	require.Equal(t, "cannot open database\ngiving up", child.StderrTail())
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"cannot open database", "giving up"}, lines)
}

func TestNothingThatWasWrittenBeforeTheExitIsLost(t *testing.T) {
	child := start(t, "last words")
	ended(t, child) // only now begin to read
	text, err := io.ReadAll(child.Stdout())
	require.NoError(t, err)
	require.Len(t, text, 60_000)
}

func TestShutdownLadder(t *testing.T) { // R065
	const step = 50 * time.Millisecond
	tests := []struct {
		role, state string
		step        time.Duration
		waits       time.Duration
	}{
		{role: "echo", state: "exit status 0", step: soon},
		{role: "polite", state: "exit status 7", step: 300 * time.Millisecond, waits: 300 * time.Millisecond},
		{role: "deaf", state: "signal: killed", step: step, waits: 2 * step},
		{role: "polite", state: "signal: killed", step: 0},
	}
	for _, test := range tests {
		t.Run(test.role+" "+test.state, func(t *testing.T) {
			child := start(t, test.role)
			if test.role != "echo" {
				readLine(t, child)
			}
			before := time.Now()
			err := child.Shutdown(t.Context(), test.step)
			if test.step == 0 {
				// SIGTERM and SIGKILL come together: either may win.
				require.NoError(t, err)
				require.Contains(t, []string{"exit status 7", "signal: killed"}, child.ExitState())
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.state, child.ExitState())
			require.GreaterOrEqual(t, time.Since(before), test.waits)
		})
	}
}

func TestShutdownGoesOnToTheKillWhenTheContextEnds(t *testing.T) {
	child := start(t, "deaf")
	readLine(t, child)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	before := time.Now()
	require.NoError(t, child.Shutdown(ctx, time.Minute))
	require.Less(t, time.Since(before), soon)
	require.Equal(t, "signal: killed", child.ExitState())
}

func TestShutdownFromManyGoroutines(t *testing.T) {
	child := start(t, "polite")
	readLine(t, child)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() { assert.NoError(t, child.Shutdown(t.Context(), 500*time.Millisecond)) })
	}
	group.Wait()
	require.Equal(t, "exit status 7", child.ExitState())
	require.NoError(t, child.Shutdown(t.Context(), time.Minute))
}

func TestGrandchildrenDieWithTheirParent(t *testing.T) { // P34
	child := start(t, "parent")
	line, reader := readLine(t, child)
	grandchild, err := strconv.Atoi(line)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(grandchild, 0))

	require.NoError(t, child.Stdin().Close())
	ended(t, child)
	require.Equal(t, "exit status 4", child.ExitState())
	_, err = reader.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	assertDeadOrOrphan(t, grandchild)
}

// assertDeadOrOrphan accepts a zombie: a dead grandchild belongs to init, which
// may be slow, or in a container not there at all.
func assertDeadOrOrphan(t *testing.T, pid int) {
	t.Helper()
	assert.Eventually(t, func() bool {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return true
		}
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err == nil && strings.Contains(string(stat), ") Z ")
	}, soon, 5*time.Millisecond, "process %d still runs", pid)
}

func TestFugitiveThatHoldsThePipesDoesNotHangUs(t *testing.T) {
	child := start(t, "parent of fugitive")
	line, reader := readLine(t, child)
	fugitive, err := strconv.Atoi(line)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Kill(fugitive, syscall.SIGKILL)) }()

	read := make(chan error, 1)
	go func() {
		_, err := reader.ReadByte()
		read <- err
	}()
	require.NoError(t, child.Stdin().Close())
	ended(t, child)
	select {
	case err := <-read:
		require.ErrorIs(t, err, io.EOF)
	case <-time.After(soon):
		require.FailNow(t, "stdout did not end")
	}
	require.NoError(t, syscall.Kill(fugitive, 0), "the fugitive was to outlive its parent in this test")
}

func TestStderrCallbackThatBlocksDoesNotHideTheExit(t *testing.T) {
	release := make(chan struct{})
	child := start(t, "fail", func(spec *Spec) { spec.Stderr = func(string) { <-release } })
	ended(t, child)
	require.Equal(t, "exit status 3", child.ExitState())
	close(release)
}

func TestStderrFloodIsReadAndBounded(t *testing.T) { // P30
	child := start(t, "flood")
	ended(t, child)
	tail := child.StderrTail()
	require.LessOrEqual(t, len(tail), maxStderrTail)
	require.Greater(t, len(tail), maxStderrTail/2)
	require.True(t, strings.HasSuffix(tail, "\nend of flood"))
}

func TestLongStderrLineIsCut(t *testing.T) {
	child := start(t, "long stderr line")
	ended(t, child)
	lines := strings.Split(child.StderrTail(), "\n")
	require.Len(t, lines, 2)
	require.LessOrEqual(t, len(lines[0]), maxStderrLine+len("..."))
	require.Equal(t, "short", lines[1])
}

func TestSecretsAreNotInStderr(t *testing.T) { // P104
	child := start(t, "tell", func(spec *Spec) {
		spec.Env = append(spec.Env, "API_TOKEN=correct horse")
	})
	ended(t, child)
	require.Equal(t, "using ***", child.StderrTail())
}

func TestBlockedWriteHasADeadlineAndEndsWithTheProcess(t *testing.T) { // P32
	child := start(t, "mute")
	readLine(t, child)
	big := make([]byte, 1<<20)
	require.NoError(t, child.Stdin().SetWriteDeadline(time.Now().Add(20*time.Millisecond)))
	n, err := child.Stdin().Write(big)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Positive(t, n)

	require.NoError(t, child.Stdin().SetWriteDeadline(time.Time{}))
	written := make(chan error, 1)
	go func() {
		_, err := child.Stdin().Write(big)
		written <- err
	}()
	require.NoError(t, child.Shutdown(t.Context(), 0))
	select {
	case err := <-written:
		require.Error(t, err)
	case <-time.After(soon):
		require.FailNow(t, "the write still blocks")
	}
}

func TestEmptyEnvironmentIsEmpty(t *testing.T) {
	child := start(t, "environment")
	text, err := io.ReadAll(child.Stdout())
	require.NoError(t, err)
	require.Equal(t, childRole+"=environment", strings.TrimSpace(string(text)))
}

func TestWorkingDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	child := start(t, "where", func(spec *Spec) { spec.Dir = dir })
	line, _ := readLine(t, child)
	require.Equal(t, dir, line)
}

// A path of the command may be a secret as well.
func TestStartFailuresShowNoSecret(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "sEcReT-plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	for name, spec := range map[string]Spec{
		"a word":          {Command: []string{"no-such-program-at-all", "sEcReT"}},
		"the program":     {Command: []string{"sEcReT"}},
		"a path":          {Command: []string{"/nowhere/sEcReT/program"}},
		"no permission":   {Command: []string{plain}},
		"directory":       {Command: []string{"program"}, Dir: "/nowhere/sEcReT"},
		"not a directory": {Command: []string{"program"}, Dir: plain},
		"PATH":            {Command: []string{"program"}, Env: []string{"PATH=/nowhere/sEcReT"}},
	} {
		t.Run(name, func(t *testing.T) {
			spec.Secrets = []string{"sEcReT"}
			_, err := Start(t.Context(), spec)
			require.ErrorIs(t, err, errors.ErrStartFailed)
			require.NotContains(t, err.Error(), "sEcReT")
			require.Contains(t, err.Error(), "***")
		})
	}
}

func TestStartFailures(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), mode))
		return path
	}
	plain := write("plain", "#!/bin/sh\n", 0o644)
	badInterpreter := write("bad-interpreter", "#!/no/such/interpreter\n", 0o755)
	noProgram := write("no-program", "\x00\x01\x02", 0o755)

	tests := map[string]struct {
		spec  Spec
		is    error
		wants []string
	}{
		"empty":                    {spec: Spec{}, wants: []string{"command is empty"}},
		"not in the child's PATH":  {spec: Spec{Command: []string{"nosuch"}, Env: []string{"PATH=" + dir}}, is: fs.ErrNotExist, wants: []string{"command nosuch: not found in the PATH that the process would have: " + dir}},
		"not in our PATH":          {spec: Spec{Command: []string{"no-such-program-at-all"}}, is: fs.ErrNotExist, wants: []string{"PATH of this process"}},
		"in PATH without run bit":  {spec: Spec{Command: []string{"plain"}, Env: []string{"PATH=" + dir}}, is: fs.ErrPermission, wants: []string{plain, "no permission"}},
		"relative PATH is ignored": {spec: Spec{Command: []string{"go.mod"}, Env: []string{"PATH=../..:."}}, is: fs.ErrNotExist},
		"missing file":             {spec: Spec{Command: []string{"./nosuch"}, Dir: dir}, is: fs.ErrNotExist, wants: []string{filepath.Join(dir, "nosuch")}},
		"no run bit":               {spec: Spec{Command: []string{plain}}, is: fs.ErrPermission, wants: []string{plain}},
		"directory":                {spec: Spec{Command: []string{dir}}, is: syscall.EISDIR, wants: []string{"is a directory"}},
		"missing interpreter":      {spec: Spec{Command: []string{badInterpreter}}, is: fs.ErrNotExist, wants: []string{"interpreter"}},
		"not a program":            {spec: Spec{Command: []string{noProgram}}, is: syscall.ENOEXEC, wants: []string{"neither a program"}},
		"missing working directory": {
			spec: Spec{Command: []string{os.Args[0]}, Dir: filepath.Join(dir, "nosuch")}, is: fs.ErrNotExist, wants: []string{"working directory", "does not exist"},
		},
		"working directory is a file": {spec: Spec{Command: []string{os.Args[0]}, Dir: plain}, is: syscall.ENOTDIR, wants: []string{"is not a directory"}},
		"NUL in an argument":          {spec: Spec{Command: []string{"x", "a\x00b"}}, wants: []string{"argument 1", "NUL"}},
		"NUL in the environment":      {spec: Spec{Command: []string{"x"}, Env: []string{"NAME=a\x00b"}}, wants: []string{`"NAME"`, "NUL"}},
		"malformed environment":       {spec: Spec{Command: []string{"x"}, Env: []string{"NAME"}}, wants: []string{`"NAME"`, "NAME=value"}},
		"secrets are hidden":          {spec: Spec{Command: []string{"./nosuch", "--token", "hunter2hunter2"}, Dir: dir}, is: fs.ErrNotExist, wants: []string{"--token ***"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			descriptors := openDescriptors(t)
			child, err := Start(t.Context(), test.spec)
			require.Nil(t, child)
			require.ErrorIs(t, err, errors.ErrStartFailed)
			if test.is != nil {
				require.ErrorIs(t, err, test.is)
			}
			for _, want := range test.wants {
				require.ErrorContains(t, err, want)
			}
			require.NotContains(t, err.Error(), "hunter2")
			require.NotContains(t, err.Error(), "file does not exist", "it was said in better words")
			require.LessOrEqual(t, openDescriptors(t), descriptors)
		})
	}
}

func TestStartIsNotTriedWhenTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Start(ctx, Spec{Command: []string{os.Args[0]}})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, errors.ErrStartFailed)
}

func TestProgramIsFoundInTheChildsPath(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(dir, "my-server")))
	child := start(t, "environment", func(spec *Spec) {
		spec.Command = []string{"my-server"}
		spec.Env = append(spec.Env, "PATH=/nonexistent:"+dir)
	})
	_, err := io.ReadAll(child.Stdout())
	require.NoError(t, err)
	ended(t, child)
	require.Equal(t, "exit status 0", child.ExitState())
}

func TestNoDescriptorIsLeftOpen(t *testing.T) {
	before := openDescriptors(t)
	for range 10 {
		child, err := Start(t.Context(), Spec{Command: []string{os.Args[0]}, Env: []string{childRole + "=fail"}})
		require.NoError(t, err)
		_, err = io.ReadAll(child.Stdout())
		require.NoError(t, err)
		ended(t, child)
	}
	require.Eventually(t, func() bool { return openDescriptors(t) <= before }, soon, 5*time.Millisecond)
}

// openDescriptors counts this process's open files where the system tells.
func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	require.NoError(t, err)
	return len(entries)
}
