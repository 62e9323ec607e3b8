package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// startLimit is how long the player may take to listen.
	startLimit = 10 * time.Second
	// stopLimit is how long it may take to end after SIGTERM.
	stopLimit = 5 * time.Second
	// checkLimit is for its short tasks: writing files, judging a log.
	checkLimit = 30 * time.Second
)

// player is a player that listens for HTTP.
type player struct {
	url    string
	ended  chan error
	cancel context.CancelFunc
	task   *exec.Cmd
}

// startPlayer starts the player and waits until it has told its URL.
func startPlayer(ctx context.Context, program string, sc *scene) (*player, error) {
	ctx, cancel := context.WithCancel(ctx) // its end kills the player
	p := &player{ended: make(chan error, 1), cancel: cancel}
	p.task = exec.CommandContext(ctx, program, "http", "-case", sc.casePath, "-log", sc.log)
	p.task.WaitDelay = stopLimit
	stderr, err := os.Create(filepath.Join(sc.directory, "player.stderr"))
	if err != nil {
		cancel()
		return nil, err
	}
	defer func() { _ = stderr.Close() }() // the player has its own copy
	p.task.Stderr = stderr
	told := &firstLine{line: make(chan string, 1)}
	p.task.Stdout = told
	if err := p.task.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() { p.ended <- p.task.Wait() }()
	select {
	case p.url = <-told.line:
		return p, nil
	case err := <-p.ended:
		cancel()
		return nil, fmt.Errorf("the player ended before it listened: %w", errors.Join(err, context.Cause(ctx)))
	case <-time.After(startLimit):
		cancel()
		<-p.ended
		return nil, fmt.Errorf("the player did not tell its URL within %v", startLimit)
	}
}

// stop ends the player. Its own failure is an error.
func (p *player) stop() error {
	defer p.cancel()
	if err := p.task.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("the player ended by itself: %w", <-p.ended)
	}
	select {
	case err := <-p.ended:
		if err != nil {
			return fmt.Errorf("the player: %w", err)
		}
		return nil
	case <-time.After(stopLimit):
		p.cancel()
		<-p.ended
		return fmt.Errorf("the player did not end within %v", stopLimit)
	}
}

// firstLine is a writer that tells the first line, and forgets the rest.
type firstLine struct {
	begun []byte
	line  chan string
	told  bool
}

func (f *firstLine) Write(text []byte) (int, error) {
	if !f.told {
		f.begun = append(f.begun, text...)
		if line, _, ended := bytes.Cut(f.begun, []byte("\n")); ended {
			f.line <- strings.TrimSpace(string(line))
			f.told = true
		}
	}
	return len(text), nil
}

// writeFiles has the player write the case's files.
func writeFiles(ctx context.Context, program string, sc *scene) error {
	said, err := runTask(ctx, program, "config", "-case", sc.casePath, "-dir", sc.files, "-log", sc.log, "-url", sc.url)
	if err != nil {
		return fmt.Errorf("player config: %w: %s", err, said)
	}
	return nil
}

// check has the player judge what the server saw and what the client said.
func check(ctx context.Context, program string, sc *scene, v *verdict) error {
	said, err := runTask(ctx, program, "check", "-case", sc.casePath, "-log", sc.log, "-outcome", sc.outcome)
	v.said = string(said)
	lines := bufio.NewScanner(bytes.NewReader(said))
	lines.Buffer(nil, len(said)+1)
	for lines.Scan() {
		if shortcoming, ok := strings.CutPrefix(lines.Text(), "FAIL "); ok {
			v.shortcomings = append(v.shortcomings, shortcoming)
		}
	}
	exit, wasExit := errors.AsType[*exec.ExitError](err)
	switch {
	case wasExit && exit.ExitCode() == 1 && len(v.shortcomings) > 0:
		return nil
	case err != nil:
		return fmt.Errorf("player check: %w: %s", err, said)
	case len(v.shortcomings) > 0:
		return errors.New("player check: it says FAIL and ends with 0")
	default:
		return nil
	}
}

func runTask(ctx context.Context, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	return exec.CommandContext(ctx, program, args...).CombinedOutput()
}
