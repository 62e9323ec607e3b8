package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mcp-client-go/mcpclient/field/processes"
)

const (
	// dumpTime is how long a harness that hangs may take to write down its
	// goroutines.
	dumpTime = 2 * time.Second
	// goneTime is how long what the harness started may take to disappear after
	// it was killed: the kernel does not do it at once.
	goneTime = 500 * time.Millisecond
	// maxTail bounds what a fault tells of the harness's stderr, in bytes.
	maxTail = 400
)

// runHarness runs the harness in a session of its own, so that whatever it
// starts can be found afterwards, and returns what no list excuses.
func (s stage) runHarness(ctx context.Context, sc *scene) (faults []string, err error) {
	harness := exec.Command(s.programs.harness, "-case", sc.casePath, "-outcome", sc.outcome,
		"-url", sc.url, "-player", s.programs.player, "-log", sc.log, "-dir", sc.files)
	harness.Dir = sc.directory
	harness.Env = os.Environ()
	for name, value := range sc.scenario.Env {
		harness.Env = append(harness.Env, name+"="+value)
	}
	harness.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdout, err := os.Create(filepath.Join(sc.directory, "harness.stdout"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = stdout.Close() }()
	stderr, err := os.Create(filepath.Join(sc.directory, "harness.stderr"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = stderr.Close() }()
	harness.Stdout, harness.Stderr = stdout, stderr // files: nobody waits for a pipe that a leaked process holds
	if err := harness.Start(); err != nil {
		return nil, err
	}
	session := harness.Process.Pid
	defer killSession(session)

	ended := make(chan error, 1)
	go func() { ended <- harness.Wait() }()
	limit := time.NewTimer(s.limit)
	defer limit.Stop()
	select {
	case err := <-ended:
		faults = harnessFaults(stdout.Name(), stderr.Name(), err)
		return append(faults, leftBehind(session)...), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-limit.C:
		faults = append(faults, fmt.Sprintf("still running after %v", s.limit))
	}
	_ = harness.Process.Signal(syscall.SIGQUIT) // its goroutines go to stderr
	select {
	case <-ended:
	case <-time.After(dumpTime):
		_ = harness.Process.Kill()
		<-ended
	}
	return faults, err
}

// harnessFaults reads what the harness said of itself.
func harnessFaults(stdout, stderr string, ended error) []string {
	said, err := os.ReadFile(stdout)
	if err != nil {
		return []string{err.Error()}
	}
	cries, err := os.ReadFile(stderr)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	lines := bufio.NewScanner(bytes.NewReader(said))
	lines.Buffer(nil, len(said)+1)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "leak: ") {
			faults = append(faults, lines.Text())
		}
	}
	if races := bytes.Count(cries, []byte("WARNING: DATA RACE")); races > 0 {
		faults = append(faults, fmt.Sprintf("%d data races: %s", races, tail(cries)))
	}
	if ended != nil && len(faults) == 0 {
		faults = append(faults, fmt.Sprintf("the harness failed: %v: %s", ended, tail(cries)))
	}
	return faults
}

func tail(text []byte) string {
	return strings.ToValidUTF8(string(text[max(0, len(text)-maxTail):]), "")
}

// leftBehind tells which processes of the harness's session are still there.
func leftBehind(session int) []string {
	var left []processes.Process
	for deadline := time.Now().Add(goneTime); ; time.Sleep(10 * time.Millisecond) {
		var err error
		if left, err = processes.InSession(session); err != nil {
			return nil // this machine cannot tell; that was said
		}
		if len(left) == 0 || time.Now().After(deadline) {
			break
		}
	}
	var faults []string
	for _, process := range left {
		faults = append(faults, "left behind: "+process.String())
	}
	return faults
}

// killSession ends whatever is left of a session.
func killSession(session int) {
	left, err := processes.InSession(session)
	if err != nil {
		return
	}
	for _, process := range left {
		_ = syscall.Kill(process.ID, syscall.SIGKILL)
	}
}
