package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-client-go/mcpclient/field/processes"
)

// programs are the paths of what a case is played with.
type programs struct{ harness, player string }

// build builds the harness and the player, unless they are given.
func build(ctx context.Context, s settings, work string, stdout io.Writer) (programs, error) {
	if !processes.Available() {
		if err := leftOut(stdout, "what is left of processes and descriptors (no /proc)"); err != nil {
			return programs{}, err
		}
	}
	harness, err := buildHarness(ctx, s, work, stdout)
	if err != nil {
		return programs{}, err
	}
	if s.player != "" {
		player, err := given(s.player)
		return programs{harness: harness, player: player}, err
	}
	player := filepath.Join(work, "bin", "player")
	return programs{harness: harness, player: player}, goBuild(ctx, s.module, player, "./player")
}

func buildHarness(ctx context.Context, s settings, work string, stdout io.Writer) (string, error) {
	if s.harness != "" {
		return given(s.harness)
	}
	var race []string
	if s.race {
		if hasCompiler(ctx) {
			race = []string{"-race"}
		} else if err := leftOut(stdout, "the race detector (no C compiler)"); err != nil {
			return "", err
		}
	}
	path := filepath.Join(work, "bin", "harness")
	return path, goBuild(ctx, s.module, path, "./harness", race...)
}

// given is the absolute path of a program that is not built here.
func given(program string) (string, error) {
	path, err := filepath.Abs(program)
	if err != nil {
		return "", err
	}
	return exec.LookPath(path)
}

// leftOut says what this machine cannot check. With REQUIRE_ALL set that is an
// error.
func leftOut(stdout io.Writer, what string) error {
	fmt.Fprintln(stdout, "LEFT OUT:", what)
	if os.Getenv("REQUIRE_ALL") != "" {
		return errors.New("REQUIRE_ALL is set, and this machine lacks something: " + what)
	}
	return nil
}

func hasCompiler(ctx context.Context) bool {
	name, err := exec.CommandContext(ctx, "go", "env", "CC").Output()
	if err != nil {
		return false
	}
	_, err = exec.LookPath(strings.TrimSpace(string(name)))
	return err == nil
}

func goBuild(ctx context.Context, module, output, source string, flags ...string) error {
	build := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o", output, source)...)
	build.Dir = module
	build.Env = append(os.Environ(), "GOWORK=off")
	if len(flags) > 0 {
		build.Env = append(build.Env, "CGO_ENABLED=1") // the race detector needs it
	}
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", source, err, said)
	}
	return nil
}
