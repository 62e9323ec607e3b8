package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// session is a program on a pseudo-terminal.
type session struct {
	*transcript
	t        *testing.T
	program  *exec.Cmd
	terminal *os.File
	copied   chan struct{}
}

// onTerminal starts a program on a terminal of a width.
func onTerminal(t *testing.T, columns uint16, program *exec.Cmd) *session {
	t.Helper()
	terminal, err := pty.StartWithSize(program, &pty.Winsize{Rows: 40, Cols: columns})
	require.NoError(t, err)
	s := &session{newTranscript(), t, program, terminal, make(chan struct{})}
	go func() {
		defer close(s.copied)
		buffer := make([]byte, 4096)
		for {
			n, err := terminal.Read(buffer)
			_, _ = s.Write(buffer[:n])
			if err != nil { // EIO: the other side is closed
				return
			}
		}
	}()
	t.Cleanup(func() { _ = program.Process.Kill(); _ = terminal.Close() })
	return s
}

// typeAfter types, after a text was written.
func (s *session) typeAfter(text, typed string) {
	s.t.Helper()
	s.await(s.t, text)
	_, err := s.terminal.WriteString(typed)
	require.NoError(s.t, err)
}

// end waits for the end and returns the exit code and all that was written, with
// plain line ends.
func (s *session) end() (code int, written string) {
	s.t.Helper()
	code = exitCode(s.t, s.program.Wait())
	<-s.copied
	return code, strings.ReplaceAll(s.String(), "\r\n", "\n")
}

func TestTablesOnATerminal(t *testing.T) {
	code, written := onTerminal(t, 50, command(t.TempDir(), "tools", "demo")).end()
	assert.Equal(t, 0, code)
	assert.Equal(t, strings.Join([]string{
		"\x1b[1mNAME\x1b[0m  \x1b[1mARGUMENTS\x1b[0m        \x1b[1mDESCRIPTION\x1b[0m",
		"\x1b[36mecho\x1b[0m  text             Returns the text it was gi…",
		"\x1b[36madd\x1b[0m   a b              Adds two numbers.",
		"\x1b[36mslow\x1b[0m  [ms] [steps]     Takes its time and reports…",
		"\x1b[36mfail\x1b[0m  [message]        Fails with the message it…",
		"\x1b[36mlog\x1b[0m   [level] message  Sends a log message to the…", "",
	}, "\n"), written)
}

func TestColoursOnATerminal(t *testing.T) {
	plain := command(t.TempDir(), "tools", "demo")
	plain.Env = append(plain.Env, "NO_COLOR=1")
	_, written := onTerminal(t, 100, plain).end()
	assert.NotContains(t, written, "\x1b", "NO_COLOR")
	assert.True(t, strings.HasPrefix(written, "NAME  ARGUMENTS "), "it is a table all the same")

	_, written = onTerminal(t, 100, command(t.TempDir(), "tools", "demo", "--color", "never")).end()
	assert.NotContains(t, written, "\x1b")

	dumb := command(t.TempDir(), "call", "demo", "slow", "ms=50", "steps=2")
	dumb.Env = append(dumb.Env, "TERM=dumb")
	_, written = onTerminal(t, 100, dumb).end()
	assert.Equal(t, "took 50 ms in 2 steps\n", written, "nothing is drawn that cannot be taken back")
}

func TestABarOnATerminal(t *testing.T) {
	code, written := onTerminal(t, 80, command(t.TempDir(), "call", "demo", "slow", "ms=600", "steps=3")).end()
	assert.Equal(t, 0, code)
	assert.Contains(t, written, "slow \x1b[36m[========>               ]\x1b[0m  33% \x1b[2mstep 1 of 3\x1b[0m")
	assert.True(t, strings.HasSuffix(written, "\r\x1b[2Ktook 600 ms in 3 steps\n"), "%q", written)
	assert.Equal(t, []string{"took 600 ms in 3 steps"}, newScreen(written).lines(), "what is left on the screen")
}

func TestAQuestionAtThePrompt(t *testing.T) {
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) {
			folder := folderWith(t, map[string]string{"mcp.yaml": witnessConfiguration(t, era, filepath.Join(t.TempDir(), "witness"))})
			s := onTerminal(t, 100, command(folder, "call", "witness", "ask", "--color", "never"))
			s.typeAfter("Do you want to answer?", "yes\n")
			s.typeAfter("Your name (string)", "A\n")
			s.typeAfter("length must be at least 2", "Ada\n")
			s.typeAfter("[red] > ", "2\n")
			s.typeAfter("Send this?", "yes\n")
			code, written := s.end()
			assert.Equal(t, 0, code, written)
			assert.Contains(t, written, "The server \"witness\" asks you:\n  Who are you?\n")
			assert.Contains(t, written, `"name":"Ada"`)
			assert.Contains(t, written, `"color":"green"`)

			s = onTerminal(t, 100, command(folder, "call", "witness", "ask", "--color", "never"))
			s.typeAfter("Do you want to answer?", "n\n")
			_, written = s.end()
			assert.Contains(t, written, `{"action":"decline"}`)

			s = onTerminal(t, 100, command(folder, "call", "witness", "ask", "--color", "never"))
			s.typeAfter("Do you want to answer?", "\x04") // Ctrl-D
			_, written = s.end()
			assert.Contains(t, written, `{"action":"cancel"}`)
		})
	}
}

// Ctrl-C at the keyboard reaches the program alone, for servers have process
// groups of their own; it cancels the call, also while a question is open.
func TestCtrlCAtTheKeyboard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "witness")
	folder := folderWith(t, map[string]string{"mcp.yaml": witnessConfiguration(t, "modern", file)})
	s := onTerminal(t, 100, command(folder, "call", "witness", "wait"))
	s.typeAfter("waiting", "\x03")
	code, written := s.end()
	assert.Equal(t, 130, code)
	assert.True(t, strings.HasSuffix(written, "\r\x1b[2K\x1b[31mmcpclient:\x1b[0m interrupted\n"), "%q", written)
	witnessed, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "called\ncancelled\n", string(witnessed))

	s = onTerminal(t, 100, command(folder, "call", "witness", "ask"))
	s.typeAfter("Do you want to answer?", "\x03")
	code, _ = s.end()
	assert.Equal(t, 130, code)
}
