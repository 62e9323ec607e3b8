package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// Spec says what to run.
type Spec struct {
	// Command is the program and its arguments, no shell. See Start for where
	// the program is looked for.
	Command []string
	// Dir is the working directory; empty means this process's own.
	Dir string
	// Env is the whole environment, as "NAME=value". Nil and empty both mean an
	// empty environment, never this process's. See Environment.
	Env []string
	// Secrets are texts that must not be shown, beside the values of Env that look
	// like secrets. See Secrets.
	Secrets []string
	// Stderr gets each line of stderr, cut at 4 KiB, sanitised, and with secrets
	// replaced by ***, in order and from one goroutine. It may be nil. A callback
	// that blocks will, in time, block the child.
	Stderr func(line string)
}

// Child is a started process. All methods are safe for concurrent use.
type Child interface {
	// PID is the process id, or 0 where there is none.
	PID() int
	// Stdin is the write end of the child's standard input.
	Stdin() Stdin
	// Stdout is the read end of the child's standard output. It has one reader,
	// who must read it to its end or close it.
	Stdout() io.ReadCloser
	// Done is closed when the process has ended, its group was killed and its
	// stderr was read.
	Done() <-chan struct{}
	// ExitState says how the process ended, for example "exit status 3" or
	// "signal: killed"; empty before Done is closed.
	ExitState() string
	// StderrTail is the end of what the process wrote to stderr, at most 8 KiB,
	// sanitised as the lines for Spec.Stderr are.
	StderrTail() string
	// Shutdown closes stdin, waits for step, sends SIGTERM to the group, waits
	// for step, and sends SIGKILL. When ctx ends it goes on to SIGKILL at once.
	// It returns nil when the process has ended, else an error after a last
	// bounded wait.
	Shutdown(ctx context.Context, step time.Duration) error
}

// Stdin is the writing end of a child's standard input.
type Stdin interface {
	io.WriteCloser
	// SetWriteDeadline works as on a net.Conn. Where pipes have no deadlines it
	// returns os.ErrNoDeadline.
	SetWriteDeadline(t time.Time) error
}

// Starter starts a child. Start is the real one; tests inject others.
type Starter func(ctx context.Context, spec Spec) (Child, error)

// Process is a running or ended child process, made by Start.
type Process struct {
	pid    int
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *output
	stderr *stderrPump

	group      sync.Mutex // held while signalling and while reaping
	reaped     bool       // the pid may belong to someone else by now
	terminated bool       // SIGTERM was sent

	done  chan struct{}
	state string // written before done is closed
}

// Start starts a process. The process does not depend on ctx, which only keeps
// a start from being tried when it has ended already; use Shutdown to end it.
//
// A program named without a slash is looked for in the PATH of spec.Env, or in
// this process's PATH if spec.Env has none; entries that are not absolute are
// passed over. A relative path with a slash is relative to spec.Dir.
//
// Errors match errors.ErrStartFailed, and fs.ErrNotExist, fs.ErrPermission or
// the system's error where one of them is the cause.
func Start(ctx context.Context, spec Spec) (Child, error) {
	if err := ctx.Err(); err != nil {
		return nil, startError(spec, "not started", err)
	}
	if err := spec.check(); err != nil {
		return nil, startError(spec, "", err)
	}
	path, err := resolve(spec.Command[0], spec.Dir, spec.Env)
	if err != nil {
		return nil, startError(spec, "", err)
	}
	pipes, err := newPipes()
	if err != nil {
		return nil, startError(spec, "making pipes", err)
	}
	cmd := &exec.Cmd{
		Path:        path,
		Args:        spec.Command,
		Dir:         spec.Dir,
		Env:         append([]string{}, spec.Env...), // nil would inherit everything
		Stdin:       pipes.childStdin,
		Stdout:      pipes.childStdout,
		Stderr:      pipes.childStderr,
		SysProcAttr: ownGroup(),
	}
	err = cmd.Start()
	pipes.closeChildEnds()
	if err != nil {
		pipes.closeParentEnds()
		return nil, startError(spec, "", explainExec(path, err))
	}
	p := &Process{
		pid:    cmd.Process.Pid,
		cmd:    cmd,
		stdin:  pipes.stdin,
		stdout: &output{file: pipes.stdout},
		done:   make(chan struct{}),
	}
	p.stderr = newStderrPump(&output{file: pipes.stderr}, NewSecretFilter(spec.Env, spec.Secrets...), spec.Stderr)
	go p.stderr.run()
	go p.reap()
	return p, nil
}

// reap owns the child until it is gone.
func (p *Process) reap() {
	defer close(p.done)
	err := p.reapLeader()
	if state := p.cmd.ProcessState; state != nil {
		p.state = state.String()
	} else {
		p.state = fmt.Sprintf("exit status unknown: %v", err)
	}
	_ = p.stdin.Close()
	p.stdout.processExited()
	p.stderr.from.processExited()
	timer := time.NewTimer(stderrGrace)
	defer timer.Stop()
	select {
	case <-p.stderr.done:
	case <-timer.C:
	}
}

// reapLeader waits for the process, kills its group, and reaps it.
func (p *Process) reapLeader() error {
	if waitUntilExited(p.pid) {
		p.group.Lock()
		defer p.group.Unlock()
		p.reaped = true
		_ = killGroup(p.pid)
		return p.cmd.Wait()
	}
	err := p.cmd.Wait()
	p.group.Lock()
	defer p.group.Unlock()
	p.reaped = true
	if p.cmd.ProcessState != nil {
		// The number of a group that has members is never given to a new
		// process. If the group is empty, the number would have to be reused
		// within microseconds for this to hit anybody else.
		_ = killGroup(p.pid)
	}
	return err
}

// stderrGrace is how long an exit waits for the reader of stderr, which only a
// slow callback can hold up.
const stderrGrace = 100 * time.Millisecond

// PID returns the process id.
func (p *Process) PID() int { return p.pid }

// Stdin returns the write end of the child's standard input. It is closed when
// the process ends.
func (p *Process) Stdin() Stdin { return p.stdin }

// Stdout returns the read end of the child's standard output. It closes itself
// when it is read to its end.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitState says how the process ended; empty before Done is closed.
func (p *Process) ExitState() string {
	select {
	case <-p.done:
		return p.state
	default:
		return ""
	}
}

// StderrTail returns the last 8 KiB of stderr, sanitised.
func (p *Process) StderrTail() string { return p.stderr.tail.String() }

// pipes are the three pairs of a child that is being started.
type pipes struct {
	stdin, stdout, stderr                *os.File
	childStdin, childStdout, childStderr *os.File
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	var errs [3]error
	p.childStdin, p.stdin, errs[0] = os.Pipe()
	p.stdout, p.childStdout, errs[1] = os.Pipe()
	p.stderr, p.childStderr, errs[2] = os.Pipe()
	if i := slices.IndexFunc(errs[:], func(err error) bool { return err != nil }); i >= 0 {
		p.closeChildEnds()
		p.closeParentEnds()
		return nil, errs[i]
	}
	return p, nil
}

func (p *pipes) closeChildEnds() {
	closeFiles(p.childStdin, p.childStdout, p.childStderr)
}

func (p *pipes) closeParentEnds() {
	closeFiles(p.stdin, p.stdout, p.stderr)
}

func closeFiles(files ...*os.File) {
	for _, file := range files {
		_ = file.Close() // a nil *os.File returns an error
	}
}
