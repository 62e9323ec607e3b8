package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/mcp-client-go/mcpclient/config"
	"github.com/mcp-client-go/mcpclient/errors"
)

// inputs asks the user for what ${input:id} stands for.
type inputs struct {
	// asking ends the questions; nil where nobody is asked: by commands that only
	// check.
	asking context.Context

	mu    sync.Mutex
	given map[string]string // by id
}

// maxQuestion bounds a question, in bytes.
const maxQuestion = 500

// load loads files, and tells what they hold without effect.
func (p *program) load(files ...string) (*config.Config, error) {
	cfg, err := config.LoadWith(config.Options{Input: p.input}, files...)
	if err == nil {
		p.warnOf(cfg.Warnings())
	}
	return cfg, err
}

// withoutAsking answers an input where nothing is done with the answer.
func withoutAsking(input config.Input) (string, error) {
	switch {
	case input.Default != "":
		return input.Default, nil
	case len(input.Options) > 0:
		return input.Options[0], nil
	}
	return "input", nil
}

// input asks for an input, once for all servers, one question after the other.
func (p *program) input(input config.Input) (string, error) {
	if p.inputs.asking == nil {
		return withoutAsking(input)
	}
	p.inputs.mu.Lock()
	defer p.inputs.mu.Unlock()
	if answer, known := p.inputs.given[input.ID]; known {
		return answer, nil
	}
	answer, err := p.ask(input)
	if err != nil {
		return "", err
	}
	if p.inputs.given == nil {
		p.inputs.given = map[string]string{}
	}
	p.inputs.given[input.ID] = answer
	return answer, nil
}

// ask puts one question on the terminal, where the answer to one for a password is
// not shown.
func (p *program) ask(input config.Input) (string, error) {
	terminal, ok := p.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", errors.New("there is no terminal to ask for it")
	}
	question := input.Description
	if question == "" {
		question = input.ID
	}
	if len(input.Options) > 0 {
		question += " (" + strings.Join(input.Options, ", ") + ")"
	}
	if input.Default != "" && !input.Password {
		question += " [" + input.Default + "]"
	}
	if _, err := io.WriteString(p.stderr, errors.PeerText(question, maxQuestion)+": "); err != nil {
		return "", err
	}
	answer, err := p.readAnswer(terminal, input.Password)
	switch {
	case err != nil:
		return "", err
	case answer == "":
		answer = input.Default
	}
	if len(input.Options) > 0 && !slices.Contains(input.Options, answer) {
		return "", fmt.Errorf("the answer is not one of %s", strings.Join(input.Options, ", "))
	}
	return answer, nil
}

// readAnswer gives up when the command is interrupted, which leaves the terminal as
// it was, and a reader behind that ends with the process.
func (p *program) readAnswer(terminal *os.File, hidden bool) (string, error) {
	type line struct {
		text string
		err  error
	}
	descriptor := int(terminal.Fd()) // not to be asked for by two goroutines
	before, err := term.GetState(descriptor)
	if err != nil {
		return "", err
	}
	read := make(chan line, 1)
	go func() {
		text, err := readLine(terminal, descriptor, hidden)
		read <- line{text, err}
	}()
	select {
	case answer := <-read:
		if hidden {
			_, _ = io.WriteString(p.stderr, "\n") // the user's own line end was not shown
		}
		return answer.text, answer.err
	case <-p.inputs.asking.Done():
		_ = term.Restore(descriptor, before)
		return "", context.Cause(p.inputs.asking)
	}
}

func readLine(terminal *os.File, descriptor int, hidden bool) (string, error) {
	if hidden {
		answer, err := term.ReadPassword(descriptor)
		return string(answer), err
	}
	// Byte by byte: what follows belongs to others.
	var line strings.Builder
	for one := make([]byte, 1); ; {
		n, err := terminal.Read(one)
		switch {
		case n == 1 && one[0] == '\n', errors.Is(err, io.EOF) && line.Len() > 0:
			return strings.TrimRight(line.String(), "\r"), nil
		case err != nil:
			return "", err
		}
		line.Write(one[:n])
	}
}
