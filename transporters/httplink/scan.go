package httplink

import (
	"bytes"
	"fmt"

	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/jsonscan"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// byteOrderMark precedes the bodies of some servers; it is no noise.
var byteOrderMark = []byte("\xef\xbb\xbf")

// scan is jsonrpc.Scan for data that is the message's own, with bytes replaced
// that are not UTF-8.
func (l *Link) scan(method string, data []byte) (mcp.Message, error) {
	message, err := jsonrpc.Scan(data)
	if errors.Is(err, jsonscan.ErrUTF8) {
		return jsonrpc.Scan(l.repair(method, data))
	}
	return message, err
}

// scanBatch is jsonrpc.ScanBatch in the same way.
func (l *Link) scanBatch(method string, data []byte) ([]mcp.Message, error) {
	messages, err := jsonrpc.ScanBatch(data)
	if errors.Is(err, jsonscan.ErrUTF8) {
		return jsonrpc.ScanBatch(l.repair(method, data))
	}
	return messages, err
}

// repair replaces what is not UTF-8, as JSON decoders do. Some servers pass on
// text in an old encoding; the rest of what they send is sound.
func (l *Link) repair(method string, data []byte) []byte {
	if n := l.repaired.Add(1); n <= maxFaultsLogged {
		l.log.Warn("a message is not valid UTF-8: the bad bytes are replaced", "server", l.server, "method", method,
			"bytes", len(data), "last_logged", n == maxFaultsLogged)
	}
	return bytes.ToValidUTF8(data, []byte("\uFFFD"))
}

// errUnusable marks an answer that has come but cannot be used. Who waits for it
// need not wait until the timeout.
var errUnusable = errors.New("the answer cannot be used")

func unusableError(problem error) error {
	text := fmt.Sprintf("the answer cannot be used: %v", problem)
	return failure(errors.KindProtocol, errors.DeliveryUnknown, text, errors.ErrProtocol, errUnusable, problem)
}
