package form

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
)

// maxLine bounds an answer, in bytes.
const maxLine = 1 << 20

// Lines reads lines for those who may stop waiting. A line that came too late
// goes to the next one who asks. It is safe for concurrent use.
type Lines struct {
	from  io.Reader
	begin sync.Once
	lines chan string // closed at the end of the input
}

// NewLines reads from a reader, not before it is asked to. The goroutine that
// reads ends with the input, or with the program.
func NewLines(from io.Reader) *Lines { return &Lines{from: from, lines: make(chan string)} }

// Next returns the next line without its end; io.EOF at the end of the input, the
// cause of ctx when that ends.
func (l *Lines) Next(ctx context.Context) (string, error) {
	l.begin.Do(func() { go l.read() })
	select {
	case line, more := <-l.lines:
		if !more {
			return "", io.EOF
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (l *Lines) read() {
	defer close(l.lines)
	scanner := bufio.NewScanner(l.from)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		l.lines <- strings.TrimSuffix(scanner.Text(), "\r")
	}
}
