package peer

import (
	"bufio"
	"errors"
	"io"
)

// ServeStdio answers JSON-RPC, a line each, from r on w until the end of r. It
// flushes when no further request is buffered, so that its cost per request
// falls under load.
func ServeStdio(r io.Reader, w io.Writer, options Options) error {
	in, out := bufio.NewReaderSize(r, 64<<10), bufio.NewWriterSize(w, 64<<10)
	var served payloads
	var buffer, event []byte
	for {
		line, err := readLine(in)
		if err != nil {
			return errors.Join(endOf(err), out.Flush())
		}
		request, err := parseRequest(line)
		if err != nil {
			out.WriteString(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}` + "\n")
			continue
		}
		answer := served.answer(&request, &options, buffer[:0])
		if answer.head == nil {
			continue
		}
		buffer = answer.head
		for i := 1; i <= answer.progress; i++ {
			event = append(appendProgress(event[:0], answer.token, i, answer.progress), '\n')
			out.Write(event)
		}
		out.Write(answer.head)
		out.Write(answer.big)
		out.WriteString(answer.tail)
		out.WriteByte('\n')
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// readLine reads one line of any length. It is valid until the next call, unless
// it was longer than the buffer.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	long := append([]byte(nil), line...)
	rest, err := in.ReadBytes('\n')
	return append(long, rest...), err
}

func endOf(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
