package wire

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// Tee starts a server's command, passes stdin, stdout and stderr on, and
// appends a record of every line to a file, a record a line. It returns the
// exit code of the command, once that has ended and what it wrote was passed on.
//
// SIGTERM is left to the command, which gets it as well, being in the same
// process group; so how a server is stopped is not changed by the tee.
func Tee(path string, command []string) (int, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	signal.Ignore(syscall.SIGTERM)
	t := &tee{encoder: json.NewEncoder(file)}
	child := exec.Command(command[0], command[1:]...)
	stdin, err := child.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return 0, err
	}
	stderr, err := child.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := child.Start(); err != nil {
		return 0, err
	}
	go func() { // ends with this process's stdin, at the latest when it exits
		t.pass(os.Stdin, stdin, FromClient)
		stdin.Close()
	}()
	var outputs sync.WaitGroup
	outputs.Go(func() { t.pass(stdout, os.Stdout, FromServer) })
	outputs.Go(func() { t.pass(stderr, os.Stderr, Stderr) })
	outputs.Wait()
	_ = child.Wait() // the state says how it ended
	t.add(Record{Kind: Exit, Text: child.ProcessState.String()})
	return child.ProcessState.ExitCode(), nil
}

// tee writes records from several goroutines.
type tee struct {
	mu      sync.Mutex
	encoder *json.Encoder
}

// pass copies lines until the source ends. A line is recorded before it is
// passed on, so that a question always stands before its answer. A destination
// that is gone does not end the reading: the other side must not be blocked.
func (t *tee) pass(from io.Reader, to io.Writer, kind Kind) {
	lines := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if kind == Stderr {
				t.add(Record{Kind: Stderr, Text: strings.TrimRight(line, "\r\n")})
			} else {
				t.add(messages(Record{Kind: kind}, []byte(line))...)
			}
			_, _ = io.WriteString(to, line)
		}
		if err != nil {
			return
		}
	}
}

func (t *tee) add(records ...Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, record := range records {
		_ = t.encoder.Encode(record) // a full disk shows as missing records
	}
}
