package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// test is one test of the module.
type test struct{ folder, name string }

// String names the test as the coverage page does.
func (t test) String() string {
	if t.folder == "." {
		return "mcpclient." + t.name
	}
	return t.folder + "." + t.name
}

// brk is one way to break the code.
type brk struct {
	requirement   string
	test          test
	file          string
	what          string
	before, after string
}

// readList reads a list of breaks: a line of requirement, folder, test and file, a
// line that says what is broken, then the lines of the code with "-" before them and
// those that take their place with "+". Lines that begin with "#" are comments.
func readList(name string) ([]*brk, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var breaks []*brk
	var last *brk
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '-' || line[0] == '+':
			if last == nil {
				return nil, fmt.Errorf("%s: %q belongs to nothing", name, line)
			}
			side := &last.before
			if line[0] == '+' {
				side = &last.after
			}
			if *side != "" {
				*side += "\n"
			}
			*side += line[1:]
		case last != nil && last.what == "":
			last.what = line
		default:
			fields := strings.Fields(line)
			if len(fields) != 4 {
				return nil, fmt.Errorf("%s: want requirement, folder, test and file: %s", name, line)
			}
			last = &brk{requirement: fields[0], test: test{fields[1], fields[2]}, file: fields[3]}
			breaks = append(breaks, last)
		}
	}
	for _, b := range breaks {
		if b.what == "" || b.before == "" || b.after == "" {
			return nil, fmt.Errorf("%s: %s does not say what to break, and how", name, b.requirement)
		}
	}
	return breaks, nil
}

// isNamed looks whether the page says that this test holds the requirement.
func (b *brk) isNamed(page string) error {
	shown := "`" + b.test.String() + "`"
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| "+b.requirement+" |") && (strings.Contains(line, shown) || strings.Contains(line, " and more |")) {
			return nil
		}
	}
	return fmt.Errorf("the coverage page does not name %s", shown)
}

// isNoticed breaks the code and wants the test to fail.
func (b *brk) isNoticed() error {
	source, err := os.ReadFile(b.file)
	if err != nil {
		return err
	}
	if n := strings.Count(string(source), b.before); n != 1 {
		return fmt.Errorf("%s has %d places to break, want 1:\n%s", b.file, n, b.before)
	}
	folder, err := os.MkdirTemp("", "spotcheck")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	broken, overlay := filepath.Join(folder, "broken.go"), filepath.Join(folder, "overlay.json")
	file, err := filepath.Abs(b.file)
	if err != nil {
		return err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: broken}})
	if err != nil {
		return err
	}
	if err := errors.Join(
		os.WriteFile(broken, []byte(strings.Replace(string(source), b.before, b.after, 1)), 0o600),
		os.WriteFile(overlay, replace, 0o600),
	); err != nil {
		return err
	}
	switch err := b.test.passes(overlay); {
	case err == nil:
		return fmt.Errorf("%s passes though this was broken: %s", b.test, b.what)
	case !errors.Is(err, errFailed):
		return err
	}
	return nil
}

// errFailed says that a test ran and failed.
var errFailed = errors.New("the test failed")

// longest is what a test may take: the code is broken, and may hang.
const longest = time.Minute

// passes runs the test; overlay may be empty. What does not compile is another error
// than errFailed.
func (t test) passes(overlay string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	arguments := []string{"test", "-count=1", "-vet=off", "-failfast", "-v", "-timeout=" + longest.String(), "-run", "^" + t.name + "$"}
	if overlay != "" {
		arguments = append(arguments, "-overlay", overlay)
	}
	said, err := exec.CommandContext(ctx, "go", append(arguments, "./"+t.folder)...).CombinedOutput()
	switch text := string(said); {
	case !strings.Contains(text, "=== RUN   "+t.name+"\n"):
		return fmt.Errorf("%s did not run: %w\n%s", t, errors.Join(err, ctx.Err()), tail(text))
	case err != nil:
		return fmt.Errorf("%w: %s", errFailed, tail(text))
	}
	return nil
}

// tail bounds what is shown.
func tail(text string) string { return text[max(0, len(text)-3000):] }
