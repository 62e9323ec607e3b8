package httplink

import (
	"github.com/mcp-client-go/mcpclient/errors"
	"github.com/mcp-client-go/mcpclient/internal/jsonrpc"
	"github.com/mcp-client-go/mcpclient/internal/sse"
	"github.com/mcp-client-go/mcpclient/mcp"
)

// feed reads the messages of a stream that is no single exchange's.
type feed struct {
	link     *Link
	reader   *sse.Reader
	name     string            // what logs call the stream
	take     func(mcp.Message) // gets messages that own their bytes
	pending  *pendingTable     // whom an answer fails that cannot be used
	position position
	messages int // that were read
	faults   faultLog
}

// run reads until the stream ends and returns why: io.EOF, or the reader's error.
func (f *feed) run() error {
	for {
		event, err := f.reader.Next()
		if err != nil {
			return err
		}
		f.position.note(&event)
		if isMessage(&event) {
			f.takeEvent(f.reader.Take())
		}
	}
}

func (f *feed) takeEvent(data []byte) {
	message, err := f.link.scan(f.name, data)
	switch {
	case err == nil:
		f.messages++
		f.take(message)
	case errors.Is(err, jsonrpc.ErrBatch) && f.link.batches.Load():
		messages, err := f.link.scanBatch(f.name, data)
		for _, message := range messages {
			f.messages++
			f.take(message)
		}
		if err != nil {
			f.discard(data, err)
		}
	default:
		f.discard(data, err)
	}
}

// discard skips an event that cannot be used, and fails whoever waits for an
// answer in it.
func (f *feed) discard(data []byte, problem error) {
	f.faults.note(f.link, f.name, problem)
	for id := range jsonrpc.AnsweredIDs(data) {
		f.pending.fail(id, unusableError(problem))
	}
}
