package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// longestRun is more than the tests of a package take on a busy machine; what is
// not done by then goes on for ever, which is as good as a failed test.
const longestRun = time.Minute

// replacements are the changes that gremlins makes, by its names for them.
func replacements() map[string][][2]string {
	return map[string][][2]string{
		"ARITHMETIC_BASE":         {{"+", "-"}, {"-", "+"}, {"*", "/"}, {"/", "*"}, {"%", "*"}},
		"CONDITIONALS_BOUNDARY":   {{">=", ">"}, {"<=", "<"}, {">", ">="}, {"<", "<="}},
		"CONDITIONALS_NEGATION":   {{"==", "!="}, {"!=", "=="}, {"<=", ">"}, {">=", "<"}, {"<", ">="}, {">", "<="}},
		"INCREMENT_DECREMENT":     {{"++", "--"}, {"--", "++"}},
		"INVERT_ASSIGNMENTS":      {{"+=", "-="}, {"-=", "+="}, {"*=", "/="}, {"/=", "*="}, {"%=", "*="}},
		"INVERT_BITWISE":          {{"&^", "&"}, {"<<", ">>"}, {">>", "<<"}, {"&", "|"}, {"|", "&"}, {"^", "&"}},
		"INVERT_BWASSIGN":         {{"&^=", "&="}, {"<<=", ">>="}, {">>=", "<<="}, {"&=", "|="}, {"|=", "&="}, {"^=", "&="}},
		"INVERT_LOGICAL":          {{"&&", "||"}, {"||", "&&"}},
		"INVERT_LOOPCTRL":         {{"break", "continue"}, {"continue", "break"}},
		"INVERT_NEGATIVES":        {{"-", "+"}},
		"REMOVE_SELF_ASSIGNMENTS": {{"&^=", "="}, {"<<=", "="}, {">>=", "="}, {"+=", "="}, {"-=", "="}, {"*=", "="}, {"/=", "="}, {"%=", "="}, {"&=", "="}, {"|=", "="}, {"^=", "="}},
	}
}

// changed returns the file with the change made.
func (m mutant) changed(source []byte) ([]byte, error) {
	lines := bytes.SplitAfter(source, []byte("\n"))
	if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > len(lines[m.Line-1]) {
		return nil, fmt.Errorf("%s has no %d:%d: run gremlins again", m.file, m.Line, m.Column)
	}
	at := m.Column - 1
	for _, line := range lines[:m.Line-1] {
		at += len(line)
	}
	for _, pair := range replacements()[m.Type] {
		if rest, found := bytes.CutPrefix(source[at:], []byte(pair[0])); found {
			return bytes.Join([][]byte{source[:at], []byte(pair[1]), rest}, nil), nil
		}
	}
	return nil, fmt.Errorf("%s:%d:%d: there is no %s to make: run gremlins again", m.file, m.Line, m.Column, m.Type)
}

// isNoticed makes the change, without touching the file, and runs the tests of the
// package. A change that does not compile is noticed by the compiler.
func (m mutant) isNoticed() (bool, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return false, err
	}
	text, err := m.changed(source)
	if err != nil {
		return false, err
	}
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file, err := filepath.Abs(m.file)
	if err != nil {
		return false, err
	}
	mutated, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: mutated}})
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(mutated, text, 0o600); err != nil {
		return false, err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestRun+time.Minute)
	defer cancel()
	test := exec.CommandContext(ctx, "go", "test", "-count=1", "-failfast", "-timeout", longestRun.String(), "-overlay", overlay, "./"+path.Dir(m.file))
	return test.Run() != nil, nil
}

// accepted is a change that no test can notice. It is known by the text of its
// line, since numbers of lines change.
type accepted struct{ file, kind, line string }

// entry is how the list would name the mutant.
func (m mutant) entry() (accepted, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return accepted{}, err
	}
	lines := strings.Split(string(source), "\n")
	if m.Line > len(lines) {
		return accepted{}, fmt.Errorf("%s has no line %d: run gremlins again", m.file, m.Line)
	}
	return accepted{m.file, m.Type, strings.TrimSpace(lines[m.Line-1])}, nil
}

// readAccepted reads the list: file, type, line of code and reason, divided by
// tabs. The values become true when the entry is needed.
func readAccepted(name string) (map[accepted]bool, error) {
	listed := map[accepted]bool{}
	if name == "" {
		return listed, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 || fields[3] == "" {
			return nil, fmt.Errorf("%s: want file, type, line and reason, divided by tabs: %s", name, line)
		}
		listed[accepted{fields[0], fields[1], fields[2]}] = false
	}
	return listed, nil
}
