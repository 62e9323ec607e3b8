package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pseudoTerminal returns both ends of one.
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = person.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

// echoes reports whether a terminal shows what is typed.
func echoes(t *testing.T, terminal int) bool {
	t.Helper()
	settings, err := unix.IoctlGetTermios(terminal, unix.TCGETS)
	require.NoError(t, err)
	return settings.Lflag&unix.ECHO != 0
}

// questions tells of each question that is written.
type questions struct {
	mu    sync.Mutex
	text  bytes.Buffer
	asked chan string
}

func (q *questions) Write(data []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.text.Write(data)
	if bytes.HasSuffix(data, []byte(": ")) {
		q.asked <- string(data)
	}
	return len(data), nil
}

// The user is asked once for each input, when it is needed, and a password is not
// shown while it is typed.
func TestInputsAreAskedForOnATerminal(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	path := configured(t, ".vscode/mcp.json", `{"inputs": [
  {"id": "mode", "type": "pickString", "description": "Which mode?", "options": ["demo-server", "other"], "default": "demo-server"},
  {"id": "word", "type": "promptString", "description": "The secret\u001b[31m word", "password": true}
 ], "servers": {
  "one": {"command": "`+self+`", "args": ["${input:mode}"], "env": {"WORD": "${input:word}"}},
  "two": {"command": "`+self+`", "args": ["${input:mode}"]}
}}`)
	person, terminal := pseudoTerminal(t)
	descriptor := int(terminal.Fd())
	asked := &questions{asked: make(chan string, 10)}
	var stdout bytes.Buffer
	p := &program{stdin: terminal, stdout: &stdout, stderr: asked, executable: os.Executable}
	ended := make(chan int, 1)
	go func() { ended <- p.run(t.Context(), []string{"--config", path, "tools", "one"}) }()

	awaitQuestion := func(question string) {
		select {
		case found := <-asked.asked:
			require.Equal(t, question, found)
		case <-time.After(30 * time.Second):
			t.Fatal("nothing was asked: " + asked.text.String())
		}
	}
	awaitQuestion("Which mode? (demo-server, other) [demo-server]: ")
	_, err = person.WriteString("\n")
	require.NoError(t, err)
	awaitQuestion(`The secret\x1b[31m word: `)
	for deadline := time.Now().Add(30 * time.Second); echoes(t, descriptor); runtime.Gosched() {
		require.True(t, time.Now().Before(deadline), "the terminal shows what is typed")
	}
	_, err = person.WriteString(configSecret + "\n")
	require.NoError(t, err)
	select {
	case code := <-ended:
		require.Equal(t, exitOK, code, asked.text.String())
	case <-time.After(30 * time.Second):
		t.Fatal("the command does not end")
	}
	assert.Contains(t, stdout.String(), "echo")
	assert.Empty(t, asked.asked, "each once, for both servers")

	_, err = person.WriteString("end\n")
	require.NoError(t, err)
	echoed := ""
	for lines := bufio.NewReader(person); echoed == "" || echoed[len(echoed)-1] != 'd'; {
		line, err := lines.ReadString('d') // of the "end" that was typed last
		require.NoError(t, err)
		echoed += line
	}
	assert.NotContains(t, echoed, configSecret, "the terminal showed it")
}

func TestAnswersThatAreNotAllowed(t *testing.T) {
	path := configured(t, "mcp.yaml", "inputs: {mode: {options: [a, b]}}\nservers: {s: {type: stdio, command: ['${input:mode}']}}\n")
	person, terminal := pseudoTerminal(t)
	_, err := person.WriteString("c\n")
	require.NoError(t, err)
	var stderr bytes.Buffer
	p := &program{stdin: terminal, stdout: &bytes.Buffer{}, stderr: &stderr, executable: os.Executable}
	assert.NotEqual(t, exitOK, p.run(t.Context(), []string{"--config", path, "tools", "s"}))
	assert.Contains(t, stderr.String(), "no answer: the answer is not one of a, b; found ${input:mode}")
}

// An interrupt ends a question, and leaves the terminal as it was.
func TestAQuestionThatIsInterrupted(t *testing.T) {
	path := configured(t, "mcp.yaml", "inputs: {word: {password: true}}\nservers: {s: {type: stdio, command: [x], args: ['${input:word}']}}\n")
	person, terminal := pseudoTerminal(t)
	descriptor := int(terminal.Fd())
	asked := &questions{asked: make(chan string, 10)}
	p := &program{stdin: terminal, stdout: &bytes.Buffer{}, stderr: asked, executable: os.Executable}
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- p.run(ctx, []string{"--config", path, "tools", "s"}) }()
	select {
	case <-asked.asked:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was asked")
	}
	for deadline := time.Now().Add(30 * time.Second); echoes(t, descriptor); runtime.Gosched() {
		require.True(t, time.Now().Before(deadline))
	}
	interrupt()
	select {
	case code := <-ended:
		assert.NotEqual(t, exitOK, code)
	case <-time.After(30 * time.Second):
		t.Fatal("the command does not end")
	}
	assert.True(t, echoes(t, descriptor))
	_, err := person.WriteString("\n") // lets the reader that was left behind end
	require.NoError(t, err)
}
