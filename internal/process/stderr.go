package process

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// maxStderrLine is where a line of stderr is cut, in bytes.
	maxStderrLine = 4 << 10
	// maxStderrTail is how much of stderr is kept, in bytes.
	maxStderrTail = 8 << 10
)

// stderrPump reads a child's stderr from its start to its end, so that the
// child never blocks on it (pitfall P30).
type stderrPump struct {
	from    *output
	secrets SecretFilter
	each    func(line string)
	tail    tail
	done    chan struct{}
}

func newStderrPump(from *output, secrets SecretFilter, each func(line string)) *stderrPump {
	return &stderrPump{from: from, secrets: secrets, each: each, done: make(chan struct{})}
}

func (p *stderrPump) run() {
	defer close(p.done)
	limit := p.secrets.reads(maxStderrLine) + 1 // one more, to see that there is more
	buffer := make([]byte, 8<<10)
	var line []byte
	for {
		n, err := p.from.Read(buffer)
		for data := buffer[:n]; len(data) > 0; {
			piece, rest, ended := bytes.Cut(data, []byte("\n"))
			data = rest
			line = append(line, piece[:min(len(piece), limit-len(line))]...)
			if ended {
				p.emit(line)
				line = line[:0]
			}
		}
		if err != nil {
			p.emit(line)
			return
		}
	}
}

func (p *stderrPump) emit(line []byte) {
	text := p.secrets.Excerpt(bytes.TrimSuffix(line, []byte("\r")), maxStderrLine)
	if strings.TrimSpace(text) == "" {
		return
	}
	p.tail.add(text)
	if p.each != nil {
		p.each(text)
	}
}

// tail keeps the last lines within maxStderrTail bytes.
type tail struct {
	mu    sync.Mutex
	lines []string
	size  int
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	t.size += len(line) + 1
	drop := 0
	for t.size > maxStderrTail {
		t.size -= len(t.lines[drop]) + 1
		drop++
	}
	if drop > 0 {
		t.lines = append(t.lines[:0], t.lines[drop:]...)
	}
}

// String returns the lines, joined.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
