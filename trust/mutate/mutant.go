package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// mutant is one change.
type mutant struct {
	Type   string `json:"type"`
	Line   int    `json:"line"`
	Column int    `json:"column"`

	file string // seen from the root of the module
}

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

// replacement returns where the operator stands in the file, the operator, and what
// takes its place.
func (m *mutant) replacement(source []byte) (at int, before, after string, err error) {
	lines := bytes.SplitAfter(source, []byte("\n"))
	if m.Line < 1 || m.Line > len(lines) || m.Column < 1 || m.Column > len(lines[m.Line-1]) {
		return 0, "", "", fmt.Errorf("%s has no %d:%d: run gremlins again", m.file, m.Line, m.Column)
	}
	at = m.Column - 1
	for _, line := range lines[:m.Line-1] {
		at += len(line)
	}
	for _, pair := range replacements()[m.Type] {
		if bytes.HasPrefix(source[at:], []byte(pair[0])) {
			return at, pair[0], pair[1], nil
		}
	}
	return 0, "", "", fmt.Errorf("%s:%d:%d: there is no %s to make: run gremlins again", m.file, m.Line, m.Column, m.Type)
}

// changed returns the file with the change made.
func (m *mutant) changed(source []byte) ([]byte, error) {
	at, before, after, err := m.replacement(source)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{source[:at], []byte(after), source[at+len(before):]}, nil), nil
}

// accepted is a change that no test can notice. It is known by the text of its
// line, since numbers of lines change.
type accepted struct{ file, kind, line string }

// entry is how the list would name the mutant.
func (p *loadedPackage) entry(m *mutant) accepted {
	lines := strings.Split(string(p.sources[m.file].text), "\n")
	return accepted{m.file, m.Type, strings.TrimSpace(lines[m.Line-1])}
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
