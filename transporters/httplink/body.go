package httplink

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/mcp-client-go/mcpclient/errors"
)

// firstBuffer is where a body of unknown length begins.
const firstBuffer = 8 << 10

// longBody is what makes a body of unknown length a long one: the next one gets room
// for as much at once, as soon as it is long as well.
const longBody = 64 << 10

// readBody reads a whole body into memory that its message will own. length is
// -1 if the server did not tell.
func (l *Link) readBody(x *exchange, length int64) ([]byte, error) {
	if length > l.maxBytes {
		return nil, l.tooLarge()
	}
	if length >= 0 {
		body := make([]byte, length)
		n, err := io.ReadFull(x, body)
		if err != nil {
			return nil, l.brokenBody(x, fmt.Sprintf("the body broke off after %d of %d bytes", n, length), err)
		}
		return body, nil
	}
	body := make([]byte, 0, min(firstBuffer, l.maxBytes+1))
	for {
		n, err := x.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > l.maxBytes:
			return nil, l.tooLarge()
		case err == io.EOF:
			if len(body) > longBody {
				l.longBody.Store(int64(len(body)))
			}
			return clipped(body), nil
		case err != nil:
			return nil, l.brokenBody(x, fmt.Sprintf("the body broke off after %d bytes", len(body)), err)
		}
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(l.grownSize(int64(cap(body))), l.maxBytes+1))
			copy(grown, body)
			body = grown
		}
	}
}

// clipped returns body without the room that a longer one before it left behind: it
// would stay in memory as long as the message.
func clipped(body []byte) []byte {
	if cap(body)-len(body) > max(len(body), longBody) {
		return bytes.Clone(body)
	}
	return body
}

// grownSize is how large a full buffer is to become: twice as large, or as the last
// long body was and a little more, but at most 32 times as large, so that one huge
// body does not make every later long one as expensive.
func (l *Link) grownSize(size int64) int64 {
	if size < longBody {
		return 2 * size
	}
	last := l.longBody.Load()
	return max(2*size, min(last+last/8, 32*size))
}

// readErrorBody reads up to limit bytes of a body that is only told of, secrets
// included. Its own faults are not reported; the end of the call or the link is.
func (l *Link) readErrorBody(x *exchange, limit int64) ([]byte, error) {
	body, _ := io.ReadAll(io.LimitReader(x, limit))
	if reason := x.reason(); reason != nil && !errors.Is(reason, errStalled) {
		return nil, reason
	}
	return body, nil
}

func (l *Link) tooLarge() error {
	return &errors.TransporterRequestError{
		Kind:    errors.KindProtocol,
		Message: fmt.Sprintf("the body is longer than max_response_bytes (%d)", l.maxBytes),
		Err:     errors.ErrMessageTooLarge,
	}
}

// decompress lets the exchange read plain bytes. Compression is not asked for,
// but some servers and proxies compress unasked. A body in an encoding that is
// not known counts as empty where the status says enough without it.
func (l *Link) decompress(x *exchange, response *http.Response) error {
	encoding := strings.ToLower(strings.TrimSpace(response.Header.Get("Content-Encoding")))
	switch encoding {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		x.body = &compressedBody{source: response.Body, open: func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }}
	case "deflate":
		x.body = &compressedBody{source: response.Body, open: zlib.NewReader}
	default:
		if x.statusSuffices || !isSuccess(response.StatusCode) {
			x.body = illegibleBody{http.NoBody, response.Body}
			break
		}
		return &errors.TransporterRequestError{
			Kind:    errors.KindProtocol,
			Status:  response.StatusCode,
			Message: fmt.Sprintf("the body has the Content-Encoding %q, which was not asked for", l.peerText(x, encoding, 60)),
			Err:     errors.ErrProtocol,
		}
	}
	response.ContentLength = -1
	return nil
}

// illegibleBody is read as empty and closes what it stands for.
type illegibleBody struct {
	io.Reader
	io.Closer
}

// compressedBody opens the decompressor at the first Read, since that waits for
// bytes.
type compressedBody struct {
	source io.ReadCloser
	open   func(io.Reader) (io.ReadCloser, error)
	plain  io.ReadCloser
}

func (b *compressedBody) Read(p []byte) (int, error) {
	if b.plain == nil {
		plain, err := b.open(b.source)
		if err != nil {
			return 0, err // io.EOF if the body is empty
		}
		b.plain = plain
	}
	return b.plain.Read(p)
}

func (b *compressedBody) Close() error { return b.source.Close() }
