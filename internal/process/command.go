package process

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/mcp-client-go/mcpclient/errors"
)

// startError names the command and the cause, without secrets.
func startError(spec Spec, doing string, cause error) error {
	text := NewSecretFilter(spec.Env, spec.Secrets...).Text(cause.Error())
	if doing != "" {
		text = doing + ": " + text
	}
	if len(spec.Command) > 0 {
		text = "command " + CommandLine(spec.Command, spec.Secrets...) + ": " + text
	}
	return &startFailure{text: text, cause: cause}
}

// startFailure is an errors.ErrStartFailed whose cause is told in a text of its
// own: the cause may show a path that is a secret.
type startFailure struct {
	text  string
	cause error
}

func (e *startFailure) Error() string   { return errors.ErrStartFailed.Error() + ": " + e.text }
func (e *startFailure) Unwrap() []error { return []error{errors.ErrStartFailed, e.cause} }

// check finds what the system would only answer with "invalid argument".
func (s Spec) check() error {
	if len(s.Command) == 0 || s.Command[0] == "" {
		return errors.New("the command is empty; wanted a program and its arguments")
	}
	for i, argument := range s.Command {
		if strings.ContainsRune(argument, 0) {
			return fmt.Errorf("argument %d contains a NUL byte", i)
		}
	}
	for _, variable := range s.Env {
		name, value, found := strings.Cut(variable, "=")
		// Windows has variables such as "=C:".
		if !found || name == "" && runtime.GOOS != "windows" {
			return fmt.Errorf("environment variable \"%s\" is not written as NAME=value", Sanitize(name, 80))
		}
		if strings.ContainsRune(name, 0) || strings.ContainsRune(value, 0) {
			return fmt.Errorf("environment variable \"%s\" contains a NUL byte", Sanitize(name, 80))
		}
	}
	return s.checkDir()
}

func (s Spec) checkDir() error {
	if s.Dir == "" {
		return nil
	}
	info, err := os.Stat(s.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(fmt.Sprintf("working directory %q does not exist", s.Dir), fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("working directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("working directory %q is not a directory: %w", s.Dir, syscall.ENOTDIR)
	}
	return nil
}

// resolve returns the absolute path of the program; see Start for the rules.
func resolve(name, dir string, env []string) (string, error) {
	if filepath.Base(name) == name {
		return search(name, env)
	}
	path := name
	if !filepath.IsAbs(path) && dir != "" {
		path = filepath.Join(dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return executable(path)
}

// search looks for a bare name in the child's PATH, or in ours if it has none.
func search(name string, env []string) (string, error) {
	path, found := variable(env, "PATH")
	if !found {
		file, err := exec.LookPath(name)
		if err != nil {
			return "", missing("not found in the PATH of this process (the child's environment has none)", cause(err))
		}
		return filepath.Abs(file)
	}
	var refused error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file, err := executable(filepath.Join(dir, name))
		if err == nil {
			return file, nil
		}
		if refused == nil && errors.Is(err, fs.ErrPermission) {
			refused = err
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", missing("not found in the PATH that the process would have: "+Sanitize(path, 512), fs.ErrNotExist)
}

// missingError tells what is missing in words of its own: those of the system's
// error would only repeat them.
type missingError struct {
	text  string
	cause error
}

func missing(text string, cause error) error { return &missingError{text, cause} }

func (e *missingError) Error() string { return e.text }
func (e *missingError) Unwrap() error { return e.cause }

// executable checks that path can be executed, and on Windows completes its
// extension.
func executable(path string) (string, error) {
	file, err := exec.LookPath(path)
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, syscall.EISDIR):
		return "", fmt.Errorf("%q is a directory: %w", path, syscall.EISDIR)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("no permission to execute %q: %w", path, fs.ErrPermission)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "", missing(fmt.Sprintf("%q does not exist", path), fs.ErrNotExist)
	default:
		return "", fmt.Errorf("%q cannot be executed: %w", path, cause(err))
	}
}

// cause strips the name that exec.Error repeats. A name that is not found in
// PATH is fs.ErrNotExist, whoever looked for it.
func cause(err error) error {
	if wrapped, ok := errors.AsType[*exec.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fs.ErrNotExist
	}
	return err
}

// explainExec says what the system's errors mean for a file that was found.
func explainExec(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(fmt.Sprintf("%q exists, but the interpreter it names in its first line does not", path), fs.ErrNotExist)
	case errors.Is(err, errNotProgram):
		return fmt.Errorf("%q is neither a program for this machine nor a script with a #! line: %w", path, errNotProgram)
	default:
		return err
	}
}
