package process

import (
	"io"
	"os"
	"time"

	"github.com/mcp-client-go/mcpclient/errors"
)

// output is the read end of a pipe that ends when the process does, whoever
// else still holds the write end.
//
// While the process runs, reads block as usual. Its exit sets a read deadline
// that has passed; that wakes the reader, and from then on output reads only
// what is there already, without blocking: all that the process wrote before
// it exited, so nothing is lost and nothing is waited for.
type output struct {
	file     *os.File
	draining bool // reader's goroutine only
	drained  int  // bytes read since then
}

// drainLimit bounds what is read after the exit, in case a grandchild goes on
// writing. It is the largest pipe that Linux gives to an unprivileged process.
const drainLimit = 1 << 20

// Read reads from the pipe. At the end, or on an error, it closes the pipe.
func (o *output) Read(b []byte) (int, error) {
	if !o.draining {
		n, err := o.file.Read(b)
		if n > 0 || err == nil {
			return n, nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return o.end(err)
		}
		o.draining = true
		_ = o.file.SetReadDeadline(time.Time{}) // else nothing can be read at all
	}
	if o.drained >= drainLimit {
		return o.end(io.EOF)
	}
	n := readAvailable(o.file, b)
	if n <= 0 {
		return o.end(io.EOF)
	}
	o.drained += n
	return n, nil
}

func (o *output) end(err error) (int, error) {
	_ = o.file.Close()
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return 0, err
}

// Close wakes the reader, who then sees the end.
func (o *output) Close() error {
	if err := o.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// processExited makes the reader stop when it has read what is there.
func (o *output) processExited() {
	if err := o.file.SetReadDeadline(time.Unix(1, 0)); errors.Is(err, os.ErrNoDeadline) {
		// No deadlines on this system's pipes. Leave a reader some time for
		// what is there, then take the pipe away.
		time.AfterFunc(time.Second, func() { _ = o.file.Close() })
	}
}
