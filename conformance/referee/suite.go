// Package referee runs the client scenarios of the official MCP conformance
// suite one by one and judges each run more strictly than the suite's own
// whole-suite modes do: the client's exit status, time-outs, warnings and runs
// in which no check succeeded count as failures.
package referee

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// oldestNode is the first major version of Node that can load the suite.
const oldestNode = 22

// Suite is the installed conformance suite and the client that it drives. It
// is immutable once made and safe for concurrent use.
type Suite struct {
	// Node is the Node program, Program the suite's main file.
	Node, Program string
	// Client is the command that the suite is given: one word, since the suite
	// splits it at spaces and hands it to a shell.
	Client string
	// Results is the folder that receives what each run left: the suite's log,
	// its checks, and what the client printed.
	Results string
	// Timeout is how long the suite lets the client run.
	Timeout time.Duration
}

// Find returns the suite that npm installed in directory, and with it the Node
// that npm installed there; where it installed none (it is published for Linux
// on x64 and arm64 only) the system's, which must be 22 or newer.
func Find(ctx context.Context, directory string) (Suite, error) {
	modules, err := filepath.Abs(filepath.Join(directory, "node_modules"))
	if err != nil {
		return Suite{}, err
	}
	s := Suite{
		Program: filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
		Node:    filepath.Join(modules, "node-"+runtime.GOOS+"-"+nodeArchitecture(), "bin", "node"),
		Timeout: time.Minute,
	}
	if _, err := os.Stat(s.Program); err != nil {
		return Suite{}, fmt.Errorf("the suite is not installed (npm ci in %s installs it): %w", directory, err)
	}
	if _, err := os.Stat(s.Node); err != nil {
		if s.Node, err = exec.LookPath("node"); err != nil {
			return Suite{}, fmt.Errorf("the suite needs Node %d or newer: %w", oldestNode, err)
		}
	}
	version, err := exec.CommandContext(ctx, s.Node, "--version").Output()
	if err != nil {
		return Suite{}, fmt.Errorf("asking %s for its version: %w", s.Node, err)
	}
	if major := majorVersion(string(version)); major < oldestNode {
		return Suite{}, fmt.Errorf("the suite needs Node %d or newer, %s is %s", oldestNode, s.Node, strings.TrimSpace(string(version)))
	}
	return s, nil
}

// nodeArchitecture is Node's name for the machine's architecture.
func nodeArchitecture() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// majorVersion reads 22 from "v22.1.0"; what is no version gives 0.
func majorVersion(version string) int {
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	number, _ := strconv.Atoi(major)
	return number
}

// command is the suite's command line with these arguments. When ctx ends it is
// killed; see killTree for what it started.
func (s Suite) command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, s.Node, append([]string{s.Program}, arguments...)...)
	command.WaitDelay = 5 * time.Second
	killTree(command)
	return command
}

// WrapClient writes into directory a script that runs the program at path, and
// returns the script's path. The suite hands its command to a shell after
// splitting it at spaces: a script of a plain name makes any path safe.
func WrapClient(path, directory string) (string, error) {
	program, err := exec.LookPath(path)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return "", fmt.Errorf("the client: %w", err)
	}
	script := filepath.Join(directory, "client")
	if strings.ContainsFunc(script, func(r rune) bool { return !strings.ContainsRune(plainCharacters, r) }) {
		return "", fmt.Errorf("the folder for temporary files, %s, has a character that the suite cannot pass to a shell (TMPDIR names another folder)", directory)
	}
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	return script, os.WriteFile(script, []byte("#!/bin/sh\nexec "+quoted+` "$@"`+"\n"), 0o755)
}

// plainCharacters mean themselves to every shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+"
