package process

import (
	"context"
	"os/exec"
	"slices"
)

// Launch starts a program that is not ours to end, such as the user's browser:
// in a session of its own, with this process's environment, without input, its
// output dropped. It goes on when this process ends. There is no shell (R305).
//
// ended gets how the program ended, once: nil for exit status 0. A launcher such
// as xdg-open ends when the browser has the URL, or when the browser ends. Errors
// of Launch itself are those of Start.
func Launch(ctx context.Context, command ...string) (ended <-chan error, err error) {
	spec := Spec{Command: command, Env: Environ()}
	if err := ctx.Err(); err != nil {
		return nil, startError(spec, "not started", err)
	}
	if err := spec.check(); err != nil {
		return nil, startError(spec, "", err)
	}
	path, err := resolve(command[0], "", spec.Env)
	if err != nil {
		return nil, startError(spec, "", err)
	}
	cmd := &exec.Cmd{Path: path, Args: slices.Clone(command), Env: spec.Env, SysProcAttr: ownSession()}
	if err := cmd.Start(); err != nil {
		return nil, startError(spec, "", explainExec(path, err))
	}
	end := make(chan error, 1)
	go func() { end <- cmd.Wait() }() // ends with the program
	return end, nil
}

// Browser returns the command that opens a URL in the user's browser.
func Browser(url string) []string { return browser(url) }
