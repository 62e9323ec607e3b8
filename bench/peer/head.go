package peer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

var errHead = errors.New("malformed request head")

// head is what is read of an HTTP request before its body.
type head struct {
	method  string
	target  string
	length  int
	chunked bool
	close   bool
	modern  bool
	rpc     string // Mcp-Method
	name    string // Mcp-Name
}

// readHead reads request line and headers into h, which held those of the
// connection's last request: a string that stays the same is not allocated again.
func (h *head) readHead(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	method, rest, found := bytes.Cut(line, []byte(" "))
	target, _, complete := bytes.Cut(rest, []byte(" "))
	if !found || !complete {
		return errHead
	}
	keep(&h.method, method)
	keep(&h.target, target)
	h.length, h.chunked, h.close, h.modern = 0, false, false, false
	h.rpc, h.name = "", ""
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			return nil
		}
		key, value, found := bytes.Cut(line, []byte(":"))
		if !found {
			return errHead
		}
		value = bytes.TrimSpace(value)
		switch {
		case isHeader(key, "content-length"):
			if h.length, err = strconv.Atoi(string(value)); err != nil {
				return errHead
			}
		case isHeader(key, "transfer-encoding"):
			h.chunked = true
		case isHeader(key, "connection"):
			h.close = strings.EqualFold(string(value), "close")
		case isHeader(key, "mcp-protocol-version"):
			h.modern = string(value) >= modernVersion
		case isHeader(key, "mcp-method"):
			h.rpc = string(value)
		case isHeader(key, "mcp-name"):
			h.name = string(value)
		}
	}
}

func keep(kept *string, value []byte) {
	if *kept != string(value) {
		*kept = string(value)
	}
}

// isHeader compares a header's name with one in lower case.
func isHeader(name []byte, want string) bool {
	if len(name) != len(want) {
		return false
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// readBody reads the request's body, reusing buffer.
func (h *head) readBody(in *bufio.Reader, buffer []byte) ([]byte, error) {
	if h.chunked {
		return readChunks(in, buffer[:0])
	}
	if cap(buffer) < h.length {
		buffer = make([]byte, h.length)
	}
	buffer = buffer[:h.length]
	_, err := io.ReadFull(in, buffer)
	return buffer, err
}

func readChunks(in *bufio.Reader, body []byte) ([]byte, error) {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		length, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
		if err != nil {
			return nil, err
		}
		start := len(body)
		body = append(body, make([]byte, length)...)
		if _, err := io.ReadFull(in, body[start:]); err != nil {
			return nil, err
		}
		if _, err := in.ReadSlice('\n'); err != nil {
			return nil, err
		}
		if length == 0 {
			return body, nil
		}
	}
}

func appendChunk(text, chunk []byte) []byte {
	text = strconv.AppendInt(text, int64(len(chunk)), 16)
	text = append(text, "\r\n"...)
	text = append(text, chunk...)
	return append(text, "\r\n"...)
}
